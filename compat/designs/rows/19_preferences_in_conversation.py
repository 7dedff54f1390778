"""Rows of point 19: preferences that are stated in conversation, and contacts that wait for a person."""

WISH = "I always want reports as an executive summary"


def _start(world, query="Why is the API server slow?"):
    status, started = world.http("POST", "/v1/investigations", {"memory": "sre_agent_memory", "query": query})
    assert status == 201, started
    return started


def _memory(world):
    world.loci("memory", "ensure", "sre_agent_memory", "--profile", "sre")


def _preferences(world, kind):
    body = {"types": ["preferences"], "query": ""}
    status, found = world.http("POST", "/v1/memories/sre_agent_memory/retrieve", body)
    assert status == 200, found
    of_kind = [one["content"] for one in found["results"] if one["content"]["preference_type"] == kind]
    assert of_kind, f"no preference of the type {kind}: {found}"
    return of_kind[0]


def row_message_states_preference(world):
    """A user's message states a preference, which the next start shows in the user's own words."""
    _memory(world)
    incident = _start(world)["incident_id"]
    turn = {"memory": "sre_agent_memory", "messages": [{"role": "USER", "text": f"Why is it slow? {WISH}."}]}
    status, kept = world.http("POST", f"/v1/investigations/{incident}/messages", turn)
    assert status == 200 and len(kept.get("preferences", [])) == 1, kept
    assert list(_preferences(world, "style")["preference_value"].values()) == [WISH]
    assert WISH in _start(world, "Why is the database slow?")["rendered"]


def row_final_response_repeats_preference(world):
    """A final response that repeats its user's words saves them as a preference."""
    _memory(world)
    incident = _start(world)["incident_id"]
    end = {"memory": "sre_agent_memory", "final_response": f"The pod leaks memory. As you said: \"{WISH}\"."}
    status, done = world.http("POST", f"/v1/investigations/{incident}/complete", end)
    assert status == 200 and len(done["preferences"]) == 1, done
    assert list(_preferences(world, "style")["preference_value"].values()) == [WISH]


def row_contact_alone_waits(world):
    """Of the design's first example all three members come back, and the contact alone waits for a person."""
    _memory(world)
    value = {"contact": "ops-team@company.com", "channel": "email", "escalation_delay_minutes": 15}
    content = {"preference_type": "escalation", "preference_value": value}
    session = world.mcp("--profile", "sre")
    session.call("save_preference", {"content": content, "context": "the user's words"})
    found = session.call("retrieve_memory", {"memory_type": "preferences", "query": "escalation"})
    one = found["results"][0]
    one = one.get("content", one)
    assert one["preference_value"] == {"channel": "email", "escalation_delay_minutes": 15}, found
    assert one["waiting"] == {"contact": "ops-team@company.com"}, found
    states = {entry["key"]: entry["state"] for entry in one["entries"]}
    assert states["contact"] == "pending_confirmation" and states["channel"] == "active", states
    preferences = _start(world)["context"]["user_preferences"][0]
    assert preferences["waiting"] == {"contact": "ops-team@company.com"}, preferences
