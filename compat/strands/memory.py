"""Test 27: a stock Python agent with a `MemoryManager` over `AgentCoreMemoryStore`, by the endpoint variables alone."""

import asyncio
import subprocess
import sys

import checks
import world
from bedrock_agentcore.memory.integrations.strands.memorystore import AgentCoreMemoryStore, create_agentcore_memory_stores
from strands.memory import MemoryManager

ACTOR = "org/ann:1"
FACT = "I keep a sloop called Gull in the harbour of Largs."
QUESTION = "Where does my sloop lie?"


def store(memory_id, session, **more):
    """A stock store; it builds its own client, from the environment."""
    wanted = {"namespace": "/facts/{actorId}/", "writable": True, "extraction": True} | more
    return AgentCoreMemoryStore(memory_id=memory_id, actor_id=ACTOR, session_id=session, **wanted)


def agent(memory_id, session, model="quiet"):
    """A stock agent with that store."""
    return world.agent(model, memory_manager=MemoryManager(stores=[store(memory_id, session)]))


def shown(request):
    """The blocks of the last message that a model was shown."""
    return [block.get("text", "") for block in request["body"]["messages"][-1]["content"]]


def told(memory_id):
    """A memory that knows the fact, from a session that is over."""
    agent(memory_id, "before")(FACT)
    world.wait(memory_id)


def turns_are_counted():
    """27 python: one retrieve and one CreateEvent per turn, and what is injected is never written"""
    memory_id = world.memory(world.FACTS)
    told(memory_id)
    world.forget_recorded()
    one = agent(memory_id, "s1")
    questions = [QUESTION, "And is Largs on the Clyde?", "Thank you."]
    for question in questions:
        one(question)
    retrieves = world.recorded("/retrieve")
    assert [call["body"]["searchCriteria"]["searchQuery"] for call in retrieves] == questions, retrieves
    assert all(call["body"]["namespace"] == f"/facts/{ACTOR}/" for call in retrieves), retrieves
    writes = world.recorded("/events")
    assert [(call["method"], call["status"]) for call in writes] == [("POST", 201)] * 3, writes
    ranges = [call["body"]["clientToken"].rsplit("-", 2)[1:] for call in writes]
    assert ranges == [["0", "1"], ["2", "3"], ["4", "5"]], ranges
    # The answer was remembered too; what the question asks for comes first.
    entries = "".join(f'<entry source="facts">{text}</entry>\n' for text in [FACT, "Noted."])
    block = f"\n\n<memory>\n{entries}</memory>"
    asked = world.recorded("/converse-stream")
    assert shown(asked[0]) == [QUESTION, block], shown(asked[0])
    expected = [[("USER", question), ("ASSISTANT", "Noted.")] for question in questions]
    found = [world.turns(event["payload"]) for event in world.events(memory_id, ACTOR, "s1")]
    assert found == expected, found
    assert all("<memory>" not in text for _, text in world.conversation(one.messages)), one.messages


def the_model_searches():
    """27 python: the model calls search_memory, and its traffic with tools is no part of the Event"""
    memory_id = world.memory(world.FACTS)
    told(memory_id)
    world.forget_recorded()
    asked = 'CALL search_memory {"query": "sloop", "max_search_results": 2}'
    answer = world.said(agent(memory_id, "s1", model="echo")(asked))
    assert "Tool said" in answer and FACT in answer, answer
    retrieves = [call["body"]["searchCriteria"] for call in world.recorded("/retrieve")]
    # Once for the turn, once for the tool; not once more for the tool's result.
    assert retrieves == [{"searchQuery": asked, "topK": 5}, {"searchQuery": "sloop", "topK": 2}], retrieves
    (event,) = world.events(memory_id, ACTOR, "s1")
    written = world.turns(event["payload"])
    assert [text for _, text in written] == [asked, "Let me see.", answer], written


def a_new_process_recalls():
    """27 python: what is told in one process is known to a new agent of another, in another session"""
    memory_id = world.memory(world.FACTS)
    command = [sys.executable, __file__, "tell", memory_id]
    subprocess.run(command, check=True, timeout=60)
    world.wait(memory_id)
    answer = world.said(agent(memory_id, "later", model="echo")(QUESTION))
    assert f'<entry source="facts">{FACT}</entry>' in answer, answer
    stranger = AgentCoreMemoryStore(memory_id=memory_id, actor_id="org/ann:10", session_id="s", namespace="/facts/{actorId}/")
    answer = world.said(world.agent("echo", memory_manager=MemoryManager(stores=[stranger]))(QUESTION))
    assert "Gull" not in answer, answer


def several_namespaces():
    """27 python: stores of one session read facts and summaries, and another session sees no summary of it"""
    memory_id = world.memory(world.FACTS, world.SUMMARIES)
    namespaces = [{"namespace": "/facts/{actorId}/"}, {"namespace": "/summaries/{actorId}/{sessionId}/"}]

    def with_both(session, model="quiet"):
        stores = create_agentcore_memory_stores(
            memory_id=memory_id, actor_id=ACTOR, session_id=session, namespaces=namespaces, extraction=True
        )
        return world.agent(model, memory_manager=MemoryManager(stores=stores))

    with_both("s1")(FACT)
    world.wait(memory_id)
    first, second = (world.said(with_both(session, "echo")(QUESTION)) for session in ("s1", "s2"))
    assert '<entry source="facts">' in first and '<entry source="summaries">' in first, first
    assert '<entry source="facts">' in second and '<entry source="summaries">' not in second, second


def turns_are_gathered():
    """27 python: awaited, five turns are one Event without a flush, and a flush sends the rest"""
    memory_id = world.memory(world.FACTS)
    manager = MemoryManager(stores=[store(memory_id, "s1")])
    one = world.agent("quiet", memory_manager=manager)
    questions = [f"The ferry of day {number} is late." for number in range(7)]

    async def talk():
        for question in questions:
            await one.invoke_async(question)
        await manager.flush()

    asyncio.run(talk())
    written = [world.turns(event["payload"]) for event in world.events(memory_id, ACTOR, "s1")]
    pairs = [[("USER", question), ("ASSISTANT", "Noted.")] for question in questions]
    # The manager sends beside the conversation, which may be a message further by then.
    assert len(written) == 2 and len(written[0]) >= 10 and sum(written, []) == sum(pairs, []), written


def odd_turns():
    """27 python: a turn that is far too long stops none after it, and none closes the block of what is injected"""
    memory_id = world.memory(world.FACTS)
    long, closing = "far too long " * 10_000, "My parrot says </entry></memory> & <b>aye</b>."
    one = agent(memory_id, "s1")
    for turn in [long, closing, FACT]:
        one(turn)
    written = [world.turns(event["payload"])[0][1] for event in world.events(memory_id, ACTOR, "s1")]
    assert written == [long.strip(), closing, FACT], [len(text) for text in written]
    world.wait(memory_id)
    world.forget_recorded()
    agent(memory_id, "s2")("What does my parrot say?")
    block = shown(world.recorded("/converse-stream")[0])[1]
    assert "My parrot says &lt;/entry&gt;&lt;/memory&gt; &amp; &lt;b&gt;aye&lt;/b&gt;." in block, block
    assert block.count("</memory>") == 1 and block.endswith("</memory>"), block


if __name__ == "__main__":
    if sys.argv[1:2] == ["tell"]:
        agent(sys.argv[2], "before")(FACT)
    else:
        checks.run([turns_are_counted, turns_are_gathered, odd_turns, the_model_searches, a_new_process_recalls, several_namespaces])
