"""What the generator knows of the native API: forms of values, shapes, operations. It reads no document and writes no code."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Form:
    """A kind of value.

    ``kind``: ``text``, ``integer``, ``number``, ``boolean``, ``null``, ``anything``; ``named`` with a shape's ``name``;
    ``words`` with the ``words`` it may be; ``list`` and ``map`` with the form inside; ``either`` with several inside.
    """

    kind: str
    name: str = ""
    words: tuple[str, ...] = ()
    inside: tuple["Form", ...] = ()


@dataclass(frozen=True)
class Member:
    """A member of a shape or of a query."""

    name: str
    form: Form
    is_required: bool
    about: str


@dataclass(frozen=True)
class Shape:
    """A named form. One with ``alias`` is that form; another is an object: its ``bases`` with ``members``."""

    name: str
    about: str
    alias: Form | None = None
    bases: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()


@dataclass(frozen=True)
class Operation:
    """A call. ``repeat`` is ``read``, ``key`` or ``never``; a ``body`` is the name of a shape, or ``bytes``."""

    name: str
    method: str
    path: str
    repeat: str
    summary: str
    parameters: tuple[str, ...] = ()
    query: tuple[Member, ...] = ()
    body: str | None = None
    is_body_optional: bool = False
    answer: str | None = None
    may_be_nothing: bool = False


@dataclass(frozen=True)
class Api:
    """All of it, in the document's order."""

    version: str
    shapes: tuple[Shape, ...] = field(default=())
    operations: tuple[Operation, ...] = field(default=())
