"""Rows of the coding agents' design on episodes over the AgentCore wire, read without a model."""

import datetime
import hashlib
import json

REPO = "acme/shop"
TASK = "t-900"


def memory_of(world):
    """Returns the id of the memory for code, which registering a repository makes."""
    world.http("PUT", f"/v1/repos/{REPO}", {})
    control, _ = world.boto3()
    return control.list_memories()["memories"][0]["id"]


def write(world, memory, kind, source, text, **more):
    """Writes one event as the design's harness does."""
    _, data = world.boto3()
    metadata = {
        "task_id": TASK,
        "type": kind,
        "source_type": source,
        "content_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "schema_version": "3",
        **more,
    }
    data.create_event(
        memoryId=memory,
        actorId=REPO,
        sessionId=TASK,
        eventTimestamp=datetime.datetime.now(datetime.timezone.utc),
        payload=[{"conversational": {"content": {"text": text}, "role": "OTHER"}}],
        metadata={key: {"stringValue": value} for key, value in metadata.items()},
    )


def read(world, memory, path, query):
    """Returns the texts that the wire finds beneath a path."""
    _, data = world.boto3()
    criteria = {"searchQuery": query, "topK": 20}
    found = data.retrieve_memory_records(memoryId=memory, namespace=path, searchCriteria=criteria)
    return [one["content"]["text"] for one in found["memoryRecordSummaries"]]


def row_report_is_no_knowledge(world):
    """The line “Task … Cost …” becomes the task's episode, with intent, approach, outcome and files, and no knowledge."""
    memory = memory_of(world)
    url = "https://github.com/acme/shop/pull/57"
    text = (
        f"Task {TASK} completed with status: COMPLETED. PR: {url}. Duration: 812.4s. Cost: $0.4213. "
        "Agent notes: I let orders be paged by a cursor. I changed src/api/orders.ts and docs/orders.md."
    )
    write(world, memory, "task_episode", "agent_episode", text, pr_url=url, description="Add pagination to /orders")
    world.settle()
    knowledge = read(world, memory, f"/{REPO}/knowledge/", "task cost")
    assert knowledge == [], f"the report became knowledge: {knowledge}"
    episodes = [json.loads(text) for text in read(world, memory, f"/{REPO}/episodes/", "pagination of orders")]
    assert len(episodes) == 1, f"there are {len(episodes)} episodes"
    episode = episodes[0]
    assert episode["intent"] == "Add pagination to /orders", episode["intent"]
    assert episode["situation"].startswith("I let orders be paged by a cursor."), episode["situation"]
    assert episode["assessment"] == "success" and url in episode["justification"], episode
    assert episode["task"]["files_changed"] == ["src/api/orders.ts", "docs/orders.md"], episode["task"]


def row_learnings_are_knowledge(world):
    """Learnings that the harness writes with the role OTHER become one record each, with the scope of their topic."""
    memory = memory_of(world)
    text = "Repository learnings: - [Auth module]: session tokens are cached for 5 minutes.\n- The build needs Node 20."
    write(world, memory, "repo_learnings", "agent_learning", text)
    world.settle()
    found = sorted(read(world, memory, f"/{REPO}/knowledge/", "session tokens and the build on Node"))
    expect = ["The build needs Node 20.", "[Auth module]: session tokens are cached for 5 minutes."]
    assert found == expect, f"the knowledge is {found}"


def row_orchestrator_fills_the_agents_episode(world):
    """The orchestrator's minimal report continues the agent's episode and keeps its outcome."""
    memory = memory_of(world)
    agent = f"Task {TASK} completed with status: COMPLETED. Agent notes: Orders are paged by a cursor."
    write(world, memory, "task_episode", "agent_episode", agent)
    world.settle()
    late = f"Task {TASK} completed with status: FAILED. Duration: 900s. Note: This is a minimal episode."
    write(world, memory, "orchestrator_fallback_episode", "orchestrator_fallback", late)
    world.settle()
    episodes = [json.loads(text) for text in read(world, memory, f"/{REPO}/episodes/", "orders paged")]
    assert len(episodes) == 1, f"there are {len(episodes)} episodes"
    task = episodes[0]["task"]
    assert (task["status"], task["duration_s"]) == ("completed", 900.0), task
