"""The checkpoint saver in both of its formats, under real graphs: resume, history, branches, interrupts, deletion."""

import asyncio
import operator
from typing import Annotated, TypedDict

import boto3
import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from langgraph_checkpoint_aws import AgentCoreMemorySaver


class State(TypedDict):
    """A list that grows, and two texts of any size."""

    log: Annotated[list[str], operator.add]
    blob: str
    other: str


def counting_graph(saver, steps=3):
    """Nodes in a row, each adding its name."""
    builder = StateGraph(State)
    names = [f"n{i}" for i in range(steps)]
    for name in names:
        builder.add_node(name, lambda state, name=name: {"log": [name]})
    for source, target in zip([START, *names], [*names, END]):
        builder.add_edge(source, target)
    return builder.compile(checkpointer=saver)


def asking_graph(saver):
    """Stops for a person's answer after a first node."""

    def ask(state):
        return {"log": [interrupt("continue?")]}

    builder = StateGraph(State)
    builder.add_node("work", lambda state: {"log": ["worked"]})
    builder.add_node("ask", ask)
    builder.add_edge(START, "work")
    builder.add_edge("work", "ask")
    builder.add_edge("ask", END)
    return builder.compile(checkpointer=saver)


def config(thread="t1", actor="ann"):
    """What a caller passes."""
    return {"configurable": {"thread_id": thread, "actor_id": actor}}


@pytest.fixture(params=["legacy", "snapshot"])
def saver(request, new_memory):
    """A saver of each format on a fresh memory."""
    return AgentCoreMemorySaver(new_memory(), checkpoint_format=request.param, region_name="us-west-2")


def reopened(saver):
    """Another process's saver of the same memory."""
    return AgentCoreMemorySaver(saver.memory_id, checkpoint_format=saver.checkpoint_format, region_name="us-west-2")


def test_a_thread_is_resumed_by_another_process(saver):
    counting_graph(saver).invoke({"log": ["hello"], "blob": "b"}, config())
    graph = counting_graph(reopened(saver))
    assert graph.get_state(config()).values == {"log": ["hello", "n0", "n1", "n2"], "blob": "b"}
    assert graph.invoke({"log": ["again"]}, config())["log"][-4:] == ["again", "n0", "n1", "n2"]
    assert graph.get_state(config("t2")).values == {} and graph.get_state(config(actor="bob")).values == {}


def test_history_is_complete_beyond_a_page_and_can_be_branched(saver):
    graph = counting_graph(saver, steps=5)
    for turn in range(6):
        graph.invoke({"log": [f"turn {turn}"]}, config())
    history = list(graph.get_state_history(config()))
    assert len(history) == 6 * 7, "input, start and five nodes for each turn"
    assert [len(h.values.get("log", [])) for h in history] == sorted(
        (len(h.values.get("log", [])) for h in history), reverse=True
    )
    assert len(list(graph.get_state_history(config(), limit=3))) == 3
    past = next(h for h in history if h.values.get("log", [])[-1:] == ["turn 2"])
    forked = graph.update_state(past.config, {"log": ["rewritten"]})
    assert graph.invoke(None, forked)["log"][-1] == "n4"
    assert "rewritten" in graph.get_state(config()).values["log"]
    assert graph.get_state(history[0].config).values == history[0].values, "the old line is untouched"


def test_an_interrupt_keeps_its_pending_writes(saver):
    asking_graph(saver).invoke({"log": []}, config())
    graph = asking_graph(reopened(saver))
    state = graph.get_state(config())
    assert state.next == ("ask",) and state.tasks[0].interrupts[0].value == "continue?"
    assert graph.invoke(Command(resume="yes"), config())["log"] == ["worked", "yes"]
    assert graph.get_state(config()).next == ()


def test_a_state_larger_than_an_event(saver):
    # Each value fits into an event, both together do not: the saver splits them and reads every part again.
    blob, other = ("".join(chr(97 + (i * k) % 26) for i in range(1000)) * 5000 for k in (1, 3))
    builder = StateGraph(State)
    builder.add_node("fill", lambda state: {"blob": blob})
    builder.add_node("refill", lambda state: {"other": other})
    builder.add_edge(START, "fill")
    builder.add_edge("fill", "refill")
    builder.compile(checkpointer=saver).invoke({"log": ["begun"]}, config())
    values = builder.compile(checkpointer=reopened(saver)).get_state(config()).values
    assert values == {"log": ["begun"], "blob": blob, "other": other}


def test_the_asynchronous_methods(saver):
    async def run():
        graph = counting_graph(saver)
        await asyncio.gather(*(graph.ainvoke({"log": [t]}, config(t)) for t in ("a", "b", "c", "d")))
        return [(await graph.aget_state(config(t))).values["log"][0] for t in ("a", "b", "c", "d")]

    assert asyncio.run(run()) == ["a", "b", "c", "d"]


def test_a_deleted_thread_is_gone_and_others_stay(saver):
    graph = asking_graph(saver)
    for thread in ("gone", "kept"):
        graph.invoke({"log": []}, config(thread))
    saver.delete_thread("gone", "ann")
    assert graph.get_state(config("gone")).values == {}
    assert graph.get_state(config("kept")).values["log"] == ["worked"]
    client = boto3.client("bedrock-agentcore")
    where = {"memoryId": saver.memory_id, "actorId": "ann", "sessionId": "gone"}
    assert client.list_events(**where)["events"] == []
