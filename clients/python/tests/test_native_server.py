"""The client of the native API against a server that runs: what agents do with a memory, from making it to deleting it."""

import json
import pathlib
import unittest

from locimem import Client, Conflict, InvalidArgument, LociError, NotFound
from tests.running import LOCI, Running

TABLE = pathlib.Path(__file__).parents[2] / "generate" / "operations.txt"
BOAT = "My boat is called Gull and lies in Largs."


def said(text):
    return {"message": {"role": "user", "text": text}}


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class Native(Running):
    def setUp(self):
        self.client = Client(self.url, timeout=60)
        name = self.id().rsplit(".", 1)[-1][:40]
        strategy = {"kind": "semantic", "name": "facts", "namespace": "/facts/{actorId}/"}
        self.memory = self.client.memory_create({"name": name, "strategies": [strategy]})["id"]

    def tearDown(self):
        self.client.memory_delete(self.memory)
        self.client.close()

    def test_memories_are_made_listed_changed_and_deleted(self):
        shown = self.client.memory_get(self.memory)
        self.assertEqual(shown["strategies"][0]["namespace"], "/facts/{actorId}/")
        self.assertEqual([one["id"] for one in self.client.memory_list(name=shown["name"])["memories"]], [self.memory])
        self.client.memory_update(self.memory, {"description": "boats"})
        self.assertEqual(self.client.memory_get(self.memory)["description"], "boats")
        self.client.tags_add(self.memory, {"tags": {"team": "sea"}})
        self.assertEqual(self.client.tags_list(self.memory)["tags"], {"team": "sea"})
        other = self.client.memory_create({"name": "other"}, idempotency_key="other-1")
        self.assertEqual(self.client.memory_create({"name": "other"}, idempotency_key="other-1")["id"], other["id"])
        self.client.memory_delete(other["id"])
        with self.assertRaises(NotFound):
            self.client.memory_get(other["id"])

    def test_what_was_said_is_found_and_leads_back(self):
        event = self.client.event_create(self.memory, {"actor": "org/alice", "session": "s-1", "payload": [said(BOAT)]})["event"]
        waited = self.client.extraction_wait(self.memory, {"actor": "org/alice", "timeout_ms": 50_000})
        self.assertTrue(waited["complete"])
        question = {"memory": self.memory, "query": "What is the name of my boat?", "explain": True}
        hit = self.client.search({**question, "namespace_paths": ["/facts/org/alice"]})["hits"][0]
        self.assertIn("Gull", hit["record"]["text"])
        self.assertEqual(self.client.search({**question, "namespace_paths": ["/facts/org/bob"]})["hits"], [])
        place = {"actor": "org/alice", "session": "s-1"}
        self.assertEqual(self.client.event_get(self.memory, event["id"], **place)["payload"], [said(BOAT)])
        self.assertEqual([one["id"] for one in self.client.event_list(self.memory, **place)["events"]], [event["id"]])
        self.assertIsNone(self.client.event_delete(self.memory, event["id"], **place))
        with self.assertRaises(NotFound):
            self.client.event_get(self.memory, event["id"], **place)

    def test_records_are_made_once_for_a_key(self):
        new = {"records": [{"namespace": "/facts/alice", "text": "Alice sails.", "metadata": {"mast": 2}}]}
        first = self.client.records_create(self.memory, new, idempotency_key="k-1")
        self.assertEqual(self.client.records_create(self.memory, new, idempotency_key="k-1"), first)
        with self.assertRaises(Conflict) as caught:
            self.client.records_create(self.memory, {"records": []}, idempotency_key="k-1")
        self.assertEqual(caught.exception.code, "IDEMPOTENCY_KEY_REUSED")
        listed = self.client.record_list(self.memory, {"namespace_paths": ["/facts"]})["records"]
        self.assertEqual([one["id"] for one in listed], [first["items"][0]["id"]])
        self.client.records_update(self.memory, {"records": [{"id": listed[0]["id"], "text": "Alice sails at night."}]})
        history = self.client.record_history(self.memory, listed[0]["id"])
        self.assertEqual([one["text"] for one in history["versions"]], ["Alice sails.", "Alice sails at night."])
        self.client.record_delete(self.memory, listed[0]["id"])
        self.assertEqual(self.client.record_list(self.memory)["records"], [])

    def test_documents_lie_in_a_tree(self):
        path, place = "knowledge/boats/gull one.md", {"query": {"namespace": "/docs"}}
        made = self.client.document_put(self.memory, path, {"body": "# Gull\nA sloop.\n"}, if_absent=True, **place)
        with self.assertRaises(Conflict) as caught:
            self.client.document_put(self.memory, path, {"body": "x"}, if_match='"stale"', **place)
        self.assertEqual(caught.exception.code, "STALE_VERSION")
        shown = self.client.document_get(self.memory, path, namespace="/docs")
        self.assertEqual((shown["body"], shown["etag"]), ("# Gull\nA sloop.\n", made["etag"]))
        raw = self.client.request("GET", f"/v1/memories/{self.memory}/files/knowledge/boats/gull%20one.md?namespace=/docs&raw=1")
        self.assertTrue(raw.header("content-type").startswith("text/markdown"))
        self.assertIn(b"A sloop.", raw.content)
        self.client.document_append(self.memory, {"namespace": "/docs", "path": path, "lines": ["Red hull."]})
        self.assertEqual(self.client.tree_grep(self.memory, {"namespace": "/docs", "pattern": "hull"})["matches"], 1)
        entries = self.client.tree_list(self.memory, namespace="/docs")["entries"]
        self.assertEqual([one["path"] for one in entries], ["knowledge/boats/gull one.md"])
        self.assertIn("gull one.md", self.client.tree_listing(self.memory, namespace="/docs")["text"])
        history = self.client.document_history(self.memory, path=path, namespace="/docs")
        self.assertEqual(len(history["versions"]), 2)
        self.client.document_delete(self.memory, path, namespace="/docs", force="1")
        self.assertEqual(self.client.tree_list(self.memory, namespace="/docs")["entries"], [])

    def test_bytes_are_parked(self):
        parked = self.client.object_put(self.memory, "runs/1.bin", b"\x00\xff", content_type="image/png")
        self.assertEqual((parked["bytes"], parked["content_type"]), (2, "image/png"))
        self.assertEqual(self.client.object_get(self.memory, "runs/1.bin"), b"\x00\xff")
        self.assertEqual([one["key"] for one in self.client.objects_list(self.memory, prefix="runs/")["objects"]], ["runs/1.bin"])
        self.client.object_delete(self.memory, "runs/1.bin")
        with self.assertRaises(NotFound):
            self.client.object_get(self.memory, "runs/1.bin")

    def test_mirrors_and_upkeep_are_reached(self):
        self.client.document_put(self.memory, "knowledge/a.md", {"body": "a\n"}, if_absent=True, query={"namespace": "/docs"})
        self.assertEqual(self.client.mirrors_list(self.memory)["mirrors"], [])
        with self.assertRaises(NotFound):
            self.client.mirror_status(self.memory, "none")
        run = self.client.consolidation_start(self.memory, {"namespace": "/docs", "dry_run": True})
        shown = self.client.consolidation_get(self.memory, run["id"], namespace="/docs")
        self.assertEqual((shown["id"], shown["dry_run"]), (run["id"], True))
        listed = self.client.consolidations_list(self.memory, namespace="/docs")
        self.assertEqual([one["id"] for one in listed["runs"]], [run["id"]])

    def test_a_task_is_taken_in_and_reports(self):
        repo = {"repo": "team/boats", "description": "Paint the hull."}
        self.client.repository_add({"name": "team/boats"})
        taken = self.client.task_create({**repo, "task_id": "paint-1"})
        self.assertEqual(taken["task_id"], "paint-1")
        self.assertEqual(self.client.task_hydrate("paint-1")["task_id"], "paint-1")
        done = self.client.task_complete("paint-1", {"status": "completed", "summary": "Painted."})
        self.assertTrue(done["memory_written"])
        self.assertEqual([one["task_id"] for one in self.client.task_list(repo="team/boats")["tasks"]], ["paint-1"])

    def test_facts_are_reached_by_their_tools(self):
        tools = {tool["name"] for tool in self.client.tool_list(profile="verified")["tools"]}
        self.assertIn("memory_store", tools)
        with self.assertRaises(NotFound):
            self.client.tool_call("memory_get", {"memory_id": "01934567-0000-7000-8000-000000000001"})

    def test_what_breaks_a_rule_names_the_member(self):
        with self.assertRaises(InvalidArgument) as caught:
            self.client.memory_create({"name": "no-hyphens"})
        self.assertEqual((caught.exception.code, caught.exception.field, caught.exception.status), ("INVALID", "name", 400))
        with self.assertRaises(InvalidArgument) as caught:
            self.client.search({"memory": self.memory, "query": "q", "colour": "red"})
        self.assertIn("colour", caught.exception.message)

    def test_a_memory_moves_in_lines(self):
        self.client.records_create(self.memory, {"records": [{"namespace": "/n", "text": "It moves."}]})
        lines = self.client.memory_export(self.memory)
        self.assertIn(b"It moves.", lines)
        self.client.memory_delete(self.memory)
        self.client.memory_import(lines, content_type="application/x-ndjson")
        self.assertEqual([one["text"] for one in self.client.record_list(self.memory)["records"]], ["It moves."])

    def test_the_server_reads_the_keys_that_the_table_promises(self):
        # A key that is empty is refused by what reads keys; others would not look at it.
        some = "01934567-0000-7000-8000-000000000001"
        bodies = {
            "memory_create": {"name": "x"},
            "event_create": {"actor": "a", "payload": [said("x")]},
            "records_create": {"records": []},
            "document_add": {"title": "t", "body": "b"},
            "document_put": {"body": "b"},
            "document_append": {"path": "knowledge/a.md", "lines": ["x"]},
            "document_edit": {"path": "knowledge/a.md", "op": "replace", "old": "x", "new": "y"},
            "document_move": {"from": "knowledge/a.md", "to": "knowledge/b.md"},
            "tree_snapshot": {"label": "x"},
            "tree_restore": {"state": "0"},
            "task_create": {"repo": "team/x", "description": "d"},
            "task_complete": {"status": "completed"},
            "task_episode": {},
            "memory_tool": {"command": "view", "path": "/memories"},
        }
        keyed = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if line.endswith("  key")]
        self.assertGreater(len(keyed), 15)
        for name, method, path, _ in keyed:
            with self.subTest(name):
                for parameter in ("letter", "run", "job", "task"):
                    path = path.replace("{" + parameter + "}", some)
                path = path.replace("{memory}", self.memory).replace("{path}", "knowledge/a.md")
                content = json.dumps(bodies.get(name, {})).encode()
                headers = {"Content-Type": "application/json", "Idempotency-Key": "", "If-None-Match": "*"}
                with self.assertRaises(LociError) as caught:
                    self.client.request(method, path, headers=headers, content=content)
                self.assertEqual(caught.exception.field, "Idempotency-Key", str(caught.exception))

    def test_the_socket_is_a_server_too(self):
        with Client(f"unix:{self.data}/loci.sock") as client:
            self.assertEqual(client.memory_get(self.memory)["id"], self.memory)


if __name__ == "__main__":
    unittest.main()
