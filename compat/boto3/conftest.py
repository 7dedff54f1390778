"""What every test of this suite starts from: clients of both planes, fresh memories, and the closing line.

The server under test is the one the environment points at; tests that need keys or a restart start their own through
`loci_server`. Every client makes one attempt only, so that a retried error cannot pass unseen.
"""

import itertools
import os
import uuid
from datetime import datetime, timedelta, timezone

import boto3
import pytest
from botocore.config import Config

CONFIG = Config(retries={"total_max_attempts": 1})
COUNTER = itertools.count()


@pytest.fixture(scope="session")
def control():
    """Client of the control plane."""
    return boto3.client("bedrock-agentcore-control", config=CONFIG)


@pytest.fixture(scope="session")
def data():
    """Client of the data plane."""
    return boto3.client("bedrock-agentcore", config=CONFIG)


@pytest.fixture(scope="session")
def url():
    """Where the server listens."""
    return os.environ["LOCI_URL"]


@pytest.fixture
def new_memory(control):
    """Makes memories with unique names, and deletes them afterwards."""
    made = []

    def make(**members):
        members.setdefault("name", f"m_{uuid.uuid4().hex[:12]}")
        members.setdefault("eventExpiryDuration", 30)
        memory = control.create_memory(**members)["memory"]
        made.append(memory["id"])
        return memory

    yield make
    for memory_id in made:
        try:
            control.delete_memory(memoryId=memory_id)
        except control.exceptions.ResourceNotFoundException:
            pass


@pytest.fixture
def memory_id(new_memory):
    """A memory without strategies."""
    return new_memory()["id"]


@pytest.fixture
def say(data):
    """Creates events of one text, a second apart, so that their order is known."""
    start = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=timezone.utc)

    def create(memory_id, text, actor="ann", session="s1", role="USER", **members):
        members.setdefault("eventTimestamp", start + timedelta(seconds=next(COUNTER)))
        payload = [{"conversational": {"role": role, "content": {"text": text}}}]
        members.setdefault("payload", payload)
        return data.create_event(memoryId=memory_id, actorId=actor, sessionId=session, **members)["event"]

    return create


def pytest_unconfigure(config):
    """Prints the line the runner reads."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    count = {name: len(reporter.stats.get(name, [])) for name in ("passed", "failed", "error", "skipped")}
    print(f"\n{count['passed']} passed, {count['failed'] + count['error'] + count['skipped']} failed")
