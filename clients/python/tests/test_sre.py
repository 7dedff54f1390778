"""The hooks of operations agents: that none raises, that every argument counts, and against a server that runs."""

import gc
import logging
import unittest
import weakref

from locimem import Client, InvalidArgument, InvestigationState, LociError, NotFound, SreMemory, Unreachable
from locimem.sre_link import reconnect
from tests.recorded_server import Answer, RecordedServer
from tests.running import LOCI, Running

AGENTS = ["kubernetes-agent", "logs-agent", "metrics-agent", "runbooks-agent"]
STARTED = {"incident_id": "i-1", "session_id": "s-1", "joined": False}
REFUSED = Answer({"error": {"code": "INVALID", "message": "heron", "field": "query"}}, 400)
WISH = "I always want reports as an executive summary"


def hooks(memory):
    """Each call with what it answers where it fails."""
    state = InvestigationState("alice", "i-1")
    return [
        (lambda: memory.save_event("preferences", "alice", {"a": 1}), False),
        (lambda: memory.retrieve_memories("preferences", "alice", "q"), []),
        (lambda: memory.on_agent_response("logs-agent", "x", state), False),
        (lambda: memory.capture_messages([{"role": "USER", "text": "x"}], state), False),
        (lambda: memory.on_investigation_complete("q", {"logs-agent": "x"}, "r", "alice", None, "i-1"), False),
    ]


class Hooks(unittest.TestCase):
    def of(self, *answers):
        server = RecordedServer(list(answers))
        self.addCleanup(server.__exit__)
        client = Client(server.url, retries=0)
        self.addCleanup(client.close)
        return server, SreMemory(client, "m-0123456789")

    def check_empty(self, started, agents):
        self.assertEqual(list(started["context"]["infrastructure_by_agent"]), agents)
        self.assertEqual(set(started["context"]), {"user_preferences", "infrastructure_by_agent", "past_investigations"})
        self.assertTrue(started["degraded"])
        self.assertEqual(set(started["status"].values()), {"error"})

    def test_no_hook_raises_where_the_server_fails(self):
        for failure in (REFUSED, Answer(None, hangs_up=True), Answer(b"no JSON"), Answer({"error": "x"}, 500)):
            server, memory = self.of(*[failure] * 6)
            with self.assertLogs("locimem.sre", logging.ERROR) as log:
                for call, expect in hooks(memory):
                    self.assertEqual(call(), expect)
                self.check_empty(memory.on_investigation_start("q", "alice", incident_id="i-1"), AGENTS)
            self.assertEqual((len(log.output), len(server.asked)), (6, 6), log.output)
            self.assertNotIn("heron", "".join(log.output))

    def test_no_hook_raises_whatever_an_argument_is(self):
        server, memory = self.of()
        for wrong in (None, 7, object(), {"text": object()}, {}):
            with self.assertLogs("locimem.sre", logging.ERROR):
                self.assertFalse(memory.save_event("preferences", "alice", object()))
                self.assertFalse(memory.on_agent_response("logs-agent", wrong, {"incident_id": "i-1"}))
                self.assertFalse(memory.on_agent_response("logs-agent", "x", wrong))
                self.assertFalse(memory.capture_messages(wrong if wrong != {} else [7], {"incident_id": "i-1"}))
                self.assertFalse(memory.on_investigation_complete("q", wrong or 7, "r", "alice", None, "i-1"))
                self.assertEqual(memory.retrieve_memories("preferences", "alice", object()), [])
                self.check_empty(memory.on_investigation_start(object(), "alice"), AGENTS)
        self.assertEqual(server.asked, [])

    def test_every_argument_is_sent(self):
        done = [STARTED, {"job_id": "j"}, {"saved": True}, {"saved": True}, {"saved": True}, {"results": [1], "warnings": []}]
        server, memory = self.of(*map(Answer, done))
        self.assertEqual(memory.on_investigation_start("why", "alice", "alice", None, None), STARTED)
        state = {"user_id": "alice", "incident_id": "i-1"}
        self.assertTrue(memory.on_agent_response("logs-agent", {"text": "x", "tool_calls": [{"id": "1"}]}, state))
        self.assertTrue(memory.on_investigation_complete("why", {"logs-agent": "x"}, "r", "alice", "", "i-1"))
        self.assertTrue(memory.capture_messages([{"role": "USER", "text": "x"}], {**state, "session_id": "s-2"}))
        self.assertTrue(memory.save_event("infrastructure", "logs-agent", {"a": 1}, "s-1"))
        self.assertEqual(memory.retrieve_memories("preferences", "alice", "q", 3, "s-1"), [1])
        asked = [(one.path, one.body) for one in server.asked]
        memory_of = {"memory": "m-0123456789", "session_id": "s-1"}
        self.assertEqual(asked[0][1], {"memory": "m-0123456789", "user_id": "alice", "query": "why"})
        self.assertEqual(
            asked[1],
            ("/v1/investigations/i-1/agent-response", {**memory_of, "agent": "logs-agent", "text": "x", "tool_calls": [{"id": "1"}]}),
        )
        results = {"logs-agent": {"text": "x"}}
        self.assertEqual(asked[2][1], {**memory_of, "query": "why", "final_response": "r", "agent_results": results})
        self.assertEqual(asked[3][1]["session_id"], "s-2")
        self.assertEqual(
            asked[4][1], {"memory_type": "infrastructure", "actor_id": "logs-agent", "data": {"a": 1}, "session_id": "s-1"}
        )
        self.assertEqual(asked[5][1], {"types": ["preferences"], "query": "q", "actor": "alice", "top_k": 3, "session": "s-1"})

    def test_the_forms_that_raise_name_the_member(self):
        server, memory = self.of(Answer(STARTED))
        memory.try_on_investigation_start("why", "alice")
        for call, field in (
            (lambda: memory.try_on_investigation_start("why", "alice", "bob"), "actor_id"),
            (lambda: memory.try_on_agent_response("logs-agent", "x", InvestigationState()), "incident_id"),
            (lambda: memory.try_capture_messages([], InvestigationState("bob", "i-1")), "user_id"),
        ):
            with self.assertRaises(InvalidArgument) as raised:
                call()
            self.assertEqual(raised.exception.field, field)
        self.assertEqual(len(server.asked), 1)


