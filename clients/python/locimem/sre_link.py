"""The link of an operations agent to its memory: the memory's id once it is there, offline until then.

One attempt every thirty seconds, however many calls there are. The log gets ids, codes and names of members, never
contents: a message of the server may hold some.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from typing import Callable

from .client import Client
from .errors import LociError, Unreachable

#: Seconds between two attempts.
RETRY_S = 30.0
#: Seconds for which the log hears of a kind once, while the memory is offline.
_NOTICE_S = 60.0
_PROFILE = "sre"
LOG = logging.getLogger("locimem.sre")


class Link:
    """A memory that is there, or will be."""

    def __init__(
        self,
        client: Client,
        memory: str | None,
        name: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.client = client
        self.memory = memory
        self._name = name
        self.sleep = sleep
        self._clock = clock
        self._noticed: dict[str, float] = {}
        self._lock = threading.Lock()

    def require(self) -> str:
        """The memory's id. Raises ``Unreachable`` while it is offline."""
        if self.memory is None:
            message = "memory is offline: the server was not reached at the start, and is tried every 30 s"
            raise Unreachable("UNREACHABLE", message, retryable=True)
        return self.memory

    def connect(self) -> None:
        """Makes or completes the memory, in one attempt."""
        if self.memory is not None or self._name is None:
            return
        ensured = self.client.memory_ensure(self._name, {"profile": _PROFILE})
        for warning in ensured["warnings"]:
            LOG.warning("memory %s: %s", ensured["memory_id"], warning)
        # Another attempt may have been faster; it found the same memory.
        self.memory = ensured["memory_id"]

    def warn(self, kind: str, what: str) -> None:
        """Warns, unless the same kind was warned of less than a minute ago."""
        now = self._clock()
        with self._lock:
            last = self._noticed.get(kind)
            if last is not None and last <= now < last + _NOTICE_S:
                return
            self._noticed[kind] = now
        LOG.warning("%s: %s", kind, what)

    def report(self, error: Exception, kind: str, what: str) -> None:
        """Logs why a call came to nothing."""
        if self.memory is None:
            self.warn(kind, f"{what}: memory is offline")
            return
        code, field, status = type(error).__name__, None, None
        if isinstance(error, LociError):
            code, field, status = error.code, error.field, error.status
        LOG.error("%s: %s (memory %s, code %s, field %s, status %s)", kind, what, self.memory, code, field, status)


def is_for_now(error: LociError) -> bool:
    """Returns whether a later attempt may succeed."""
    return error.retryable or isinstance(error, Unreachable)


def reconnect(link: weakref.ref[Link]) -> None:
    """Attempts every thirty seconds until the memory is there, or nobody holds the link any more."""
    while True:
        held = link()
        if held is None or held.memory is not None:
            return
        sleep = held.sleep
        del held
        sleep(RETRY_S)
        held = link()
        if held is None:
            return
        try:
            held.connect()
            LOG.info("memory %s is there again", held.memory)
        except LociError as error:
            if is_for_now(error):
                held.warn("connect", "memory is still offline")
            else:
                LOG.error("memory is offline: the server refuses it (code %s)", error.code)
        del held
