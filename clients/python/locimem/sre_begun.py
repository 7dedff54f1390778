"""The investigations that a program began, and for whom: a call that names another user is a mistake, and one that
names no session means that user's. Only the server decides who may do what.
"""

from __future__ import annotations

import threading
from collections import deque

from .errors import InvalidArgument

#: Investigations that are kept, the latest.
_BEGUN_MAX = 1000


def refused(field: str, rule: str) -> InvalidArgument:
    """An error of an argument that is not sent."""
    return InvalidArgument("INVALID_ARGUMENT", rule, field=field)


class Begun:
    """Investigations, the latest first. May be used from several threads."""

    def __init__(self) -> None:
        self._all: deque[tuple[str, str, str]] = deque(maxlen=_BEGUN_MAX)
        self._lock = threading.Lock()

    def note(self, incident: str, user: str, session: str) -> None:
        with self._lock:
            self._all.appendleft((incident, user, session))

    def session(self, incident: str, user: str, session: str | None) -> str | None:
        """The session of a call; ``None``: the server decides. Raises ``InvalidArgument`` without an incident, and for
        another user than the investigation's."""
        if not incident:
            raise refused("incident_id", "incident_id is required: an investigation has the one of its start's answer")
        if not user:
            return session or None
        with self._lock:
            of_incident = [(whose, which) for begun, whose, which in self._all if begun == incident]
        if not of_incident:
            return session or None
        for whose, which in of_incident:
            if whose == user:
                return session or which
        raise refused("user_id", "user_id must be the user for whom the investigation was begun, or empty")
