"""``LociMemoryStore``: a memory of Loci as a store of Strands agents (``strands.memory.MemoryManager``).

It is a store by its form and does not need Strands, but for ``get_tools``. It never widens its scope, keeps no state of the
conversation, and swallows no error: the manager isolates stores. When to extract is the manager's matter, how the server's.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
import uuid
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Iterable, Literal, Mapping, Sequence
from urllib.parse import quote

from .api import MetadataFilter, Record, RecordFeedback
from .client import Client
from .errors import LociError, NotFound
from .memory_id import memory_id
from .strands_forms import batches, checked_metadata

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

    :param memory: by name or id.
    :param actor: whose memory it is; :param session: which conversation messages belong to, by default a new one.
    :param namespaces: where it searches, each with all beneath it; ``add`` writes to the first. ``{actorId}`` and ``{sessionId}`` stand
        for the two. Messages become records where a strategy of the memory puts them: give its namespaces here.
    :param extraction: as Strands takes it: ``True``, or a configuration. The server reads the messages.
    :param filters: conditions on metadata that hold for every search.
    :param relevance_min: only what is at least as relevant, 0 to 1; :param budget_tokens: how much a search gives, together.
    :param tools: which tools the agent gets: ``memory_timeline``, ``memory_history``, ``memory_forget`` (of a writable store).
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
        namespaces: Sequence[str] = ("/facts/{actorId}",),
        name: str = "loci",
        description: str | None = None,
        max_search_results: int | None = 5,
        writable: bool = False,
        extraction: Any = None,
        filters: Iterable[MetadataFilter] = (),
        relevance_min: float | None = None,
        budget_tokens: int | None = None,
        tools: Sequence[str] = (),
    ) -> None:
        for field, value in (("memory", memory), ("actor", actor), ("name", name)):
            if not value.strip():
                raise ValueError(f"LociMemoryStore: {field} must be a non-empty string")
        if isinstance(namespaces, str) or not namespaces:
            raise ValueError("LociMemoryStore: namespaces must be a list of at least one")
        unknown = [tool for tool in tools if tool not in _TOOLS]
        if unknown or ("memory_forget" in tools and not writable):
            raise ValueError(f"LociMemoryStore: tools are of {', '.join(_TOOLS)}, the last for a writable store")
        self.name = name
        self.description = description
        self.max_search_results = max_search_results
        self.writable = writable
        self.extraction = extraction
        self.session = session or str(uuid.uuid4())
        self._client = client or Client(url, token=api_key)
        self._memory = memory
        self._memory_id: str | None = None
        self._actor = actor
        self._namespaces = [_resolved(template, actor, self.session) for template in namespaces]
        self._filters = list(filters)
        self._limits = {"relevance_min": relevance_min, "budget_tokens": budget_tokens}
        self._tools = tuple(tools)
        # Sequence numbers begin anew in every run: a run has a name of its own.
        self._run = uuid.uuid4().hex
        self._forgotten = 0

    async def initialize(self) -> None:
        """Fails where the memory is not there or may not be read; tells where what is extracted would not be found."""
        memory = await asyncio.to_thread(self._client.memory_get, await self._id())
        asked: Any = {"namespace_paths": self._namespaces, "limit": 1}
        await asyncio.to_thread(self._client.record_list, memory["id"], asked)
        templates = [strategy["namespace"] for strategy in memory["strategies"]]
        if self.writable and self.extraction and not any(self._reaches(template) for template in templates):
            _LOGGER.warning("store=<%s>, memory=<%s> | no strategy writes to a namespace of the store", self.name, self._memory)

    async def search(self, query: str, options: Mapping[str, Any] | None = None) -> list[MemoryEntry]:
        """What is most relevant, best first. ``options``: ``max_search_results``, and of this store ``filter`` (conditions that come
        to those of the store), ``as_of``, ``budget_tokens``."""
        given = dict(options or {})
        top_k = given.get("max_search_results", self.max_search_results)
        if top_k is not None and (isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1):
            raise ValueError("LociMemoryStore: max_search_results must be a positive integer")
        question: Any = {"memory": await self._id(), "query": query, "namespace_paths": self._namespaces, "top_k": top_k}
        question.update(self._limits, metadata=[*self._filters, *given.get("filter", ())])
        question.update({name: given[name] for name in ("as_of", "budget_tokens") if name in given})
        answer = await asyncio.to_thread(self._client.search, question)
        return [_entry(hit["record"], hit["relevance"]) for hit in answer["hits"]]

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> dict[str, str]:
        """Remembers a text; the same one again, in the same run, is the same record."""
        if not content.strip():
            raise ValueError("LociMemoryStore: content must not be blank")
        record: Any = {"namespace": self._namespaces[0], "text": content, "metadata": checked_metadata(metadata or {})}
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
        """Stores messages as events of the session, which the memory's strategies read. A batch that is sent again is stored once."""
        numbers = getattr(context, "sequence_numbers", None) or [None] * len(messages)
        memory = await self._id()
        events: list[str] = []
        for first, last, payload in batches(numbers, messages):
            event: Any = {"actor": self._actor, "session": self.session, "payload": payload}
            actor = self._actor if self._actor.isascii() else quote(self._actor)
            key = str(uuid.uuid4()) if first is None else f"{memory}-{actor}-{self._run}-{first}-{last}"
            made = await asyncio.to_thread(self._client.event_create, memory, event, idempotency_key=key)
            events.append(made["event"]["id"])
        return {"events": events}

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
        asked: Any = {"namespace_paths": self._namespaces, "limit": limit}
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
            raise ValueError(f"LociMemoryStore: store '{self.name}' is read-only")
        await self._own(id)
        await asyncio.to_thread(self._client.record_delete, await self._id(), id)
        self._forgotten += 1
        return {"forgotten": id}

    async def feedback(self, id: str, verdict: Literal["useful", "wrong"], reason: str | None = None) -> dict[str, Any]:
        """Says that a record is useful, or wrong. An agent says it: one alone hides nothing."""
        if not self.writable:
            raise ValueError(f"LociMemoryStore: store '{self.name}' is read-only")
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
        asked: Any = {"namespace": self._namespaces[0], **start, "dry_run": not apply}
        return dict(await asyncio.to_thread(self._client.consolidation_start, await self._id(), asked))

    async def _own(self, id: str) -> None:
        """Refuses a record outside of the scope, as if it were not there: ids come from a model."""
        record = await asyncio.to_thread(self._client.record_get, await self._id(), id)
        if not any(_is_within(record["namespace"], namespace) for namespace in self._namespaces):
            raise NotFound("NOT_FOUND", "there is no such record", field="id")

    def _reaches(self, template: str) -> bool:
        namespace = template.replace("{actorId}", self._actor).replace("{sessionId}", self.session)
        return any(_is_within(namespace, own) for own in self._namespaces)

    async def _id(self) -> str:
        if self._memory_id is None:
            self._memory_id = await asyncio.to_thread(memory_id, self._client, self._memory)
        return self._memory_id


def _resolved(template: str, actor: str, session: str) -> str:
    values = {"{actorId}": actor, "{sessionId}": session}
    rest = re.sub(r"\{actorId\}|\{sessionId\}", "", template)
    if "{" in rest or "}" in rest:
        raise ValueError(f"LociMemoryStore: namespace '{template}' may hold {{actorId}} and {{sessionId}}, and no other brace")
    return re.sub(r"\{actorId\}|\{sessionId\}", lambda found: values[found[0]], template)


def _is_within(namespace: str, node: str) -> bool:
    inner, outer = ([part for part in path.split("/") if part] for path in (namespace, node))
    return inner[: len(outer)] == outer


def _entry(record: Record, score: float) -> MemoryEntry:
    known = {"_id": record["id"], "_score": score, "_namespaces": [record["namespace"]], "_createdAt": record["created_at"]}
    return MemoryEntry(record["text"], metadata={**record.get("metadata", {}), **known, "_observedAt": record["timestamp"]})


def _shown(record: Record) -> dict[str, Any]:
    return {name: record[name] for name in ("id", "text", "kind", "state", "timestamp")}
