"""Every call: what is sent, and what becomes of the answer. The table is `calls.json`."""

import json
import pathlib
import unittest

from locimem import Citation, Claim, InvalidAnswer, InvalidArgument, VerifiedMemoryProvider

from .recorded_server import Answer, RecordedServer

CALLS = json.loads((pathlib.Path(__file__).parent / "calls.json").read_text(encoding="utf-8"))


def at(result, way):
    for step in way.split("."):
        if isinstance(result, (list, tuple)):
            result = result[int(step)]
        elif isinstance(result, dict):
            result = result[step]
        else:
            result = getattr(result, step)
    return result


class Calls(unittest.TestCase):
    def test_each_call_sends_its_arguments_and_reads_its_answer(self):
        for call in CALLS:
            with self.subTest(call["method"]), RecordedServer([Answer(call["answer"])]) as server:
                provider = VerifiedMemoryProvider(
                    server.url, token="t-1", memory="notes", agent_id="agent", session_id="s-1"
                )
                with provider:
                    result = getattr(provider, call["method"])(*call["args"], **call["kwargs"])
                asked = server.asked[0]
                self.assertEqual(asked.path, f"/v1/tools/{call['tool']}")
                self.assertEqual(asked.body, call["body"])
                self.assertEqual(asked.headers["Authorization"], "Bearer t-1")
                self.assertEqual(asked.headers["X-Loci-Memory"], "notes")
                for way, expected in call["expect"].items():
                    self.assertEqual(at(result, way), expected, way)

    def test_each_tool_of_the_design_is_there(self):
        design = "store get_recent search_by_path verify_citations read_citation refresh invalidate supersede log_applied stats"
        self.assertLessEqual(set(design.split()) | {"search", "get", "history"}, {call["method"] for call in CALLS})

    def test_shapes_are_arguments_too(self):
        answer = Answer({"id": "m", "status": "created"})
        with RecordedServer([answer]) as server, VerifiedMemoryProvider(server.url) as provider:
            citation = Citation("a.py", 3, 4, sha="0123abc")
            provider.store("o/r", "s", "f", [citation], claims=[Claim("path_exists", path="a.py")])
            body = server.asked[0].body
        self.assertEqual(body["citations"], [{"path": "a.py", "line_start": 3, "line_end": 4, "sha": "0123abc"}])
        self.assertEqual(body["claims"], [{"kind": "path_exists", "path": "a.py"}])
        self.assertGreaterEqual(len(body["idempotency_key"]), 8)
        self.assertNotIn("agent_id", body)
        self.assertEqual(Citation("a.py", 3).line_end, 3)
        with self.assertRaises(TypeError):
            Citation("a.py", 3, colour="red")

    def test_one_citation_is_no_list(self):
        with VerifiedMemoryProvider("http://127.0.0.1:9") as provider:
            with self.assertRaises(InvalidArgument):
                provider.store("o/r", "s", "f", {"path": "a", "line_start": 1, "line_end": 1})

    def test_an_answer_of_another_form_is_refused(self):
        answers = [{"memories": {}}, {"memories": [1]}, []]
        for answer in answers:
            with self.subTest(answer), RecordedServer([Answer(answer)]) as server:
                with VerifiedMemoryProvider(server.url, retries=0) as provider, self.assertRaises(InvalidAnswer):
                    provider.get_recent("o/r")

    def test_a_list_is_walked_through(self):
        fact = {"id": "m", "repo": "o/r", "subject": "s", "fact": "f", "citations": []}
        with RecordedServer([Answer({"memories": [fact, fact]})]) as server:
            with VerifiedMemoryProvider(server.url) as provider:
                found = provider.get_recent("o/r")
        self.assertEqual([memory.id for memory in found], ["m", "m"])
        self.assertEqual(len(found), 2)

    def test_only_what_is_unchanged_and_supported_is_verified(self):
        fact = {"id": "m", "repo": "o/r", "subject": "s", "fact": "f", "citations": [], "verdict": "valid"}
        words = ["verified", "cited", "drifted", "contradicted", "gone", "unverified", "proposed", "a later word"]
        facts = [{**fact, "assurance": word, "label": f"a.py:1-1; {word}"} for word in words]
        # A fact as it is stored says nothing of the code as it is now.
        facts.append({**fact, "support": {"verdict": "supported", "reason": "names_found"}})
        with RecordedServer([Answer({"memories": facts})]) as server:
            with VerifiedMemoryProvider(server.url) as provider:
                found = list(provider.get_recent("o/r"))
        self.assertEqual([memory.assurance for memory in found], words + [None])
        self.assertEqual([memory.is_verified for memory in found], [True] + [False] * len(words))
        self.assertEqual(found[1].label, "a.py:1-1; cited")
        self.assertEqual(found[-1].support.verdict, "supported")


if __name__ == "__main__":
    unittest.main()
