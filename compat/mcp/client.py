"""The official Python SDK as a client, over HTTP and over standard input and output: `client.py URL COMMAND…`."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

try:
    from mcp.client.streamable_http import streamable_http_client
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as streamable_http_client


def member(value, *names):
    """A member under one of its spellings."""
    for name in names:
        if hasattr(value, name):
            return getattr(value, name)
    raise AttributeError(names)


REPO = "acme/shop"


async def facts(session, name):
    """Facts that cite code: stored, served, verified, corrected, declared wrong."""

    async def call(tool, **arguments):
        result = await session.call_tool(tool, arguments)
        assert not member(result, "is_error", "isError"), result
        return member(result, "structured_content", "structuredContent")

    place = {"path": "src/cart.rs", "line_start": 10, "line_end": 13}
    given = {"repo": REPO, "subject": f"Carts over {name}", "fact": f"`add_item` answers CartFull, python over {name} knows."}
    stored = await call("memory_store", citations=[place], **given)
    assert stored["status"] == "created" and stored["verification"]["valid"], stored
    refused = await session.call_tool("memory_store", {**given, "citations": []})
    assert member(refused, "is_error", "isError"), refused
    assert member(refused, "structured_content", "structuredContent")["code"] == "INVALID_ARGUMENT", refused
    recent = await call("memory_get_recent", repo=REPO, verify="fresh")
    own = next(one for one in recent["memories"] if one["id"] == stored["id"])
    checked = await call("memory_verify_citations", repo=REPO, citations=own["citations"])
    assert checked["valid"] and checked["valid_count"] == 1, checked
    assert (await call("memory_search_by_path", repo=REPO, path="src/cart.rs"))["memories"]
    assert (await call("memory_refresh", memory_id=stored["id"]))["success"]
    new_fact = f"A full cart answers CartFull, python over {name} knows."
    done = await call("memory_supersede", old_memory_id=stored["id"], new_fact=new_fact, new_citations=[place])
    history = await call("memory_history", memory_id=done["new_memory_id"])
    assert len(history["chain"]) == 2, history
    assert (await call("memory_invalidate", memory_id=done["new_memory_id"], reason="only to see it go"))["changed"]
    assert (await session.read_resource(f"memory://{REPO}/recent")).contents


async def life(read, write, name):
    """What an agent does."""
    async with ClientSession(read, write) as session:
        begun = await session.initialize()
        tools = (await session.list_tools()).tools
        assert any(tool.name == "search_memory" for tool in tools), tools
        await session.call_tool("add_memory", {"entries": ["Anna likes tea"]})
        found = await session.call_tool("search_memory", {"query": "what does Anna like"})
        structured = member(found, "structured_content", "structuredContent")
        assert structured["results"][0]["content"] == "Anna likes tea", structured
        refused = await session.call_tool("search_memory", {"query": "x", "stores": ["none"]})
        assert member(refused, "is_error", "isError"), refused
        rules = await session.get_prompt("memory_rules")
        assert len(rules.messages[0].content.text) > 100
        resources = (await session.list_resources()).resources
        assert (await session.read_resource(resources[0].uri)).contents
        await facts(session, name)
        version = member(begun, "protocol_version", "protocolVersion")
        print(f"{name} ok: {version}, {len(tools)} tools")


async def main():
    """Both ways."""
    url, command, *args = sys.argv[1:]
    async with streamable_http_client(url) as streams:
        await life(streams[0], streams[1], "http")
    async with stdio_client(StdioServerParameters(command=command, args=args)) as (read, write):
        await life(read, write, "stdio")


asyncio.run(main())
