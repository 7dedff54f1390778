"""How SDKs and integrations use the wire, where the public tests do not: MemoryClient, MemorySession, plain callers."""

import time
import uuid
from datetime import datetime, timezone

import pytest
from bedrock_agentcore.memory import MemoryClient, MemorySessionManager
from bedrock_agentcore.memory.constants import ConversationalMessage, MessageRole
from expectations import wait_extraction


@pytest.fixture(scope="module")
def client():
    """The SDK's own client, pointed at the server by the environment alone."""
    return MemoryClient(region_name="us-west-2")


def test_create_or_get_finds_the_memory_by_its_name(client):
    name = f"cog_{uuid.uuid4().hex[:8]}"
    first = client.create_or_get_memory(name=name, strategies=[], event_expiry_days=7)
    second = client.create_or_get_memory(name=name, strategies=[], event_expiry_days=7)
    assert first["id"] == second["id"]
    client.delete_memory_and_wait(first["id"], poll_interval=1)


def test_strategies_are_added_and_waited_for(client, memory_id):
    began = time.monotonic()
    memory = client.add_semantic_strategy_and_wait(
        memory_id=memory_id, name="facts", namespaces=["/facts/{actorId}/"], poll_interval=1
    )
    assert [s["name"] for s in memory["strategies"]] == ["facts"] and time.monotonic() - began < 15


def test_branches_of_the_sdk(client, memory_id):
    where = {"memory_id": memory_id, "actor_id": "ann", "session_id": "s1"}
    root = client.create_event(**where, messages=[("hello", "USER"), ("hi", "ASSISTANT")])
    client.fork_conversation(**where, root_event_id=root["eventId"], branch_name="b", new_messages=[("other", "USER")])
    client.create_event(**where, messages=[("more", "USER")], branch={"name": "b"})
    names = {b["name"]: b["eventCount"] for b in client.list_branches(**where)}
    assert names == {"main": 1, "b": 2}
    tree = client.get_conversation_tree(**where)
    assert set(tree["main_branch"]["branches"]) >= {"b"}
    assert len(client.list_branch_events(**where, branch_name="b")) == 2
    client.create_blob_event(**where, blob_data={"state": [1, None]})
    assert client.list_events(**where)[0]["payload"] == [{"blob": {"state": [1, None]}}]


def test_a_session_manager_writes_reads_and_deletes(new_memory):
    template = {"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/facts/{actorId}/"]}}
    memory_id = new_memory(memoryStrategies=[template])["id"]
    manager = MemorySessionManager(memory_id=memory_id, region_name="us-west-2")
    session = manager.create_memory_session(actor_id="ann", session_id="s1")
    turns = [
        ConversationalMessage("My sister lives in Porto.", MessageRole.USER),
        ConversationalMessage("How nice.", MessageRole.ASSISTANT),
    ]
    session.add_turns(turns)
    assert len(session.list_events()) == 1 and len(session.get_last_k_turns(k=1)) == 1
    wait_extraction(memory_id)
    found = session.search_long_term_memories(query="Where does the sister live?", namespace="/facts/ann/")
    assert "Porto" in found[0]["content"]["text"]
    assert [a["actorId"] for a in manager.list_actors()] == ["ann"]
    assert session.list_long_term_memory_records(namespace="/facts/ann/")
    manager.delete_all_long_term_memories_in_namespace(namespace="/facts/ann/")
    assert session.list_long_term_memory_records(namespace="/facts/ann/") == []


def test_botocore_paginators_reach_the_end(data, memory_id, say):
    for i in range(45):
        say(memory_id, f"e{i}")
    paginator = data.get_paginator("list_events")
    found = paginator.paginate(memoryId=memory_id, actorId="ann", sessionId="s1", PaginationConfig={"PageSize": 20})
    assert [len(page["events"]) for page in found] == [20, 20, 5]


def test_a_default_namespace_of_a_slash_and_an_adk_actor(data, memory_id):
    now = datetime.now(timezone.utc)
    record = {"requestIdentifier": "r1", "namespaces": ["/"], "content": {"text": "kept at the root"}, "timestamp": now}
    answer = data.batch_create_memory_records(memoryId=memory_id, records=[record])
    assert answer["failedRecords"] == []
    criteria = {"searchQuery": "kept at the root"}
    for where in ({"namespace": "/"}, {"namespacePath": "/"}):
        found = data.retrieve_memory_records(memoryId=memory_id, searchCriteria=criteria, **where)
        assert len(found["memoryRecordSummaries"]) == 1, where
    payload = [{"conversational": {"role": "USER", "content": {"text": "hi"}}}, {"blob": {"adk": True}}]
    event = data.create_event(memoryId=memory_id, actorId="app:user", sessionId="s1", eventTimestamp=now, payload=payload)
    assert event["event"]["payload"] == payload and event["event"]["actorId"] == "app:user"
