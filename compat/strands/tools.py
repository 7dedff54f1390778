"""Test 31: a stock Python agent with Loci's tools over MCP, alone, with a prefix, and beside the memory store."""

import contextlib
import json

import checks
import world
from bedrock_agentcore.memory.integrations.strands.memorystore import AgentCoreMemoryStore
from strands.memory import MemoryManager
from strands.tools.mcp import MCPClient

DOOR = f"{world.URL}/mcp/p/recall"
FACT = "The lighthouse of Skerryvore flashes every ten seconds."


@contextlib.contextmanager
def agent(memory_id, more=None, **options):
    """A stock agent with the tools of a memory; the stub calls them."""
    client = MCPClient(url=DOOR, headers={"X-Loci-Memory": memory_id}, **options)
    one = world.agent("echo", tools=[client], **(more or {}))
    try:
        yield one
    finally:
        one.cleanup()


def call(name, **arguments):
    """A turn that makes the model call a tool."""
    return f"CALL {name} {json.dumps(arguments)}"


def results(one):
    """What tools answered, newest last: their status and text."""
    blocks = [block["toolResult"] for message in one.messages for block in message["content"] if "toolResult" in block]
    return [(block["status"], "".join(part.get("text", "") for part in block["content"])) for block in blocks]


def both_tools():
    """31 python: an agent lists both tools over MCP, adds with one and finds with the other"""
    memory_id = world.memory(world.FACTS)
    with agent(memory_id) as one:
        assert sorted(one.tool_names) == ["add_memory", "search_memory"], one.tool_names
        one(call("add_memory", entries=[FACT, "The buoy of Skye is green."]))
        # Until the server has read both, it ranks by words alone.
        world.wait(memory_id)
        answer = world.said(one(call("search_memory", query="How often does Skerryvore flash?", maxSearchResults=1)))
        (added, _), (found, text) = results(one)
        assert (added, found) == ("success", "success"), results(one)
        (entry,) = json.loads(text)["results"]
        assert entry["content"] == FACT and entry["storeName"] == entry["store_name"], text
        assert FACT in answer, answer
        one(call("search_memory", query="Skye", max_search_results=1))
        assert "green" in results(one)[-1][1], results(one)


def refusals():
    """31 python: what is refused comes to the model as a tool's error that names the member"""
    with agent(world.memory(world.FACTS)) as one:
        refused = [
            ("search_memory", "maxSearchResults", {"query": "x", "maxSearchResults": 0}),
            ("search_memory", "maxSearchResults", {"query": "x", "maxSearchResults": 2.5}),
            ("search_memory", "query", {"query": ""}),
            ("add_memory", "entries", {"entries": []}),
        ]
        for tool, member, arguments in refused:
            one(call(tool, **arguments))
            status, text = results(one)[-1]
            assert status == "error" and member in text, (arguments, status, text)


def prefixed():
    """31 python: with a prefix, beside a store that has a search_memory of its own; both find the same"""
    memory_id = world.memory(world.FACTS)
    store = AgentCoreMemoryStore(
        memory_id=memory_id, actor_id="ann", session_id="s1", namespace="/facts/{actorId}/", writable=True, extraction=True
    )
    with agent(memory_id, {"memory_manager": MemoryManager(stores=[store])}, prefix="loci") as one:
        assert sorted(one.tool_names) == ["loci_add_memory", "loci_search_memory", "search_memory"], one.tool_names
        one(FACT)
        world.wait(memory_id)
        one(call("loci_search_memory", query="Skerryvore") + "\n" + call("search_memory", query="Skerryvore"))
        found = results(one)
        assert len(found) == 2 and all(status == "success" and FACT in text for status, text in found), found


def without_search_tool():
    """31 python: beside a store without a search tool of its own, the tools need no prefix"""
    memory_id = world.memory(world.FACTS)
    store = AgentCoreMemoryStore(memory_id=memory_id, actor_id="ann", session_id="s1", namespace_path="/")
    with agent(memory_id, {"memory_manager": MemoryManager(stores=[store], search_tool_config=False)}) as one:
        assert sorted(one.tool_names) == ["add_memory", "search_memory"], one.tool_names
        one(call("add_memory", entries=[FACT]))
        # What the tool added is injected by the store, which reads all that the memory holds.
        answer = world.said(one("How often does Skerryvore flash?"))
        assert "<memory>" in answer and f">{FACT}</entry>" in answer, answer


if __name__ == "__main__":
    checks.run([both_tools, refusals, prefixed, without_search_tool])
