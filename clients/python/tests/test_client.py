"""The client of the native API against recorded answers: what is sent, what becomes of answers, and what is tried again."""

import pathlib
import unittest

from locimem import Client, Conflict, InvalidAnswer, InvalidArgument, LociError, NotFound, TooLarge, Unavailable, Unreachable
from locimem.errors import CitationRejected, error_of
from tests.recorded_server import Answer, RecordedServer

TABLE = pathlib.Path(__file__).parents[2] / "generate" / "operations.txt"


def problem(code, *, field=None, retryable=False):
    return {"error": {"code": code, "message": f"why {code}", "field": field, "retryable": retryable}}


class Sleeps:
    """A clock that only sleeping moves."""

    def __init__(self):
        self.now = 0.0
        self.slept = []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    def client(self, url, **more):
        return Client(url, sleep=self.sleep, clock=lambda: self.now, **more)


class Sending(unittest.TestCase):
    def asked(self, call, answer=Answer({}), **more):
        with RecordedServer([answer]) as server, Client(server.url, retries=0, **more) as client:
            self.result = call(client)
            return server.asked[0]

    def test_a_query_is_flat_and_leaves_out_what_is_absent(self):
        asked = self.asked(lambda c: c.event_list("m-1", actor="org/a&b", session="s 1", without_payload=True, limit=5))
        self.assertEqual(asked.method, "GET")
        self.assertEqual(asked.path, "/v1/memories/m-1/events?actor=org%2Fa%26b&limit=5&session=s+1&without_payload=true")
        self.assertIsNone(asked.headers["Content-Type"])

    def test_segments_are_encoded(self):
        asked = self.asked(lambda c: c.event_get("m", "00#ä/1", actor="a", session="s"))
        self.assertEqual(asked.path, "/v1/memories/m/events/00%23%C3%A4%2F1?actor=a&session=s")
        self.assertEqual(self.asked(lambda c: c.record_list("m")).path, "/v1/memories/m/records:list")

    def test_a_body_is_json_and_a_whole_one_may_be_left_out(self):
        asked = self.asked(lambda c: c.search({"memory": "m", "query": "größe"}))
        self.assertEqual((asked.method, asked.body), ("POST", {"memory": "m", "query": "größe"}))
        self.assertEqual(self.asked(lambda c: c.extraction_wait("m")).body, {})

    def test_bytes_go_and_come_as_they_are(self):
        asked = self.asked(lambda c: c.object_put("m", "a/b", b"\x00\xff", content_type="image/png"))
        self.assertEqual((asked.body, asked.headers["Content-Type"]), (b"\x00\xff", "image/png"))
        self.asked(lambda c: c.object_get("m", "a/b"), Answer(b"\x00\xff"))
        self.assertEqual(self.result, b"\x00\xff")

    def test_an_answer_that_is_cut_is_none(self):
        with RecordedServer([Answer(b"0123456789", cut_at=4)]) as server, Client(server.url, retries=0) as client:
            with self.assertRaises(Unreachable) as caught:
                client.object_get("m", "a/b")
        self.assertTrue(caught.exception.retryable)
        self.assertIn("4 of 10 bytes", str(caught.exception))
        answers = [Answer(b"0123456789", cut_at=4), Answer(b"0123456789")]
        with RecordedServer(answers) as server, Client(server.url, sleep=lambda _: None) as client:
            self.assertEqual(client.object_get("m", "a/b"), b"0123456789")
            self.assertEqual(len(server.asked), 2)

    def test_options_are_headers(self):
        put = {"body": "text"}
        asked = self.asked(lambda c: c.document_put("m", "a.md", put, if_match='"x"', query={"namespace": "/n"}))
        self.assertEqual((asked.headers["If-Match"], asked.path), ('"x"', "/v1/memories/m/files/a.md?namespace=%2Fn"))
        asked = self.asked(lambda c: c.document_put("m", "a.md", put, if_absent=True, idempotency_key="k-1"))
        self.assertEqual((asked.headers["If-None-Match"], asked.headers["Idempotency-Key"]), ("*", "k-1"))

    def test_who_asks_is_said(self):
        asked = self.asked(lambda c: c.tool_call("memory_get", {}), token="t-1", memory="notes")
        self.assertEqual((asked.headers["Authorization"], asked.headers["X-Loci-Memory"]), ("Bearer t-1", "notes"))

    def test_what_would_be_another_operation_is_refused(self):
        with Client("http://127.0.0.1:9") as client:
            for value in ("", "..", ".", None):
                with self.subTest(value), self.assertRaises(InvalidArgument) as caught:
                    client.record_delete("m", value)
                self.assertEqual(caught.exception.field, "record")
            with self.assertRaises(ValueError):
                client.records_create("m", {"records": [{"namespace": "/n", "text": "t", "metadata": {"x": float("nan")}}]})

    def test_nothing_is_nothing(self):
        self.asked(lambda c: c.pulled_next(), Answer(b"", 204))
        self.assertIsNone(self.result)
        self.asked(lambda c: c.memory_delete("m"))
        self.assertIsNone(self.result)

    def test_every_operation_of_the_table_has_a_method(self):
        lines = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
        self.assertGreater(len(lines), 150)
        self.assertEqual([name for name, *_ in lines if not callable(getattr(Client, name, None))], [])


