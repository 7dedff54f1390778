"""The documents that prompts begin with, without Strands, against a server that runs."""

import asyncio
import unittest

from locimem import Client, NotFound
from locimem.strands_documents import LociDocuments
from tests.running import LOCI, Running


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class WithServer(Running):
    def test_system_stands_in_full_and_the_others_are_listed(self):
        client = Client(self.url, timeout=60)
        memory = client.memory_create({"name": "notes"})["id"]
        documents = LociDocuments(client=client, memory="notes")
        self.assertIsNone(asyncio.run(documents()))
        rules, theme = "knowledge/system/rules.md", "knowledge/facts/theme.md"
        client.document_put(memory, rules, {"body": "Answer in English."}, force="1")
        client.document_put(memory, theme, {"body": "Dark mode everywhere.", "description": "Editor theme"}, force="1")
        text = asyncio.run(documents(None)) or ""
        self.assertTrue(text.startswith(f'<memory-document path="{rules}">\nAnswer in English.\n'), text)
        self.assertIn(f'<file path="{theme}">Editor theme</file>', text)
        self.assertNotIn("Dark mode", text)
        small = LociDocuments(client=client, memory="notes", budget_tokens=30)
        self.assertLessEqual(len(asyncio.run(small.text())), 120)
        with self.assertRaises(NotFound):
            asyncio.run(LociDocuments(client=client).text())
        client.close()


class Rules(unittest.TestCase):
    def test_what_could_not_be_asked_for_is_refused(self):
        client = Client("http://127.0.0.1:1")
        wrong = [{"memory": " "}, {"mount": 1}, {"memory": "a", "mount": "b"}, {"namespace": "/a"}, {"budget_tokens": 0}]
        for one in wrong + [{"budget_tokens": True}]:
            with self.assertRaisesRegex(ValueError, "LociDocuments: ", msg=str(one)):
                LociDocuments(client=client, **one)
