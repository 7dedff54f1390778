"""Fresh memories for each test, and the closing line the runner reads. The server is the environment's."""

import uuid

import boto3
import pytest


@pytest.fixture(scope="session")
def control():
    """Client of the control plane: the integrations use the data plane only."""
    return boto3.client("bedrock-agentcore-control")


@pytest.fixture
def new_memory(control):
    """Makes memories with unique names, and deletes them afterwards."""
    made = []

    def make(**members):
        name = f"lg_{uuid.uuid4().hex[:12]}"
        memory = control.create_memory(name=name, eventExpiryDuration=30, **members)["memory"]
        made.append(memory["id"])
        return memory["id"]

    yield make
    for memory_id in made:
        control.delete_memory(memoryId=memory_id)


def pytest_unconfigure(config):
    """Prints the line the runner reads."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    count = {name: len(reporter.stats.get(name, [])) for name in ("passed", "failed", "error", "skipped")}
    print(f"\n{count['passed']} passed, {count['failed'] + count['error'] + count['skipped']} failed")
