"""A sentence about a service becomes baselines under sensible keys, which later values replace."""


def _memory(world):
    """Makes the memory of operations agents and returns its id."""
    status, made = world.http("PUT", "/v1/memories/sre_agent_memory", {"profile": "sre"})
    assert status in (200, 201), f"the memory could not be made: {status} {made}"
    return made["memory_id"]


def _learn(session, sentence):
    """Saves a sentence as a baseline of the API server."""
    call = {"service_name": "api-server", "knowledge": sentence, "knowledge_type": "baseline"}
    saved = session.call("save_infrastructure", call)
    assert saved["saved"], saved


def _known(session):
    """Returns the baselines of the API server, by name."""
    asked = {"memory_type": "infrastructure", "query": "api-server memory and CPU", "include_shown": True}
    known = {}
    for one in session.call("retrieve_memory", asked)["results"]:
        known.update({name: value for name, value in one["content"]["knowledge_data"].items() if name != "text"})
    return known


def row_memory_and_cpu(world):
    """The design's sentence gives a memory and a CPU baseline."""
    _memory(world)
    session = world.mcp("--profile", "sre", "--user", "alice")
    _learn(session, "Normal memory usage is 400-500Mi, CPU usage is 200-300m")
    known = _known(session)
    assert known == {"memory_usage": "400-500Mi", "cpu_usage": "200-300m"}, known


def row_later_values_replace(world):
    """A later value takes the place of the earlier one, in other words too, and the earlier one is history."""
    memory = _memory(world)
    session = world.mcp("--profile", "sre", "--user", "alice")
    _learn(session, "Normal memory usage is 400-500Mi, CPU usage is 200-300m")
    _learn(session, "The api-server typically uses 700-900Mi of RAM")
    known = _known(session)
    assert known == {"memory_usage": "700-900Mi", "cpu_usage": "200-300m"}, known
    status, started = world.http("POST", "/v1/investigations", {"query": "api-server is slow"}, {"X-Loci-User": "alice"})
    assert status == 201 and "400-500Mi" not in started["rendered"], started
    path = f"/v1/memories/{memory}/history?service=api-server&type=baseline&metric=memory_usage"
    status, history = world.http("GET", path)
    assert status == 200 and "400-500Mi" in str(history), history
