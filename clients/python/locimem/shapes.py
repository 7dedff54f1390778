"""What goes into calls and comes out of them. Members that a newer server adds are kept in ``raw``.

Times are texts as the server writes them (RFC 3339, UTC).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar

from .errors import InvalidAnswer

T = TypeVar("T", bound="Shape")


@dataclass(frozen=True)
class Shape:
    """A part of an answer. ``raw`` is the whole of it."""

    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    #: Members that are shapes themselves, and whether there are several.
    _inner: ClassVar[Mapping[str, Tuple[Type["Shape"], bool]]] = {}

    @classmethod
    def of(cls: Type[T], data: Any) -> T:
        """From the JSON of an answer."""
        if not isinstance(data, dict):
            raise InvalidAnswer("INVALID_ANSWER", f"the answer has no object where {cls.__name__} is expected")
        values: Dict[str, Any] = {"raw": data}
        for member in fields(cls):
            if member.name == "raw" or data.get(member.name) is None:
                continue
            value = data[member.name]
            shape, several = cls._inner.get(member.name, (None, False))
            if shape is not None and several:
                if not isinstance(value, list):
                    raise InvalidAnswer("INVALID_ANSWER", f"the answer has no list in {member.name}")
                value = [shape.of(item) for item in value]
            elif shape is not None:
                value = shape.of(value)
            values[member.name] = value
        return cls(**values)


@dataclass(frozen=True)
class Place(Shape):
    """Where cited code is now."""

    path: str = ""
    line_start: int = 0
    line_end: int = 0
    commit: Optional[str] = None


@dataclass(frozen=True)
class Citation(Shape):
    """Lines of code that prove something: from ``line_start`` to ``line_end``, counted from 1, both included.

    ``sha`` is the commit at which they were read, or ``sha`` of ``read_citation``. ``blob``, ``symbol`` and ``current`` come from the server.
    """

    path: str = ""
    line_start: int = 0
    line_end: int = 0
    sha: Optional[str] = None
    snippet_hash: Optional[str] = None
    blob: Optional[str] = None
    symbol: Optional[str] = None
    current: Optional[Place] = None

    _inner = {"current": (Place, False)}

    def __init__(self, path: str = "", line_start: int = 0, line_end: Optional[int] = None, **more: Any) -> None:
        values = {"raw": {}, "path": path, "line_start": line_start, **more}
        values["line_end"] = line_start if line_end is None else line_end
        known = {member.name: member for member in fields(type(self))}
        for name in values:
            if name not in known:
                raise TypeError(f"Citation has no {name}")
        for name, member in known.items():
            object.__setattr__(self, name, values[name] if name in values else member.default)

    def arguments(self) -> Dict[str, Any]:
        """As an argument of a call."""
        named = {"sha": self.sha, "snippet_hash": self.snippet_hash}
        place = {"path": self.path, "line_start": self.line_start, "line_end": self.line_end}
        return {**place, **{name: value for name, value in named.items() if value is not None}}


@dataclass(frozen=True)
class Claim:
    """A statement that a machine can check; which operands a ``kind`` has is in the server's guide."""

    kind: str
    citation: Optional[int] = None
    citations: Optional[Sequence[int]] = None
    regex: Optional[str] = None
    regexes: Optional[Sequence[str]] = None
    literal: Optional[str] = None
    path: Optional[str] = None
    glob: Optional[str] = None
    name: Optional[str] = None
    pointer: Optional[str] = None

    def arguments(self) -> Dict[str, Any]:
        """As an argument of a call."""
        named = {member.name: getattr(self, member.name) for member in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in named.items() if value is not None}


@dataclass(frozen=True)
class OtherValue(Shape):
    """A name to which a fact gives one value, and the cited code another."""

    name: str = ""
    stated: str = ""
    found: str = ""
    place: Optional[Place] = None

    _inner = {"place": (Place, False)}


@dataclass(frozen=True)
class Support(Shape):
    """What the cited code says of a fact: ``supported``, ``not_checked`` or ``contradicted``.

    ``found`` and ``missing`` are the names and values of the fact that were looked for in the cited lines.
    """

    verdict: str = ""
    reason: str = ""
    found: List[str] = field(default_factory=list)
    missing: List[str] = field(default_factory=list)
    other_values: List[OtherValue] = field(default_factory=list)

    _inner = {"other_values": (OtherValue, True)}


