"""Events: order, payload fidelity, metadata and branch filters, paging, idempotency, sessions and actors."""

import uuid
from datetime import datetime, timedelta, timezone

import pytest
from expectations import invalid, missing, pages

MAIN = {"name": "main"}


def texts(events):
    """The first text of each event."""
    return [e["payload"][0]["conversational"]["content"]["text"] for e in events]


def test_an_event_comes_back_as_it_was_sent(data, memory_id):
    payload = [
        {"conversational": {"role": "USER", "content": {"text": "hello \u00e9\U0001f600"}}},
        {"blob": {"z": 1, "a": [1, None, True, {"deep": "x"}], "n": 1.50}},
        {"blob": "a string"},
        {"json": {"content": {"rows": [1, 2, 3]}}},
        {"conversational": {"role": "TOOL", "content": {"text": "ran"}}},
    ]
    moment = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=timezone.utc)
    created = data.create_event(
        memoryId=memory_id,
        actorId="org/user:1",
        sessionId="s-1",
        eventTimestamp=moment,
        payload=payload,
        metadata={"stage": {"stringValue": "test run"}},
    )
    assert created["ResponseMetadata"]["HTTPStatusCode"] == 201
    event = created["event"]
    assert event["payload"] == payload and event["metadata"] == {"stage": {"stringValue": "test run"}}
    assert event["eventTimestamp"] == moment.replace(microsecond=678000), "milliseconds are kept, truncated"
    assert event["branch"] == MAIN and event["eventId"].split("#")[0] == f"{int(moment.timestamp() * 1000):019d}"
    where = {"memoryId": memory_id, "actorId": "org/user:1", "sessionId": "s-1"}
    assert data.get_event(**where, eventId=event["eventId"])["event"] == event
    assert data.list_events(**where)["events"] == [event]
    (bare,) = data.list_events(**where, includePayloads=False)["events"]
    assert "payload" not in bare and bare["eventId"] == event["eventId"]


def test_a_memory_is_reached_by_its_arn_too(data, new_memory, say):
    memory = new_memory()
    event = say(memory["arn"], "by arn")
    assert event["memoryId"] == memory["id"]
    got = data.list_events(memoryId=memory["arn"], actorId="ann", sessionId="s1")["events"]
    assert [e["eventId"] for e in got] == [event["eventId"]]
    missing(data.list_actors, memoryId=memory["arn"].replace(":us-", ":eu-"))


def test_a_session_is_made_up_when_none_is_given(data, memory_id):
    now = datetime.now(timezone.utc)
    event = data.create_event(memoryId=memory_id, actorId="ann", eventTimestamp=now, payload=[])["event"]
    assert uuid.UUID(event["sessionId"]).version == 4 and event["payload"] == []


def test_events_are_newest_first_and_ties_are_kept(data, memory_id, say):
    moment = datetime(2026, 2, 1, tzinfo=timezone.utc)
    say(memory_id, "late", eventTimestamp=moment + timedelta(days=1))
    for i in range(5):
        say(memory_id, f"tie {i}", eventTimestamp=moment)
    say(memory_id, "early", eventTimestamp=moment - timedelta(days=1))
    listed = data.list_events(memoryId=memory_id, actorId="ann", sessionId="s1")["events"]
    assert texts(listed) == ["late", "tie 4", "tie 3", "tie 2", "tie 1", "tie 0", "early"]
    assert [e["eventId"] for e in listed] == sorted((e["eventId"] for e in listed), reverse=True)


def test_pages_beyond_100_are_full_and_their_tokens_are_bound(data, memory_id, say):
    for i in range(250):
        metadata = {"even": {"stringValue": "yes"}} if i % 2 == 0 else {}
        say(memory_id, f"e{i}", **({"metadata": metadata} if metadata else {}))
    where = {"memoryId": memory_id, "actorId": "ann", "sessionId": "s1"}
    found = pages(data.list_events, "events", **where, maxResults=100)
    assert [len(page) for page in found] == [100, 100, 50]
    assert texts(sum(found, [])) == [f"e{i}" for i in reversed(range(250))]
    assert [len(p) for p in pages(data.list_events, "events", **where)] == [20] * 12 + [10], "20 by default"
    even = {"eventMetadata": [{"left": {"metadataKey": "even"}, "operator": "EXISTS"}]}
    found = pages(data.list_events, "events", **where, filter=even, maxResults=100)
    assert [len(page) for page in found] == [100, 25], "filters come before paging"
    first = data.list_events(**where, maxResults=10)
    say(memory_id, "added between pages")
    rest = data.list_events(**where, maxResults=100, nextToken=first["nextToken"])["events"]
    assert texts(rest)[0] == "e239", "no gap, no duplicate, another page size"
    invalid(data.list_events, **where, filter=even, nextToken=first["nextToken"], reason=None)
    invalid(data.list_events, **(where | {"sessionId": "s2"}), nextToken=first["nextToken"], reason=None)
    invalid(data.list_events, **where, nextToken="garbage", reason=None)
    invalid(data.list_events, **where, maxResults=101)


