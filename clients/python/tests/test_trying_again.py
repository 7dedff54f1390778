"""What is tried again, when, and what the error says where it is not."""

import os
import socket
import threading
import unittest
from unittest import mock

from locimem import (
    AuthRequired,
    CitationRejected,
    Conflict,
    Forbidden,
    InvalidAnswer,
    InvalidArgument,
    NotFound,
    NotVerified,
    RateLimited,
    Unreachable,
    Unverifiable,
    VerifiedMemoryError,
    VerifiedMemoryProvider,
)

from .recorded_server import Answer, RecordedServer

STATS = Answer({"repo": "o/r", "active_count": 1})


def problem(code, status, retryable=False, headers=(), **more):
    return Answer({"error": {"code": code, "message": "m", "retryable": retryable, **more}}, status, headers)


class TryingAgain(unittest.TestCase):
    def setUp(self):
        self.pauses = []

    def provider(self, server, **more):
        return VerifiedMemoryProvider(server.url, sleep=self.pauses.append, **more)

    def test_only_what_is_retryable_is_tried_again(self):
        table = [
            ([problem("RATE_LIMITED", 429, True), STATS], 2, None),
            ([problem("UNVERIFIABLE", 503, True), problem("INTERNAL", 500, True), STATS], 3, None),
            ([Answer(b"<html>", 503), STATS], 2, None),
            ([problem("RATE_LIMITED", 429, True)] * 3, 3, RateLimited),
            ([problem("CONFLICT", 409, True), STATS], 2, None),
            ([problem("CONFLICT", 409, False), STATS], 1, Conflict),
            ([problem("NOT_FOUND", 404), STATS], 1, NotFound),
            ([problem("INTERNAL", 500, False), STATS], 1, VerifiedMemoryError),
            ([Answer(b"<html>", 404), STATS], 1, InvalidAnswer),
            ([Answer(b"not json"), STATS], 1, InvalidAnswer),
        ]
        for answers, tries, error in table:
            with self.subTest(answers), RecordedServer(answers) as server, self.provider(server) as provider:
                if error is None:
                    self.assertEqual(provider.stats("o/r").active_count, 1)
                else:
                    with self.assertRaises(error):
                        provider.stats("o/r")
                self.assertEqual(len(server.asked), tries)

    def test_a_change_carries_the_same_key_in_every_try(self):
        answers = [problem("INTERNAL", 500, True), Answer({"logged": True}), Answer({"logged": True})]
        with RecordedServer(answers) as server, self.provider(server) as provider:
            provider.log_applied("m")
            provider.log_applied("m")
            keys = [asked.body["idempotency_key"] for asked in server.asked]
        self.assertEqual(keys[0], keys[1])
        self.assertNotEqual(keys[1], keys[2])

    def test_the_pause_is_what_the_server_says_and_grows_otherwise(self):
        answers = [
            problem("RATE_LIMITED", 429, True, details={"retry_after_ms": 1500, "limit": 7}),
            problem("RATE_LIMITED", 429, True, headers=[("Retry-After", "2")]),
            problem("INTERNAL", 500, True),
            STATS,
        ]
        with RecordedServer(answers) as server, self.provider(server, retries=3) as provider:
            provider.stats("o/r")
        self.assertEqual(self.pauses[:2], [1.5, 2.0])
        self.assertTrue(0.2 <= self.pauses[2] <= 0.4, self.pauses)

    def test_nothing_is_tried_beyond_the_time(self):
        answers = [problem("RATE_LIMITED", 429, True, details={"retry_after_ms": 60_000, "limit": 7}), STATS]
        with RecordedServer(answers) as server, self.provider(server, timeout=5) as provider:
            with self.assertRaises(RateLimited) as raised:
                provider.stats("o/r")
        self.assertEqual((raised.exception.retry_after_ms, raised.exception.details), (60_000, {"limit": 7}))
        self.assertEqual(self.pauses, [])

    def test_a_connection_that_breaks_is_made_anew(self):
        for first in [Answer({}, hangs_up=True), Answer({"repo": "o/r"}, closes=True)]:
            answers = [first, STATS, STATS]
            with self.subTest(first), RecordedServer(answers) as server, self.provider(server) as provider:
                provider.stats("o/r")
                self.assertEqual(provider.stats("o/r").active_count, 1)

    def test_no_server_is_an_error_that_says_so(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
        with VerifiedMemoryProvider(url, sleep=self.pauses.append) as provider:
            with self.assertRaises(Unreachable) as raised:
                provider.stats("o/r")
        self.assertTrue(raised.exception.retryable)
        self.assertEqual(len(self.pauses), 2)
        with VerifiedMemoryProvider("unix:/nowhere/loci.sock", retries=0) as provider:
            with self.assertRaisesRegex(Unreachable, "unix:/nowhere/loci.sock"):
                provider.stats("o/r")

    def test_a_server_that_is_silent_is_not_waited_for_longer_than_asked(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            with VerifiedMemoryProvider(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2) as provider:
                with self.assertRaisesRegex(Unreachable, "in time"):
                    provider.stats("o/r")

    def test_errors_have_the_class_of_their_code(self):
        table = {
            "INVALID_ARGUMENT": InvalidArgument,
            "PATH_REJECTED": InvalidArgument,
            "SECRET_DETECTED": InvalidArgument,
            "REPO_UNKNOWN": NotFound,
            "REF_NOT_FOUND": NotFound,
            "NOT_ACTIVE": Conflict,
            "CITATION_UNREADABLE": CitationRejected,
            "CITATION_LOW_INFORMATION": CitationRejected,
            "BINARY_FILE": CitationRejected,
            "NOT_VERIFIED": NotVerified,
            "UNVERIFIABLE": Unverifiable,
            "UNAUTHENTICATED": AuthRequired,
            "FORBIDDEN": Forbidden,
            "DENIED": Forbidden,
            "OF_A_LATER_VERSION": VerifiedMemoryError,
        }
        for code, expected in table.items():
            answers = [problem(code, 422, field="citations[0]", details={"a": 1})]
            with self.subTest(code), RecordedServer(answers) as server, self.provider(server) as provider:
                with self.assertRaises(VerifiedMemoryError) as raised:
                    provider.stats("o/r")
                error = raised.exception
                self.assertIs(type(error), expected)
                self.assertEqual((error.code, error.field, error.details, error.status), (code, "citations[0]", {"a": 1}, 422))
                self.assertEqual(str(error), f"{code} (citations[0]): m")


class Reaching(unittest.TestCase):
    def test_a_socket_is_a_server(self):
        with RecordedServer([STATS, STATS], unix=True) as server, VerifiedMemoryProvider(server.url) as provider:
            self.assertEqual(provider.stats("o/r").active_count, 1)
            self.assertEqual(provider.stats("o/r").active_count, 1)
            self.assertEqual(server.asked[0].headers["Host"], "localhost")

    def test_a_server_below_a_path(self):
        with RecordedServer([STATS]) as server, VerifiedMemoryProvider(server.url + "/team/") as provider:
            provider.stats("o/r")
            self.assertEqual(server.asked[0].path, "/team/v1/tools/memory_stats")

    def test_the_environment_says_where(self):
        with RecordedServer([STATS]) as server:
            with mock.patch.dict(os.environ, {"LOCI_URL": server.url, "LOCI_TOKEN": "t-2"}):
                with VerifiedMemoryProvider() as provider:
                    provider.stats("o/r")
            self.assertEqual(server.asked[0].headers["Authorization"], "Bearer t-2")
        with mock.patch.dict(os.environ, clear=True), self.assertRaisesRegex(ValueError, "LOCI_URL"):
            VerifiedMemoryProvider()

    def test_addresses_that_are_none_are_refused(self):
        for url in ["localhost:8411", "ftp://x", "http://", "http://u:p@x", "http://x?token=1", "unix:"]:
            with self.subTest(url), self.assertRaises(ValueError):
                VerifiedMemoryProvider(url)
        with self.assertRaises(ValueError):
            VerifiedMemoryProvider("http://x", token="a\r\nB: c")

    def test_threads_have_connections_of_their_own(self):
        answers = [STATS] * 40
        with RecordedServer(answers) as server, VerifiedMemoryProvider(server.url) as provider:
            found = []
            ask = lambda: found.extend(provider.stats("o/r").active_count for _ in range(10))
            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(found, [1] * 40)


if __name__ == "__main__":
    unittest.main()
