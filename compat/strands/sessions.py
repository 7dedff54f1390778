"""The session manager of the Python package: an agent's conversation and state, kept as Events, come back after the server was killed."""

import contextlib
import os
import tempfile

import checks
import world
from bedrock_agentcore.memory.integrations.strands.config import AgentCoreMemoryConfig, RetrievalConfig
from bedrock_agentcore.memory.integrations.strands.session_manager import AgentCoreMemorySessionManager
from served import Served
from strands import tool


@contextlib.contextmanager
def pointed_at(server):
    """A server of one's own is where stock clients look; the session manager takes an address from nowhere else."""
    names = ["AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL"]
    before = {name: os.environ[name] for name in names}
    os.environ.update(dict.fromkeys(names, server.url))
    try:
        yield
    finally:
        os.environ.update(before)


@tool
def depth(place: str) -> str:
    """How deep the water is."""
    return f"{place} is eleven fathoms deep"


def agent(memory_id, model="echo", session="s1", **more):
    """A stock agent whose conversation is kept as Events."""
    config = AgentCoreMemoryConfig(memory_id=memory_id, session_id=session, actor_id="ann", **more)
    manager = AgentCoreMemorySessionManager(config, region_name="us-west-2")
    return world.agent(model, session_manager=manager, tools=[depth], agent_id="boatswain"), manager


def a_conversation_comes_back():
    """session manager python: messages, calls of tools and state come back after kill -9, and the conversation goes on"""
    with tempfile.TemporaryDirectory() as folder, Served(folder) as server, pointed_at(server):
        memory_id = world.loci(server.url).memory_create({"name": "sessions", "strategies": [world.FACTS]})["id"]
        first, _ = agent(memory_id)
        first("My name is Marit.")
        first('CALL depth {"place": "Tarbert"}')
        first.state.set("moored", True)
        first("I moor at Tarbert.")
        server.kill()
        server.start()
        second, _ = agent(memory_id)
        assert second.messages == first.messages and len(first.messages) == 8, (second.messages, first.messages)
        assert second.state.get("moored") is True
        answer = world.said(second("Who am I, and where?"))
        assert "Marit" in answer and "Tarbert" in answer, answer
        server.stop()
        server.start()
        third, _ = agent(memory_id)
        assert world.conversation(third.messages) == world.conversation(second.messages), third.messages
        other, _ = agent(memory_id, session="s2")
        assert other.messages == [], other.messages


def a_buffer_is_sent_at_its_end():
    """session manager python: messages that wait for a batch are there after close, in their order"""
    memory_id = world.memory(world.FACTS)
    one, manager = agent(memory_id, batch_size=20)
    for number in range(4):
        one(f"Buoy {number} is red.")
    manager.close()
    again, _ = agent(memory_id)
    expected = world.conversation(one.messages)
    assert world.conversation(again.messages) == expected and len(expected) == 8, (again.messages, expected)


def long_messages_come_back():
    """session manager python: a message of more than 100,000 characters comes back whole"""
    memory_id = world.memory(world.FACTS)
    text = "".join(f"{number} fathoms; " for number in range(12_000))
    assert len(text) > 100_000
    one, _ = agent(memory_id, model="quiet")
    one(text)
    again, _ = agent(memory_id, model="quiet")
    assert world.conversation(again.messages) == [("user", text), ("assistant", "Noted.")]


def what_was_learnt_is_injected():
    """session manager python: what an earlier session told is put before the question, by the default cut-off"""
    memory_id = world.memory(world.FACTS, world.PREFERENCES)
    agent(memory_id, session="before")[0]("I like my tea with cardamom.")
    world.wait(memory_id)
    retrieval = {place: RetrievalConfig() for place in ("/facts/{actorId}/", "/preferences/{actorId}/")}
    answer = world.said(agent(memory_id, retrieval_config=retrieval)[0]("How do I like my tea?"))
    assert "<user_context>" in answer and "cardamom" in answer, answer


if __name__ == "__main__":
    checks.run([a_conversation_comes_back, a_buffer_is_sent_at_its_end, long_messages_come_back, what_was_learnt_is_injected])
