"""Creates the memory that the public acceptance tests expect to find, through the API alone.

Three strategies, one conversation of preferences and work, extraction finished, every namespace found by its query.
Prints the memory's id as its last line. It runs no tests.
"""

import json
import os
import sys
import urllib.request
from datetime import datetime, timezone

import boto3

ACTOR = "integ-test-actor"
SESSION = "integ-test-session"
STRATEGIES = [
    {"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/facts/{actorId}/"]}},
    {"userPreferenceMemoryStrategy": {"name": "preferences", "namespaceTemplates": ["/preferences/{actorId}/"]}},
    {"summaryMemoryStrategy": {"name": "summaries", "namespaceTemplates": ["/summaries/{actorId}/{sessionId}/"]}},
]
TURNS = [
    ("USER", "I prefer dark mode in every editor, I prefer Python rather than Java, and I like vim rather than emacs."),
    ("ASSISTANT", "Noted: dark mode, Python as your programming language, and vim as your editor."),
    ("USER", "At work I build distributed systems at a start-up in Seattle."),
    ("ASSISTANT", "Distributed systems at a Seattle start-up sounds interesting."),
]
QUERIES = {
    f"/facts/{ACTOR}/": "developer preferences",
    f"/preferences/{ACTOR}/": "programming language",
    f"/summaries/{ACTOR}/{SESSION}/": "distributed systems",
}


def wait(memory_id):
    """Waits until the session's extraction is complete."""
    request = urllib.request.Request(
        f"{os.environ['LOCI_URL']}/v1/memories/{memory_id}/extraction:wait",
        data=json.dumps({"actor": ACTOR, "session": SESSION, "timeout_ms": 60_000}).encode(),
        headers={"content-type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=90) as response:
        answer = json.load(response)
    if not answer.get("complete") or answer.get("failed"):
        sys.exit(f"extraction did not complete: {answer}")


def main():
    """Creates, waits, checks, prints."""
    control = boto3.client("bedrock-agentcore-control")
    data = boto3.client("bedrock-agentcore")
    memory = control.create_memory(
        name="integ_prepopulated", eventExpiryDuration=90, memoryStrategies=STRATEGIES
    )["memory"]
    payload = [{"conversational": {"role": role, "content": {"text": text}}} for role, text in TURNS]
    data.create_event(
        memoryId=memory["id"],
        actorId=ACTOR,
        sessionId=SESSION,
        eventTimestamp=datetime.now(timezone.utc),
        payload=payload,
    )
    wait(memory["id"])
    for namespace, query in QUERIES.items():
        found = data.retrieve_memory_records(
            memoryId=memory["id"], namespace=namespace, searchCriteria={"searchQuery": query, "topK": 3}
        )["memoryRecordSummaries"]
        if not found:
            sys.exit(f"nothing in {namespace} for {query!r}")
        print(f"{namespace} {query!r}: {len(found)} records, best {found[0]['score']:.3f}")
    print(memory["id"])


if __name__ == "__main__":
    main()
