"""The long-term pipeline as seen on the wire: strategies' records, IngestData, SKIP, schemas, variables, jobs."""

import json
import uuid
from datetime import datetime, timezone

from expectations import invalid, missing, wait_extraction

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=timezone.utc)
SEMANTIC = {"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/facts/{actorId}/"]}}
PREFERENCE = {"userPreferenceMemoryStrategy": {"name": "prefs", "namespaceTemplates": ["/prefs/{actorId}/"]}}
SUMMARY = {"summaryMemoryStrategy": {"name": "sums", "namespaceTemplates": ["/sums/{actorId}/{sessionId}/"]}}


def turn(text, role="USER"):
    """One conversational item."""
    return {"conversational": {"role": role, "content": {"text": text}}}


def listed(data, memory_id, path="/"):
    """Every record below a path."""
    return data.list_memory_records(memoryId=memory_id, namespacePath=path, maxResults=100)["memoryRecordSummaries"]


def test_events_become_records_of_each_strategy(data, new_memory, say):
    memory = new_memory(memoryStrategies=[SEMANTIC, PREFERENCE, SUMMARY])
    ids = {s["name"]: s["strategyId"] for s in memory["strategies"]}
    payload = [turn("I prefer tea over coffee, and I moved to Lisbon in May."), turn("Noted.", "ASSISTANT")]
    say(memory["id"], "", payload=payload, eventTimestamp=NOW)
    assert wait_extraction(memory["id"], "ann", "s1")["failed"] == 0
    facts = listed(data, memory["id"], "/facts/ann")
    assert any("Lisbon" in f["content"]["text"] for f in facts)
    assert all(f["memoryStrategyId"] == ids["facts"] and f["timestamp"] == NOW for f in facts)
    assert all(
        f["metadata"]["x-amz-agentcore-memory-recordType"] == {"stringValue": "EXTRACTED"} for f in facts
    )
    preferences = [json.loads(r["content"]["text"]) for r in listed(data, memory["id"], "/prefs/ann")]
    assert any("tea" in p["preference"] for p in preferences)
    assert all(set(p) == {"context", "preference", "categories"} for p in preferences)
    summaries = listed(data, memory["id"], "/sums/ann/s1")
    assert summaries and all("<topic name=" in s["content"]["text"] for s in summaries)
    found = data.retrieve_memory_records(
        memoryId=memory["id"], namespace="/facts/ann/", searchCriteria={"searchQuery": "When did I move to Lisbon?"}
    )["memoryRecordSummaries"]
    assert "Lisbon" in found[0]["content"]["text"] and found[0]["score"] >= 0.3


def test_a_repeated_sentence_yields_one_record(data, new_memory, say):
    memory_id = new_memory(memoryStrategies=[SEMANTIC])["id"]
    for session in ("s1", "s2", "s3"):
        say(memory_id, "My flight to Oslo leaves on Tuesday morning.", session=session)
    wait_extraction(memory_id)
    assert len(listed(data, memory_id, "/facts")) == 1


def test_skip_and_blobs_are_stored_and_never_extracted(data, new_memory, say):
    memory_id = new_memory(memoryStrategies=[SEMANTIC])["id"]
    say(memory_id, "I keep bees on the roof.", extractionMode="SKIP")
    say(memory_id, "", payload=[{"blob": "I breed alpacas."}])
    say(memory_id, "I repair clocks.")
    wait_extraction(memory_id)
    text = json.dumps([r["content"] for r in listed(data, memory_id)])
    assert "clocks" in text and "bees" not in text and "alpacas" not in text
    assert len(data.list_events(memoryId=memory_id, actorId="ann", sessionId="s1")["events"]) == 3


def test_a_deleted_event_keeps_its_records(data, new_memory, say):
    memory_id = new_memory(memoryStrategies=[SEMANTIC])["id"]
    event = say(memory_id, "I sing in a choir.")
    wait_extraction(memory_id)
    data.delete_event(memoryId=memory_id, actorId="ann", sessionId="s1", eventId=event["eventId"])
    assert any("choir" in r["content"]["text"] for r in listed(data, memory_id))


def test_messages_of_agent_frameworks_are_unwrapped(data, new_memory, say):
    memory_id = new_memory(memoryStrategies=[SEMANTIC])["id"]
    message = {"message": {"role": "user", "content": [{"text": "I collect fountain pens."}]}, "message_id": 0}
    say(memory_id, json.dumps(message))
    wait_extraction(memory_id)
    texts = [r["content"]["text"] for r in listed(data, memory_id, "/facts")]
    assert any("fountain pens" in t for t in texts) and not any("message_id" in t for t in texts)
    (event,) = data.list_events(memoryId=memory_id, actorId="ann", sessionId="s1")["events"]
    assert json.loads(event["payload"][0]["conversational"]["content"]["text"]) == message, "the event is untouched"


