"""The storage for Strands, without Strands, against a server that runs."""

import asyncio
import unittest

from locimem import Client, InvalidArgument, LociError
from locimem.strands_storage import LociStorage
from tests.recorded_server import Answer, RecordedServer
from tests.running import LOCI, Running

ODD = [b"", b"a", b"a\r\nb\r\n", b"---\ntitle: x\n---\nbody\n", "ä\u2028\x00x".encode(), b"\n\n# T\n\nx\n\n", b"  lead\n"]


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class WithServer(Running):
    def setUp(self):
        self.client = Client(self.url, timeout=60)
        self.memory = self.client.memory_create({"name": "files"})["id"]
        self.storage = LociStorage(client=self.client, memory="files", namespace="/files/alice")

    def tearDown(self):
        self.client.memory_delete(self.memory)
        self.client.close()

    def test_bytes_come_back_as_they_were(self):
        async def story():
            for key in ("memory/agent/odd.md", "sessions/odd.bin"):
                self.assertIsNone(await self.storage.read(key))
                for data in ODD:
                    await self.storage.write(key, data)
                    self.assertEqual(await self.storage.read(f"/{key}"), data, (key, data))
                await self.storage.delete(key)
                await self.storage.delete(key)
                self.assertIsNone(await self.storage.read(key))
            await self.storage.write("sessions/odd.bin", b"\x00\xff")
            self.assertEqual(await self.storage.read("sessions/odd.bin"), b"\x00\xff")
            with self.assertRaises(InvalidArgument):
                await self.storage.write("memory/bytes.md", b"\x00\xff")
            for key in ("", "/", "a/../b", "a\\b"):
                with self.assertRaises(InvalidArgument):
                    await self.storage.write(key, b"x")

        asyncio.run(story())

    def test_no_key_is_taken_for_another_that_looks_like_it(self):
        async def story():
            for one, other in (("T.md", "t.md"), ("\u00e9.md", "e\u0301.md")):
                await self.storage.write(one, b"one")
                with self.assertRaises(InvalidArgument):
                    await self.storage.write(other, b"other")
                await self.storage.delete(other)
                self.assertIsNone(await self.storage.read(other))
                await self.storage.write(one, b"one again")
                self.assertEqual(await self.storage.read(one), b"one again")

        asyncio.run(story())

    def test_namespaces_beneath_are_other_places(self):
        async def story():
            above = LociStorage(client=self.client, memory="files", namespace="/files")
            for key in ("alice/a.md", "alice/a.bin"):
                name = key.removeprefix("alice/")
                await self.storage.write(name, b"of alice")
                self.assertIsNone(await above.read(key))
                await above.write(key, b"above")
                self.assertEqual(await self.storage.read(name), b"of alice")
            self.assertEqual(await above.list(""), ["alice/a.bin", "alice/a.md"])

        asyncio.run(story())

    def test_keys_are_listed_by_how_they_begin(self):
        keys = ["memory/a.md", "memory/ab.md", "memory/b/c.md", "memory/a.json", "sessions/s-1/x"]

        async def story():
            for key in keys:
                await self.storage.write(key, key.encode())
            other = LociStorage(client=self.client, memory=self.memory, namespace="/files/bob")
            await other.write("memory/theirs.md", b"not hers")
            await other.write("memory/theirs.bin", b"not hers")
            for prefix in ("", "memory/", "memory/a", "memory", "memory/b/", "sessions/s-1/x", "none/", "/memory//b/"):
                expected = sorted(key for key in keys if key.startswith(prefix.replace("//", "/").lstrip("/")))
                self.assertEqual(await self.storage.list(prefix), expected, prefix)
            for prefix in ("../", "memory/../", "a\\"):
                with self.assertRaises(InvalidArgument):
                    await self.storage.list(prefix)
            self.assertEqual(await other.list(""), ["memory/theirs.bin", "memory/theirs.md"])

        asyncio.run(story())

    def test_more_than_a_page_is_listed(self):
        keys = [f"m/{number:03}.{kind}" for kind in ("md", "bin") for number in range(101)]

        async def story():
            await asyncio.gather(*[self.storage.write(key, key.encode()) for key in keys])
            self.assertEqual(await self.storage.list("m/"), sorted(keys))

        asyncio.run(story())

    def test_documents_are_found(self):
        async def story():
            await self.storage.write("memory/boats.md", b"# Boats\nThe sloop Gull lies in Largs.\n")
            await self.storage.write("memory/bread.md", b"# Bread\nRye needs a warm night.\n")
            # By their words at once; by their meaning as soon as the server has read them.
            found = await self.storage.search("Where does the sloop lie?")
            self.assertEqual((found[0].key, found[0].data), ("memory/boats.md", b"# Boats\nThe sloop Gull lies in Largs.\n"))
            self.assertGreater(found[0].score, 0)
            elsewhere = LociStorage(client=self.client, memory="files", namespace="/files/bob")
            self.assertEqual(await elsewhere.search("Where does the sloop lie?"), [])
            self.assertEqual(await self.storage.search("  "), [])

        asyncio.run(story())


class HeldBack(unittest.TestCase):
    def test_what_cannot_be_read_was_not_written(self):
        answer = Answer({"state": "quarantined", "record": "r", "version": 1, "sequence": 1, "bytes": 1, "updated_at": "t"}, 201)
        with RecordedServer([answer]) as server, Client(server.url) as client:
            storage = LociStorage(client=client, memory="m-1", namespace="/files")
            with self.assertRaisesRegex(LociError, "quarantined"):
                asyncio.run(storage.write("a.md", b"x"))
            self.assertEqual(server.asked[0].headers["Content-Type"], "text/markdown")


if __name__ == "__main__":
    unittest.main()
