"""Records: the three batch operations, single records, listing, retrieval, namespaces, metadata and its filters."""

import uuid
from datetime import datetime, timedelta, timezone

import pytest
from botocore.exceptions import ParamValidationError
from expectations import invalid, missing, pages, refused, wait_extraction

NOW = datetime(2026, 4, 1, 12, 0, 0, 250000, tzinfo=timezone.utc)
SYSTEM = "x-amz-agentcore-memory-"


def record(text, namespace="/facts/ann/", **members):
    """One item of a batch create."""
    base = {"requestIdentifier": uuid.uuid4().hex, "namespaces": [namespace], "content": {"text": text}, "timestamp": NOW}
    return base | members


@pytest.fixture
def create(data):
    """Creates records and returns their ids, in order."""

    def run(memory_id, *records, **members):
        answer = data.batch_create_memory_records(memoryId=memory_id, records=list(records), **members)
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 201 and answer["failedRecords"] == []
        made = answer["successfulRecords"]
        assert [m["requestIdentifier"] for m in made] == [r["requestIdentifier"] for r in records]
        assert all(m["status"] == "SUCCEEDED" for m in made)
        return [m["memoryRecordId"] for m in made]

    return run


def test_a_record_is_created_read_updated_and_deleted(data, memory_id, create):
    (record_id,) = create(memory_id, record("The build uses cargo nextest.", metadata={"team": {"stringValue": "core"}}))
    assert record_id.startswith("mem-") and 40 <= len(record_id) <= 50
    got = data.get_memory_record(memoryId=memory_id, memoryRecordId=record_id, namespace="/facts/ann")["memoryRecord"]
    assert got["content"] == {"text": "The build uses cargo nextest."} and got["namespaces"] == ["/facts/ann/"]
    assert got["memoryStrategyId"] == "none" and got["timestamp"] == NOW and "expiresAt" not in got
    assert got["metadata"]["team"] == {"stringValue": "core"}
    assert got["metadata"][SYSTEM + "recordType"] == {"stringValue": "BATCH_CREATED"}
    assert isinstance(got["metadata"][SYSTEM + "createdAt"]["dateTimeValue"], datetime)
    assert isinstance(got["createdAt"], datetime)
    later = NOW + timedelta(days=1)
    update = {"memoryRecordId": record_id, "timestamp": later, "content": {"text": "The build uses plain cargo test."}}
    answer = data.batch_update_memory_records(memoryId=memory_id, records=[update])
    assert [r["memoryRecordId"] for r in answer["successfulRecords"]] == [record_id] and answer["failedRecords"] == []
    got = data.get_memory_record(memoryId=memory_id, memoryRecordId=record_id)["memoryRecord"]
    assert got["content"]["text"].endswith("plain cargo test.") and got["timestamp"] == later
    assert got["metadata"]["team"] == {"stringValue": "core"}, "absent members are unchanged"
    found = data.retrieve_memory_records(
        memoryId=memory_id, namespace="/facts/ann/", searchCriteria={"searchQuery": "how are the tests run with cargo"}
    )["memoryRecordSummaries"]
    assert [f["memoryRecordId"] for f in found] == [record_id]
    assert data.delete_memory_record(memoryId=memory_id, memoryRecordId=record_id)["memoryRecordId"] == record_id
    missing(data.get_memory_record, memoryId=memory_id, memoryRecordId=record_id)
    missing(data.delete_memory_record, memoryId=memory_id, memoryRecordId=record_id)
    assert data.list_memory_records(memoryId=memory_id, namespacePath="/")["memoryRecordSummaries"] == []


