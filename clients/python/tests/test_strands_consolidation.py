"""``consolidate`` of a store and of a manager, without Strands, against a server that runs."""

import asyncio
import unittest

from locimem import Client
from locimem.strands import LociMemoryStore
from locimem.strands_manager import LociMemoryManager
from tests.running import LOCI, Running


class Other:
    """A store without documents."""

    name = "other"
    writable = True

    async def add(self, content, metadata=None):
        return None


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class WithServer(Running):
    def test_a_contradiction_is_planned_then_resolved(self):
        client = Client(self.url, timeout=60)
        memory = client.memory_create({"name": "notes"})["id"]
        for name, body in (("home", "The user lives in Bern."), ("moved", "The user lives in Zurich.")):
            path = f"knowledge/facts/{name}.md"
            client.document_put(memory, path, {"body": body}, namespace="/facts/ann", force="1")
        options = {"client": client, "memory": "notes", "actor": "ann"}
        store = LociMemoryStore(**options, name="notes", writable=True)
        everything = {"scope": {"kind": "all"}}
        run = asyncio.run(store.consolidate(**everything))
        self.assertEqual((run["status"], run["namespace"]), ("planned", "/facts/ann/"))
        self.assertEqual([one["action"]["type"] for one in run["plan"]], ["supersede"])
        self.assertNotIn("Nothing to do", run["summary"])
        client.consolidation_cancel(memory, run["id"], {"namespace": "/facts/ann"})
        reader = LociMemoryStore(**options, name="reader")
        manager = LociMemoryManager([store, reader, Other()])
        runs = asyncio.run(manager.consolidate(apply=True, **everything))
        self.assertEqual({name: run["status"] for name, run in runs.items()}, {"notes": "applied"})
        left = client.tree_list(memory, namespace="/facts/ann")["entries"]
        self.assertEqual([one["path"] for one in left], ["knowledge/facts/moved.md"])
        with self.assertRaisesRegex(ValueError, "read-only"):
            asyncio.run(reader.consolidate())
        client.close()


class Failing(Other):
    name = "failing"

    async def consolidate(self, **_):
        raise RuntimeError("gone")


class OfManagers(unittest.TestCase):
    def test_an_error_stands_under_its_store(self):
        runs = asyncio.run(LociMemoryManager([Failing(), Other()]).consolidate())
        self.assertEqual((list(runs), str(runs["failing"])), (["failing"], "gone"))