def test_metadata_filters_see_what_was_just_written(data, memory_id, say):
    where = {"memoryId": memory_id, "actorId": "ann", "sessionId": "s1"}

    def listed(*conditions):
        filters = []
        for key, operator, *value in conditions:
            one = {"left": {"metadataKey": key}, "operator": operator}
            filters.append(one | ({"right": {"metadataValue": {"stringValue": value[0]}}} if value else {}))
        return texts(data.list_events(**where, filter={"eventMetadata": filters})["events"])

    for i in range(10):
        say(memory_id, f"a{i}", metadata={"kind": {"stringValue": "A"}, "n": {"stringValue": str(i)}})
        assert listed(("n", "EQUALS_TO", str(i))) == [f"a{i}"]
    say(memory_id, "plain")
    assert len(listed(("kind", "EQUALS_TO", "A"))) == 10 and listed(("kind", "EQUALS_TO", "a")) == []
    assert listed(("kind", "NOT_EXISTS")) == ["plain"]
    assert listed(("kind", "EXISTS"), ("n", "EQUALS_TO", "3")) == ["a3"]
    right = {"metadataValue": {"stringValue": "x"}}
    surplus = {"left": {"metadataKey": "kind"}, "operator": "EXISTS", "right": right}
    invalid(data.list_events, **where, filter={"eventMetadata": [surplus]})
    lacking = {"left": {"metadataKey": "kind"}, "operator": "EQUALS_TO"}
    invalid(data.list_events, **where, filter={"eventMetadata": [lacking]})
    invalid(data.list_events, **where, filter={"eventMetadata": [lacking | {"right": right}] * 6})


def test_branches(data, memory_id, say):
    where = {"memoryId": memory_id, "actorId": "ann", "sessionId": "s1"}

    def listed(name, parents=False):
        branch = {"name": name, "includeParentBranches": parents}
        return texts(data.list_events(**where, filter={"branch": branch})["events"])

    say(memory_id, "m1")
    root = say(memory_id, "m2")
    say(memory_id, "m3", branch=MAIN)
    opened = say(memory_id, "b1", branch={"name": "fork", "rootEventId": root["eventId"]})
    assert opened["branch"] == {"name": "fork", "rootEventId": root["eventId"]}
    second = say(memory_id, "b2", branch={"name": "fork"})
    assert second["branch"] == opened["branch"], "later events need the name alone"
    say(memory_id, "c1", branch={"name": "deeper", "rootEventId": opened["eventId"]})
    assert listed("main") == ["m3", "m2", "m1"] and listed("fork") == ["b2", "b1"]
    assert listed("fork", True) == ["b2", "b1", "m2", "m1"]
    assert listed("deeper", True) == ["c1", "b1", "m2", "m1"]
    assert listed("unknown") == []
    assert texts(data.list_events(**where)["events"]) == ["c1", "b2", "b1", "m3", "m2", "m1"]
    invalid(say, memory_id=memory_id, text="x", branch={"name": "rootless"})
    invalid(say, memory_id=memory_id, text="x", branch={"name": "main", "rootEventId": root["eventId"]})
    invalid(say, memory_id=memory_id, text="x", branch={"name": "fork", "rootEventId": opened["eventId"]})
    elsewhere = {"name": "new", "rootEventId": root["eventId"]}
    invalid(say, reason="EventInOtherSession", memory_id=memory_id, text="x", session="s2", branch=elsewhere)
    nowhere = {"name": "new", "rootEventId": "0000000000000000001#00000000"}
    invalid(say, memory_id=memory_id, text="x", branch=nowhere)
    data.delete_event(**where, eventId=root["eventId"])
    assert listed("fork") == ["b2", "b1"], "a branch outlives its root"