def test_a_batch_reports_each_item(data, memory_id):
    records = [
        record("fine"),
        record("nowhere", namespaces=[]),
        record("of a stranger", memoryStrategyId="facts-0000000000"),
        record("fine too"),
    ]
    answer = data.batch_create_memory_records(memoryId=memory_id, records=records)
    ids = [r["requestIdentifier"] for r in records]
    assert [r["requestIdentifier"] for r in answer["successfulRecords"]] == [ids[0], ids[3]]
    failed = answer["failedRecords"]
    assert [r["requestIdentifier"] for r in failed] == [ids[1], ids[2]]
    assert all(r["status"] == "FAILED" and r["errorCode"] == 400 and r["errorMessage"] for r in failed)
    missing(data.get_memory_record, memoryId=memory_id, memoryRecordId=failed[0]["memoryRecordId"])
    known, unknown = answer["successfulRecords"][0]["memoryRecordId"], "mem-" + str(uuid.uuid4())
    update = [{"memoryRecordId": unknown, "timestamp": NOW}, {"memoryRecordId": known, "timestamp": NOW}]
    answer = data.batch_update_memory_records(memoryId=memory_id, records=update)
    assert [r["memoryRecordId"] for r in answer["successfulRecords"]] == [known]
    assert [(r["memoryRecordId"], r["errorCode"]) for r in answer["failedRecords"]] == [(unknown, 404)]
    delete = [{"memoryRecordId": known, "namespace": "/facts/bob/"}, {"memoryRecordId": unknown}]
    answer = data.batch_delete_memory_records(memoryId=memory_id, records=delete)
    assert [r["errorCode"] for r in answer["failedRecords"]] == [403, 404] and answer["successfulRecords"] == []
    answer = data.batch_delete_memory_records(memoryId=memory_id, records=[{"memoryRecordId": known}])
    assert [r["memoryRecordId"] for r in answer["successfulRecords"]] == [known]
    for call in (data.batch_create_memory_records, data.batch_update_memory_records, data.batch_delete_memory_records):
        answer = call(memoryId=memory_id, records=[])
        assert (answer["successfulRecords"], answer["failedRecords"]) == ([], [])


@pytest.mark.parametrize(
    "members",
    [
        {"content": {"text": "x" * 16_001}},
        {"namespaces": ["/a/", "/b/"]},
        {"namespaces": ["/a|b/"]},
        {"requestIdentifier": "has space"},
        {"requestIdentifier": "x" * 81},
        {"metadata": {f"k{i}": {"stringValue": "v"} for i in range(21)}},
        {"metadata": {"k": {"stringListValue": ["a"] * 6}}},
        {"metadata": {SYSTEM + "recordType": {"stringValue": "EXTRACTED"}}},
        {"metadata": {"k": {"dateTimeValue": NOW}}},
    ],
)
def test_bad_records_fail_the_whole_request(data, memory_id, members):
    invalid(data.batch_create_memory_records, memoryId=memory_id, records=[record("fine"), record("bad") | members])
    assert data.list_memory_records(memoryId=memory_id, namespacePath="/")["memoryRecordSummaries"] == []


def test_batches_have_limits_and_no_duplicates(data, memory_id):
    one = record("x")
    invalid(data.batch_create_memory_records, memoryId=memory_id, records=[one, one])
    invalid(data.batch_create_memory_records, memoryId=memory_id, records=[record("x") for _ in range(101)])
    twice = [{"memoryRecordId": "mem-" + "0" * 36}] * 2
    invalid(data.batch_delete_memory_records, memoryId=memory_id, records=twice)


def test_a_batch_token_is_replayed_and_a_mismatch_refused(data, memory_id):
    token, records = str(uuid.uuid4()), [record("once")]
    first = data.batch_create_memory_records(memoryId=memory_id, records=records, clientToken=token)
    again = data.batch_create_memory_records(memoryId=memory_id, records=records, clientToken=token)
    assert again["successfulRecords"] == first["successfulRecords"]
    assert len(data.list_memory_records(memoryId=memory_id, namespacePath="/")["memoryRecordSummaries"]) == 1
    invalid(
        data.batch_create_memory_records,
        reason="IdempotentParameterMismatchException",
        memoryId=memory_id,
        records=[record("other")],
        clientToken=token,
    )


