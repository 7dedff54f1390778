"""Random sequences of commands against the reference and against Loci over HTTP: every answer, and what lies there at the end.
One in ten goes through the example of `examples/memory-tool`.

Ends with a line `N passed, M failed`. `--seconds` and `--sequences` bound it, whichever comes first; `--seed` repeats it.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "memory-tool"))

from anthropic.lib.tools import ToolError
from commands import command
from loci_memory_tool import LociMemoryTool
from reference import Reference


class Loci:
    """A server, and a tree of it."""

    def __init__(self, url):
        self.url = url
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)

    def ask(self, method, path, body=None):
        given = None if body is None else json.dumps(body).encode()
        self.connection.request(method, path, given, {"content-type": "application/json"})
        response = self.connection.getresponse()
        text = response.read().decode()
        assert response.status < 300, (method, path, response.status, text)
        return json.loads(text)

    def command(self, query, given):
        answer = self.ask("POST", f"/v1/memory-tool?{query}", given)
        return answer["content"], answer["is_error"]

    def by_example(self, query, given):
        try:
            return LociMemoryTool(f"{self.url}/v1/memory-tool?{query}").call(given), False
        except ToolError as error:
            return str(error), True

    def make(self, name):
        return self.ask("POST", "/v1/memories", {"name": name})["id"]

    def files(self, memory, namespace):
        at = f"/v1/memories/{memory}"
        of = f"namespace={urllib.parse.quote(namespace, safe='')}"
        listed = self.ask("GET", f"{at}/tree?{of}&limit=100")["entries"]
        files = {}
        for entry in listed:
            shown = self.ask("GET", f"{at}/files/{urllib.parse.quote(entry['path'])}?{of}")
            files[entry["path"].removeprefix("knowledge/")] = shown["body"]
        return files


def sequence(loci, memory, seed):
    """Runs one; what differs, or nothing."""
    rng = random.Random(seed)
    namespace = f"/fuzz/{seed}"
    query = urllib.parse.urlencode({"memory": memory, "namespace": namespace})
    with tempfile.TemporaryDirectory() as folder:
        reference, said = Reference(folder), []
        for _ in range(rng.randrange(3, 14)):
            given = command(rng, reference.files())
            said.append(given)
            expect = reference.answer(given)
            ask = loci.by_example if seed % 10 == 0 else loci.command
            answer = ask(query, given)
            if answer != expect:
                return {"seed": seed, "commands": said, "expected": expect, "answered": answer}
        expect, there = reference.files(), loci.files(memory, namespace)
        if expect != there:
            return {"seed": seed, "commands": said, "expected": expect, "lies there": there}
    return None


def work(part):
    """One worker's seeds."""
    arguments, number = part
    loci, ends = Loci(arguments.url), time.monotonic() + arguments.seconds
    memory, passed, failed = loci.make(f"fuzz{arguments.seed}x{number}"), 0, []
    for count in range(number, arguments.sequences, arguments.workers):
        if time.monotonic() > ends:
            break
        differs = sequence(loci, memory, arguments.seed * 1_000_000 + count)
        if differs:
            failed.append(differs)
        else:
            passed += 1
    return passed, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", default=os.environ.get("LOCI_URL", "http://127.0.0.1:8411"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sequences", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with multiprocessing.Pool(arguments.workers) as pool:
        parts = pool.map(work, [(arguments, number) for number in range(arguments.workers)])
    failed = [differs for _, part in parts for differs in part]
    for differs in failed[:20]:
        print(json.dumps(differs, ensure_ascii=False, indent=1))
    print(f"{sum(passed for passed, _ in parts)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
