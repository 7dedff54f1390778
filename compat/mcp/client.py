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
