"""The rule of writers: an event has no namespace, so two stores that write one conversation would
write everything twice."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from .strands_options import refused


class WritePlace(NamedTuple):
    """The conversation that a store's messages go to."""

    server: str
    memory: str
    actor: str
    session: str


def assert_writable_topology(stores: Sequence[Any], expect_extraction: bool = False) -> None:
    """Raises ``ValueError`` unless each memory, actor and session has at most one writable store.

    With ``expect_extraction`` each has exactly one that is writable and extracts. The error names every conversation
    that breaks the rule. Stores of other kinds are passed over. Call it after ``initialize`` where one store names its
    memory by name and another by id.
    """
    writers: dict[WritePlace, list[Any]] = {}
    for store in stores:
        place = getattr(store, "write_place", None)
        if isinstance(place, WritePlace):
            writers.setdefault(place, []).extend([store] if store.writable else [])
    broken = []
    for place, found in sorted(writers.items(), key=lambda item: item[0]):
        of = f"memory '{place.memory}', actor '{place.actor}', session '{place.session}'"
        if len(found) > 1:
            names = ", ".join(store.name for store in found)
            broken.append(f"at most one writable store is allowed for {of}; found: {names}")
        elif expect_extraction and not any(store.extraction for store in found):
            broken.append(f"no writable store with extraction for {of}")
    if broken:
        raise refused("; ".join(broken))


def writer_of(flags: Sequence[bool | None], extraction: Any) -> int | None:
    """Returns the store that writes: the one that is flagged; else, with extraction, the first that
    is not flagged false."""
    flagged = [at for at, flag in enumerate(flags) if flag]
    if len(flagged) > 1:
        raise refused("at most one store may be writable")
    if flagged or not extraction:
        return flagged[0] if flagged else None
    for at, flag in enumerate(flags):
        if flag is None:
            return at
    raise refused("extraction needs a writable store, and all opted out with writable=False")
