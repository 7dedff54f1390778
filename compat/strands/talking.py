"""One of the two actors of `restarts.py`: a stock Python agent for each of its sessions, who tell facts turn by turn.

It prints a line for each turn, and waits for a line that says how it goes on. It knows nothing of what the server suffers meanwhile.
"""

import asyncio
import json
import sys

import world
from bedrock_agentcore.memory.integrations.strands.memorystore import AgentCoreMemoryStore
from strands.memory import MemoryManager


def agent(memory_id, actor, session):
    """A stock agent that remembers, and what it remembers with."""
    store = AgentCoreMemoryStore(
        memory_id=memory_id, actor_id=actor, session_id=session, namespace="/facts/{actorId}/", writable=True, extraction=True
    )
    manager = MemoryManager(stores=[store])
    return world.agent("quiet", memory_manager=manager), manager


async def main(memory_id, actor, told):
    """Tells the facts of all sessions in turns; whatever is unsaved at the end is flushed, as at the end of a program."""
    agents = {session: agent(memory_id, actor, session) for session in told}
    for turn in zip(*told.values(), strict=True):
        for (one, _), fact in zip(agents.values(), turn, strict=True):
            await one.invoke_async(fact)
        print("turn", flush=True)
    sys.stdin.readline()
    for _, manager in agents.values():
        await manager.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], json.load(open(sys.argv[3], encoding="utf-8"))))
