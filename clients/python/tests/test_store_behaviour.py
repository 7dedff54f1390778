"""The cases that the stores of all clients pass; see ``clients/behaviour/README.md``. No server of
Loci is needed."""

import asyncio
import json
import logging
import pathlib
import types
import unittest

from locimem import Client, EventsNotStored
from locimem.strands import LociMemoryStore, assert_writable_topology
from tests.recorded_server import Answer, RecordedServer

CASES = json.loads((pathlib.Path(__file__).parents[2] / "behaviour" / "memory-store.json").read_text("utf-8"))


def setUpModule():
    logging.getLogger("locimem.strands").setLevel(logging.ERROR)


def tearDownModule():
    logging.getLogger("locimem.strands").setLevel(logging.NOTSET)


def provided(message):
    long = {"@256": "x" * 256, "@257": "x" * 257}
    return {key: long.get(value, value) if isinstance(value, str) else value for key, value in message["metadata"].items()}


def store_of(config, client):
    given = {name: value for name, value in {**CASES["defaults"], **config}.items() if value is not None}
    if given.pop("metadata_provider", None):
        given["metadata_provider"] = provided
    return LociMemoryStore(client=client, **given)


def messages_of(case):
    for one in case["messages"]:
        for _ in range(one.get("repeat", 1)):
            yield {"role": one["role"], "content": [{"text": one["text"]}], "metadata": one.get("metadata", {})}


def answer_of(status):
    if status == 201:
        return Answer({"event": {"id": "e"}}, 201)
    return Answer({"error": {"code": "X", "message": "no", "retryable": status == 503}}, status)


class Shared(unittest.TestCase):
    """A list of cases is a test, a case a subtest."""

    def each(self, kind, check):
        self.assertTrue(CASES[kind])
        for case in CASES[kind]:
            with self.subTest(json.dumps(case)):
                check(case)

    def refusal(self, words, call):
        with self.assertRaises(ValueError) as caught:
            call()
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_constructions(self):
        self.each("constructions", self.construction)

    def construction(self, case):
        def make():
            return store_of(case["config"], Client("http://127.0.0.1:9"))

        if "refused" in case:
            self.refusal(case["refused"], make)
        else:
            self.assertEqual(make().name, case["name"])

    def test_searches(self):
        self.each("searches", self.search)

    def search(self, case):
        with RecordedServer([Answer({"hits": []})]) as server, Client(server.url, retries=0) as client:

            def call():
                return asyncio.run(store_of(case["config"], client).search("q", case.get("options", {})))

            if "refused" in case:
                self.refusal(case["refused"], call)
                self.assertEqual(server.asked, [])
            else:
                call()
                body = server.asked[0].body
                self.assertEqual({name: body.get(name) for name in case["body"]}, case["body"])

    def test_batches(self):
        self.each("batches", self.batch)

    def batch(self, case):
        answers = [answer_of(status) for status in case.get("statuses", [])] + [answer_of(201)] * 10
        messages = list(messages_of(case))
        context = types.SimpleNamespace(sequence_numbers=list(range(len(messages))))
        with RecordedServer(answers) as server, Client(server.url, retries=0) as client:

            def call():
                return asyncio.run(store_of(case["config"], client).add_messages(messages, context))

            if "refused" in case:
                self.refusal(case["refused"], call)
                self.assertEqual(server.asked, [])
            elif "failed" in case:
                self.failures(case["failed"], call)
                self.assertEqual(len(server.asked), case["failed"]["requests"])
            else:
                self.assertEqual(len(call()["events"]), len(case["events"]))
                self.events(case["events"], server.asked)

    def failures(self, failed, call):
        with self.assertRaises(EventsNotStored) as caught:
            call()
        error = caught.exception
        numbers = [number for one in error.failures for number in range(one.first, one.last + 1)]
        self.assertEqual(numbers, failed["messages"])
        counts = (len(error.failures), len(error.failures) + len(error.stored))
        self.assertEqual(counts, (failed["events"], failed["of"]))
        self.assertIn(f"{failed['events']} of {failed['of']} event(s) not stored; first error: ", str(error))

    def events(self, expected, asked):
        self.assertEqual(len(asked), len(expected))
        for one, event in zip(asked, expected):
            texts = [part["message"]["text"] for part in one.body["payload"]]
            self.assertEqual(len(texts), event.get("turns", len(event.get("texts", []))))
            self.assertEqual(texts, event.get("texts", texts))
            if "metadata" in event:
                self.assertEqual(one.body.get("metadata", {}), event["metadata"])
            first, last = event["range"]
            self.assertRegex(one.headers["Idempotency-Key"], rf"^notes-1-alice-.+-{first}-{last}$")

    def test_topologies(self):
        self.each("topologies", self.topology)

    def topology(self, case):
        client = Client("http://127.0.0.1:9")
        stores = [store_of(config, client) for config in case["stores"]]

        def call():
            assert_writable_topology(stores, case.get("expect_extraction", False))

        if "refused" in case:
            self.refusal(case["refused"], call)
        else:
            call()


if __name__ == "__main__":
    unittest.main()
