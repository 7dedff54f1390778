"""The client against a server that runs: the binary that `LOCI_BIN` names. Skipped without one."""

import json
import pathlib
import subprocess
import unittest
import urllib.request
from dataclasses import fields

from locimem import (
    Citation,
    CitationContent,
    CitationRejected,
    History,
    InvalidateResult,
    LogAppliedResult,
    Memory,
    MemoryList,
    NotFound,
    NotVerified,
    RefreshResult,
    Stats,
    StoreResult,
    SupersedeResult,
    VerificationResult,
    VerifiedMemoryProvider,
)
from tests.running import LOCI, Running

HERE = pathlib.Path(__file__).parent
RESULTS = {
    "memory_store": StoreResult,
    "memory_get_recent": MemoryList,
    "memory_search": MemoryList,
    "memory_search_by_path": MemoryList,
    "memory_verify_citations": VerificationResult,
    "memory_read_citation": CitationContent,
    "memory_refresh": RefreshResult,
    "memory_invalidate": InvalidateResult,
    "memory_supersede": SupersedeResult,
    "memory_log_applied": LogAppliedResult,
    "memory_stats": Stats,
    "memory_history": History,
}
RETRIES = "\n".join(
    [
        "/// How often a delivery is tried.",
        "pub const TRIES_MAX: u32 = 3;",
        "",
        "/// Delivers a notification, again after each failure until TRIES_MAX.",
        "pub fn deliver(notification: &Notification, target: &Target) -> Result<(), DeliveryError> {",
        "    for attempt in 0..TRIES_MAX {",
        "        if target.accepts(notification, attempt).is_ok() {",
        "            return Ok(());",
        "        }",
        "    }",
        "    Err(DeliveryError::GivenUp)",
        "}",
        "",
    ]
)