def test_ingested_data_leaves_records_and_no_event(data, new_memory):
    memory_id = new_memory(memoryStrategies=[SEMANTIC])["id"]
    source = {"inline": {"payload": [turn("I restore old radios."), {"json": {"content": {"hobby": "radios"}}}]}}
    members = {"memoryId": memory_id, "actorId": "ann", "contentTimestamp": NOW, "source": source}
    token = str(uuid.uuid4())
    answer = data.ingest_data(**members, clientToken=token)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 202 and uuid.UUID(answer["sessionId"])
    assert data.ingest_data(**members, clientToken=token)["sessionId"] == answer["sessionId"]
    other = members | {"actorId": "bob", "clientToken": token}
    invalid(data.ingest_data, reason="IdempotentParameterMismatchException", **other)
    wait_extraction(memory_id)
    records = listed(data, memory_id, "/facts/ann")
    assert any("radios" in r["content"]["text"] for r in records) and all(r["timestamp"] == NOW for r in records)
    assert data.list_actors(memoryId=memory_id)["actorSummaries"] == []
    assert data.list_sessions(memoryId=memory_id, actorId="ann")["sessionSummaries"] == []
    where = {"memoryId": memory_id, "actorId": "ann", "sessionId": answer["sessionId"]}
    assert data.list_events(**where)["events"] == []
    named = data.ingest_data(**members, sessionId="given")
    assert named["sessionId"] == "given"
    invalid(data.ingest_data, **(members | {"actorId": "has space"}))


def test_ingesting_without_a_strategy_stores_nothing(data, memory_id):
    source = {"inline": {"payload": [turn("I restore old radios.")]}}
    data.ingest_data(memoryId=memory_id, actorId="ann", contentTimestamp=NOW, source=source)
    wait_extraction(memory_id)
    assert listed(data, memory_id) == []


def test_strict_metadata_reaches_records_and_can_be_filtered(data, new_memory, say):
    schema = {"metadataSchema": [{"key": "ticket", "type": "STRING", "extractionType": "STRICTLY_CONSISTENT"}]}
    strategy = {"semanticMemoryStrategy": SEMANTIC["semanticMemoryStrategy"] | {"memoryRecordSchema": schema}}
    memory_id = new_memory(memoryStrategies=[strategy], indexedKeys=[{"key": "ticket", "type": "STRING"}])["id"]
    say(memory_id, "The login page is slow.", metadata={"ticket": {"stringValue": "T-1"}, "other": {"stringValue": "x"}})
    say(memory_id, "The login page is slow.", metadata={"ticket": {"stringValue": "T-2"}})
    wait_extraction(memory_id)
    records = listed(data, memory_id)
    assert sorted(r["metadata"]["ticket"]["stringValue"] for r in records) == ["T-1", "T-2"], "they never merge"
    assert all("other" not in r["metadata"] for r in records)
    one = {"left": {"metadataKey": "ticket"}, "operator": "EQUALS_TO", "right": {"metadataValue": {"stringValue": "T-2"}}}
    found = data.list_memory_records(memoryId=memory_id, namespacePath="/", metadataFilters=[one])
    assert len(found["memoryRecordSummaries"]) == 1


def test_a_missing_variable_fails_the_job_and_keeps_the_event(data, new_memory, say):
    template = {"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/{tenant}/{actorId}/"]}}
    memory = new_memory(memoryStrategies=[template], namespaceKeys=[{"key": "tenant"}])
    memory_id, strategy = memory["id"], memory["strategies"][0]["strategyId"]
    given = {"namespaceVariables": {"tenant": "acme"}}
    say(memory_id, "I drive a red tram.", session="good", extractionConfig=given)
    event = say(memory_id, "I drive a blue tram.", session="bad")
    waited = wait_extraction(memory_id)
    assert waited["failed"] == 1
    assert ["red" in r["content"]["text"] for r in listed(data, memory_id, "/acme/ann")] == [True]
    (job,) = data.list_memory_extraction_jobs(memoryId=memory_id)["jobs"]
    assert job["status"] == "FAILED" and "tenant" in job["failureReason"]
    assert (job["strategyId"], job["actorId"], job["sessionId"]) == (strategy, "ann", "bad")
    assert job["messages"] == {"messagesList": [{"eventId": event["eventId"], "messageIndex": 0}]}
    for members, count in (({"sessionId": "bad"}, 1), ({"sessionId": "good"}, 0), ({"strategyId": strategy, "actorId": "ann", "status": "FAILED"}, 1)):
        assert len(data.list_memory_extraction_jobs(memoryId=memory_id, filter=members)["jobs"]) == count
    started = data.start_memory_extraction_job(memoryId=memory_id, extractionJob={"jobId": job["jobID"]})
    assert started["jobId"] == job["jobID"]
    wait_extraction(memory_id)
    (again,) = data.list_memory_extraction_jobs(memoryId=memory_id)["jobs"]
    assert again["jobID"] == job["jobID"], "it failed again, under its id"
    missing(data.start_memory_extraction_job, memoryId=memory_id, extractionJob={"jobId": "unknown"})
    invalid(data.list_memory_extraction_jobs, memoryId=memory_id, maxResults=51)
    assert len(data.list_events(memoryId=memory_id, actorId="ann", sessionId="bad")["events"]) == 1


def test_variables_must_be_declared_and_valid(data, new_memory, say):
    template = {"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/{tenant}/{actorId}/"]}}
    keys = [{"key": "tenant", "validation": {"allowedValues": ["acme", "umbra"], "regexPattern": "a.*"}}]
    memory_id = new_memory(memoryStrategies=[template], namespaceKeys=keys)["id"]
    for variables in ({"tenant": "other"}, {"tenant": "umbra"}, {"undeclared": "acme"}):
        config = {"namespaceVariables": variables}
        invalid(say, memory_id=memory_id, text="x", extractionConfig=config)
    say(memory_id, "I drive a green tram.", extractionConfig={"namespaceVariables": {"tenant": "acme"}})
    wait_extraction(memory_id)
    assert len(listed(data, memory_id, "/acme/ann")) == 1
