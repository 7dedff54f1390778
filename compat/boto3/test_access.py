"""Verified mode: signatures are checked against keys, and grants by memory, actor, session and namespace hold."""

import http.client
import urllib.parse
import urllib.request
from datetime import datetime, timezone

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from expectations import missing, refused
from loci_server import create_key, first_key, serve

NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)
CONFIG = Config(retries={"total_max_attempts": 1})


def clients(url, key, region="us-west-2", secret=None):
    """Both planes with one key's credentials."""
    members = {
        "endpoint_url": url,
        "region_name": region,
        "aws_access_key_id": key["access_key_id"],
        "aws_secret_access_key": secret or key["secret_access_key"],
        "config": CONFIG,
    }
    return boto3.client("bedrock-agentcore-control", **members), boto3.client("bedrock-agentcore", **members)


@pytest.fixture(scope="module")
def verified(tmp_path_factory):
    """A server with an administrator's key, a memory with records and events, and keys for parts of it."""
    folder = tmp_path_factory.mktemp("verified")
    admin = first_key(folder, "admin")
    with serve(folder) as url:
        control, data = clients(url, admin)
        memory_id = control.create_memory(name="guarded", eventExpiryDuration=30)["memory"]["id"]
        other_id = control.create_memory(name="other", eventExpiryDuration=30)["memory"]["id"]
        for actor, session in (("ann", "s1"), ("ann", "s2"), ("bob", "s1")):
            members = {"memoryId": memory_id, "actorId": actor, "sessionId": session, "eventTimestamp": NOW}
            data.create_event(**members, payload=[{"blob": f"{actor} {session}"}])
        records = [
            {"requestIdentifier": str(i), "namespaces": [n], "content": {"text": f"a fact in {n}"}, "timestamp": NOW}
            for i, n in enumerate(["/facts/ann/", "/facts/bob/"])
        ]
        made = data.batch_create_memory_records(memoryId=memory_id, records=records)["successfulRecords"]

        def key(name, **grant):
            grant.setdefault("capabilities", ["read", "write"])
            return clients(url, create_key(url, name, [{"memory": memory_id} | grant], admin["token"]))

        yield {
            "url": url,
            "admin": admin,
            "memory": memory_id,
            "other": other_id,
            "records": [m["memoryRecordId"] for m in made],
            "key": key,
        }


def test_the_administrators_signature_is_accepted_for_any_region(verified):
    for region in ("us-west-2", "eu-central-1"):
        control, data = clients(verified["url"], verified["admin"], region=region)
        assert {m["id"] for m in control.list_memories()["memories"]} == {verified["memory"], verified["other"]}
        made = data.create_event(
            memoryId=verified["memory"], actorId="org/user:1", sessionId="s", eventTimestamp=NOW, payload=[]
        )["event"]
        where = {"memoryId": verified["memory"], "actorId": "org/user:1", "sessionId": "s"}
        assert data.get_event(**where, eventId=made["eventId"])["event"]["eventId"] == made["eventId"]
        data.delete_event(**where, eventId=made["eventId"])
        arn = control.get_memory(memoryId=verified["memory"])["memory"]["arn"]
        control.tag_resource(resourceArn=arn, tags={"a": "b c"})
        control.untag_resource(resourceArn=arn, tagKeys=["a", "b c"])


def test_a_wrong_secret_and_an_unknown_key_are_denied(verified):
    control, data = clients(verified["url"], verified["admin"], secret="wrong")
    refused("AccessDeniedException", control.list_memories)
    refused("AccessDeniedException", data.list_actors, memoryId=verified["memory"])
    unknown = verified["admin"] | {"access_key_id": "AKIAUNKNOWN000000000"}
    refused("AccessDeniedException", clients(verified["url"], unknown)[0].list_memories)


def signed(verified, service="bedrock-agentcore", body=b"{}"):
    """A signed request for a list of memories."""
    request = AWSRequest("POST", verified["url"] + "/memories/", data=body, headers={"content-type": "application/json"})
    key = Credentials(verified["admin"]["access_key_id"], verified["admin"]["secret_access_key"])
    SigV4Auth(key, service, "us-west-2").add_auth(request)
    return request.prepare()


def send(verified, headers, body=b"{}"):
    """Sends it raw; returns the status and the error's name."""
    address = urllib.parse.urlsplit(verified["url"])
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    connection.request("POST", "/memories/", body=body, headers=dict(headers))
    response = connection.getresponse()
    response.read()
    connection.close()
    assert response.headers["date"], "clients correct their clocks by it"
    return response.status, response.headers.get("x-amzn-errortype", "").split(":")[0]


