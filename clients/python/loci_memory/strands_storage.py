"""``LociStorage``: a memory of Loci as a ``Storage`` of Strands, under ``FileMemoryStore``, sessions and offloaded context.

Keys that end in ``.md`` are documents of a tree: searched by meaning, mirrored, kept in order. Whatever else is parked as bytes, until
the memory's events expire. It is a storage by its form and does not need Strands.
"""

from __future__ import annotations

import asyncio
import builtins
from dataclasses import dataclass, field
from typing import Any

from .client import Client
from .errors import InvalidArgument, LociError, NotFound
from .memory_id import memory_id

#: Where documents of a tree lie.
_DOCUMENTS = "knowledge/"


@dataclass
class StorageSearchResult:
    """A document that was found."""

    key: str
    score: float
    data: bytes | None = field(default=None, repr=False)


class LociStorage:
    """Bytes under keys, in one namespace of a memory.

    :param memory: by name or id; :param namespace: where the documents lie, and a part of the name of what is parked.
    :param max_search_results: how many documents a search gives, 1 to 100.
    :param client: in the place of ``url`` and ``api_key``.
    """

    def __init__(
        self,
        *,
        memory: str,
        namespace: str,
        url: str | None = None,
        api_key: str | None = None,
        client: Client | None = None,
        max_search_results: int = 20,
    ) -> None:
        if not namespace.strip("/ ") or "{" in namespace:
            raise ValueError("LociStorage: namespace must be a place such as /files/alice")
        self._client = client or Client(url, token=api_key)
        self._memory = memory
        self._namespace = namespace
        self._parked = "/".join(part for part in namespace.split("/") if part) + "/"
        self._max_search_results = max_search_results

    async def write(self, key: str, data: bytes) -> None:
        """Puts bytes in the place of what was there."""
        await asyncio.to_thread(self._write, _normal(key), data)

    async def read(self, key: str) -> bytes | None:
        """The bytes, or ``None`` where there are none."""
        return await asyncio.to_thread(self._read, _normal(key))

    async def delete(self, key: str) -> None:
        """Removes what is there, if anything is."""
        await asyncio.to_thread(self._delete, _normal(key))

    async def list(self, query: str = "") -> builtins.list[str]:
        """The keys that begin so, in order."""
        return await asyncio.to_thread(self._list, query.lstrip("/"))

    async def search(self, query: str) -> builtins.list[StorageSearchResult]:
        """Documents by words and meaning, best first. What is parked is not searched."""
        return await asyncio.to_thread(self._search, query)

    def _write(self, key: str, data: bytes) -> None:
        if not _is_document(key):
            self._client.object_put(self._id(), self._parked + key, bytes(data))
            return
        # As a file, so that it comes back byte for byte; whoever writes last has written.
        place = {"namespace": self._namespace, "raw": "1", "force": "1"}
        file: Any = bytes(data)
        done = self._client.document_put(self._id(), _DOCUMENTS + key, file, query=place, content_type="text/markdown")
        if done["state"] != "active":
            raise LociError("HELD_BACK", f"the document is {done['state']}: a person decides whether it may be read")

    def _read(self, key: str) -> bytes | None:
        try:
            if not _is_document(key):
                return self._client.object_get(self._id(), self._parked + key)
            return self._client.document_get(self._id(), _DOCUMENTS + key, namespace=self._namespace)["body"].encode("utf-8")
        except NotFound:
            return None

    def _delete(self, key: str) -> None:
        try:
            if _is_document(key):
                self._client.document_delete(self._id(), _DOCUMENTS + key, namespace=self._namespace, force="1")
            else:
                self._client.object_delete(self._id(), self._parked + key)
        except NotFound:
            pass

    def _list(self, prefix: str) -> builtins.list[str]:
        folder = prefix.rpartition("/")[0]
        keys: set[str] = set()
        cursor: str | None = None
        while True:
            page: Any = self._client.tree_list(
                self._id(), namespace=self._namespace, prefix=_DOCUMENTS + (f"{folder}/" if folder else ""), cursor=cursor
            )
            keys.update(one["path"].removeprefix(_DOCUMENTS) for one in page["entries"] if one["type"] == "file")
            cursor = page.get("next_cursor")
            if not cursor:
                break
        keys = {key for key in keys if _is_document(key)}
        while True:
            page = self._client.objects_list(self._id(), prefix=self._parked + prefix, cursor=cursor)
            keys.update(one["key"].removeprefix(self._parked) for one in page["objects"])
            cursor = page.get("next_cursor")
            if not cursor:
                break
        return sorted(key for key in keys if key.startswith(prefix))

    def _search(self, query: str) -> builtins.list[StorageSearchResult]:
        question: Any = {"memory": self._id(), "query": query, "namespaces": [self._namespace], "kinds": ["document"]}
        question["top_k"] = self._max_search_results
        hits = self._client.search(question)["hits"]
        found = [(str(hit["record"].get("path")), hit) for hit in hits]
        return [
            StorageSearchResult(path.removeprefix(_DOCUMENTS), hit["relevance"], hit["record"]["text"].encode("utf-8"))
            for path, hit in found
            if path.startswith(_DOCUMENTS) and _is_document(path)
        ]

    def _id(self) -> str:
        self._memory = memory_id(self._client, self._memory)
        return self._memory


def _is_document(key: str) -> bool:
    return key.endswith(".md")


def _normal(key: str) -> str:
    parts = [part for part in key.split("/") if part]
    if not parts or "\\" in key or ".." in parts:
        raise InvalidArgument("INVALID_ARGUMENT", f"key '{key}' must be a path without backslashes and '..'", field="key")
    return "/".join(parts)
