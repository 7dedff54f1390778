"""The four tools of the operations design work with the design's own arguments, also under a key for several users."""


def _memory(world):
    """Makes the memory of operations agents and returns its id."""
    status, made = world.http("PUT", "/v1/memories/sre_agent_memory", {"profile": "sre"})
    assert status in (200, 201), f"the memory could not be made: {status} {made}"
    return made["memory_id"]


def _shared_key(world, memory):
    """Makes the one key of an agent that works for every user, and returns the header with its token."""
    grant = {"memory": memory, "capabilities": ["read", "write", "impersonate"]}
    status, key = world.http("POST", "/v1/keys", {"name": "supervisor-agent", "grants": [grant]})
    assert status in (200, 201), f"the key could not be made: {status} {key}"
    return {"Authorization": f"Bearer {key['token']}"}


def _tool(world, name, arguments, headers):
    """Calls a tool and returns the status and the answer."""
    return world.http("POST", f"/v1/tools/{name}", arguments, headers)


def _start(world, query, user, headers):
    """Begins an investigation of a user."""
    status, started = world.http("POST", "/v1/investigations", {"query": query, "user_id": user}, headers)
    assert status == 201, f"the investigation did not begin: {status} {started}"
    return started


def row_preference_for_the_user_of_the_request(world):
    """`save_preference(preference, categories)` with a shared key stores for the user of the request."""
    key = _shared_key(world, _memory(world))
    call = {"preference": "prefers executive summaries", "categories": ["communication"]}
    session = _start(world, "API pods crash", "carol", key)["session_id"]
    for user, more, header in [
        ("alice", {}, {"X-Loci-User": "alice"}),
        ("bob", {"user_id": "bob"}, {}),
        ("carol", {"session_id": session}, {}),
    ]:
        status, saved = _tool(world, "save_preference", {**call, **more}, {**key, **header})
        assert status == 200 and saved["saved"], f"{user}: {status} {saved}"
        known = str(_start(world, "anything", user, key)["context"]["user_preferences"])
        assert "executive summaries" in known, f"the start of {user} does not have the preference: {known}"


def row_preference_without_user_fails(world):
    """Without a user, the call with a shared key fails and names the remedy; nothing is stored."""
    key = _shared_key(world, _memory(world))
    call = {"preference": "prefers executive summaries", "categories": ["communication"]}
    status, refused = _tool(world, "save_preference", call, key)
    assert status == 400, f"the call was not refused: {status} {refused}"
    assert refused["error"]["field"] == "user_id" and "X-Loci-User" in refused["error"]["message"], refused
    known = _start(world, "anything", "supervisor-agent", key)["context"]["user_preferences"]
    assert known == [], f"the preference lies where no user reads it: {known}"


def row_dependency_comes_back(world):
    """A dependency saved without an agent comes back in the next start."""
    key = _shared_key(world, _memory(world))
    call = {"service_name": "web-app", "knowledge": "web-app depends on the orders database", "knowledge_type": "dependency"}
    status, saved = _tool(world, "save_infrastructure", call, key)
    assert status == 200 and saved["saved"], f"{status} {saved}"
    block = _start(world, "web-app answers slowly", "alice", key)["rendered"]
    assert "depends on the orders database" in block, f"the dependency is not in the block:\n{block}"


def row_finding_without_incident(world):
    """`save_investigation(finding, category)` goes to the open investigation of the request's user."""
    key = _shared_key(world, _memory(world))
    incident = _start(world, "API pods crash", "alice", key)["incident_id"]
    _start(world, "The disk is full", "bob", key)
    call = {"finding": "Pod memory limit (512Mi) is too low", "category": "root_cause"}
    status, saved = _tool(world, "save_investigation", call, {**key, "X-Loci-User": "alice"})
    assert status == 200 and saved["saved"], f"{status} {saved}"
    asked = {"memory_type": "investigations", "query": "pods crash", "include_shown": True}
    status, found = _tool(world, "retrieve_memory", asked, {**key, "X-Loci-User": "alice"})
    assert status == 200, f"{status} {found}"
    with_finding = [one["content"]["incident_id"] for one in found["results"] if "512Mi" in str(one["content"])]
    assert with_finding == [incident], f"the finding went to {with_finding}, not to {incident}"


def row_retrieve_with_null(world):
    """`retrieve_memory(..., session_id=None)` accepts null, over HTTP and over MCP."""
    _memory(world)
    asked = {"memory_type": "infrastructure", "query": "web-app", "actor_id": None, "max_results": 5, "session_id": None}
    status, found = _tool(world, "retrieve_memory", asked, {"X-Loci-User": "alice"})
    assert status == 200 and found["results"] == [], f"{status} {found}"
    found = world.mcp("--profile", "sre", "--user", "alice").call("retrieve_memory", asked)
    assert found["results"] == [], found


def row_tools_over_mcp(world):
    """The design's calls work over MCP for the user of the connection, and the next start has what they saved."""
    _memory(world)
    session = world.mcp("--profile", "sre", "--user", "alice")
    session.call("save_preference", {"preference": "prefers executive summaries", "categories": ["communication"]})
    session.call("save_infrastructure", {
        "service_name": "web-app", "knowledge": "web-app depends on the orders database", "knowledge_type": "dependency",
    })
    status, started = world.http(
        "POST", "/v1/investigations", {"query": "web-app answers slowly"}, {"X-Loci-User": "alice"}
    )
    assert status == 201, f"{status} {started}"
    session.call("save_investigation", {"finding": "The pool is exhausted", "category": "observation"})
    for part in ("executive summaries", "depends on the orders database"):
        assert part in started["rendered"], f"{part} is not in the block:\n{started['rendered']}"
    asked = {"memory_type": "investigations", "query": "web-app", "session_id": None, "include_shown": True}
    found = session.call("retrieve_memory", asked)
    assert "The pool is exhausted" in str(found["results"]), found