def test_namespaces_are_exact_and_paths_are_by_segment(data, memory_id, create):
    places = ["/facts/alice/", "/facts/alice/x/", "/factsheet/", "/facts/bob", "/acme/shop.js/"]
    create(memory_id, *[record(f"text at {i}", namespace=p) for i, p in enumerate(places)])

    def listed(**where):
        found = data.list_memory_records(memoryId=memory_id, **where)["memoryRecordSummaries"]
        searched = data.retrieve_memory_records(
            memoryId=memory_id, searchCriteria={"searchQuery": "text at", "topK": 100}, **where
        )["memoryRecordSummaries"]
        spaces = sorted(n for f in found for n in f["namespaces"])
        assert spaces == sorted(n for f in searched for n in f["namespaces"]), "listing and retrieval agree"
        return spaces

    for spelling in ("/facts/alice", "/facts/alice/", "facts/alice", "//facts//alice//"):
        assert listed(namespace=spelling) == ["/facts/alice/"], spelling
    assert listed(namespace="/facts/bob/") == ["/facts/bob"], "as it was written"
    for spelling in ("/facts", "/facts/"):
        assert listed(namespacePath=spelling) == ["/facts/alice/", "/facts/alice/x/", "/facts/bob"]
    assert listed(namespacePath="/") == sorted(places)
    assert listed(namespace="/facts/") == [] and listed(namespace="/*") == []
    invalid(data.list_memory_records, memoryId=memory_id)
    invalid(data.list_memory_records, memoryId=memory_id, namespace="/a/", namespacePath="/a/")
    criteria = {"searchQuery": "text"}
    invalid(data.retrieve_memory_records, memoryId=memory_id, searchCriteria=criteria)
    invalid(
        data.retrieve_memory_records, memoryId=memory_id, searchCriteria=criteria, namespace="/facts/{actorId}/", message="actorId"
    )


def test_a_namespace_that_is_not_the_records_is_denied(data, memory_id, create):
    (record_id,) = create(memory_id, record("mine"))
    where = {"memoryId": memory_id, "memoryRecordId": record_id}
    refused("AccessDeniedException", data.get_memory_record, **where, namespace="/facts/bob/")
    refused("AccessDeniedException", data.delete_memory_record, **where, namespace="/facts/")
    moved = {"memoryRecordId": record_id, "timestamp": NOW, "sourceNamespaces": ["/facts/bob/"], "namespaces": ["/x/"]}
    answer = data.batch_update_memory_records(memoryId=memory_id, records=[moved])
    assert [r["errorCode"] for r in answer["failedRecords"]] == [403]
    moved["sourceNamespaces"] = ["/facts/ann"]
    assert data.batch_update_memory_records(memoryId=memory_id, records=[moved])["failedRecords"] == []
    assert data.get_memory_record(**where, namespace="/x")["memoryRecord"]["namespaces"] == ["/x/"]


def test_scores_rank_and_tell_relevant_from_unrelated(data, memory_id, create):
    texts = [
        "The user is allergic to peanuts and carries an epinephrine pen.",
        "The deployment runs on Kubernetes in Frankfurt.",
        "The user plays the cello in an amateur orchestra.",
        "Invoices are sent on the first Monday of the month.",
    ]
    create(memory_id, *[record(t) for t in texts])
    wait_extraction(memory_id)  # Lexically they are found at once, by meaning when their vectors are there.
    found = data.retrieve_memory_records(
        memoryId=memory_id, namespacePath="/", searchCriteria={"searchQuery": "Which instrument does the user play?"}
    )["memoryRecordSummaries"]
    scores = [f["score"] for f in found]
    assert found[0]["content"]["text"] == texts[2] and scores[0] >= 0.5, found
    assert scores == sorted(scores, reverse=True) and all(0 <= s <= 1 for s in scores)
    assert all(s < scores[0] - 0.1 for s in scores[1:]), scores


def test_retrieval_pages_through_its_top_k(data, memory_id, create):
    create(memory_id, *[record(f"note {i} about rivers and bridges") for i in range(60)])
    wait_extraction(memory_id)
    criteria = {"searchQuery": "rivers and bridges", "topK": 50}
    where = {"memoryId": memory_id, "namespacePath": "/", "searchCriteria": criteria}
    found = pages(data.retrieve_memory_records, "memoryRecordSummaries", **where, maxResults=20)
    ids = [r["memoryRecordId"] for page in found for r in page]
    assert [len(p) for p in found] == [20, 20, 10] and len(set(ids)) == 50
    ten = data.retrieve_memory_records(**(where | {"searchCriteria": {"searchQuery": "rivers"}}))
    assert len(ten["memoryRecordSummaries"]) == 10, "ten by default"
    with pytest.raises(ParamValidationError):
        # The SDK itself refuses what is below the least.
        data.retrieve_memory_records(**(where | {"searchCriteria": {"searchQuery": "rivers", "topK": 0}}))
    for top in (101, 1000):
        invalid(data.retrieve_memory_records, **(where | {"searchCriteria": {"searchQuery": "rivers", "topK": top}}))


