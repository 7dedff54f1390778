"""The memory of an operations agent, called as such agents call it: a call that fails is logged, and the agent goes on.

``SreMemory`` has the saves, the reads and the hooks of the design that such agents come from, by its names and in its
order of arguments. None of them raises; each has a ``try_…`` form that does. It retries nothing that was not saved.
"""

from __future__ import annotations

import threading
import time
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar

from . import api
from .client import Client
from .errors import LociError
from .sre_begun import Begun, refused
from .sre_link import LOG, Link, is_for_now, reconnect

#: The agents of the profile, by their names.
_AGENTS = ("kubernetes-agent", "logs-agent", "metrics-agent", "runbooks-agent")
_PARTS = ("infrastructure", "investigations", "preferences")
#: Results where a call names no number.
MAX_RESULTS = 10
_Value = TypeVar("_Value")


@dataclass
class InvestigationState:
    """An investigation, as its agents carry it along. A mapping with these keys is as good.

    :param user_id: the user; empty: the connection's.
    :param incident_id: its incident.
    :param session_id: its session; ``None``, or empty: the user's.
    """

    user_id: str = ""
    incident_id: str = ""
    session_id: str | None = None


class SreMemory:
    """The memory of an operations agent.

    :param client: the server.
    :param memory: the memory's id, or its name.
    :param agents: keys of ``infrastructure_by_agent`` where the server is not reached; else the profile's.

    May be used from several threads.
    """

    def __init__(self, client: Client, memory: str, *, agents: Iterable[str] = _AGENTS) -> None:
        self._set(Link(client, memory), agents)

    @classmethod
    def named(
        cls,
        client: Client,
        name: str,
        *,
        agents: Iterable[str] = _AGENTS,
        in_background: bool = True,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> "SreMemory":
        """The memory of that name: made with the profile ``sre``, or completed, once, by a key that administers it.

        Where the server cannot be reached the memory is offline: nothing is saved or read, no call waits, and the server
        is tried every thirty seconds by a thread of its own, or by ``reconnect`` without ``in_background``. Raises
        ``LociError`` where the server refuses for good.
        """
        link = Link(client, None, name, sleep, clock)
        try:
            link.connect()
        except LociError as error:
            if not is_for_now(error):
                raise
            link.warn("connect", "the server cannot be reached: memory is offline, and tried every 30 s")
            if in_background:
                threading.Thread(target=reconnect, args=(weakref.ref(link),), daemon=True).start()
        memory = cls.__new__(cls)
        memory._set(link, agents)
        return memory

    def _set(self, link: Link, agents: Iterable[str]) -> None:
        self._link = link
        self._agents = tuple(agents)
        self._begun = Begun()

    @property
    def memory_id(self) -> str | None:
        """The memory's id; ``None`` while it is offline."""
        return self._link.memory

    def reconnect(self) -> None:
        """Attempts every thirty seconds until the memory is there; returns at once where it is."""
        reconnect(weakref.ref(self._link))

    def save_event(self, memory_type: str, actor_id: str, event_data: Any, session_id: str | None = None) -> bool:
        """Saves something of a type (``preferences``, ``infrastructure``, ``investigations``, or their singulars);
        ``actor_id`` is the user, or for infrastructure the agent. ``False`` where nothing was stored."""

        def work() -> bool:
            saved = self.try_save_event(memory_type, actor_id, event_data, session_id)
            if not saved["saved"]:
                LOG.warning("save: nothing was saved: a rule refused it (memory %s, action %s)", self.memory_id, saved["action"])
            return saved["saved"]

        return self._tolerant(work, False, "save", "nothing was saved")

    def try_save_event(
        self, memory_type: str, actor_id: str, event_data: Any, session_id: str | None = None
    ) -> api.SreSaved:
        """As ``save_event``, with the result. Raises ``LociError``."""
        body: dict[str, Any] = {"memory_type": memory_type, "actor_id": actor_id, "data": event_data}
        return self._link.client.sre_save(self._link.require(), _with_session(body, session_id))

    def retrieve_memories(
        self,
        memory_type: str,
        actor_id: str,
        query: str,
        max_results: int | None = None,
        session_id: str | None = None,
    ) -> list[api.SreResult]:
        """Reads a type; an empty list where it cannot be read."""

        def work() -> list[api.SreResult]:
            found = self.try_retrieve_memories(memory_type, actor_id, query, max_results, session_id)
            if found["warnings"]:
                # Only the number: a warning may hold words of the question.
                LOG.warning("retrieve: %s warnings (memory %s)", len(found["warnings"]), self.memory_id)
            return found["results"]

        return self._tolerant(work, [], "retrieve", "nothing was retrieved")

    def try_retrieve_memories(
        self,
        memory_type: str,
        actor_id: str,
        query: str,
        max_results: int | None = None,
        session_id: str | None = None,
    ) -> api.SreRetrieved:
        """As ``retrieve_memories``, with the whole answer. Raises ``LociError``."""
        top_k = MAX_RESULTS if max_results is None else max_results
        body: dict[str, Any] = {"types": [memory_type], "query": query, "actor": actor_id, "top_k": top_k}
        if session_id is not None:
            body["session"] = session_id
        return self._link.client.sre_retrieve(self._link.require(), body)

    def on_investigation_start(
        self,
        query: str,
        user_id: str,
        actor_id: str = "",
        session_id: str | None = None,
        incident_id: str | None = None,
    ) -> api.InvestigationStarted:
        """Before planning: begins the investigation and returns what is known for it. Where that fails, the context is
        empty with all its keys, ``degraded`` and ``status`` say so, and planning goes on.

        ``actor_id`` is the user, or empty. The server makes a ``session_id`` and an ``incident_id`` that are absent.
        """
        return self._tolerant(
            lambda: self.try_on_investigation_start(query, user_id, actor_id, session_id, incident_id),
            self._nothing_known(session_id, incident_id),
            "start",
            "an investigation begins without what is known",
        )

    def try_on_investigation_start(
        self,
        query: str,
        user_id: str,
        actor_id: str = "",
        session_id: str | None = None,
        incident_id: str | None = None,
    ) -> api.InvestigationStarted:
        """As ``on_investigation_start``. Raises ``LociError``."""
        if actor_id and actor_id != user_id:
            rule = "actor_id must be the user_id, for an investigation is its user's, or empty"
            raise refused("actor_id", rule)
        body: dict[str, Any] = {"memory": self._link.require(), "user_id": user_id, "query": query}
        if incident_id is not None:
            body["incident_id"] = incident_id
        started = self._link.client.investigation_start(_with_session(body, session_id))
        self._begun.note(started["incident_id"], user_id, started["session_id"])
        return started

    def on_agent_response(
        self, agent_name: str, response: str | Mapping[str, Any], state: InvestigationState | Mapping[str, Any]
    ) -> bool:
        """After each worker agent: hands in its answer, a text or ``{"text", "tool_calls"}``, which the server reads for
        knowledge and contacts. ``True`` where it was taken."""
        return self._tolerant(
            lambda: bool(self.try_on_agent_response(agent_name, response, state)),
            False,
            "agent_response",
            "an agent's answer was not taken",
        )

    def try_on_agent_response(
        self, agent_name: str, response: str | Mapping[str, Any], state: InvestigationState | Mapping[str, Any]
    ) -> api.AgentResponseTaken:
        """As ``on_agent_response``, with the job that reads it. Raises ``LociError``."""
        memory, which = self._link.require(), _state(state)
        body: dict[str, Any] = {"memory": memory, "agent": agent_name, **_result(response)}
        body = _with_session(body, self._session(which))
        return self._link.client.agent_response(which.incident_id, body)

    def on_investigation_complete(
        self,
        query: str,
        agent_results: Mapping[str, str | Mapping[str, Any]],
        final_response: str,
        user_id: str,
        session_id: str | None,
        incident_id: str,
    ) -> bool:
        """At the end: saves the investigation, what each agent taught, and preferences. ``False`` only where nothing was
        stored, as far as the server could say it. Its status stays ``ongoing``: ``Client.investigation_complete`` takes
        a status, causes, findings, actions and a timeline."""
        return self._tolerant(
            lambda: self.try_on_investigation_complete(
                query, agent_results, final_response, user_id, session_id, incident_id
            )["saved"],
            False,
            "complete",
            "nothing of an investigation was saved",
        )

    def try_on_investigation_complete(
        self,
        query: str,
        agent_results: Mapping[str, str | Mapping[str, Any]],
        final_response: str,
        user_id: str,
        session_id: str | None,
        incident_id: str,
    ) -> api.InvestigationCompleted:
        """As ``on_investigation_complete``, with the result. Raises ``LociError``."""
        memory = self._link.require()
        session = self._begun.session(incident_id, user_id, session_id)
        results = {agent: _result(result) for agent, result in agent_results.items()}
        body: dict[str, Any] = {"memory": memory, "query": query, "final_response": final_response, "agent_results": results}
        return self._link.client.investigation_complete(incident_id, _with_session(body, session))

    def capture_messages(
        self, messages: Sequence[Mapping[str, Any]], state: InvestigationState | Mapping[str, Any]
    ) -> bool:
        """Stores a turn of the conversation, whole. ``True`` where it is stored, or empty."""
        return self._tolerant(
            lambda: self.try_capture_messages(messages, state)["saved"],
            False,
            "messages",
            "a turn of a conversation was not stored",
        )

    def try_capture_messages(
        self, messages: Sequence[Mapping[str, Any]], state: InvestigationState | Mapping[str, Any]
    ) -> api.InvestigationMessagesKept:
        """As ``capture_messages``, with the messages as they may be shown. Raises ``LociError``."""
        memory, which = self._link.require(), _state(state)
        body: dict[str, Any] = {"memory": memory, "messages": [dict(one) for one in messages]}
        body = _with_session(body, self._session(which))
        return self._link.client.investigation_messages(which.incident_id, body)

    def _session(self, state: InvestigationState) -> str | None:
        return self._begun.session(state.incident_id, state.user_id, state.session_id)

    def _tolerant(self, work: Callable[[], _Value], nothing: _Value, kind: str, what: str) -> _Value:
        # Whatever an argument is: a hook that raised would end the agent's work.
        try:
            return work()
        except Exception as error:
            self._link.report(error, kind, what)
            return nothing

    def _nothing_known(self, session_id: str | None, incident_id: str | None) -> api.InvestigationStarted:
        return {
            "incident_id": incident_id or "",
            "session_id": session_id or "",
            "joined": False,
            "context": {
                "user_preferences": [],
                "infrastructure_by_agent": {agent: [] for agent in self._agents},
                "past_investigations": [],
            },
            "rendered": "",
            "budget": {"limit": 0, "used": 0, "estimator": "mixed", "by_section": {}, "dropped": []},
            "status": {part: "error" for part in _PARTS},
            "degraded": True,
            "warnings": ["memory: error"],
        }


def _with_session(body: dict[str, Any], session: str | None) -> Any:
    return body if session is None else {**body, "session_id": session}


def _result(response: str | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(response, str):
        return {"text": response}
    return {"text": response["text"], "tool_calls": list(response.get("tool_calls") or [])}


def _state(state: InvestigationState | Mapping[str, Any]) -> InvestigationState:
    if isinstance(state, InvestigationState):
        return state
    return InvestigationState(
        state.get("user_id") or "", state.get("incident_id") or "", state.get("session_id") or None
    )