class Failing(unittest.TestCase):
    def raised(self, answer, call=lambda client: client.memory_get("m")):
        with RecordedServer([answer]) as server, Client(server.url, retries=0) as client:
            with self.assertRaises(LociError) as caught:
                call(client)
        return caught.exception

    def test_an_error_keeps_what_was_said(self):
        error = self.raised(Answer(problem("INVALID", field="records[0].text"), 400))
        self.assertIsInstance(error, InvalidArgument)
        said = (error.code, error.message, error.field, error.status, error.retryable)
        self.assertEqual(said, ("INVALID", "why INVALID", "records[0].text", 400, False))
        self.assertEqual(str(error), "INVALID (records[0].text): why INVALID")

    def test_classes_go_by_code_and_else_by_status(self):
        table = [
            ("NOT_FOUND", 404, NotFound),
            ("STALE_VERSION", 412, Conflict),
            ("IDEMPOTENCY_KEY_REUSED", 422, Conflict),
            ("TOO_LARGE", 413, TooLarge),
            ("UPSTREAM", 502, Unavailable),
            ("A_FINER_WORD", 409, Conflict),
            ("A_FINER_WORD", 418, LociError),
        ]
        for code, status, expected in table:
            with self.subTest(code=code, status=status):
                self.assertIs(type(self.raised(Answer(problem(code), status))), expected)
        self.assertIs(type(error_of(413, problem("TOO_LARGE"), None, of_tool=True)), CitationRejected)

    def test_what_is_no_json_is_no_answer(self):
        for answer in (Answer(b"<html>"), Answer(b"# a file", headers=[("Content-Type", "text/markdown")])):
            self.assertIsInstance(self.raised(answer), InvalidAnswer)
        self.assertIsInstance(self.raised(Answer(b"<html>", 404)), InvalidAnswer)

    def test_a_long_answer_is_refused(self):
        with RecordedServer([Answer(b"x" * 101)]) as server, Client(server.url, answer_bytes_max=100) as client:
            with self.assertRaises(InvalidAnswer):
                client.object_get("m", "k")


class TryingAgain(unittest.TestCase):
    def tries(self, answers, call, **more):
        """How often was asked, and what came of it."""
        sleeps = Sleeps()
        with RecordedServer(answers) as server, sleeps.client(server.url, **more) as client:
            try:
                result = call(client)
            except LociError as error:
                result = error
            self.slept = sleeps.slept
            return server.asked, result

    def test_reads_are_tried_again(self):
        busy = Answer(problem("UNAVAILABLE", retryable=True), 503)
        for call in (lambda c: c.memory_get("m"), lambda c: c.search({"memory": "m", "query": "q"}), lambda c: c.record_list("m")):
            asked, result = self.tries([busy, Answer(b"", hangs_up=True), Answer({"id": "m"})], call)
            self.assertEqual((len(asked), result), (3, {"id": "m"}))
        asked, result = self.tries([busy] * 5, lambda c: c.memory_get("m"))
        self.assertEqual((len(asked), type(result)), (3, Unavailable))

    def test_creations_carry_one_key_through_all_tries(self):
        lost = Answer(b"", hangs_up=True)
        asked, result = self.tries([lost, Answer({"items": [], "failed": 0}, 201)], lambda c: c.records_create("m", {"records": []}))
        keys = [one.headers["Idempotency-Key"] for one in asked]
        self.assertEqual((len(keys), len(set(keys)), result["failed"]), (2, 1, 0))
        self.assertGreaterEqual(len(keys[0]), 32)

    def test_what_may_not_happen_twice_is_not_tried_again(self):
        lost, busy = Answer(b"", hangs_up=True), Answer(problem("UNAVAILABLE", retryable=True), 503)
        for call in (
            lambda c: c.mirror_sync("m", "x"),
            lambda c: c.record_delete("m", "r"),
            lambda c: c.pulled_next(),
            lambda c: c.key_create({"name": "n"}, idempotency_key="the server does not read it here"),
        ):
            self.assertEqual(len(self.tries([lost, Answer({})], call)[0]), 1)
            self.assertEqual(len(self.tries([busy, Answer({})], call)[0]), 1)
        self.assertIsInstance(self.tries([lost], lambda c: c.record_delete("m", "r"))[1], Unreachable)

    def test_it_goes_over_a_connection_of_its_own(self):
        # Over the kept one, a server that hangs up looks like one that closed it before.
        answers = [Answer({"id": "m"}), Answer(b"", hangs_up=True), Answer({})]
        asked, _ = self.tries(answers, lambda c: (c.memory_get("m"), c.record_delete("m", "r")))
        self.assertEqual([one.method for one in asked], ["GET", "DELETE"])

    def test_what_was_not_begun_is_tried_again_after_the_pause(self):
        wait = Answer(problem("THROTTLED", retryable=True), 429, headers=[("Retry-After", "3")])
        asked, _ = self.tries([wait, Answer({})], lambda c: c.record_delete("m", "r"))
        self.assertEqual((len(asked), self.slept), (2, [3.0]))

    def test_a_call_has_its_own_time(self):
        wait = Answer(problem("THROTTLED", retryable=True), 429, headers=[("Retry-After", "3")])
        self.assertEqual(len(self.tries([wait, Answer({})], lambda c: c.memory_get("m", timeout=2))[0]), 1)
        self.assertEqual(len(self.tries([wait, Answer({})], lambda c: c.memory_get("m", timeout=4), timeout=1)[0]), 2)

    def test_errors_for_good_are_not_tried_again(self):
        asked, result = self.tries([Answer(problem("NOT_FOUND"), 404), Answer({})], lambda c: c.memory_get("m"))
        self.assertEqual((len(asked), type(result)), (1, NotFound))


if __name__ == "__main__":
    unittest.main()