def test_records_are_listed_newest_first_beyond_100(data, memory_id, create):
    ids = []
    for batch in range(3):
        ids += create(memory_id, *[record(f"record {batch}-{i}") for i in range(100)])
    found = pages(data.list_memory_records, "memoryRecordSummaries", memoryId=memory_id, namespacePath="/", maxResults=100)
    assert [len(p) for p in found] == [100, 100, 100]
    listed = [r["memoryRecordId"] for page in found for r in page]
    assert set(listed) == set(ids)
    times = [r["createdAt"] for page in found for r in page]
    assert times == sorted(times, reverse=True)
    assert all("score" not in r for r in found[0])
    assert len(data.list_memory_records(memoryId=memory_id, namespacePath="/")["memoryRecordSummaries"]) == 20


def condition(key, operator, **right):
    """One metadata filter; `right` is empty or one union member."""
    return {"left": {"metadataKey": key}, "operator": operator} | ({"right": {"metadataValue": right}} if right else {})


@pytest.fixture
def indexed(new_memory, create):
    """A memory with one indexed key of each type and three records."""
    keys = [{"key": "team", "type": "STRING"}, {"key": "cost", "type": "NUMBER"}, {"key": "tags", "type": "STRINGLIST"}]
    memory_id = new_memory(indexedKeys=keys)["id"]
    create(
        memory_id,
        record("alpha", metadata={"team": {"stringValue": "core"}, "cost": {"numberValue": 1.5}, "note": {"stringValue": "n"}}),
        record("beta", metadata={"team": {"stringValue": "web"}, "cost": {"numberValue": 10}, "tags": {"stringListValue": ["x", "y"]}}),
        record("gamma", metadata={"tags": {"stringListValue": ["y"]}}),
    )
    return memory_id


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ([condition("team", "EQUALS_TO", stringValue="core")], ["alpha"]),
        ([condition("team", "EXISTS")], ["alpha", "beta"]),
        ([condition("team", "NOT_EXISTS")], ["gamma"]),
        ([condition("cost", "EQUALS_TO", numberValue=10.0)], ["beta"]),
        ([condition("cost", "GREATER_THAN", numberValue=1.5)], ["beta"]),
        ([condition("cost", "GREATER_THAN_OR_EQUALS", numberValue=1.5)], ["alpha", "beta"]),
        ([condition("cost", "LESS_THAN", numberValue=10.0)], ["alpha"]),
        ([condition("cost", "LESS_THAN_OR_EQUALS", numberValue=10.0)], ["alpha", "beta"]),
        ([condition("tags", "CONTAINS", stringValue="y")], ["beta", "gamma"]),
        ([condition("tags", "EQUALS_TO", stringListValue=["y", "x"])], ["beta"]),
        ([condition("tags", "CONTAINS", stringValue="y"), condition("team", "EXISTS")], ["beta"]),
        ([condition(SYSTEM + "recordType", "EQUALS_TO", stringValue="BATCH_CREATED")], ["alpha", "beta", "gamma"]),
        ([condition(SYSTEM + "createdAt", "AFTER", dateTimeValue=datetime(2020, 1, 1))], ["alpha", "beta", "gamma"]),
        ([condition(SYSTEM + "createdAt", "BEFORE", dateTimeValue=datetime(2020, 1, 1))], []),
    ],
)
def test_metadata_filters(data, indexed, filters, expected):
    listed = data.list_memory_records(memoryId=indexed, namespacePath="/", metadataFilters=filters)
    assert sorted(r["content"]["text"] for r in listed["memoryRecordSummaries"]) == expected
    criteria = {"searchQuery": "alpha beta gamma", "metadataFilters": filters}
    found = data.retrieve_memory_records(memoryId=indexed, namespacePath="/", searchCriteria=criteria)
    assert sorted(r["content"]["text"] for r in found["memoryRecordSummaries"]) == expected


