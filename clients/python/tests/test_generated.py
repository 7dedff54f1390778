"""What is generated: that it is what the server's API gives, and that the generator refuses what it does not understand."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from tests.running import LOCI, Running

GENERATE = pathlib.Path(__file__).parents[2] / "generate"


def generate(*arguments):
    """Exit code, and what was said of failures."""
    done = subprocess.run([sys.executable, str(GENERATE), *arguments], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class Agreement(Running):
    def test_the_clients_are_what_the_servers_api_gives(self):
        self.assertEqual(generate("--url", self.url, "--check"), (0, ""))


@unittest.skipUnless(LOCI, "LOCI_BIN names no binary")
class Generating(Running):
    def setUp(self):
        self.folder_of_test = tempfile.TemporaryDirectory()
        self.into = pathlib.Path(self.folder_of_test.name)
        self.document = self.into / "openapi.json"
        generate_from = ["--url", self.url, "--into", str(self.into)]
        self.assertEqual(generate(*generate_from), (0, ""))
        with urllib.request.urlopen(f"{self.url}/openapi.json", timeout=30) as answer:
            self.api = json.load(answer)

    def tearDown(self):
        self.folder_of_test.cleanup()

    def checked(self):
        self.document.write_text(json.dumps(self.api), encoding="utf-8")
        return generate("--document", str(self.document), "--into", str(self.into), "--check")

    def test_a_member_more_is_told(self):
        self.assertEqual(self.checked(), (0, ""))
        self.api["components"]["schemas"]["Search"]["properties"]["depth"] = {"type": "integer"}
        code, said = self.checked()
        self.assertEqual(code, 1)
        self.assertIn("clients/python/locimem/api.py", said)
        self.assertIn("clients/typescript/src/api.ts", said)
        self.assertNotIn("operations", said)

    def test_an_operation_more_needs_a_name(self):
        self.api["paths"]["/v1/elsewhere"] = {"get": self.api["paths"]["/v1/memories"]["get"]}
        code, said = self.checked()
        self.assertEqual(code, 1)
        self.assertIn("GET /v1/elsewhere is not in operations.txt", said)

    def test_an_operation_less_is_told(self):
        del self.api["paths"]["/v1/doctor"]
        code, said = self.checked()
        self.assertEqual(code, 1)
        self.assertIn("doctor", said)

    def test_a_form_that_is_not_known_is_refused(self):
        self.api["components"]["schemas"]["Search"]["properties"]["depth"] = {"anyOf": [{"type": "integer"}]}
        code, said = self.checked()
        self.assertEqual(code, 1)
        self.assertIn("Search.depth", said)


if __name__ == "__main__":
    unittest.main()