class Offline(unittest.TestCase):
    def test_it_is_offline_and_comes_back_without_a_restart(self):
        down = Answer({"error": {"code": "UNAVAILABLE", "message": "down", "retryable": True}}, 503)
        made = Answer({"memory_id": "m-0123456789", "warnings": []})
        waited = []
        with RecordedServer([down, down, made, Answer({"saved": True})]) as server, Client(server.url, retries=0) as client:
            with self.assertLogs("locimem.sre", logging.WARNING) as log:
                memory = SreMemory.named(client, "sre_agent_memory", in_background=False, sleep=waited.append, agents=["db"])
                for _ in range(50):
                    for call, expect in hooks(memory):
                        self.assertEqual(call(), expect)
                    started = memory.on_investigation_start("q", "alice")
            self.assertEqual(list(started["context"]["infrastructure_by_agent"]), ["db"])
            self.assertEqual((memory.memory_id, len(server.asked)), (None, 1))
            # Of each kind the log hears once.
            self.assertEqual(len(log.output), 7, log.output)
            with self.assertRaises(Unreachable):
                memory.try_save_event("preferences", "alice", {})
            memory.reconnect()
            self.assertEqual((memory.memory_id, waited), ("m-0123456789", [30.0, 30.0]))
            self.assertTrue(memory.save_event("preferences", "alice", {}))
            memory.reconnect()
            self.assertEqual(len(server.asked), 4)

    def test_attempts_end_with_the_memory(self):
        down = Answer({"error": {"code": "UNAVAILABLE", "message": "down", "retryable": True}}, 503)
        with RecordedServer([down]) as server, Client(server.url, retries=0) as client:
            kept = []

            def sleep(_):
                kept.clear()
                gc.collect()

            kept.append(SreMemory.named(client, "sre_agent_memory", in_background=False, sleep=sleep))
            reconnect(weakref.ref(kept[0]._link))
            self.assertEqual(kept, [])
            self.assertEqual(len(server.asked), 1)

    def test_what_the_server_refuses_for_good_is_an_error_at_once(self):
        with RecordedServer([REFUSED]) as server, Client(server.url, retries=0) as client:
            with self.assertRaises(InvalidArgument):
                SreMemory.named(client, "no-name")


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class RealServer(Running):
    def test_an_investigation_from_its_start_to_the_next_one(self):
        with Client(self.url, timeout=60) as client:
            memory = SreMemory.named(client, "sre_agent_memory")
            first = memory.on_investigation_start("Why is checkout slow?", "alice")
            self.assertEqual(list(first["context"]["infrastructure_by_agent"]), AGENTS)
            self.assertEqual(first["visibility"], {"investigation": "team", "past_investigations": "team"})
            state = {"user_id": "alice", "incident_id": first["incident_id"]}
            self.assertTrue(memory.capture_messages([{"role": "USER", "text": WISH}], state))
            job = memory.try_on_agent_response("logs-agent", "The checkout-api depends on postgres.", state)["job_id"]
            read = client.agent_response_read(first["incident_id"], job, memory=memory.memory_id, wait_ms=20_000)
            self.assertEqual((read["state"], len(read["saved"])), ("done", 1))
            result = {"kubernetes-agent": "I restarted the checkout-api deployment."}
            done = memory.on_investigation_complete("Why?", result, "## Cause\nA full disk.", "alice", None, first["incident_id"])
            self.assertTrue(done)
            found = memory.retrieve_memories("investigations", "alice", "checkout slow")
            action = {"what": "I restarted the checkout-api deployment.", "by": "kubernetes-agent"}
            self.assertEqual(found[0]["content"]["actions_taken"], [action])
            preference = memory.retrieve_memories("preferences", "alice", "reports")[0]["content"]
            self.assertEqual(list(preference["preference_value"].values()), [WISH])
            self.assertIn(WISH, memory.on_investigation_start("Why is db slow?", "alice")["rendered"])
            with self.assertLogs("locimem.sre", logging.ERROR):
                self.assertFalse(memory.on_agent_response("logs-agent", "x", {"incident_id": "gone"}))
            with self.assertRaises(NotFound):
                memory.try_on_agent_response("logs-agent", "x", {"incident_id": "gone"})
            self.assertIsInstance(memory.memory_id, str)
            self.assertTrue(issubclass(NotFound, LociError))


if __name__ == "__main__":
    unittest.main()
