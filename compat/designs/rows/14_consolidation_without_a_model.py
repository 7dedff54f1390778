"""Rows of point 14: consolidation without a model resolves, reorganises, says what it leaves, and runs from every client."""

import asyncio
import json


def _memory(world):
    return json.loads(world.loci("--json", "memory", "create", "notes"))["id"]


def _put(world, memory, name, body, **more):
    path = f"/v1/memories/{memory}/files/knowledge/facts/{name}.md?force=1"
    status, answer = world.http("PUT", path, {"body": body, **more})
    assert status in (200, 201), answer


def _run(world, memory, **more):
    status, run = world.http("POST", f"/v1/memories/{memory}/consolidations", {"scope": {"kind": "all"}, **more})
    assert status == 202, run
    return run


def row_contradictions_are_resolved_by_default(world):
    """A run over a file that contradicts a later one does not end with "Nothing to do", and resolves it by default."""
    memory = _memory(world)
    _put(world, memory, "home", "The user lives in Bern.")
    _put(world, memory, "moved", "The user lives in Zurich.")
    run = _run(world, memory, dry_run=False)
    assert "Nothing to do" not in run["summary"], run["summary"]
    done = [(one["action"]["type"], one["action"].get("path"), one["status"]) for one in run["plan"]]
    assert done == [("supersede", "knowledge/facts/home.md", "applied")], done
    status, tree = world.http("GET", f"/v1/memories/{memory}/tree")
    assert [one["path"] for one in tree["entries"]] == ["knowledge/facts/moved.md"], tree


def row_facts_of_one_topic_come_into_one_file(world):
    """Facts with one title become one file by a stated rule."""
    memory = _memory(world)
    _put(world, memory, "theme", "- dark mode\n", title="Editor theme")
    _put(world, memory, "theme-2", "- large font\n", title="Editor theme")
    run = _run(world, memory, dry_run=False)
    assert [one["action"]["type"] for one in run["plan"]] == ["merge"], run["plan"]
    status, document = world.http("GET", f"/v1/memories/{memory}/files/knowledge/facts/theme.md")
    assert status == 200 and document["body"] == "- dark mode\n- large font\n", document


def row_the_run_says_what_it_left_to_a_model(world):
    """A run without a model says plainly which work it left to one."""
    memory = _memory(world)
    _put(world, memory, "home", "The user lives in Bern.")
    run = _run(world, memory, operations=["reorganize", "derive_insights"])
    left = run["report"]["left_to_model"]
    assert any("derive_insights" in one for one in left) and any("reorganize" in one for one in left), left
    assert "Left to a model: insights" in run["summary"], run["summary"]


def row_consolidate_on_the_store_and_the_manager(world):
    """`consolidate()` of the Python store and manager plans the same run."""
    from locimem import Client
    from locimem.strands import LociMemoryStore
    from locimem.strands_manager import LociMemoryManager

    memory = _memory(world)
    client = Client(world.url)
    for name, body in (("home", "The user lives in Bern."), ("moved", "The user lives in Zurich.")):
        client.document_put(memory, f"knowledge/facts/{name}.md", {"body": body}, namespace="/facts/ann", force="1")
    store = LociMemoryStore(client=client, memory="notes", actor="ann", writable=True)
    run = asyncio.run(store.consolidate(scope={"kind": "all"}))
    assert [one["action"]["type"] for one in run["plan"]] == ["supersede"], run
    client.consolidation_cancel(memory, run["id"], {"namespace": "/facts/ann"})
    runs = asyncio.run(LociMemoryManager([store]).consolidate(apply=True, scope={"kind": "all"}))
    assert runs[store.name]["status"] == "applied", runs
