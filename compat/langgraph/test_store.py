"""The memory store of LangGraph: messages in, records out by subtree or exactly, with or without a trailing slash."""

import json
import os
import urllib.request

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph_checkpoint_aws import AgentCoreMemoryStore

STRATEGY = {"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/facts/{actorId}/"]}}


def wait_extraction(memory_id):
    """Waits until nothing is pending."""
    request = urllib.request.Request(
        f"{os.environ['LOCI_URL']}/v1/memories/{memory_id}/extraction:wait",
        data=b'{"timeout_ms": 60000}',
        headers={"content-type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=90) as response:
        assert json.load(response)["complete"]


@pytest.fixture
def filled(new_memory):
    """A memory that knows something of two actors."""
    memory_id = new_memory(memoryStrategies=[STRATEGY])
    store = AgentCoreMemoryStore(memory_id=memory_id, region_name="us-west-2")
    store.put(("alice", "s1"), "m1", {"message": HumanMessage("I grow tomatoes on my balcony.")})
    store.put(("alice", "s1"), "m2", {"message": AIMessage("Balcony tomatoes need sun.")})
    store.put(("alicetwo", "s1"), "m3", {"message": HumanMessage("I grow orchids in the office.")})
    wait_extraction(memory_id)
    return memory_id


def test_a_subtree_is_searched_by_segment(filled):
    store = AgentCoreMemoryStore(memory_id=filled, region_name="us-west-2")
    found = store.search(("facts", "alice"), query="What does the user grow?", limit=5)
    assert found and "tomatoes" in found[0].value["content"].lower() and 0 <= found[0].score <= 1
    assert all(item.value["namespaces"] == ["/facts/alice/"] for item in found)
    everywhere = store.search((), query="What does the user grow?", limit=10)
    assert {item.value["namespaces"][0] for item in everywhere} == {"/facts/alice/", "/facts/alicetwo/"}
    assert len(store.search(("facts",), query="What does the user grow?", limit=1)) == 1


def test_an_exact_search_stays_at_its_node(filled):
    store = AgentCoreMemoryStore(memory_id=filled, region_name="us-west-2", hierarchical_search=False)
    found = store.search(("facts", "alice"), query="What does the user grow?")
    assert found and all(item.value["namespaces"] == ["/facts/alice/"] for item in found)
    assert store.search(("facts",), query="What does the user grow?") == []


def test_a_record_is_read_by_its_key(filled):
    store = AgentCoreMemoryStore(memory_id=filled, region_name="us-west-2")
    (item, *_) = store.search(("facts", "alice"), query="tomatoes")
    got = store.get(("facts", "alice"), item.key)
    assert got.value["content"] == item.value["content"] and got.created_at == item.created_at
    assert store.get(("facts", "alice"), "mem-" + "0" * 36) is None
