"""Rows of point 20: knowledge of every agent, actions, retention, and who reads investigations."""

MEMORY = "sre_agent_memory"
BLOCK = (
    '```json\n{"infrastructure_knowledge": [{"service_name": "api", "knowledge_type": "config", '
    '"knowledge_data": {"limit": "1Gi"}}]}\n```\n'
)


def _started(world, **more):
    world.loci("memory", "ensure", MEMORY, "--profile", "sre")
    status, started = world.http("POST", "/v1/investigations", {"memory": MEMORY, "query": "api is down", **more})
    assert status == 201, started
    return started


def _answer(world, incident, agent, text):
    place = f"/v1/investigations/{incident}/agent-response"
    status, taken = world.http("POST", place, {"memory": MEMORY, "agent": agent, "text": text})
    assert status == 202, taken
    status, read = world.http("GET", f"{place}/{taken['job_id']}?memory={MEMORY}&wait_ms=4000")
    assert status == 200 and read["state"] == "done", read
    return read


def _known(world, service):
    body = {"types": ["infrastructure"], "query": service, "service": [service]}
    status, found = world.http("POST", f"/v1/memories/{MEMORY}/retrieve", body)
    assert status == 200, found
    return [one["content"] for one in found["results"]]


def row_uncaptured_block_is_rejected(world):
    """A block of an agent that is not captured is in ``rejected`` with the reason and the remedy."""
    read = _answer(world, _started(world)["incident_id"], "runbooks-agent", BLOCK)
    assert read["saved"] == [] and read["rejected"][0]["index"] == 0, read
    assert "capture_agents" in read["rejected"][0]["reason"], read


def row_prose_states_facts(world):
    """Sentences of an agent's answer that state facts plainly are knowledge without a model."""
    incident = _started(world, services=["api-server"])["incident_id"]
    text = "The memory limit is 512Mi. It might depend on redis. The checkout-api depends on postgres."
    read = _answer(world, incident, "kubernetes-agent", text)
    assert len(read["saved"]) == 2, read
    limit = _known(world, "api-server")[0]
    assert limit["knowledge_type"] == "config" and limit["knowledge_data"] == {"memory_limit": "512Mi"}, limit
    target = _known(world, "checkout-api")[0]
    assert (target["knowledge_type"], target["metric"]) == ("dependency", "postgres"), target


def row_actions_are_extracted(world):
    """``actions_taken`` of an investigation comes from its results where the caller names no actions."""
    incident = _started(world)["incident_id"]
    text = "The pod restarted 14 times. I raised the memory limit of api-server."
    result = {"text": text, "tool_calls": [{"id": "tc_1", "name": "get_pods"}]}
    end = {"memory": MEMORY, "agent_results": {"kubernetes-agent": result}}
    status, done = world.http("POST", f"/v1/investigations/{incident}/complete", end)
    assert status == 200 and done["saved"], done
    body = {"types": ["investigations"], "query": "api is down"}
    status, found = world.http("POST", f"/v1/memories/{MEMORY}/retrieve", body)
    taken = found["results"][0]["content"]["actions_taken"]
    expect = ["I raised the memory limit of api-server.", "called get_pods"]
    assert [one["what"] for one in taken] == expect, taken
    assert all(one["by"] == "kubernetes-agent" for one in taken), taken


def row_retention_over_the_wire(world):
    """Strategies that are added over the wire retain records for 90, 30 and 60 days."""
    control, _ = world.boto3()
    made = control.create_memory(name=MEMORY, eventExpiryDuration=90)["memory"]["id"]
    places = [
        ("userPreferenceMemoryStrategy", "user_preferences", "/sre/users/{actorId}/preferences"),
        ("semanticMemoryStrategy", "infrastructure_knowledge", "/sre/infrastructure/{actorId}/{sessionId}"),
        ("summaryMemoryStrategy", "investigation_summaries", "/sre/investigations/{actorId}/{sessionId}"),
    ]
    for kind, name, place in places:
        strategy = {kind: {"name": name, "namespaces": [place]}}
        control.update_memory(memoryId=made, memoryStrategies={"addMemoryStrategies": [strategy]})
    status, memory = world.http("GET", f"/v1/memories/{made}")
    assert status == 200, memory
    days = [one.get("record_expiry_days") for one in memory["strategies"]]
    assert days == [90, 30, 60], days


def row_scope_of_investigations_is_visible(world):
    """The first start's answer says who reads the investigation, and whose past ones are shown."""
    started = _started(world)
    assert started["visibility"] == {"investigation": "team", "past_investigations": "team"}, started
    other = {"memory": MEMORY, "query": "mine alone", "scope": "private"}
    status, private = world.http("POST", "/v1/investigations", other)
    assert status == 201 and private["visibility"]["investigation"] == "private", private


def row_python_hooks_never_raise(world):
    """Hooks of the Python client return, whatever the server or an argument is."""
    from locimem import Client, SreMemory

    with Client(world.url) as client:
        memory = SreMemory.named(client, MEMORY)
        started = memory.on_investigation_start("api is down", "alice")
        assert len(started["context"]["infrastructure_by_agent"]) == 4, started
        assert memory.on_agent_response("logs-agent", object(), {"incident_id": "i"}) is False
        assert memory.on_agent_response("logs-agent", "x", {"incident_id": "gone"}) is False
        assert memory.save_event("preferences", "alice", object()) is False
    with Client("http://127.0.0.1:9", retries=0) as client:
        memory = SreMemory(client, "m-0123456789")
        lost = memory.on_investigation_start("api is down", "alice")
        assert lost["degraded"] and len(lost["context"]["infrastructure_by_agent"]) == 4, lost
        assert memory.retrieve_memories("preferences", "alice", "q") == []