@pytest.mark.parametrize(
    "bad",
    [
        condition("note", "EXISTS"),
        condition("team", "CONTAINS", stringValue="c"),
        condition("team", "EQUALS_TO", numberValue=1.0),
        condition("team", "EQUALS_TO"),
        condition("team", "EXISTS", stringValue="c"),
        condition("cost", "BEFORE", dateTimeValue=datetime(2020, 1, 1)),
        condition("cost", "GREATER_THAN", stringValue="1"),
        condition("tags", "CONTAINS", stringListValue=["y"]),
        condition(SYSTEM + "createdAt", "EQUALS_TO", dateTimeValue=datetime(2020, 1, 1)),
    ],
)
def test_metadata_filters_that_make_no_sense_are_refused(data, indexed, bad):
    response = invalid(data.list_memory_records, memoryId=indexed, namespacePath="/", metadataFilters=[bad])
    if bad["left"]["metadataKey"] == "note":
        assert "not a valid filter key" in response["Error"]["Message"]


def test_updated_metadata_is_replaced_as_a_whole(data, indexed):
    (found,) = data.list_memory_records(
        memoryId=indexed, namespacePath="/", metadataFilters=[condition("team", "EQUALS_TO", stringValue="web")]
    )["memoryRecordSummaries"]
    update = {"memoryRecordId": found["memoryRecordId"], "timestamp": NOW, "metadata": {"cost": {"numberValue": 99}}}
    data.batch_update_memory_records(memoryId=indexed, records=[update])
    got = data.get_memory_record(memoryId=indexed, memoryRecordId=found["memoryRecordId"])["memoryRecord"]
    own = {k: v for k, v in got["metadata"].items() if not k.startswith(SYSTEM)}
    assert own == {"cost": {"numberValue": 99.0}} and got["content"]["text"] == "beta"


def test_record_expiry_by_batches(data, memory_id, create):
    days = {"recordExpiryDurationDays": 31}
    (expiring,) = create(memory_id, record("for a month"), recordExpirySpecification=days)
    (staying,) = create(memory_id, record("for ever"))

    def expiry(record_id):
        got = data.get_memory_record(memoryId=memory_id, memoryRecordId=record_id)["memoryRecord"]
        return got.get("expiresAt")

    assert expiry(staying) is None
    left = expiry(expiring) - datetime.now(timezone.utc)
    assert timedelta(days=30, hours=23) < left <= timedelta(days=31)

    def update(record_id, **members):
        item = {"memoryRecordId": record_id, "timestamp": NOW, "content": {"text": "changed"}}
        answer = data.batch_update_memory_records(memoryId=memory_id, records=[item], **members)
        assert answer["failedRecords"] == []

    update(staying)
    assert expiry(staying) is None
    before = expiry(expiring)
    update(expiring)
    assert expiry(expiring) >= before, "it starts again with its last duration"
    update(expiring, recordExpirySpecification={"action": "REMOVE"})
    assert expiry(expiring) is None
    invalid(
        data.batch_create_memory_records,
        memoryId=memory_id,
        records=[record("x")],
        recordExpirySpecification={"action": "REMOVE"},
    )


def test_strategies_narrow_lists_and_searches(data, new_memory, create):
    memory = new_memory(memoryStrategies=[{"semanticMemoryStrategy": {"name": "facts"}}])
    strategy = memory["strategies"][0]["strategyId"]
    create(memory["id"], record("owned text", memoryStrategyId=strategy), record("free text"))
    for wanted, text in ((strategy, "owned text"), ("none", "free text")):
        (found,) = data.list_memory_records(memoryId=memory["id"], namespacePath="/", memoryStrategyId=wanted)[
            "memoryRecordSummaries"
        ]
        assert (found["memoryStrategyId"], found["content"]["text"]) == (wanted, text)
        criteria = {"searchQuery": "text", "memoryStrategyId": wanted}
        (found,) = data.retrieve_memory_records(memoryId=memory["id"], namespacePath="/", searchCriteria=criteria)[
            "memoryRecordSummaries"
        ]
        assert found["content"]["text"] == text
