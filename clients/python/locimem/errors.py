"""What may go wrong in a call. Every error has the server's code; those that programs treat differently have a class."""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence, Type


class LociError(Exception):
    """A call gave no result.

    ``code``: the server's word, such as ``NOT_FOUND``. ``retryable``: the same call may succeed later without a change;
    ``retry_after_ms``: when, where the server says so. ``field``: the argument at fault. ``details``: more, by code.
    ``status``: of HTTP, where there was an answer.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        retryable: bool = False,
        retry_after_ms: Optional[int] = None,
        field: Optional[str] = None,
        details: Optional[Mapping[str, Any]] = None,
        status: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms
        self.field = field
        self.details: Dict[str, Any] = dict(details or {})
        self.status = status

    def __str__(self) -> str:
        where = f" ({self.field})" if self.field else ""
        return f"{self.code}{where}: {self.message}"


#: The name of old: the errors of facts are those of everything.
VerifiedMemoryError = LociError


class InvalidArgument(LociError):
    """An argument breaks a rule."""


class NotFound(LociError):
    """No such record, repository or revision, as far as this caller may know."""


class Conflict(LociError):
    """The state does not allow it: not active, changed by somebody else, or one key for two different calls."""


class TooLarge(LociError):
    """More than a limit allows."""


class CitationRejected(LociError):
    """The cited code cannot prove a fact: unreadable, too little of it, binary, too large, or outside the repository."""


class NotVerified(LociError):
    """What had to hold at the revision does not."""


class Unverifiable(LociError):
    """The code could not be read now. That says nothing about the fact."""


class AuthRequired(LociError):
    """The server does not know who asks."""


class Forbidden(LociError):
    """Who asks may not do this."""


class RateLimited(LociError):
    """Too much at once, or a quota is used up."""


class Unavailable(LociError):
    """The server, or what it asks itself, cannot answer now."""


class Unreachable(LociError):
    """There was no answer: no connection, or not in time. Whether the call was carried out is not known."""


class InvalidAnswer(LociError):
    """What answered is not this server's API."""


class EventFailure(NamedTuple):
    """An event that was not stored: the numbers of its first and last message, where they have any,
    and the reason."""

    first: Optional[int]
    last: Optional[int]
    error: LociError


class EventsNotStored(LociError):
    """Some events of a batch were not stored.

    ``code`` is that of the first failure, and ``message`` counts the failures and has its reason.

    ``failures``: every event that was not stored, in the order of the conversation, with those that
    were not sent after an error that may pass. ``stored``: ids of the others. ``retryable``: the same
    batch may succeed when it is sent again; what was stored is stored once.
    """

    def __init__(self, failures: Sequence[EventFailure], stored: Sequence[str]) -> None:
        first = failures[0].error
        of = len(failures) + len(stored)
        super().__init__(
            first.code,
            f"{len(failures)} of {of} event(s) not stored; first error: {first.message}",
            retryable=any(failure.error.retryable for failure in failures),
            retry_after_ms=first.retry_after_ms,
            field=first.field,
            details=first.details,
            status=first.status,
        )
        self.failures = list(failures)
        self.stored = list(stored)


_CLASSES: Dict[str, Type[LociError]] = {
    "INVALID": InvalidArgument,
    "INVALID_ARGUMENT": InvalidArgument,
    "CANNOT_PARSE": InvalidArgument,
    "PATH_REJECTED": InvalidArgument,
    "SECRET_DETECTED": InvalidArgument,
    "NOT_FOUND": NotFound,
    "REPO_UNKNOWN": NotFound,
    "REF_NOT_FOUND": NotFound,
    "CONFLICT": Conflict,
    "NOT_ACTIVE": Conflict,
    "IDEMPOTENCY_KEY_REUSED": Conflict,
    "STALE_VERSION": Conflict,
    "PRECONDITION_REQUIRED": Conflict,
    "TOO_LARGE": TooLarge,
    "CITATION_UNREADABLE": CitationRejected,
    "CITATION_LOW_INFORMATION": CitationRejected,
    "BINARY_FILE": CitationRejected,
    "SUBMODULE": CitationRejected,
    "SYMLINK_ESCAPE": CitationRejected,
    "NOT_VERIFIED": NotVerified,
    "UNVERIFIABLE": Unverifiable,
    "AUTH_REQUIRED": AuthRequired,
    "UNAUTHENTICATED": AuthRequired,
    "FORBIDDEN": Forbidden,
    "DENIED": Forbidden,
    "RATE_LIMITED": RateLimited,
    "THROTTLED": RateLimited,
    "QUOTA_EXCEEDED": RateLimited,
    "UNAVAILABLE": Unavailable,
    "UPSTREAM": Unavailable,
}
#: What a tool of facts calls too large is cited code.
_CLASSES_OF_TOOLS: Dict[str, Type[LociError]] = {"TOO_LARGE": CitationRejected}
#: For codes that are finer than these.
_CLASSES_BY_STATUS: Dict[int, Type[LociError]] = {
    400: InvalidArgument,
    401: AuthRequired,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    413: TooLarge,
    428: Conflict,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
}


def error_of(status: int, body: Any, retry_after: Optional[str], of_tool: bool = False) -> LociError:
    """The error of an answer that is one: ``{"error": {code, message, field?, retryable, details?}}``."""
    problem = body.get("error") if isinstance(body, dict) else None
    if not isinstance(problem, dict) or not isinstance(problem.get("code"), str):
        message = f"status {status} without an error of this API: is the address right?"
        return InvalidAnswer("INVALID_ANSWER", message, retryable=status in (502, 503, 504), status=status)
    details = problem.get("details")
    details = dict(details) if isinstance(details, dict) else {}
    after = details.pop("retry_after_ms", None)
    if not isinstance(after, (int, float)) or isinstance(after, bool):
        after = 1000 * int(retry_after) if retry_after and retry_after.isdigit() else None
    code = problem["code"]
    return _class_of(code, status, of_tool)(
        code,
        str(problem.get("message", "")),
        retryable=problem.get("retryable") is True,
        retry_after_ms=None if after is None else int(after),
        field=problem.get("field"),
        details=details,
        status=status,
    )


def _class_of(code: str, status: int, of_tool: bool) -> Type[LociError]:
    if of_tool and code in _CLASSES_OF_TOOLS:
        return _CLASSES_OF_TOOLS[code]
    return _CLASSES.get(code) or _CLASSES_BY_STATUS.get(status, LociError)
