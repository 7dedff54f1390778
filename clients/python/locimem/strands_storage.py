"""``LociStorage``: a memory of Loci as a ``Storage`` of Strands, under ``FileMemoryStore``, sessions and offloaded context.

Keys that end in ``.md`` are documents of a tree: searched by meaning, mirrored, kept in order. Whatever else is parked as bytes, until
the memory's events expire. It is a storage by its form and does not need Strands.
"""

from __future__ import annotations

import asyncio
import builtins
import functools
import re
from dataclasses import dataclass, field
from typing import Any, Callable, TypeVar
from urllib.parse import quote

from .api import DocumentWritten
from .client import Client
from .errors import Conflict, InvalidArgument, LociError, NotFound
from .memory_id import memory_id

#: Where documents of a tree lie.
_DOCUMENTS = "knowledge/"

_Answer = TypeVar("_Answer")


@dataclass
class StorageSearchResult:
    """A document that was found."""

    key: str
    score: float
    data: bytes | None = field(default=None, repr=False)


class LociStorage:
    """Bytes under keys, in one namespace of a memory. Where Strands is installed, its errors are ``StorageError``, too.

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
        # One segment: what lies beneath a namespace is no part of it, as with documents.
        self._parked = quote("/".join(part for part in namespace.split("/") if part), safe="!~*'()") + "/"
        self._max_search_results = max_search_results

    async def write(self, key: str, data: bytes) -> None:
        """Puts bytes in the place of what was there."""
        await _told(self._write, key, data)

    async def read(self, key: str) -> bytes | None:
        """The bytes, or ``None`` where there are none."""
        return await _told(self._read, key)

    async def delete(self, key: str) -> None:
        """Removes what is there, if anything is."""
        await _told(self._delete, key)

    async def list(self, query: str = "") -> builtins.list[str]:
        """The keys that begin so, in order."""
        return await _told(self._list, query)

    async def search(self, query: str) -> builtins.list[StorageSearchResult]:
        """Documents by words and meaning, best first; nothing for a blank query. What is parked is not searched."""
        return await _told(self._search, query) if query.strip() else []

    def _write(self, key: str, data: bytes) -> None:
        key = _normal(key)
        if not _is_document(key):
            self._client.object_put(self._id(), self._parked + key, bytes(data))
            return
        try:
            done = self._put(key, data, if_absent=True)
        except Conflict:
            # Whoever writes last has written, unless it is another key that only looks the same.
            found = self._document(key)
            if found and found["path"] != key:
                message = f"key '{key}' and '{found['path']}' are one place: they differ in case or composition alone; choose another"
                raise InvalidArgument("INVALID_ARGUMENT", message, field="key") from None
            done = self._put(key, data, query={"force": "1"})
        if done["state"] != "active":
            raise LociError("HELD_BACK", f"the document is {done['state']}: a person decides whether it may be read")

    def _read(self, key: str) -> bytes | None:
        key = _normal(key)
        if _is_document(key):
            found = self._document(key)
            return found["body"].encode("utf-8") if found and found["path"] == key else None
        try:
            return self._client.object_get(self._id(), self._parked + key)
        except NotFound:
            return None

    def _delete(self, key: str) -> None:
        key = _normal(key)
        try:
            if not _is_document(key):
                self._client.object_delete(self._id(), self._parked + key)
            elif (found := self._document(key)) and found["path"] == key:
                self._client.document_delete(self._id(), _DOCUMENTS + key, namespace=self._namespace, force="1")
        except NotFound:
            pass

    def _put(self, key: str, data: bytes, *, query: dict[str, str] | None = None, if_absent: bool = False) -> DocumentWritten:
        """Writes a document as a file, so that it comes back byte for byte."""
        file: Any = bytes(data)
        place = {"namespace": self._namespace, "raw": "1", **(query or {})}
        call = self._client.document_put
        return call(self._id(), _DOCUMENTS + key, file, query=place, content_type="text/markdown", if_absent=if_absent)

    def _document(self, key: str) -> dict[str, str] | None:
        """The document of a key: its text, and its own key, which may be spelled otherwise. One that was moved is at its old key, too."""
        try:
            found = self._client.document_get(self._id(), _DOCUMENTS + key, namespace=self._namespace)
        except NotFound:
            return None
        path = found.get("redirected_from") or found["path"]
        return {"path": path.removeprefix(_DOCUMENTS), "body": found["body"]}

    def _list(self, prefix: str) -> builtins.list[str]:
        prefix = _normal_prefix(prefix)
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


async def _told(call: Callable[..., _Answer], *arguments: Any) -> _Answer:
    """What a call answers, on a thread of its own; its error as one that a consumer of any storage catches."""
    try:
        return await asyncio.to_thread(call, *arguments)
    except LociError as error:
        kind = _storage_error(type(error))
        told = kind.__new__(kind, *error.args)
        told.__dict__.update(error.__dict__)
        raise told from error


@functools.cache
def _storage_error(kind: type[LociError]) -> type[LociError]:
    """The kind of an error that is Strands' ``StorageError``, too, where Strands is installed."""
    try:
        from strands.types.exceptions import StorageError
    except ImportError:
        return kind
    return type(kind.__name__, (kind, StorageError), {"__module__": kind.__module__, "__doc__": kind.__doc__})


def _is_document(key: str) -> bool:
    return key.endswith(".md")


def _normal(key: str) -> str:
    parts = [part for part in key.split("/") if part]
    if not parts or "\\" in key or ".." in parts:
        raise InvalidArgument("INVALID_ARGUMENT", f"key '{key}' must be a path without backslashes and '..'", field="key")
    return "/".join(parts)


def _normal_prefix(prefix: str) -> str:
    normal = re.sub("/+", "/", prefix).lstrip("/")
    if "\\" in prefix or ".." in normal.split("/"):
        raise InvalidArgument("INVALID_ARGUMENT", f"prefix '{prefix}' must be without backslashes and '..'", field="query")
    return normal