class Sent:
    """Keeps the arguments of a call in the place of a transport."""

    def __init__(self):
        self.arguments = {}

    def call(self, tool, arguments, timeout):
        self.arguments = arguments
        return {"memory": {}}

    def close(self):
        pass


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class Agreement(Running):
    def test_the_client_knows_every_argument_and_every_member(self):
        calls = json.loads((HERE / "calls.json").read_text(encoding="utf-8"))
        with urllib.request.urlopen(f"{self.url}/v1/tools?profile=verified", timeout=30) as answer:
            tools = {tool["name"]: tool for tool in json.load(answer)["tools"]}
        self.assertLessEqual({call["tool"] for call in calls}, set(tools))
        provider = VerifiedMemoryProvider(self.url, agent_id="a", session_id="s")
        sent = Sent()
        provider._transport = sent
        for call in calls:
            tool = tools[call["tool"]]
            with self.subTest(call["tool"]):
                method = getattr(provider, call["method"])
                code = method.__func__.__code__
                names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
                lists = {"citations", "new_citations", "claims", "kinds", "filters"}
                method(**{name: ({} if name == "filters" else []) if name in lists else name for name in names})
                self.assertEqual(set(sent.arguments), set(tool["input_schema"]["properties"]))
                shape = RESULTS.get(call["tool"])
                output = tool["output_schema"]["properties"]
                if shape is None:
                    self.assertEqual(set(output), {"memory"})
                    shape, output = Memory, output["memory"]["properties"]
                self.assertLessEqual(set(output), {member.name for member in fields(shape)})


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class Repository(Running):
    @classmethod
    def prepare(cls):
        (cls.repository / "src").mkdir(parents=True)
        (cls.repository / "src" / "retries.rs").write_text(RETRIES, encoding="utf-8")
        for arguments in (["init", "-q", "-b", "main"], ["remote", "add", "origin", "https://forge.example/team/deliveries"]):
            cls.git(*arguments)
        cls.commit("begin")
        entry = f'[[repo]]\nname = "team/deliveries"\npath = {json.dumps(str(cls.repository))}\n'
        configuration = cls.repository.parent / "loci.toml"
        configuration.write_text(entry, encoding="utf-8")
        cls.environment["LOCI_CONFIG"] = str(configuration)

    @classmethod
    def git(cls, *arguments):
        who = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com"}
        who.update({name.replace("AUTHOR", "COMMITTER"): value for name, value in who.items()})
        environment = {**cls.environment, **who, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", *arguments], cwd=cls.repository, env=environment, check=True, capture_output=True)

    @classmethod
    def commit(cls, message):
        cls.git("add", "-A")
        cls.git("commit", "-q", "-m", message)

    def test_a_fact_lives_as_long_as_its_code(self):
        repo = "team/deliveries"
        place = Citation("src/retries.rs", 4, 12)
        with VerifiedMemoryProvider(self.url, agent_id="test", session_id="s-1") as memory:
            stored = memory.store(repo, "retries", "deliver tries a notification TRIES_MAX times.", [place])
            self.assertEqual(stored.status, "created")
            again = memory.store(repo, "retries", "deliver tries a notification TRIES_MAX times.", [place])
            self.assertEqual((again.status, again.id), ("refreshed", stored.id))
            found = memory.get_recent(repo, verify="fresh", format="prompt")
            self.assertEqual([(fact.id, fact.is_verified) for fact in found], [(stored.id, True)])
            self.assertIn("TRIES_MAX", found.prompt)
            self.assertEqual([fact.id for fact in memory.search(repo, "how often is a delivery tried")], [stored.id])
            self.assertEqual(memory.read_citation(repo, "src/retries.rs", 2, 2).content.strip(), RETRIES.split("\n")[1])
            checked = memory.verify_citations(repo, memory_id=stored.id)
            self.assertTrue(checked.valid)
            self.assertTrue(memory.refresh(stored.id, verification_id=checked.verification_id).success)
            self.assertTrue(memory.log_applied(stored.id, outcome="helped").logged)

            self.git("mv", "src/retries.rs", "src/deliver.rs")
            self.commit("rename")
            moved = memory.verify_citations(repo, memory_id=stored.id)
            self.assertEqual((moved.valid, moved.citations[0].moved_to.path), (True, "src/deliver.rs"))
            by_path = memory.search_by_path(repo, "src/retries.rs", verify="fresh")
            self.assertEqual([(fact.id, fact.is_verified) for fact in by_path], [(stored.id, True)])

            (self.repository / "src" / "deliver.rs").write_text(RETRIES.replace("0..TRIES", "1..TRIES"), encoding="utf-8")
            self.commit("one try less")
            drifted = memory.get_recent(repo, verify="fresh")
            self.assertEqual((len(drifted), drifted.omitted.get("drifted")), (0, 1))
            self.assertEqual([(fact.id, fact.assurance) for fact in drifted.withheld], [(stored.id, "drifted")])
            self.assertEqual(drifted.withheld[0].places[0].path, "src/deliver.rs")
            with self.assertRaises(NotVerified):
                memory.log_applied(stored.id)

            (self.repository / "src" / "deliver.rs").write_text("pub fn nothing() {}\n", encoding="utf-8")
            self.commit("take it out")
            withheld = memory.get_recent(repo, verify="fresh")
            self.assertEqual((len(withheld), withheld.omitted.get("gone")), (0, 1))
            with self.assertRaises(CitationRejected):
                memory.store(repo, "retries", "It tries once.", [Citation("src/deliver.rs", 40, 41)])
            self.assertTrue(memory.invalidate(stored.id, "the code is gone").changed)
            self.assertFalse(memory.invalidate(stored.id, "the code is gone").changed)
            self.assertEqual(memory.get(stored.id).status, "invalid")
            self.assertEqual(memory.stats(repo).invalid_count, 1)
            events = [event.event for event in memory.history(stored.id).events]
            self.assertLessEqual({"created", "refreshed", "retrieved", "applied", "invalidated"}, set(events))

    def test_what_is_not_there_is_said(self):
        with VerifiedMemoryProvider(self.url) as memory:
            with self.assertRaises(NotFound):
                memory.get("01934567-0000-7000-8000-000000000001")
            with self.assertRaises(NotFound):
                memory.get_recent("nobody/nothing")

    def test_the_socket_is_a_server_too(self):
        with VerifiedMemoryProvider(f"unix:{self.data}/loci.sock") as memory:
            self.assertEqual(memory.stats("team/deliveries").repo, "team/deliveries")


if __name__ == "__main__":
    unittest.main()