def test_a_token_is_replayed_and_a_mismatch_returns_the_first_event(data, memory_id, say):
    token = f"{memory_id}-ann-run-{'x' * 100}-0-3"
    moment = datetime(2026, 3, 1, tzinfo=timezone.utc)
    first = say(memory_id, "one", clientToken=token, eventTimestamp=moment)
    assert say(memory_id, "one", clientToken=token, eventTimestamp=moment)["eventId"] == first["eventId"]
    assert say(memory_id, "other", clientToken=token, eventTimestamp=moment)["eventId"] == first["eventId"]
    listed = data.list_events(memoryId=memory_id, actorId="ann", sessionId="s1")["events"]
    assert texts(listed) == ["one"]


def test_deleting_hides_the_event_alone(data, memory_id, say):
    where = {"memoryId": memory_id, "actorId": "ann", "sessionId": "s1"}
    kept, gone = say(memory_id, "kept"), say(memory_id, "gone")
    assert data.delete_event(**where, eventId=gone["eventId"])["eventId"] == gone["eventId"]
    missing(data.get_event, **where, eventId=gone["eventId"])
    missing(data.delete_event, **where, eventId=gone["eventId"])
    missing(data.get_event, **(where | {"actorId": "bob"}), eventId=kept["eventId"])
    missing(data.get_event, **(where | {"sessionId": "s2"}), eventId=kept["eventId"])
    assert [e["eventId"] for e in data.list_events(**where)["events"]] == [kept["eventId"]]


def test_actors_and_sessions(data, memory_id, say):
    for actor in ("carl", "ann", "bob"):
        say(memory_id, "hi", actor=actor)
    for session in ("s2", "s3"):
        say(memory_id, "hi", session=session)
    actors = pages(data.list_actors, "actorSummaries", memoryId=memory_id, maxResults=2)
    assert [[a["actorId"] for a in page] for page in actors] == [["ann", "bob"], ["carl"]]
    found = data.list_sessions(memoryId=memory_id, actorId="ann")["sessionSummaries"]
    assert [s["sessionId"] for s in found] == ["s3", "s2", "s1"], "newest first"
    assert all(s["actorId"] == "ann" and isinstance(s["createdAt"], datetime) for s in found)
    assert [len(p) for p in pages(data.list_sessions, "sessionSummaries", memoryId=memory_id, actorId="ann", maxResults=2)] == [2, 1]
    assert data.list_sessions(memoryId=memory_id, actorId="nobody")["sessionSummaries"] == []
    assert data.list_events(memoryId=memory_id, actorId="nobody", sessionId="s1")["events"] == []
    only = data.list_events(memoryId=memory_id, actorId="ann", sessionId="s2")["events"][0]
    data.delete_event(memoryId=memory_id, actorId="ann", sessionId="s2", eventId=only["eventId"])
    live = data.list_sessions(memoryId=memory_id, actorId="ann", filter={"eventFilter": "HAS_EVENTS"})
    assert [s["sessionId"] for s in live["sessionSummaries"]] == ["s3", "s1"]


@pytest.mark.parametrize(
    "members",
    [
        {"actorId": "-starts-with-dash"},
        {"actorId": "has space"},
        {"actorId": "a" * 256},
        {"sessionId": "has/slash"},
        {"sessionId": "s" * 101},
        {"branch": {"name": "has space"}},
        {"extractionMode": "LATER"},
        {"payload": [{"conversational": {"role": "SYSTEM", "content": {"text": "x"}}}]},
        {"extractionConfig": {"namespaceVariables": {"undeclared": "x"}}},
    ],
)
def test_bad_events_are_refused(data, memory_id, members):
    text = {"conversational": {"role": "USER", "content": {"text": "x"}}}
    base = {"actorId": "ann", "sessionId": "s1", "eventTimestamp": 1_767_323_045.5, "payload": [text]}
    invalid(data.create_event, memoryId=memory_id, **(base | members))


def test_ten_megabytes_are_stored_and_returned(data, memory_id):
    blob = "x" * 9_900_000
    where = {"memoryId": memory_id, "actorId": "ann", "sessionId": "s1"}
    event = data.create_event(**where, eventTimestamp=datetime.now(timezone.utc), payload=[{"blob": blob}])["event"]
    assert data.get_event(**where, eventId=event["eventId"])["event"]["payload"] == [{"blob": blob}]


def test_a_message_over_the_limit_is_stored_in_lenient_mode(data, memory_id, say):
    event = say(memory_id, "y" * 100_001)
    where = {"memoryId": memory_id, "actorId": "ann", "sessionId": "s1"}
    assert len(texts([data.get_event(**where, eventId=event["eventId"])["event"]])[0]) == 100_001
