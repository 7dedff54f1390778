"""The store for Strands agents, without Strands: against recorded answers, and against a server that runs."""

import asyncio
import types
import unittest

from locimem import Client, LociError, NotFound
from locimem.strands import LociMemoryStore, assert_writable_topology, loci_memory_stores
from tests.recorded_server import Answer, RecordedServer
from tests.running import LOCI, Running

MADE = Answer({"items": [{"id": "r-1"}], "failed": 0}, 201)
EVENT = Answer({"event": {"id": "e-1"}}, 201)


def numbered(*numbers):
    return types.SimpleNamespace(sequence_numbers=list(numbers))


def said(role, *texts):
    return {"role": role, "content": [{"text": text} for text in texts]}


class Recorded(unittest.TestCase):
    def asked(self, answers, call, **config):
        """What was asked, of a store of the memory `notes-1`."""
        given = {"memory": "notes-1", "actor": "alice", "session": "s-1", "writable": True, **config}
        with RecordedServer(answers) as server, Client(server.url, retries=0) as client:
            self.result = asyncio.run(call(LociMemoryStore(client=client, **given)))
            return server.asked

    def test_a_search_stays_in_its_scope(self):
        record = {"id": "r", "text": "t", "namespace": "/facts/alice", "created_at": "c", "timestamp": "o", "metadata": {"k": "v"}}
        answer = Answer({"hits": [{"record": record, "relevance": 0.7}]})
        of_store, of_call = {"key": "team", "operator": "exists"}, {"key": "k", "operator": "exists"}
        options = {"max_search_results": 2, "filter": [of_call], "as_of": "2026-01-01T00:00:00Z", "budget_tokens": 90}
        namespaces = ["/facts/{actorId}", "/talks/{sessionId}"]
        more = {"filters": [of_store], "namespace_path": namespaces, "relevance_min": 0.2}
        (asked,) = self.asked([answer], lambda store: store.search("q", options), **more)
        expected = {
            "memory": "notes-1",
            "query": "q",
            "namespace_paths": ["/facts/alice", "/talks/s-1"],
            "top_k": 2,
            "as_of": "2026-01-01T00:00:00Z",
            "metadata": [of_store, of_call],
            "relevance_min": 0.2,
            "budget_tokens": 90,
        }
        self.assertEqual(asked.body, expected)
        known = {"_id": "r", "_score": 0.7, "_namespaces": ["/facts/alice"], "_createdAt": "c", "_observedAt": "o"}
        self.assertEqual([(one.content, one.metadata) for one in self.result], [("t", {"k": "v", **known})])

    def test_limits_that_are_none_are_refused(self):
        for limit in (0, -1, 2.5, True, "3"):
            with self.subTest(limit), self.assertRaisesRegex(ValueError, "max_search_results"):
                self.asked([], lambda store: store.search("q", {"max_search_results": limit}))
        (asked,) = self.asked([Answer({"hits": []})], lambda store: store.search("q"))
        self.assertEqual(asked.body["top_k"], 5)

    def test_a_text_is_added_once_in_a_run(self):
        async def twice(store):
            await store.add("Sails.", {"b": True, "a": [1, 2]})
            await store.add("Sails.", {"a": [1, 2], "b": True})
            return await store.add("Sails.", {"a": "other"})

        first, second, third = self.asked([MADE] * 3, twice)
        record = {"namespace": "/facts/alice", "text": "Sails.", "metadata": {"a": "[1, 2]", "b": "true"}}
        self.assertEqual(first.body, {"records": [record]})
        keys = [asked.headers["Idempotency-Key"] for asked in (first, second, third)]
        self.assertEqual((keys[0] == keys[1], keys[1] == keys[2]), (True, False))
        self.assertEqual((list(first.body["records"][0]["metadata"]), self.result), (["a", "b"], {"id": "r-1"}))

    def test_what_cannot_be_kept_is_refused_by_name(self):
        for metadata in ({"x": None}, {"x": float("nan")}, {"_x": "1"}):
            with self.subTest(metadata), self.assertRaisesRegex(ValueError, "x"):
                self.asked([], lambda store: store.add("t", metadata))
        with self.assertRaisesRegex(ValueError, "blank"):
            self.asked([], lambda store: store.add("  \n"))
        failed = Answer({"items": [{"id": "r", "error": {"code": "TOO_LARGE", "message": "long"}}], "failed": 1}, 201)
        with self.assertRaises(LociError) as caught:
            self.asked([failed], lambda store: store.add("t"))
        self.assertEqual(caught.exception.code, "TOO_LARGE")

    def test_messages_are_one_event_with_a_key_of_their_numbers(self):
        used = {"toolUse": {"name": "look", "toolUseId": "t", "input": {}}}
        result = {"toolResult": {"toolUseId": "t", "status": "success", "content": [{"text": "seen"}, {"image": b"\x00"}]}}
        messages = [said("user", " hi ", "there"), said("assistant", " "), {"role": "user", "content": [used, result]}]

        async def twice(store):
            await store.add_messages(messages, numbered(3, 4, 7))
            return await store.add_messages(messages, numbered(3, 4, 7))

        first, second = self.asked([EVENT] * 2, twice)
        plain = {"toolResult": {**result["toolResult"], "content": [{"text": "seen"}]}}
        payload = [{"message": {"role": "user", "text": "hi\nthere"}}, {"blob": used}, {"blob": plain}]
        self.assertEqual(first.body, {"actor": "alice", "session": "s-1", "payload": payload})
        self.assertRegex(first.headers["Idempotency-Key"], r"^notes-1-alice-[0-9a-f]{32}-3-7$")
        self.assertEqual(first.headers["Idempotency-Key"], second.headers["Idempotency-Key"])
        self.assertEqual(self.result, {"events": ["e-1"]})

    def test_nothing_said_is_no_call_and_much_is_several(self):
        self.assertEqual(self.asked([], lambda store: store.add_messages([said("system", "be kind"), said("user", "")])), [])
        many = [said("user", str(number)) for number in range(101)]
        asked = self.asked([EVENT] * 3, lambda store: store.add_messages(many, numbered(*range(101))))
        self.assertEqual([len(one.body["payload"]) for one in asked], [50, 50, 1])
        ends = [one.headers["Idempotency-Key"].rsplit("-", 2)[1:] for one in asked]
        self.assertEqual(ends, [["0", "49"], ["50", "99"], ["100", "100"]])
        used = {"role": "assistant", "content": [{"toolUse": {"name": "look", "toolUseId": "t", "input": {}}}] * 60}
        asked = self.asked([EVENT] * 2, lambda store: store.add_messages([used, used], numbered(0, 1)))
        self.assertEqual([len(one.body["payload"]) for one in asked], [60, 60], "an event has at most 100 parts")

        async def without_numbers(store):
            await store.add_messages(many[:1])
            await store.add_messages(many[:1])

        keys = {one.headers["Idempotency-Key"] for one in self.asked([EVENT] * 2, without_numbers)}
        self.assertEqual(len(keys), 2)

    def test_what_does_not_fit_is_refused_when_it_is_made(self):
        bad = [
            ({"namespace_path": ["/x", "/x/{other}"]}, "brace"),
            ({"namespace_path": []}, "namespace_path"),
            ({"namespace": ["/x", " "]}, "namespace"),
            ({"budget_tokens": 0}, "budget_tokens"),
            ({"metadata_provider": {"team": "red"}}, "metadata_provider"),
            ({"tools": ["memory_dream"]}, "tools"),
            ({"tools": ["memory_forget"], "writable": False}, "writable"),
        ]
        for config, word in bad:
            with self.subTest(config), self.assertRaisesRegex(ValueError, word):
                LociMemoryStore(**{"memory": "m-1", "actor": "a", "url": "http://127.0.0.1:9", "writable": True, **config})

    def test_several_places_have_a_name_of_all_of_them(self):
        places = ["/facts/{actorId}", "/preferences/{actorId}"]
        store = LociMemoryStore(memory="m-1", actor="a", url="http://127.0.0.1:9", namespace_path=places)
        self.assertEqual(store.name, "facts-preferences")

    def test_an_exact_store_knows_no_record_beneath(self):
        record = {"id": "r", "namespace": "/facts/alice/deeper"}
        with self.assertRaises(NotFound):
            self.asked([Answer(record)], lambda store: store.history("r"), namespace="/facts/{actorId}")
        (asked,) = self.asked([Answer({"records": []})], lambda store: store.timeline(), namespace="/facts/{actorId}")
        self.assertEqual(asked.body, {"namespaces": ["/facts/alice"], "limit": 20})

    def test_a_session_cannot_be_blanked_later(self):
        store = LociMemoryStore(memory="m-1", actor="a", url="http://127.0.0.1:9")
        with self.assertRaises(AttributeError):
            store.session = ""
        store.max_search_results = 0
        with self.assertRaisesRegex(ValueError, "max_search_results"):
            asyncio.run(store.search("q"))

    def test_stores_of_several_places_have_one_writer(self):
        shared = {"memory": "m-1", "actor": "a", "url": "http://127.0.0.1:9"}
        places = [{"namespace_path": "/facts/{actorId}"}, {"namespace": "/facts/{actorId}"}, {"namespace": "/talks/{sessionId}"}]
        stores = loci_memory_stores(places, extraction=True, **shared)
        self.assertEqual([store.name for store in stores], ["facts", "facts-2", "talks"])
        self.assertEqual([store.writable for store in stores], [True, False, False])
        self.assertEqual([store.extraction for store in stores], [True, None, None])
        self.assertEqual(len({store.session for store in stores}), 1)
        assert_writable_topology(stores, expect_extraction=True)
        chosen = loci_memory_stores([places[0], {**places[2], "writable": True}], **shared)
        self.assertEqual([store.writable for store in chosen], [False, True])
        bad = [
            ([], {}, "at least one place"),
            ([{**place, "writable": True} for place in places], {}, "at most one"),
            ([{**place, "writable": False} for place in places], {"extraction": True}, "opted out"),
            ([{**places[0], "name": "x"}, {**places[2], "name": "x"}], {}, "name 'x'"),
        ]
        for given, more, word in bad:
            with self.subTest(word), self.assertRaisesRegex(ValueError, word):
                loci_memory_stores(given, **shared, **more)


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class WithServer(Running):
    def setUp(self):
        self.client = Client(self.url, timeout=60)
        strategy = {"kind": "semantic", "name": "facts", "namespace": "/facts/{actorId}/"}
        indexed = [{"key": "season", "kind": "string"}]
        asked = {"name": "agents", "strategies": [strategy], "indexed_keys": indexed}
        self.memory = self.client.memory_create(asked)["id"]

    def tearDown(self):
        self.client.memory_delete(self.memory)
        self.client.close()

    def store(self, actor, **config):
        return LociMemoryStore(client=self.client, memory="agents", actor=actor, writable=True, **config)

    def test_what_was_said_and_added_is_found_by_its_actor_alone(self):
        async def story():
            alice, bob = self.store("alice", extraction=True), self.store("bob")
            with self.assertNoLogs("locimem.strands"):
                await alice.initialize()
            messages = [said("user", "My boat is called Gull and lies in Largs."), said("assistant", "Noted.")]
            first = await alice.add_messages(messages, numbered(0, 1))
            self.assertEqual(await alice.add_messages(messages, numbered(0, 1)), first)
            await alice.add("Alice paints her hull red.", {"season": "spring"})
            await asyncio.to_thread(self.client.extraction_wait, self.memory, {"timeout_ms": 50_000})
            found = await alice.search("What is the name of my boat?")
            self.assertIn("Gull", found[0].content)
            self.assertGreater(found[0].metadata["_score"], 0.3)
            only = await alice.search("hull", {"filter": [{"key": "season", "operator": "equals_to", "value": "spring"}]})
            self.assertEqual([one.content for one in only], ["Alice paints her hull red."])
            self.assertEqual(await bob.search("What is the name of the boat?"), [])

        asyncio.run(story())

    def test_ids_of_others_are_not_there(self):
        async def story():
            alice, bob = self.store("alice"), self.store("bob")
            secret = (await alice.add("Alice keeps a key under the mat."))["id"]
            for call in (bob.history, bob.forget):
                with self.assertRaises(NotFound):
                    await call(secret)
            self.assertEqual([one["id"] for one in await alice.timeline()], [secret])
            self.assertEqual(await bob.timeline(), [])
            self.assertEqual(len((await alice.history(secret))["versions"]), 1)
            with self.assertRaises(NotFound):
                await bob.feedback(secret, "wrong")
            said = await alice.feedback(secret, "wrong", "it moved")
            self.assertEqual(said, {"useful": 0, "wrong": 1, "state": "active"})
            self.assertEqual((await alice.feedback(secret, "useful"))["useful"], 1)
            await alice.forget(secret)
            self.assertEqual(await alice.timeline(), [])
            again = (await alice.add("Alice keeps a key under the mat."))["id"]
            self.assertEqual([one["id"] for one in await alice.timeline()], [again])

        asyncio.run(story())

    def test_a_start_tells_what_is_wrong(self):
        async def story():
            with self.assertRaises(NotFound):
                await LociMemoryStore(client=self.client, memory="nowhere", actor="a").initialize()
            with self.assertLogs("locimem.strands", "WARNING") as logs:
                await self.store("a", extraction=True, namespace_path="/elsewhere/{actorId}").initialize()
            self.assertIn("no strategy writes", logs.output[0])

        asyncio.run(story())


if __name__ == "__main__":
    unittest.main()
