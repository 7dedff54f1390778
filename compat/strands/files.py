"""Test 32: the stock `FileMemoryStore` of a Python agent on a mirrored directory, and sessions, offloaded results and memory over S3."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import boto3
import checks
import world
from served import Served
from strands import tool
from strands.memory import MemoryManager
from strands.session import SnapshotSessionManager
from strands.storage import S3Storage
from strands.vended_memory_stores.file_memory_store import FileMemoryStore
from strands.vended_plugins.context_offloader import ContextOffloader

PLACE = ".strands/memory/notes"


@contextlib.contextmanager
def mirrored():
    """A server, its memory, and a working directory in which a mirror lies where a stock store keeps its files."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        desk = pathlib.Path(folder).resolve() / "desk"
        desk.mkdir()
        with Served(folder, f'[mirror]\nroots = ["{desk}"]\n') as server:
            loci = world.loci(server.url)
            memory_id = loci.memory_create({"name": "notes"})["id"]
            loci.mirror_add(memory_id, {"name": "desk", "kind": "dir", "layout": "strands-flat", "path": str(desk / PLACE)})
            loci.mirror_sync(memory_id, "desk")
            os.chdir(desk)
            try:
                yield loci, memory_id, server.url
            finally:
                os.chdir(before)


def agent(**storage):
    """A stock agent with a file store; it keeps its files where it always does, unless it is told otherwise."""
    manager = MemoryManager(stores=[FileMemoryStore(name="notes", **storage)], add_tool_config=True)
    return world.agent("echo", memory_manager=manager)


def add(*entries):
    """A turn that makes the model add."""
    return f"CALL add_memory {json.dumps({'entries': list(entries)})}"


def search(query):
    """A turn that makes the model search."""
    return f"CALL search_memory {json.dumps({'query': query})}"


def lines(loci, memory_id, path):
    """What a document says, line by line."""
    return loci.document_get(memory_id, f"knowledge/facts/{path}", namespace="/")["body"].rstrip("\n").split("\n")


def a_mirrored_directory():
    """32 python: what an agent adds to its files is a document, and what others write is found in its files"""
    with mirrored() as (loci, memory_id, _):
        agent()(add("# Boats\n- The sloop Gull lies in Largs."))
        loci.mirror_sync(memory_id, "desk")
        assert lines(loci, memory_id, "boats.md") == ["# Boats", "- The sloop Gull lies in Largs."]
        found = loci.search({"memory": memory_id, "query": "Where does the sloop lie?", "namespaces": ["/"]})["hits"]
        assert "Largs" in found[0]["record"]["text"], found
        loci.document_put(memory_id, "knowledge/facts/tides.md", {"body": "# Tides\n- High water is at six.\n"}, if_absent=True)
        loci.document_append(memory_id, {"path": "knowledge/facts/boats.md", "lines": ["- Her mast is spruce."]})
        loci.mirror_sync(memory_id, "desk")
        answer = world.said(agent()(search("spruce mast")))
        assert "Largs" in answer and "spruce" in answer, answer
        assert "High water" in world.said(agent()(search("tides")))


def both_write():
    """32 python: lines that an agent and the server add to one file meanwhile are both there, on both sides"""
    with mirrored() as (loci, memory_id, _):
        agent()(add("# Boats\n- one"))
        loci.mirror_sync(memory_id, "desk")
        agent()(add("# Boats\n- of the agent"))
        loci.document_append(memory_id, {"path": "knowledge/facts/boats.md", "lines": ["- of a person"]})
        loci.mirror_sync(memory_id, "desk")
        expected = ["# Boats", "- of a person", "- of the agent", "- one"]
        assert sorted(lines(loci, memory_id, "boats.md")) == expected, lines(loci, memory_id, "boats.md")
        assert sorted(pathlib.Path(PLACE, "boats.md").read_text().rstrip("\n").split("\n")) == expected


def a_directory_that_disappears():
    """32 python: a directory that disappears takes nothing from the server, and comes back"""
    with mirrored() as (loci, memory_id, _):
        agent()(add("# Boats\n- The sloop Gull lies in Largs."))
        loci.mirror_sync(memory_id, "desk")
        shutil.rmtree(PLACE)
        for _ in range(3):
            loci.mirror_sync(memory_id, "desk")
        assert "- The sloop Gull lies in Largs." in lines(loci, memory_id, "boats.md")
        assert "Largs" in world.said(agent()(search("sloop")))


@contextlib.contextmanager
def bucket(server):
    """A bucket of a new memory, where stock clients look for one."""
    os.environ["AWS_ENDPOINT_URL_S3"] = f"{server.url}/s3"
    name = world.loci(server.url).memory_create({"name": "bucket"})["id"]
    try:
        yield lambda: S3Storage(name, boto_session=boto3.Session(region_name="us-west-2"))
    finally:
        del os.environ["AWS_ENDPOINT_URL_S3"]


@tool
def soundings() -> str:
    """Depths along the firth."""
    return "\n".join(f"At mile {mile} it is {mile * 7 % 90} fathoms deep." for mile in range(2_000))


def everything_in_a_bucket():
    """32 python: session, offloaded results and memory of an agent are in a bucket, and come back after kill -9"""
    with tempfile.TemporaryDirectory() as folder, Served(folder) as server, bucket(server) as storage:

        def sailor():
            manager = MemoryManager(stores=[FileMemoryStore(name="notes", storage=storage())], add_tool_config=True)
            return world.agent(
                "quiet",
                tools=[soundings],
                memory_manager=manager,
                session_manager=SnapshotSessionManager("s1", storage=storage()),
                plugins=[ContextOffloader(storage=storage(), max_result_tokens=500, preview_tokens=100)],
            )

        first = sailor()
        first(add("# Boats\n- The sloop Gull lies in Largs."))
        first("CALL soundings {}")
        server.kill()
        server.start()
        second = sailor()
        assert world.conversation(second.messages) == world.conversation(first.messages) and len(first.messages) == 8
        preview = results(second)[-1]
        assert "At mile 1999" not in preview, preview
        reference = next(word.strip("[]():,") for word in preview.split() if "call-" in word)
        second("CALL retrieve_offloaded_content " + json.dumps({"reference": reference, "pattern": "mile 1999 "}))
        assert f"At mile 1999 it is {1999 * 7 % 90} fathoms deep." in results(second)[-1], results(second)[-1]
        second(search("sloop"))
        assert "Largs" in results(second)[-1], results(second)[-1]


def results(one):
    """What tools answered, newest last."""
    blocks = [block["toolResult"] for message in one.messages for block in message["content"] if "toolResult" in block]
    return ["".join(part.get("text", "") for part in block["content"]) for block in blocks]


def in_javascript():
    """The checks of `files.mjs`, which tells them itself, beside a server with a mirror."""
    with mirrored() as (_, memory_id, url):
        command = ["node", str(pathlib.Path(os.environ["NODE_FOLDER"]) / "files.mjs")]
        told = os.environ | {"SERVED_URL": url, "MEMORY": memory_id}
        return subprocess.run(command, env=told, timeout=60).returncode


if __name__ == "__main__":
    outcome = in_javascript()
    checks.run([a_mirrored_directory, both_write, a_directory_that_disappears, everything_in_a_bucket], outcome)
