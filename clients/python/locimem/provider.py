"""``VerifiedMemoryProvider``: one method for each tool of facts. When to try again is ``repeats``' matter."""

from __future__ import annotations

import os
import ssl
import time
import uuid
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Sequence, Union

from .errors import InvalidArgument
from .repeats import Repeats
from .shapes import (
    Citation,
    CitationContent,
    Claim,
    History,
    InvalidateResult,
    LogAppliedResult,
    Memory,
    MemoryList,
    RefreshResult,
    Stats,
    StoreResult,
    SupersedeResult,
    VerificationResult,
)
from .transport import Transport, headers_of

AnyCitation = Union[Citation, Mapping[str, Any]]
AnyClaim = Union[Claim, Mapping[str, Any]]


class VerifiedMemoryProvider:
    """Facts of repositories, on one server.

    :param url: ``http://…``, ``https://…`` or ``unix:/path/to/loci.sock``; else ``LOCI_URL``.
    :param token: the bearer token of a key; else ``LOCI_TOKEN``. A socket needs none.
    :param memory: which memory, by name or id, where the server has several.
    :param agent_id: who acts, for the telemetry of every call.
    :param session_id: in which conversation.
    :param timeout: seconds that a call may take, all tries together.
    :param retries: further tries after an error that the server calls retryable, or no answer at all. Calls that change
        something carry an idempotency key, so that they happen once.
    :param tls: for servers with a certificate of their own.

    A context manager; may be used from several threads.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        token: Optional[str] = None,
        memory: Optional[str] = None,
        agent_id: Optional[str] = None,
        session_id: Optional[str] = None,
        timeout: float = 10.0,
        retries: int = 2,
        tls: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        url = url or os.environ.get("LOCI_URL")
        if not url:
            raise ValueError("no server: give url, or set LOCI_URL")
        self._repeats = Repeats(timeout, retries, sleep, clock)
        token = token or os.environ.get("LOCI_TOKEN")
        self._transport = Transport(url, headers_of(token, memory), tls)
        self._who = {"agent_id": agent_id, "session_id": session_id}

    def __enter__(self) -> "VerifiedMemoryProvider":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    # The ten calls of the design.

    def store(
        self,
        repo: str,
        subject: str,
        fact: str,
        citations: Iterable[AnyCitation],
        *,
        reason: Optional[str] = None,
        created_by: Optional[str] = None,
        claims: Optional[Iterable[AnyClaim]] = None,
        ref: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> StoreResult:
        """Stores a fact with the lines that prove it. All are verified first; an equal fact is refreshed."""
        arguments = {"repo": repo, "subject": subject, "fact": fact, "citations": _spelled(citations)}
        more = {"reason": reason, "created_by": created_by, "claims": _spelled(claims), "ref": ref}
        return StoreResult.of(self._change("memory_store", {**arguments, **more}, idempotency_key))

    def get_recent(
        self,
        repo: str,
        *,
        limit: Optional[int] = None,
        verify: Optional[str] = None,
        ref: Optional[str] = None,
        format: Optional[str] = None,
        max_tokens: Optional[int] = None,
    ) -> MemoryList:
        """Facts of a repository, newest first, checked against the code. ``format="prompt"`` fills ``prompt``."""
        arguments = {"repo": repo, "limit": limit, "verify": verify, "ref": ref}
        more = {"format": format, "max_tokens": max_tokens}
        return MemoryList.of(self._read("memory_get_recent", {**arguments, **more}))

    def search_by_path(
        self,
        repo: str,
        path: str,
        *,
        match: Optional[str] = None,
        include_previous_paths: Optional[bool] = None,
        limit: Optional[int] = None,
        verify: Optional[str] = None,
        ref: Optional[str] = None,
    ) -> MemoryList:
        """Facts that cite a path: ``match`` is ``exact``, ``prefix`` or ``glob``."""
        arguments = {"repo": repo, "path": path, "match": match, "limit": limit, "verify": verify, "ref": ref}
        more = {"include_previous_paths": include_previous_paths}
        return MemoryList.of(self._read("memory_search_by_path", {**arguments, **more}))

    def verify_citations(
        self,
        repo: str,
        *,
        citations: Optional[Iterable[AnyCitation]] = None,
        memory_id: Optional[str] = None,
        ref: Optional[str] = None,
    ) -> VerificationResult:
        """Checks citations, or those of a fact, at a revision: one of the two is given."""
        arguments = {"repo": repo, "citations": _spelled(citations), "memory_id": memory_id, "ref": ref}
        return VerificationResult.of(self._read("memory_verify_citations", arguments))

    def read_citation(
        self,
        repo: str,
        path: str,
        line_start: int,
        line_end: int,
        *,
        ref: Optional[str] = None,
        context_lines: Optional[int] = None,
    ) -> CitationContent:
        """Lines of a file at a revision."""
        arguments = {"repo": repo, "path": path, "line_start": line_start, "line_end": line_end}
        more = {"ref": ref, "context_lines": context_lines}
        return CitationContent.of(self._read("memory_read_citation", {**arguments, **more}))

    def refresh(
        self,
        memory_id: str,
        *,
        verified_by: Optional[str] = None,
        verification_id: Optional[str] = None,
        ref: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> RefreshResult:
        """Says that a fact holds still: with a receipt of ``verify_citations``, or the server checks it."""
        arguments = {"memory_id": memory_id, "verified_by": verified_by, "verification_id": verification_id, "ref": ref}
        return RefreshResult.of(self._change("memory_refresh", arguments, idempotency_key))

    def invalidate(
        self,
        memory_id: str,
        reason: str,
        *,
        invalidated_by: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> InvalidateResult:
        """Says that a fact holds no longer, and why."""
        arguments = {"memory_id": memory_id, "reason": reason, "invalidated_by": invalidated_by}
        return InvalidateResult.of(self._change("memory_invalidate", arguments, idempotency_key))

    def supersede(
        self,
        old_memory_id: str,
        new_fact: str,
        *,
        new_citations: Optional[Iterable[AnyCitation]] = None,
        new_reason: Optional[str] = None,
        new_subject: Optional[str] = None,
        claims: Optional[Iterable[AnyClaim]] = None,
        created_by: Optional[str] = None,
        ref: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> SupersedeResult:
        """Puts a fact in the place of another. Without citations the old ones must all hold."""
        arguments = {"old_memory_id": old_memory_id, "new_fact": new_fact, "new_citations": _spelled(new_citations)}
        more = {"new_reason": new_reason, "new_subject": new_subject, "claims": _spelled(claims)}
        rest = {"created_by": created_by, "ref": ref}
        return SupersedeResult.of(self._change("memory_supersede", {**arguments, **more, **rest}, idempotency_key))

    def log_applied(
        self,
        memory_id: str,
        *,
        outcome: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> LogAppliedResult:
        """Says that a fact was used; ``outcome`` is ``helped``, ``neutral`` or ``harmful``."""
        arguments = {"memory_id": memory_id, "outcome": outcome}
        return LogAppliedResult.of(self._change("memory_log_applied", arguments, idempotency_key))

    def stats(self, repo: str) -> Stats:
        """Figures of a repository's facts."""
        return Stats.of(self._read("memory_stats", {"repo": repo}, is_logged=False))

    # And three more.

    def search(
        self,
        repo: Optional[str] = None,
        query: Optional[str] = None,
        *,
        store: Optional[str] = None,
        kinds: Optional[Sequence[str]] = None,
        filters: Optional[Mapping[str, Any]] = None,
        limit: Optional[int] = None,
        verify: Optional[str] = None,
        ref: Optional[str] = None,
        task_id: Optional[str] = None,
    ) -> MemoryList:
        """Facts of a repository, or knowledge of a store, by words, meaning or filters; ranked."""
        arguments = {"repo": repo, "query": query, "store": store, "filters": None if filters is None else dict(filters)}
        more = {"kinds": None if kinds is None else list(kinds), "limit": limit, "verify": verify, "ref": ref}
        return MemoryList.of(self._read("memory_search", {**arguments, **more, "task_id": task_id}))

    def get(self, memory_id: str) -> Memory:
        """One fact with everything that is known of it."""
        answer = self._read("memory_get", {"memory_id": memory_id}, is_logged=False)
        return Memory.of(answer.get("memory"))

    def history(self, memory_id: str, *, limit: Optional[int] = None) -> History:
        """The versions of a fact, and what happened to it."""
        return History.of(self._read("memory_history", {"memory_id": memory_id, "limit": limit}, is_logged=False))

    def _read(self, tool: str, arguments: Mapping[str, Any], is_logged: bool = True) -> Dict[str, Any]:
        return self._call(tool, {**arguments, **(self._who if is_logged else {})})

    def _change(self, tool: str, arguments: Mapping[str, Any], key: Optional[str]) -> Dict[str, Any]:
        return self._call(tool, {**arguments, **self._who, "idempotency_key": key or str(uuid.uuid4())})

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> Dict[str, Any]:
        given = {name: value for name, value in arguments.items() if value is not None}
        return self._repeats.run(lambda left: self._transport.call(tool, given, left))


def _spelled(given: Optional[Iterable[Any]]) -> Any:
    if given is None:
        return None
    if isinstance(given, (str, bytes, Mapping)):
        raise InvalidArgument("INVALID_ARGUMENT", "a list of citations or claims is expected")
    return [item.arguments() if isinstance(item, (Citation, Claim)) else dict(item) for item in given]
