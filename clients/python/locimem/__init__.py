"""A server of Loci from Python: memory for agents, and facts about a repository that are checked against its code.

``Client`` has one method for each operation of the native API; the shapes are in ``locimem.api``.
``VerifiedMemoryProvider`` calls the server's tools of facts. ``SreMemory`` has the hooks of operations agents, which
never raise. ``locimem.strands`` is a memory store for Strands agents.
Nothing is decided here: what holds for a record or a fact holds in the server. Standard library only.
"""

from . import api
from .client import Client
from .errors import (
    AuthRequired,
    CitationRejected,
    Conflict,
    EventFailure,
    EventsNotStored,
    Forbidden,
    InvalidAnswer,
    InvalidArgument,
    LociError,
    NotFound,
    NotVerified,
    RateLimited,
    TooLarge,
    Unavailable,
    Unreachable,
    Unverifiable,
    VerifiedMemoryError,
)
from .provider import VerifiedMemoryProvider
from .sre import InvestigationState, SreMemory
from .shapes import (
    Citation,
    CitationContent,
    CitationVerdict,
    Claim,
    ClaimVerdict,
    Event,
    History,
    InvalidateResult,
    LogAppliedResult,
    Memory,
    MemoryList,
    Place,
    RefreshResult,
    SearchHit,
    Stats,
    StoreResult,
    SupersedeResult,
    VerificationResult,
    WithheldMemory,
)

__all__ = [
    "AuthRequired",
    "Citation",
    "CitationContent",
    "CitationRejected",
    "CitationVerdict",
    "Claim",
    "ClaimVerdict",
    "Client",
    "Conflict",
    "Event",
    "EventFailure",
    "EventsNotStored",
    "Forbidden",
    "History",
    "InvalidAnswer",
    "InvalidArgument",
    "InvalidateResult",
    "InvestigationState",
    "LociError",
    "LogAppliedResult",
    "Memory",
    "MemoryList",
    "NotFound",
    "NotVerified",
    "Place",
    "RateLimited",
    "RefreshResult",
    "SearchHit",
    "SreMemory",
    "Stats",
    "StoreResult",
    "SupersedeResult",
    "TooLarge",
    "Unavailable",
    "Unreachable",
    "Unverifiable",
    "VerificationResult",
    "VerifiedMemoryError",
    "VerifiedMemoryProvider",
    "WithheldMemory",
    "api",
]
