"""What the Python checks share: memories, agents whose model is the stub, and what went through the recorder. It checks nothing.

Stock clients take their addresses from the environment; what they leave is looked at through Loci's own client and boto3.
"""

import json
import os
import pathlib
import sys
import urllib.request
import uuid

import boto3
from strands import Agent
from strands.models import BedrockModel

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "clients" / "python"))
from locimem import Client  # noqa: E402  (what looks into the server is there)

URL = os.environ["LOCI_URL"]
FACTS = {"kind": "semantic", "name": "facts", "namespace": "/facts/{actorId}/"}
PREFERENCES = {"kind": "user_preference", "name": "preferences", "namespace": "/preferences/{actorId}/"}
SUMMARIES = {"kind": "summary", "name": "summaries", "namespace": "/summaries/{actorId}/{sessionId}/"}


def loci(url=URL):
    """Loci's own client."""
    return Client(url, timeout=60)


def memory(*strategies, prefix="strands"):
    """The id of a new memory."""
    return loci().memory_create({"name": f"{prefix}_{uuid.uuid4().hex[:12]}", "strategies": list(strategies)})["id"]


def wait(memory_id, url=URL):
    """Waits until nothing is left to extract."""
    told = loci(url).extraction_wait(memory_id, {"timeout_ms": 50_000})
    assert told["complete"] and not told["failed"], told


def agent(model_id, **more):
    """A stock agent on a stock model, whose service is the stub. A model that is called `quiet…` repeats nothing."""
    return Agent(model=BedrockModel(model_id=model_id, region_name="us-west-2"), callback_handler=None, **more)


def said(result):
    """The text of an agent's answer."""
    return "".join(block.get("text", "") for block in result.message["content"])


def conversation(messages):
    """Texts by role."""
    return [(one["role"], "".join(block.get("text", "") for block in one["content"])) for one in messages]


def recorded(tail=""):
    """What went through the recorder, of paths that end so."""
    with urllib.request.urlopen(f"{os.environ['RECORDER_URL']}/recorded", timeout=30) as answer:
        return [one for one in json.load(answer) if one["path"].endswith(tail)]


def forget_recorded():
    """Begins to count anew."""
    request = urllib.request.Request(f"{os.environ['RECORDER_URL']}/recorded", method="DELETE")
    with urllib.request.urlopen(request, timeout=30):
        pass


def events(memory_id, actor, session, url=URL):
    """Events of a session, oldest first, as boto3 tells them."""
    data = boto3.client("bedrock-agentcore", endpoint_url=url)
    pages = data.get_paginator("list_events").paginate(memoryId=memory_id, actorId=actor, sessionId=session)
    return [event for page in pages for event in page["events"]][::-1]


def turns(payload):
    """What a payload says, by role."""
    return [(one["conversational"]["role"], one["conversational"]["content"]["text"]) for one in payload]
