"""A plugin of pytest: where Strands' own tests make a storage of theirs, they get `LociStorage` in its place.

A storage in memory is a namespace of its own, one in a directory is the namespace of that directory: two of the same directory hold the
same. Nothing of Strands but these two names of its tests is replaced; its own code goes on with its own. At its end it tells how often the
server was called: tests that never did say nothing of it.
"""

import asyncio
import hashlib
import uuid

import strands.storage
import strands.storage.in_memory_storage
import strands.storage.local_file_storage
import world
from locimem import Client
from locimem.strands_storage import LociStorage
from strands.storage.storage import _NamespacedStorage


class Counting(Client):
    """Loci's client; it counts its calls."""

    calls = 0

    def request(self, *arguments, **options):
        """A call."""
        self.calls += 1
        return super().request(*arguments, **options)


MEMORY = world.memory(prefix="unit")
CLIENT = Counting(world.URL, timeout=60)


class Injected(LociStorage):
    """A storage of the suite's memory."""

    def __init__(self, namespace):
        super().__init__(client=CLIENT, memory=MEMORY, namespace=f"/files/{namespace}")

    def namespace(self, prefix):
        """Strands' own view of a part of any storage."""
        return _NamespacedStorage(self, prefix)

    async def search(self, query):
        """As soon as the server has read what was written: until then it ranks by words alone."""
        await asyncio.to_thread(CLIENT.extraction_wait, MEMORY, {"timeout_ms": 30_000})
        return await super().search(query)


class InMemoryStorage(Injected):
    """In the place of the one in memory."""

    def __init__(self):
        super().__init__(uuid.uuid4().hex)


class LocalFileStorage(Injected):
    """In the place of the one on the disk."""

    def __init__(self, base_dir="./.strands/"):
        self.base_dir = base_dir
        super().__init__(hashlib.sha256(str(base_dir).rstrip("/").encode()).hexdigest()[:32])


strands.storage.InMemoryStorage = strands.storage.in_memory_storage.InMemoryStorage = InMemoryStorage
strands.storage.LocalFileStorage = strands.storage.local_file_storage.LocalFileStorage = LocalFileStorage


def pytest_terminal_summary(terminalreporter):
    """Tells how often the server was called."""
    terminalreporter.write_line(f"the server was called {CLIENT.calls} times")
