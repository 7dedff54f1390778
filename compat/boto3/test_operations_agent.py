"""The calls of an operations agent that knows nothing of this server: it makes its memory, adds strategies one by one,
sends dictionaries as Python prints them, and reads them back as JSON from its own namespaces, before and after restarts."""

import json
from datetime import datetime, timezone

import boto3
from expectations import invalid, refused
from loci_server import serve

NAME = "sre_agent_memory"
STRATEGIES = [
    {"userPreferenceMemoryStrategy": {"name": "user_preferences", "namespaces": ["/sre/users/{actorId}/preferences"]}},
    {
        "semanticMemoryStrategy": {
            "name": "infrastructure_knowledge",
            "namespaces": ["/sre/infrastructure/{actorId}/{sessionId}"],
        }
    },
    {
        "summaryMemoryStrategy": {
            "name": "investigation_summaries",
            "namespaces": ["/sre/investigations/{actorId}/{sessionId}"],
        }
    },
]
SAID_AT = datetime(2026, 11, 20, 10, 0, tzinfo=timezone.utc)
PREFERENCE = {
    "user_id": "Alice",
    "preference_type": "workflow",
    "preference_value": {"investigation_time_limit_minutes": 45},
    "context": "Alice's handbook",
    "timestamp": SAID_AT,
}
CONTACT = {
    "user_id": "Alice",
    "preference_type": "escalation",
    "preference_value": {"primary_contact": "ops.team@example.co.uk"},
    "context": None,
    "timestamp": SAID_AT,
}
KNOWLEDGE = {
    "service_name": "api-server",
    "knowledge_type": "baseline",
    "knowledge_data": {"memory_usage": "400-500Mi", "note": "it's \"usual\""},
    "confidence": 0.9,
    "context": "seen under load",
    "timestamp": SAID_AT,
}
INVESTIGATION = {
    "incident_id": "incident_20261120_100000",
    "query": "Why is the API server slow?",
    "timeline": [{"time": "2026-11-20T09:30:00Z", "event": "latency at 1.5s"}],
    "actions_taken": ["Invoked logs-agent for investigation"],
    "resolution_status": "completed",
    "key_findings": ["latency at 1.5s, not 2.5s"],
    "context": None,
    "timestamp": SAID_AT,
}


class Agent:
    """What such an agent does at its start, and its two calls."""

    def __init__(self, url):
        self.control = boto3.client("bedrock-agentcore-control", endpoint_url=url)
        self.data = boto3.client("bedrock-agentcore", endpoint_url=url)
        found = [one for one in self.control.list_memories()["memories"] if one["id"].startswith(NAME + "-")]
        if found:
            self.memory_id = found[0]["id"]
        else:
            self.memory_id = self.control.create_memory(
                name=NAME, description="What an operations agent remembers", eventExpiryDuration=90
            )["memory"]["id"]
        there = {one["name"] for one in self.control.get_memory(memoryId=self.memory_id)["memory"]["strategies"]}
        for strategy in STRATEGIES:
            (members,) = strategy.values()
            if members["name"] not in there:
                change = {"addMemoryStrategies": [strategy]}
                self.control.update_memory(memoryId=self.memory_id, memoryStrategies=change)

    def save(self, actor, value, session="preferences-default"):
        payload = [{"conversational": {"role": "ASSISTANT", "content": {"text": str(value)}}}]
        return self.data.create_event(
            memoryId=self.memory_id,
            actorId=actor,
            sessionId=session,
            eventTimestamp=datetime.now(timezone.utc),
            payload=payload,
        )["event"]

    def read(self, namespace, query="what is known"):
        found = self.data.retrieve_memory_records(
            memoryId=self.memory_id, namespace=namespace, searchCriteria={"searchQuery": query, "topK": 10}
        )
        return [json.loads(one["content"]["text"]) for one in found["memoryRecordSummaries"]]


def check_all(agent):
    """Everything is there, once, equal to what was sent."""
    (preference,) = agent.read("/sre/users/Alice/preferences", "time limit of investigations")
    assert same(preference, PREFERENCE)
    assert preference["categories"] == ["workflow"] and "45" in preference["preference"]
    for place in ("kubernetes-agent", "kubernetes-agent/s-1", "sre-agent-kubernetes"):
        (knowledge,) = agent.read(f"/sre/infrastructure/{place}", "memory usage of the api-server")
        assert same(knowledge, KNOWLEDGE)
    for place in ("Alice", "Alice/s-1"):
        (investigation,) = agent.read(f"/sre/investigations/{place}", "slow api server latency")
        assert same(investigation, INVESTIGATION)
    assert agent.read("/sre/investigations/Al") == []
    listed = agent.data.list_memory_records(memoryId=agent.memory_id, namespace="/sre/users/Alice/preferences")
    assert len(listed["memoryRecordSummaries"]) == 1


def same(read, sent):
    """The members that were sent, and had a value, are those that are read."""
    told = {name: value for name, value in sent.items() if value is not None}
    told["timestamp"] = "2026-11-20T10:00:00Z"
    return {name: read.get(name) for name in told} == told


def test_an_agent_reads_back_what_it_wrote(tmp_path):
    with serve(tmp_path) as url:
        agent = Agent(url)
        memory_id = agent.memory_id
        for _ in range(2):
            event = agent.save("Alice", PREFERENCE)
            agent.save("sre-agent-kubernetes", KNOWLEDGE, "s-1")
            agent.save("Alice", INVESTIGATION, "s-1")
        # The event is as it was sent.
        assert event["payload"][0]["conversational"]["content"]["text"] == str(PREFERENCE)
        # An agent cannot say whom to call; nor that nobody need be asked; nor write beside its place.
        agent.save("Alice", CONTACT)
        risk = {"preference_type": "workflow", "preference_value": {"auto_approve_simple_plans": True}}
        refused("AccessDeniedException", agent.save, actor="Alice", value=risk)
        invalid(agent.save, actor="Alice/Bob", value=PREFERENCE)
        invalid(agent.save, actor="logs-agent", value=KNOWLEDGE | {"confidence": 1.2}, session="s-1")
        check_all(agent)
    for _ in range(2):
        with serve(tmp_path) as url:
            agent = Agent(url)
            assert agent.memory_id == memory_id
            memory = agent.control.get_memory(memoryId=memory_id)["memory"]
            assert len(memory["strategies"]) == len(STRATEGIES)
            check_all(agent)


def test_json_does_as_well(tmp_path):
    with serve(tmp_path) as url:
        agent = Agent(url)
        agent.save("Alice", json.dumps(PREFERENCE, default=datetime.isoformat))
        (preference,) = agent.read("/sre/users/Alice/preferences", "time limit of investigations")
        assert same(preference, PREFERENCE)
