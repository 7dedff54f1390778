"""When a call is tried again: within its time, after the pause that the server asks for. What may be is the caller's to say."""

from __future__ import annotations

import random
from typing import Callable, Optional, TypeVar

from .errors import LociError

T = TypeVar("T")

#: Between two tries without advice of the server: this, then twice as long, and so on.
_FIRST_PAUSE_S = 0.1
#: The server did not begin: whatever it was may be asked again.
_NOT_BEGUN = 429


class Repeats:
    """The tries of a call."""

    def __init__(
        self, timeout: float, retries: int, sleep: Callable[[float], None], clock: Callable[[], float]
    ) -> None:
        if timeout <= 0 or retries < 0:
            raise ValueError("timeout is more than 0 seconds, retries are 0 or more")
        self._timeout = timeout
        self._retries = retries
        self._sleep = sleep
        self._clock = clock

    def run(self, one: Callable[[float], T], *, may_repeat: bool = True, timeout: Optional[float] = None) -> T:
        """What a try gives; each is told how many seconds are left."""
        end = self._clock() + (self._timeout if timeout is None else timeout)
        tries = 0
        while True:
            try:
                return one(max(end - self._clock(), 0.001))
            except LociError as error:
                is_safe = may_repeat or error.status == _NOT_BEGUN
                if not (error.retryable and is_safe) or tries >= self._retries:
                    raise
                pause = _pause(error, tries)
                if self._clock() + pause >= end:
                    raise
            tries += 1
            self._sleep(pause)


def _pause(error: LociError, tries: int) -> float:
    if error.retry_after_ms is not None:
        return error.retry_after_ms / 1000
    return float(_FIRST_PAUSE_S * 2.0**tries * random.uniform(0.5, 1.0))
