"""Rules of what a ``LociMemoryStore`` is given: texts, numbers and places. Each error names its
field. It calls nothing."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Sequence

#: Entries of a search where neither store nor call gives a number.
RESULTS_DEFAULT = 5
#: Messages of one event where the store gives no number.
TURNS_DEFAULT = 50
#: The wire's limit of messages of one event.
_TURNS_MAX = 100
_PLACE_DEFAULT = "/facts/{actorId}"
_PLACEHOLDER = re.compile(r"\{actorId\}|\{sessionId\}")


def refused(rule: str) -> ValueError:
    """An error of the store."""
    return ValueError(f"LociMemoryStore: {rule}")


def checked_text(field: str, value: Any) -> str:
    """Returns the value, which must be a text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise refused(f"{field} must be a non-empty string")
    return value


def checked_count(field: str, value: Any, most: int | None = None) -> int:
    """Returns the value, which must be an integer of at least 1, and at most ``most``."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if not is_integer or value < 1 or (most is not None and value > most):
        raise refused(f"{field} must be {'a positive integer' if most is None else f'an integer from 1 to {most}'}")
    return value


def checked_turns(value: Any) -> int:
    """Returns the number of messages that one event may hold."""
    return checked_count("max_turns_per_event", value, _TURNS_MAX)


def checked_relevance(value: Any) -> float | None:
    """Returns the least relevance, which must lie between 0 and 1."""
    if value is None:
        return None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or math.isnan(value) or not 0 <= value <= 1:
        raise refused("relevance_min must be a number between 0 and 1")
    return value


@dataclass(frozen=True)
class Scope:
    """The namespaces of a store: each alone, or each with all beneath it."""

    templates: tuple[str, ...]
    namespaces: tuple[str, ...]
    is_exact: bool

    @property
    def query(self) -> dict[str, list[str]]:
        """The members of a search or listing."""
        return {"namespaces" if self.is_exact else "namespace_paths": list(self.namespaces)}

    def has(self, namespace: str) -> bool:
        """True for a namespace that the store reads."""
        inner = _segments(namespace)
        outer = [_segments(own) for own in self.namespaces]
        return any(inner == own if self.is_exact else inner[: len(own)] == own for own in outer)


def scope_of(namespace: Any, namespace_path: Any, actor: str, session: str) -> Scope:
    """Returns the scope of one of the two options; the default where neither is given."""
    if namespace is not None and namespace_path is not None:
        raise refused("give namespace (exact) or namespace_path (with all beneath it), not both")
    field = "namespace_path" if namespace is None else "namespace"
    given = namespace_path if namespace is None else namespace
    templates = _templates(field, _PLACE_DEFAULT if given is None else given)
    resolved = tuple(_resolved(field, template, actor, session) for template in templates)
    return Scope(templates, resolved, namespace is not None)


def _templates(field: str, given: Any) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, (list, tuple)) or not listed:
        raise refused(f"{field} must be a non-empty string, or a list of them")
    return tuple(checked_text(field, template) for template in listed)


def _resolved(field: str, template: str, actor: str, session: str) -> str:
    rest = _PLACEHOLDER.sub("", template)
    if "{" in rest or "}" in rest:
        raise refused(f"{field} '{template}' may hold {{actorId}} and {{sessionId}}, and no other brace")
    # One pass: a value is no template.
    namespace = _PLACEHOLDER.sub(lambda found: actor if found[0] == "{actorId}" else session, template)
    if "{" in namespace or "}" in namespace:
        raise refused(f"{field} '{template}' would hold a brace of the actor or session, which no namespace may hold")
    return namespace


def _segments(namespace: str) -> list[str]:
    return [segment for segment in namespace.split("/") if segment]


def name_of_templates(templates: Sequence[str]) -> str:
    """Returns a name that follows from the namespaces: ``/users/{actorId}/facts`` is
    ``users-facts``."""
    slugs = [slug for slug in map(_slug, templates) if slug]
    return "-".join(slugs) or "loci-memory"


def _slug(template: str) -> str:
    out: list[str] = []
    #: Where an open placeholder begins in ``out``; it is none where a segment ends first.
    opened: int | None = None
    for character in template:
        if character == "{" and opened is None:
            opened = len(out)
        elif character == "}" and opened is not None:
            del out[opened:]
            opened = None
            continue
        elif character == "/":
            opened = None
        if character.isascii() and character.isalnum():
            out.append(character.lower())
        elif out and out[-1] != "-":
            out.append("-")
    return "".join(out).rstrip("-")