@dataclass(frozen=True)
class Memory(Shape):
    """A fact about a repository, with what is known of it.

    ``verdict`` says whether the cited code is unchanged, ``support`` whether it says what the fact says. ``assurance`` is both in
    one word (only ``verified`` is both), and ``label`` a line for people with the places.
    """

    id: str = ""
    repo: str = ""
    subject: str = ""
    fact: str = ""
    citations: List[Citation] = field(default_factory=list)
    reason: Optional[str] = None
    refreshed_at: Optional[str] = None
    verification_count: int = 0
    status: Optional[str] = None
    verdict: Optional[str] = None
    support: Optional[Support] = None
    assurance: Optional[str] = None
    label: Optional[str] = None
    created_at: Optional[str] = None
    created_by: Optional[str] = None
    source_ref: Optional[str] = None
    source_commit: Optional[str] = None
    source_kind: Optional[str] = None
    last_verified_at: Optional[str] = None
    last_verified_commit: Optional[str] = None
    last_used_at: Optional[str] = None
    rejection_count: int = 0
    applied_count: int = 0
    retrieved_count: int = 0
    supersedes_id: Optional[str] = None
    superseded_by_id: Optional[str] = None
    expires_at: Optional[str] = None
    claims: List[Mapping[str, Any]] = field(default_factory=list)
    verified_at: Optional[str] = None
    verified_commit: Optional[str] = None
    abandoned_source: bool = False
    flags: List[str] = field(default_factory=list)

    _inner = {"citations": (Citation, True), "support": (Support, False)}

    @property
    def is_verified(self) -> bool:
        """True where the cited code is unchanged and supports the fact."""
        return self.assurance == "verified"


@dataclass(frozen=True)
class CitationVerdict(Shape):
    """What a check found of one citation."""

    path: str = ""
    line_start: int = 0
    line_end: int = 0
    exists: bool = False
    content: Optional[str] = None
    error: Optional[str] = None
    verdict: Optional[str] = None
    method: Optional[str] = None
    similarity: Optional[float] = None
    drift: Optional[str] = None
    unverifiable_reason: Optional[str] = None
    moved_to: Optional[Place] = None
    blob: Optional[str] = None
    expected_excerpt: Optional[str] = None
    diff: Optional[str] = None
    reindented: bool = False

    _inner = {"moved_to": (Place, False)}


@dataclass(frozen=True)
class ClaimVerdict(Shape):
    """Whether a claim holds; ``None`` where that could not be told."""

    index: int = 0
    holds: Optional[bool] = None
    detail: Optional[str] = None


@dataclass(frozen=True)
class VerificationResult(Shape):
    """What a check of citations found. ``verification_id`` is a receipt that ``refresh`` takes for ten minutes."""

    valid: bool = False
    citations: List[CitationVerdict] = field(default_factory=list)
    valid_count: int = 0
    invalid_count: int = 0
    unverifiable_count: int = 0
    verdict: Optional[str] = None
    support: Optional[Support] = None
    repo: Optional[str] = None
    ref: Optional[str] = None
    commit: Optional[str] = None
    dirty: bool = False
    verification_id: Optional[str] = None
    claims: List[ClaimVerdict] = field(default_factory=list)
    warnings: List[str] = field(default_factory=list)

    _inner = {
        "citations": (CitationVerdict, True),
        "claims": (ClaimVerdict, True),
        "support": (Support, False),
    }


@dataclass(frozen=True)
class StoreResult(Shape):
    """``status``: ``created``, ``refreshed`` (the fact was there) or ``duplicate_of``."""

    id: str = ""
    status: str = ""
    memory: Optional[Memory] = None
    verification: Optional[VerificationResult] = None
    similar: List[str] = field(default_factory=list)
    warnings: List[str] = field(default_factory=list)
    repo: Optional[str] = None
    ref: Optional[str] = None

    _inner = {"memory": (Memory, False), "verification": (VerificationResult, False)}


@dataclass(frozen=True)
class SearchHit(Shape):
    """Knowledge of another kind than a fact."""

    id: str = ""
    kind: str = ""
    score: float = 0.0
    path: Optional[str] = None
    passage: Optional[str] = None
    verdict: Optional[str] = None
    support: Optional[str] = None


