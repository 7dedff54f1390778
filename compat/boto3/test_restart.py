"""What survives a restart: events, records, idempotency tokens and page tokens."""

from datetime import datetime, timezone

import boto3
from expectations import invalid, wait_extraction
from loci_server import serve

NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)


def planes(url):
    """Both clients for one address."""
    return [boto3.client(name, endpoint_url=url) for name in ("bedrock-agentcore-control", "bedrock-agentcore")]


def test_what_was_acknowledged_is_there_after_a_restart(tmp_path):
    strategy = {"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/facts/{actorId}/"]}}
    creation = {"name": "lasting", "eventExpiryDuration": 30, "memoryStrategies": [strategy], "clientToken": "memory-token"}
    with serve(tmp_path) as url:
        control, data = planes(url)
        memory_id = control.create_memory(**creation)["memory"]["id"]
        where = {"memoryId": memory_id, "actorId": "ann", "sessionId": "s1"}
        text = {"conversational": {"role": "USER", "content": {"text": "My boat is called Gull."}}}
        event = {"eventTimestamp": NOW, "payload": [text], "clientToken": "event-token"}
        first = data.create_event(**where, **event)["event"]
        for i in range(30):
            data.create_event(**where, eventTimestamp=NOW, payload=[{"blob": i}])
        record = {"requestIdentifier": "r", "namespaces": ["/x/"], "content": {"text": "batch"}, "timestamp": NOW}
        batch = {"memoryId": memory_id, "records": [record], "clientToken": "batch-token"}
        made = data.batch_create_memory_records(**batch)["successfulRecords"]
        page = data.list_events(**where, maxResults=20)
        wait_extraction(memory_id, url=url)
    with serve(tmp_path) as url:
        control, data = planes(url)
        assert control.create_memory(**creation)["memory"]["id"] == memory_id
        assert data.create_event(**where, **event)["event"]["eventId"] == first["eventId"]
        assert data.batch_create_memory_records(**batch)["successfulRecords"] == made
        changed = batch | {"records": [record | {"content": {"text": "other"}}]}
        invalid(data.batch_create_memory_records, reason="IdempotentParameterMismatchException", **changed)
        rest = data.list_events(**where, nextToken=page["nextToken"])
        assert len(rest["events"]) == 11 and "nextToken" not in rest
        ids = [e["eventId"] for e in page["events"] + rest["events"]]
        assert len(set(ids)) == 31 and first["eventId"] in ids
        criteria = {"searchQuery": "What is the boat called?"}
        found = data.retrieve_memory_records(memoryId=memory_id, namespacePath="/", searchCriteria=criteria)
        assert "Gull" in found["memoryRecordSummaries"][0]["content"]["text"]
