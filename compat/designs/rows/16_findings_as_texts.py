"""Findings that are plain texts are rendered in the next start of an investigation."""

import datetime

FINDING = "Pod memory limit (512Mi) is too low"


def _memory(world):
    """Makes the memory of operations agents and returns its id."""
    status, made = world.http("PUT", "/v1/memories/sre_agent_memory", {"profile": "sre"})
    assert status in (200, 201), f"the memory could not be made: {status} {made}"
    return made["memory_id"]


def _save(world, memory, content):
    """Saves an investigation of alice."""
    body = {"memory_type": "investigations", "actor_id": "alice", "session_id": "s-1", "data": content}
    headers = {"X-Loci-User": "alice"}
    status, saved = world.http("POST", f"/v1/memories/{memory}/save", body, headers)
    assert status == 200 and saved["saved"], f"the investigation was not saved: {status} {saved}"


def _rendered(world, query):
    """Begins an investigation of bob and returns its block."""
    status, started = world.http("POST", "/v1/investigations", {"query": query}, {"X-Loci-User": "bob"})
    assert status == 201, f"the investigation did not begin: {status} {started}"
    return started["rendered"]


def row_texts_are_rendered(world):
    """`key_findings` as strings appear in the next start as what was found."""
    memory = _memory(world)
    _save(world, memory, {
        "incident_id": "incident_20261121_143052_k3x9qd",
        "query": "Why are the API pods crashing?",
        "timeline": [{"time": "2026-11-21T14:30:00Z", "event": "OOMKilled seen", "by": "kubernetes-agent"}],
        "actions_taken": ["Raised the memory limit to 1Gi"],
        "resolution_status": "completed",
        "key_findings": [FINDING, "Restarts follow the nightly batch"],
    })
    block = _rendered(world, "API pods are crashing again")
    assert FINDING in block, f"the finding is not in the block:\n{block}"
    assert "found:" in block, f"the finding does not appear as what was found:\n{block}"
    assert "no root cause known" not in block, f"the block claims that nothing is known:\n{block}"


def row_wire_findings_are_rendered(world):
    """The same holds for an investigation that arrives over the AgentCore wire as a Python dictionary."""
    memory = _memory(world)
    content = {
        "incident_id": "incident_20261121_150000_abcdef",
        "query": "Why is the checkout service slow?",
        "timeline": [],
        "actions_taken": ["Scaled the pool"],
        "resolution_status": "completed",
        "key_findings": [FINDING],
    }
    _, data = world.boto3()
    data.create_event(
        memoryId=memory,
        actorId="alice",
        sessionId="s-2",
        eventTimestamp=datetime.datetime.now(datetime.timezone.utc),
        payload=[{"conversational": {"content": {"text": str(content)}, "role": "ASSISTANT"}}],
    )
    world.settle()
    block = _rendered(world, "The checkout service is slow")
    assert FINDING in block, f"the finding is not in the block:\n{block}"
    assert "no root cause known" not in block, f"the block claims that nothing is known:\n{block}"