@dataclass(frozen=True)
class WithheldMemory(Shape):
    """A fact that a read does not state: ``why``, and the ``places`` to read instead."""

    id: str = ""
    subject: str = ""
    status: Optional[str] = None
    verdict: Optional[str] = None
    assurance: Optional[str] = None
    why: List[str] = field(default_factory=list)
    places: List[Place] = field(default_factory=list)

    _inner = {"places": (Place, True)}


@dataclass(frozen=True)
class MemoryList(Shape):
    """Facts that hold at ``commit``; ``omitted`` counts by reason what was left out, and ``withheld`` names it.

    Iterates over the facts.
    """

    repo: Optional[str] = None
    ref: Optional[str] = None
    commit: Optional[str] = None
    memories: List[Memory] = field(default_factory=list)
    omitted: Mapping[str, int] = field(default_factory=dict)
    withheld: List[WithheldMemory] = field(default_factory=list)
    prompt: Optional[str] = None
    warnings: List[str] = field(default_factory=list)
    results: List[SearchHit] = field(default_factory=list)
    degraded: bool = False
    #: What to do where nothing is known.
    hint: Optional[str] = None
    #: The row of what a task was shown, where a task asked.
    exposure_id: Optional[str] = None

    _inner = {"memories": (Memory, True), "withheld": (WithheldMemory, True), "results": (SearchHit, True)}

    def __iter__(self) -> Iterator[Memory]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class CitationContent(Shape):
    """Lines of a file at a revision. ``sha`` is the blob."""

    path: str = ""
    line_start: int = 0
    line_end: int = 0
    content: str = ""
    sha: str = ""
    commit: Optional[str] = None
    exists: bool = False
    total_lines: Optional[int] = None
    truncated: bool = False
    error: Optional[str] = None
    repo: Optional[str] = None
    ref: Optional[str] = None


@dataclass(frozen=True)
class RefreshResult(Shape):
    """A fact was found to hold again."""

    success: bool = False
    refreshed_at: Optional[str] = None
    verification_count: Optional[int] = None
    verdict: Optional[str] = None


@dataclass(frozen=True)
class InvalidateResult(Shape):
    """``changed`` is false where the fact was invalid already."""

    success: bool = False
    changed: bool = False
    status: Optional[str] = None


@dataclass(frozen=True)
class SupersedeResult(Shape):
    """``merged``: the new fact was there already."""

    new_memory_id: str = ""
    old_status: Optional[str] = None
    merged: bool = False
    verification: Optional[VerificationResult] = None
    warnings: List[str] = field(default_factory=list)
    repo: Optional[str] = None
    ref: Optional[str] = None

    _inner = {"verification": (VerificationResult, False)}


@dataclass(frozen=True)
class LogAppliedResult(Shape):
    """``unverified``: the fact was used without a check of late; ``refreshed``: with one, and that counted."""

    logged: bool = False
    unverified: bool = False
    refreshed: bool = False


@dataclass(frozen=True)
class Stats(Shape):
    """Figures of a repository's facts."""

    repo: str = ""
    active_count: int = 0
    quarantined_count: int = 0
    invalid_count: int = 0
    superseded_count: int = 0
    expired_count: int = 0
    avg_verifications: Optional[float] = None
    avg_rejections: Optional[float] = None
    last_refresh: Optional[str] = None
    first_memory: Optional[str] = None
    latest_memory: Optional[str] = None
    applied_count: int = 0
    verdict_rates: Mapping[str, Any] = field(default_factory=dict)
    told_verdicts: Mapping[str, int] = field(default_factory=dict)
    verified_before_use_rate: Optional[float] = None
    refresh_on_valid_rate: Optional[float] = None
    stale_share: Optional[float] = None
    cache_hit_rate: Optional[float] = None
    verification_ms: Mapping[str, Optional[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Event(Shape):
    """Something that happened to a fact."""

    event: str = ""
    at: str = ""
    agent_id: Optional[str] = None
    session_id: Optional[str] = None
    ref: Optional[str] = None
    commit: Optional[str] = None
    verdict: Optional[str] = None
    method: Optional[str] = None
    duration_ms: Optional[float] = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class History(Shape):
    """The versions of a fact, and what happened to it."""

    chain: List[Memory] = field(default_factory=list)
    events: List[Event] = field(default_factory=list)

    _inner = {"chain": (Memory, True), "events": (Event, True)}
