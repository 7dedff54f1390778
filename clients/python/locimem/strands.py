"""``LociMemoryStore``: a memory of Loci as a store of Strands agents (``strands.memory.MemoryManager``).

It is a store by its form and does not need Strands, but for ``get_tools``. It never widens its scope, keeps no state of the
conversation, and swallows no error: the manager isolates stores. The manager decides when to extract, the server how.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import uuid
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Iterable, Literal, Mapping, Sequence
from urllib.parse import quote

from .api import MetadataFilter, Record, RecordFeedback
from .client import Client
from .errors import EventFailure, EventsNotStored, LociError, NotFound
from .memory_id import memory_id
from .strands_forms import EventForm, MetadataProvider, checked_metadata, events_of
from .strands_options import (
    RESULTS_DEFAULT,
    TURNS_DEFAULT,
    checked_count,
    checked_relevance,
    checked_text,
    checked_turns,
    name_of_templates,
    refused,
    scope_of,
)
from .strands_topology import WritePlace, assert_writable_topology, writer_of

__all__ = ["LociMemoryStore", "MemoryEntry", "MetadataProvider", "assert_writable_topology", "loci_memory_stores"]

_LOGGER = logging.getLogger(__name__)
_TOOLS = ("memory_timeline", "memory_history", "memory_forget")


@dataclass
class MemoryEntry:
    """Something that was found; ``metadata`` holds what was stored, and ``_id``, ``_score``, ``_namespaces``, ``_createdAt``."""

    content: str
    store_name: str | None = None
    metadata: dict[str, Any] | None = None


class LociMemoryStore:
    """Searches, and where it is ``writable`` writes, what one actor's agents remember.

    :param memory: name or id of the memory.
    :param actor: the actor; :param session: the conversation that messages belong to, by default
        a new one.
    :param namespace: reads this namespace and no other (exact), or these where it is a list.
    :param namespace_path: reads this namespace with all beneath it, or these where it is a list;
        ``/facts/{actorId}`` where neither is given. ``{actorId}`` and ``{sessionId}`` stand for the
        two; ``add`` writes to the first. Messages become records where a strategy of the memory
        puts them: give its namespaces here.
    :param name: the store's name; by default it follows from the namespaces
        (``/users/{actorId}/facts``: ``users-facts``).
    :param max_search_results: entries of a search, 5 where it is absent.
    :param writable: false unless you say so. At most one store of a memory, actor and session is
        writable: ``assert_writable_topology`` checks it.
    :param extraction: as Strands takes it: ``True``, or a configuration. The server reads the
        messages.
    :param filters: conditions on metadata that hold for every search.
    :param relevance_min: the least relevance of an entry, 0 to 1; :param budget_tokens: tokens of
        all entries of a search together.
    :param metadata_provider: returns the metadata of the event that a message goes into: at most 15
        keys of 1 to 128 characters, values of at most 256; letters and digits of ASCII, white space
        and ``._:/=+@-``. Neighbours with equal metadata share an event.
    :param max_turns_per_event: messages of one event, 1 to 100; 50 where it is absent.
    :param tools: the tools that the agent gets: ``memory_timeline``, ``memory_history``,
        ``memory_forget`` (of a writable store).
    :param client: in the place of ``url`` and ``api_key``.
    """

    def __init__(
        self,
        *,
        memory: str,
        actor: str,
        url: str | None = None,
        api_key: str | None = None,
        client: Client | None = None,
        session: str | None = None,
        namespace: str | Sequence[str] | None = None,
        namespace_path: str | Sequence[str] | None = None,
        name: str | None = None,
        description: str | None = None,
        max_search_results: int | None = RESULTS_DEFAULT,
        writable: bool = False,
        extraction: Any = None,
        filters: Iterable[MetadataFilter] = (),
        relevance_min: float | None = None,
        budget_tokens: int | None = None,
        metadata_provider: MetadataProvider | None = None,
        max_turns_per_event: int | None = TURNS_DEFAULT,
        tools: Sequence[str] = (),
    ) -> None:
        self._memory = checked_text("memory", memory)
        self._actor = checked_text("actor", actor)
        self._session = str(uuid.uuid4()) if session is None else checked_text("session", session)
        self._scope = scope_of(namespace, namespace_path, self._actor, self._session)
        if name is not None and not isinstance(name, str):
            raise refused("name must be a string")
        self.name = name if name and name.strip() else name_of_templates(self._scope.templates)
        self.description = description
        self.max_search_results = checked_count("max_search_results", _default(max_search_results, RESULTS_DEFAULT))
        self.writable = writable
        # Extraction needs messages, and a store that is not writable gets none.
        self.extraction = extraction if writable else None
        if extraction and not writable:
            _LOGGER.warning("store=<%s> | extraction is configured on a store that is not writable, and left out", self.name)
        self._turns_max = checked_turns(_default(max_turns_per_event, TURNS_DEFAULT))
        if metadata_provider is not None and not callable(metadata_provider):
            raise refused("metadata_provider must be a function of a message")
        self._metadata_provider = metadata_provider
        self._filters = list(filters)
        checked_relevance(relevance_min)
        if budget_tokens is not None:
            checked_count("budget_tokens", budget_tokens)
        self._limits = {"relevance_min": relevance_min, "budget_tokens": budget_tokens}
        unknown = [tool for tool in tools if tool not in _TOOLS]
        if unknown or ("memory_forget" in tools and not writable):
            raise refused(f"tools are of {', '.join(_TOOLS)}, the last for a writable store")
        self._tools = tuple(tools)
        self._client = client or Client(url, token=api_key)
        self._memory_id: str | None = None
        # Sequence numbers of every run begin at the same number: a run has a name of its own.
        self._run = uuid.uuid4().hex
        self._forgotten = 0

    @property
    def session(self) -> str:
        """The conversation that messages belong to."""
        return self._session

    @property
    def write_place(self) -> WritePlace:
        """The conversation that the store would write, for ``assert_writable_topology``."""
        return WritePlace(self._client.url, self._memory_id or self._memory, self._actor, self._session)

    async def initialize(self) -> None:
        """Fails where the memory is not there or may not be read; tells where what is extracted would not be found."""
        memory = await asyncio.to_thread(self._client.memory_get, await self._id())
        asked: Any = {**self._scope.query, "limit": 1}
        await asyncio.to_thread(self._client.record_list, memory["id"], asked)
        templates = [strategy["namespace"] for strategy in memory["strategies"]]
        if self.writable and self.extraction and not any(self._reaches(template) for template in templates):
            _LOGGER.warning("store=<%s>, memory=<%s> | no strategy writes to a namespace of the store", self.name, self._memory)

    async def search(self, query: str, options: Mapping[str, Any] | None = None) -> list[MemoryEntry]:
        """Returns the most relevant entries, best first.

        ``options``: ``max_search_results``, and of this store ``filter`` (further conditions),
        ``relevance_min``, ``as_of``, ``budget_tokens``."""
        given = dict(options or {})
        top_k = checked_count("max_search_results", _default(given.get("max_search_results"), self.max_search_results))
        checked_relevance(given.get("relevance_min"))
        if given.get("budget_tokens") is not None:
            checked_count("budget_tokens", given["budget_tokens"])
        question: Any = {"memory": await self._id(), "query": query, **self._scope.query, "top_k": top_k}
        question.update(self._limits, metadata=[*self._filters, *given.get("filter", ())])
        own = ("as_of", "budget_tokens", "relevance_min")
        question.update({name: given[name] for name in own if given.get(name) is not None})
        answer = await asyncio.to_thread(self._client.search, question)
        return [_entry(hit["record"], hit["relevance"]) for hit in answer["hits"]]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> dict[str, str]:
        """Remembers a text; the same one again, in the same run, is the same record."""
        if not isinstance(content, str) or not content.strip():
            raise refused("content must be a string, and not blank")
        record: Any = {"namespace": self._scope.namespaces[0], "text": content, "metadata": checked_metadata(metadata or {})}
        # What was forgotten may be remembered again: then it is another write.
        named = json.dumps([self._run, self._forgotten, self._memory, record])
        key = hashlib.sha256(named.encode()).hexdigest()
        create = self._client.records_create
        outcome = await asyncio.to_thread(create, await self._id(), {"records": [record]}, idempotency_key=key)
        made = outcome["items"][0]
        if problem := made.get("error"):
            raise LociError(problem["code"], problem["message"])
        return {"id": made["id"]}

    async def add_messages(self, messages: Sequence[Mapping[str, Any]], context: Any = None) -> dict[str, list[str]]:
        """Stores messages as events of the session, which the memory's strategies read.

        A batch that is sent again is stored once. All metadata is checked before the first call.
        Raises ``EventsNotStored`` with every failure."""
        numbers = getattr(context, "sequence_numbers", None) or [None] * len(messages)
        events = events_of(messages, numbers, self._turns_max, self._metadata_provider)
        memory = await self._id() if events else ""
        stored: list[str] = []
        failures: list[EventFailure] = []
        held_up: LociError | None = None
        for event in events:
            try:
                if held_up is not None:
                    raise held_up
                stored.append(await self._event_stored(memory, event))
            except LociError as error:
                failures.append(EventFailure(event.first, event.last, error))
                # Nothing overtakes what may pass; an event that is refused for good holds nobody
                # up.
                held_up = None if _is_final(error) else error
        if failures:
            raise EventsNotStored(failures, stored) from failures[0].error
        return {"events": stored}

    async def _event_stored(self, memory: str, event: EventForm) -> str:
        sent: Any = {"actor": self._actor, "session": self._session, "payload": event.payload}
        if event.metadata:
            sent["metadata"] = event.metadata
        actor = self._actor if self._actor.isascii() else quote(self._actor)
        key = str(uuid.uuid4()) if event.first is None else f"{memory}-{actor}-{self._run}-{event.first}-{event.last}"
        made = await asyncio.to_thread(self._client.event_create, memory, sent, idempotency_key=key)
        return made["event"]["id"]

    def get_tools(self) -> list[Any]:
        """The tools that were asked for. Needs Strands."""
        if not self._tools:
            return []
        from strands import tool

        one = {"type": "object", "properties": {"id": {"type": "string", "description": "Id of the memory"}}, "required": ["id"]}
        limit = {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many"}
        described = {
            "memory_timeline": ("What was remembered last, newest first.", {"type": "object", "properties": {"limit": limit}}),
            "memory_history": ("How a memory changed: its versions, and why it stands where it does.", one),
            "memory_forget": ("Forget a memory for good, such as when the user asks for it.", one),
        }
        calls: dict[str, Callable[..., Awaitable[Any]]] = {
            "memory_timeline": self.timeline,
            "memory_history": self.history,
            "memory_forget": self.forget,
        }
        made = []
        for name in self._tools:
            about, schema = described[name]
            made.append(tool(name=name, description=about, inputSchema={"json": schema})(calls[name]))
        return made

    async def timeline(self, limit: int = 20) -> list[dict[str, Any]]:
        """What was remembered last, newest first."""
        asked: Any = {**self._scope.query, "limit": limit}
        listed = await asyncio.to_thread(self._client.record_list, await self._id(), asked)
        return [_shown(record) for record in listed["records"]]

    async def history(self, id: str) -> dict[str, Any]:
        """The versions of a record, and its changes of state."""
        await self._own(id)
        told = await asyncio.to_thread(self._client.record_history, await self._id(), id)
        return {"versions": [_shown(version) for version in told["versions"]], "changes": told["changes"]}

    async def forget(self, id: str) -> dict[str, str]:
        """Deletes a record."""
        if not self.writable:
            raise refused(f"store '{self.name}' is read-only")
        await self._own(id)
        await asyncio.to_thread(self._client.record_delete, await self._id(), id)
        self._forgotten += 1
        return {"forgotten": id}

    async def feedback(self, id: str, verdict: Literal["useful", "wrong"], reason: str | None = None) -> dict[str, Any]:
        """Says that a record is useful, or wrong. An agent says it: one alone hides nothing."""
        if not self.writable:
            raise refused(f"store '{self.name}' is read-only")
        await self._own(id)
        said: RecordFeedback = {"verdict": verdict, "by": "agent"}
        if reason is not None:
            said["reason"] = reason
        standing = await asyncio.to_thread(self._client.record_feedback, await self._id(), id, said)
        return {"useful": standing["useful"], "wrong": standing["wrong"], "state": standing["state"]}

    async def consolidate(self, *, apply: bool = False, **start: Any) -> dict[str, Any]:
        """Plans the upkeep of the documents of the first namespace, or does it with ``apply``; ``start`` has members of a
        ``ConsolidationStart``: ``operations``, ``scope``, ``planner``, ``namespace``. Returns the run."""
        if not self.writable:
            raise ValueError(f"LociMemoryStore: store '{self.name}' is read-only")
        asked: Any = {"namespace": self._scope.namespaces[0], **start, "dry_run": not apply}
        return dict(await asyncio.to_thread(self._client.consolidation_start, await self._id(), asked))

    async def _own(self, id: str) -> None:
        """Refuses a record outside of the scope, as if it were not there: ids come from a model."""
        checked_text("id", id)
        record = await asyncio.to_thread(self._client.record_get, await self._id(), id)
        if not self._scope.has(record["namespace"]):
            raise NotFound("NOT_FOUND", "there is no such record", field="id")

    def _reaches(self, template: str) -> bool:
        return self._scope.has(template.replace("{actorId}", self._actor).replace("{sessionId}", self._session))

    async def _id(self) -> str:
        if self._memory_id is None:
            self._memory_id = await asyncio.to_thread(memory_id, self._client, self._memory)
        return self._memory_id


def loci_memory_stores(
    places: Sequence[Mapping[str, Any]], *, extraction: Any = None, **shared: Any
) -> list[LociMemoryStore]:
    """Returns a store for each place of one conversation, over one client.

    At most one of them writes: the one with ``writable``; else, with ``extraction``, the first that
    does not say ``writable=False``.

    :param places: options of each store, such as ``{"namespace_path": "/facts/{actorId}"}``.
    :param shared: options of all of them: ``memory``, ``actor``, ``session``, …
    """
    if not places:
        raise refused("loci_memory_stores needs at least one place")
    writer = writer_of([place.get("writable") for place in places], extraction)
    shared.setdefault("session", str(uuid.uuid4()))
    shared["client"] = shared.get("client") or Client(shared.pop("url", None), token=shared.pop("api_key", None))
    stores: list[LociMemoryStore] = []
    for at, place in enumerate(places):
        own = {**shared, **place, "writable": at == writer}
        store = LociMemoryStore(**own, extraction=extraction if at == writer else None)
        taken = {other.name for other in stores}
        if store.name in taken:
            if place.get("name"):
                raise refused(f"two stores have the name '{store.name}'")
            # A place that is read in two ways has one name.
            names = (f"{store.name}-{number}" for number in range(2, len(places) + 2))
            store.name = next(name for name in names if name not in taken)
        stores.append(store)
    assert_writable_topology(stores)
    return stores


def _default(value: Any, default: Any) -> Any:
    return default if value is None else value


def _is_final(error: LociError) -> bool:
    """True where the event itself is at fault. A key that was revoked is no fault of a message."""
    return error.status in (400, 409, 413, 422) and not error.retryable


def _entry(record: Record, score: float) -> MemoryEntry:
    known = {"_id": record["id"], "_score": score, "_namespaces": [record["namespace"]], "_createdAt": record["created_at"]}
    return MemoryEntry(record["text"], metadata={**record.get("metadata", {}), **known, "_observedAt": record["timestamp"]})


def _shown(record: Record) -> dict[str, Any]:
    return {name: record[name] for name in ("id", "text", "kind", "state", "timestamp")}
