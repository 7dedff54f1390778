"""The protocol below the SDK: routes, spellings, headers, number types and errors of raw requests."""

import http.client
import json
import urllib.parse

import pytest


@pytest.fixture
def send(url):
    """Sends one raw request; returns status, headers and the parsed body."""
    address = urllib.parse.urlsplit(url)

    def run(method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        connection.request(method, path, body=body, headers=headers or {"content-type": "application/json"})
        response = connection.getresponse()
        raw = response.read()
        connection.close()
        return response.status, response.headers, json.loads(raw) if raw else None

    return run


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/memories/create"),
        ("PUT", "/memories/m-0000000000"),
        ("POST", "/memories/m-0000000000/nothing"),
        ("PUT", "/resourcepolicy/arn%3Aaws%3Abedrock-agentcore%3Aus-west-2%3A000000000000%3Amemory%2Fm-0000000000"),
        ("GET", "/runtimes/"),
    ],
)
def test_other_operations_are_unknown(send, method, path):
    status, headers, body = send(method, path)
    assert status == 404 and headers["x-amzn-errortype"].startswith("UnknownOperationException")
    assert headers["x-amzn-requestid"] and body["message"] and headers["date"]


def test_memories_are_listed_with_and_without_the_slash(send):
    for path in ("/memories/", "/memories"):
        for body in (None, "", "{}"):
            status, headers, answer = send("POST", path, body)
            assert status == 200 and isinstance(answer["memories"], list), (path, body)
            assert headers["content-type"].startswith("application/json") and headers["x-amzn-requestid"]


@pytest.mark.parametrize("body", ["{", "[]", '"x"', '{"maxResults": "ten"}', "\xff"])
def test_bodies_that_cannot_be_parsed(send, body):
    status, headers, answer = send("POST", "/memories/", body.encode("latin-1"))
    assert status == 400 and headers["x-amzn-errortype"] == "ValidationException"
    assert answer["reason"] == "CannotParse" and answer["message"] and answer["__type"] == "ValidationException"


def test_null_and_unknown_members_are_ignored(send, memory_id):
    body = {"maxResults": None, "nextToken": None, "unknown": {"deep": [1]}}
    status, _, answer = send("POST", f"/memories/{memory_id}/actors", json.dumps(body))
    assert (status, answer) == (200, {"actorSummaries": []}), "no null and no empty token in the answer"


@pytest.mark.parametrize(
    ("moment", "stored"),
    [
        (1767323045, 1767323045),
        (1767323045.678901, 1767323045.678),
        ("2026-01-02T03:04:05.678Z", 1767323045.678),
        (0, 0),
        (1767323045678e-3, 1767323045.678),
    ],
)
def test_timestamps_are_numbers_of_milliseconds(send, memory_id, moment, stored):
    event = {"actorId": "a", "sessionId": "s", "eventTimestamp": moment, "payload": []}
    status, _, answer = send("POST", f"/memories/{memory_id}/events", json.dumps(event))
    assert status == 201 and answer["event"]["eventTimestamp"] == stored
    assert isinstance(answer["event"]["eventTimestamp"], (int, float))


def test_json_documents_keep_their_number_text_and_order(url, send, memory_id):
    raw = '{"b":1.10,"a":[1e3,12345678901234567890,null],"c":{}}'
    body = f'{{"actorId":"a","sessionId":"s","eventTimestamp":1,"payload":[{{"blob":{raw}}},{{"json":{{"content":{raw}}}}}]}}'
    status, _, _ = send("POST", f"/memories/{memory_id}/events", body)
    assert status == 201
    address = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    connection.request("POST", f"/memories/{memory_id}/actor/a/sessions/s", body="{}")
    text = connection.getresponse().read().decode()
    connection.close()
    assert text.replace(" ", "").count(raw) == 2


def test_unions_have_exactly_one_member(send, memory_id):
    for item in ({}, {"blob": 1, "json": {"content": 1}}):
        event = {"actorId": "a", "sessionId": "s", "eventTimestamp": 1, "payload": [item]}
        status, _, answer = send("POST", f"/memories/{memory_id}/events", json.dumps(event))
        assert status == 400 and answer["__type"] == "ValidationException", item


def test_ids_are_decoded_by_segment(send, memory_id):
    event = {"actorId": "org/user:1", "sessionId": "s", "eventTimestamp": 1, "payload": []}
    _, _, made = send("POST", f"/memories/{memory_id}/events", json.dumps(event))
    event_id = urllib.parse.quote(made["event"]["eventId"], safe="")
    path = f"/memories/{memory_id}/actor/org%2Fuser%3A1/sessions/s/events/{event_id}"
    assert send("GET", path)[0] == 200
    assert send("GET", path.replace("%2F", "/"))[0] == 404, "a slash is another segment"
    status, _, answer = send("DELETE", path)
    assert (status, answer) == (200, {"eventId": made["event"]["eventId"]})


def test_a_body_over_the_limit_is_refused_and_11_megabytes_are_not(send, memory_id):
    event = {"actorId": "a", "sessionId": "s", "eventTimestamp": 1, "payload": [{"blob": "x"}]}
    padded = json.dumps(event | {"ignored": "x" * 11_000_000})
    assert send("POST", f"/memories/{memory_id}/events", padded)[0] == 201
    try:
        status, _, answer = send("POST", f"/memories/{memory_id}/events", json.dumps(event | {"ignored": "x" * 20_000_000}))
    except (BrokenPipeError, ConnectionResetError):
        return  # The server may close while we still send.
    assert 400 <= status < 500 and answer["message"]