def test_signatures_cover_service_body_and_time(verified):
    denied = (403, "AccessDeniedException")
    good = signed(verified)
    assert send(verified, good.headers) == (200, "")
    assert send(verified, {"content-type": "application/json"}) == denied, "unsigned"
    assert send(verified, signed(verified, service="s3").headers) == denied, "another service"
    assert send(verified, good.headers, body=b'{"maxResults":1}') == denied, "another body"
    tampered = dict(good.headers) | {"Authorization": good.headers["Authorization"][:-1] + "g"}
    assert send(verified, tampered) == denied
    garbled = dict(good.headers) | {"Authorization": "AWS4-HMAC-SHA256 nonsense"}
    assert send(verified, garbled) == denied
    old = dict(good.headers) | {"X-Amz-Date": "20200101T000000Z"}
    assert send(verified, old) == denied


def test_a_key_of_one_memory_sees_no_other_and_administers_none(verified):
    control, data = verified["key"]("one-memory")
    assert [m["id"] for m in control.list_memories()["memories"]] == [verified["memory"]]
    assert len(data.list_actors(memoryId=verified["memory"])["actorSummaries"]) >= 2
    refused("AccessDeniedException", data.list_actors, memoryId=verified["other"])
    refused("AccessDeniedException", data.list_actors, memoryId="unknown-0000000000")
    refused("AccessDeniedException", control.create_memory, name="mine", eventExpiryDuration=30)
    refused("AccessDeniedException", control.delete_memory, memoryId=verified["memory"])
    refused("AccessDeniedException", control.update_memory, memoryId=verified["memory"], description="x")


def test_a_key_that_only_reads(verified):
    _, data = verified["key"]("reader", capabilities=["read"])
    where = {"memoryId": verified["memory"], "actorId": "ann", "sessionId": "s1"}
    (event,) = data.list_events(**where)["events"]
    refused("AccessDeniedException", data.create_event, **where, eventTimestamp=NOW, payload=[])
    refused("AccessDeniedException", data.delete_event, **where, eventId=event["eventId"])


def test_a_key_of_one_actor(verified):
    _, data = verified["key"]("ann", actor="ann")
    where = {"memoryId": verified["memory"], "sessionId": "s1"}
    assert len(data.list_events(**where, actorId="ann")["events"]) == 1
    refused("AccessDeniedException", data.list_events, **where, actorId="bob")
    refused("AccessDeniedException", data.create_event, **where, actorId="bob", eventTimestamp=NOW, payload=[])
    assert [a["actorId"] for a in data.list_actors(memoryId=verified["memory"])["actorSummaries"]] == ["ann"]


def test_a_key_of_one_session(verified):
    _, data = verified["key"]("session", actor="ann", session="s2")
    where = {"memoryId": verified["memory"], "actorId": "ann"}
    assert len(data.list_events(**where, sessionId="s2")["events"]) == 1
    refused("AccessDeniedException", data.list_events, **where, sessionId="s1")


def test_a_key_of_one_namespace(verified):
    _, data = verified["key"]("namespace", namespace="/facts/ann/")
    mine, others = verified["records"]
    memory_id = verified["memory"]
    criteria = {"searchQuery": "a fact"}
    found = data.retrieve_memory_records(memoryId=memory_id, namespacePath="/", searchCriteria=criteria)
    assert [r["memoryRecordId"] for r in found["memoryRecordSummaries"]] == [mine], "narrowed to the grant"
    refused(
        "AccessDeniedException", data.retrieve_memory_records, memoryId=memory_id, namespace="/facts/bob/", searchCriteria=criteria
    )
    assert data.get_memory_record(memoryId=memory_id, memoryRecordId=mine)["memoryRecord"]["memoryRecordId"] == mine
    missing(data.get_memory_record, memoryId=memory_id, memoryRecordId=others)
    missing(data.delete_memory_record, memoryId=memory_id, memoryRecordId=others)
    answer = data.batch_delete_memory_records(memoryId=memory_id, records=[{"memoryRecordId": others}])
    assert [r["errorCode"] for r in answer["failedRecords"]] == [404]
    refused("AccessDeniedException", data.list_events, memoryId=memory_id, actorId="ann", sessionId="s1")


def test_the_native_api_takes_the_bearer_token_only(verified):
    url = f"{verified['url']}/v1/memories/{verified['memory']}/extraction:wait"

    def status(**headers):
        request = urllib.request.Request(url, data=b'{"timeout_ms":1000}', method="POST")
        request.add_header("content-type", "application/json")
        for name, value in headers.items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code

    assert status(authorization=f"Bearer {verified['admin']['token']}") == 200
    assert status() in (401, 403) and status(authorization="Bearer wrong") in (401, 403)
