"""The control plane: the five memory operations, their errors, strategies, keys, and the three tag operations."""

import uuid
from datetime import datetime

import pytest
from expectations import invalid, missing, refused

SEMANTIC = {"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/facts/{actorId}/"]}}
SUMMARY = {
    "summaryMemoryStrategy": {"name": "sums", "namespaces": ["/sums/{actorId}/{sessionId}/"], "description": "why"}
}


def test_a_memory_is_active_at_once_and_its_id_starts_with_its_name(control, new_memory):
    memory = new_memory(name=f"named_{uuid.uuid4().hex[:8]}", description="for tests", memoryStrategies=[SEMANTIC])
    assert memory["id"].startswith(memory["name"] + "-") and len(memory["id"].rsplit("-", 1)[1]) == 10
    assert memory["arn"].endswith(":memory/" + memory["id"]) and memory["status"] == "ACTIVE"
    assert isinstance(memory["createdAt"], datetime)
    got = control.get_memory(memoryId=memory["id"])
    assert got["memory"] == memory and got["ResponseMetadata"]["HTTPStatusCode"] == 200
    (strategy,) = memory["strategies"]
    assert strategy["type"] == "SEMANTIC" and strategy["status"] == "ACTIVE"
    assert strategy["strategyId"].startswith("facts-")
    assert strategy["namespaces"] == strategy["namespaceTemplates"] == ["/facts/{actorId}/"]
    control.get_waiter("memory_created").wait(memoryId=memory["id"])


def test_statuses_are_those_of_the_model(control, new_memory):
    created = control.create_memory(name=f"s_{uuid.uuid4().hex[:8]}", eventExpiryDuration=7)
    memory_id = created["memory"]["id"]
    updated = control.update_memory(memoryId=memory_id, description="new")
    deleted = control.delete_memory(memoryId=memory_id)
    codes = [r["ResponseMetadata"]["HTTPStatusCode"] for r in (created, updated, deleted)]
    assert codes == [202, 202, 202]
    assert updated["memory"]["description"] == "new"
    assert (deleted["memoryId"], deleted["status"]) == (memory_id, "DELETING")
    missing(control.get_memory, memoryId=memory_id)
    missing(control.delete_memory, memoryId=memory_id)


def test_a_name_can_be_used_once_and_is_free_after_deletion(control, new_memory):
    memory = new_memory()
    name = memory["name"]
    invalid(
        control.create_memory,
        reason="ResourceConflict",
        message=f"Memory with name {name} already exists",
        name=name,
        eventExpiryDuration=7,
    )
    control.delete_memory(memoryId=memory["id"])
    assert new_memory(name=name)["id"] != memory["id"]


def test_a_client_token_replays_and_a_mismatch_is_refused(control, new_memory):
    token, name = str(uuid.uuid4()), f"t_{uuid.uuid4().hex[:8]}"
    first = new_memory(name=name, clientToken=token)
    again = control.create_memory(name=name, eventExpiryDuration=30, clientToken=token)["memory"]
    assert again["id"] == first["id"]
    invalid(
        control.create_memory,
        reason="IdempotentParameterMismatchException",
        name=name + "x",
        eventExpiryDuration=30,
        clientToken=token,
    )
    update = {"memoryId": first["id"], "clientToken": token, "description": "a"}
    assert control.update_memory(**update)["memory"]["id"] == control.update_memory(**update)["memory"]["id"]
    invalid(control.update_memory, reason="IdempotentParameterMismatchException", **(update | {"description": "b"}))
    control.delete_memory(memoryId=first["id"], clientToken=token)
    assert control.delete_memory(memoryId=first["id"], clientToken=token)["status"] == "DELETING"


def test_memories_are_listed_newest_first_in_full_pages(control, new_memory):
    made = [new_memory()["id"] for _ in range(5)]
    listed, token = [], None
    while True:
        page = control.list_memories(maxResults=2, **({"nextToken": token} if token else {}))
        listed += [m["id"] for m in page["memories"]]
        token = page.get("nextToken")
        if not token:
            break
        assert len(page["memories"]) == 2
    assert [m for m in listed if m in made] == made[::-1]
    assert len(set(listed)) == len(listed)
    summary = next(m for m in control.list_memories(maxResults=100)["memories"] if m["id"] == made[0])
    assert "name" not in summary and {"arn", "id", "status", "createdAt", "updatedAt"} <= set(summary)
    # boto3 checks minima itself, maxima are the server's.
    invalid(control.list_memories, maxResults=101)
    invalid(control.list_memories, nextToken="not-a-token")


@pytest.mark.parametrize(
    "members",
    [
        {"name": "1starts_with_digit"},
        {"name": "has-dash"},
        {"name": "x" * 49},
        {"eventExpiryDuration": 3651},
        {"description": "x" * 4097},
        {"encryptionKeyArn": "no-arn"},
        {"indexedKeys": [{"key": f"k{i}", "type": "STRING"} for i in range(11)]},
        {"indexedKeys": [{"key": "k", "type": "FLOAT"}]},
        {"memoryStrategies": [{"semanticMemoryStrategy": {"name": "a", "namespaces": ["/a/", "/b/"]}}]},
        {"memoryStrategies": [{"semanticMemoryStrategy": {"name": "a", "namespaces": ["/{unknown}/"]}}]},
        {"memoryStrategies": [{"summaryMemoryStrategy": {"name": "a", "namespaces": ["/{actorId}/"]}}]},
        {"memoryStrategies": [{"customMemoryStrategy": {"name": "a"}}]},
        {"memoryStrategies": [SEMANTIC, SEMANTIC]},
        {
            "memoryStrategies": [
                {"semanticMemoryStrategy": {"name": "a", "namespaces": ["/a/"], "namespaceTemplates": ["/b/"]}}
            ]
        },
    ],
)
def test_bad_input_is_refused(control, members):
    base = {"name": f"b_{uuid.uuid4().hex[:8]}", "eventExpiryDuration": 7}
    response = invalid(control.create_memory, **(base | members))
    assert response["fieldList"] and all(f["name"] and f["message"] for f in response["fieldList"])


def test_a_description_is_never_quoted_in_an_error(control):
    secret = "s3cret" * 1000
    response = invalid(control.create_memory, name=f"q_{uuid.uuid4().hex[:8]}", eventExpiryDuration=7, description=secret)
    assert "s3cret" not in str(response)


def test_the_seventh_strategy_is_over_the_quota(control, new_memory):
    strategies = [{"semanticMemoryStrategy": {"name": f"s{i}"}} for i in range(7)]
    new_memory(memoryStrategies=strategies[:6])
    refused(
        "ServiceQuotaExceededException",
        control.create_memory,
        name=f"q_{uuid.uuid4().hex[:8]}",
        eventExpiryDuration=7,
        memoryStrategies=strategies,
    )


def test_strategies_are_added_changed_and_deleted(control, new_memory):
    memory_id = new_memory(memoryStrategies=[SEMANTIC])["id"]
    update = {"addMemoryStrategies": [SUMMARY]}
    memory = control.update_memory(memoryId=memory_id, memoryStrategies=update)["memory"]
    by_name = {s["name"]: s for s in memory["strategies"]}
    assert by_name["sums"]["type"] == "SUMMARIZATION" and by_name["sums"]["status"] == "ACTIVE"
    change = {
        "modifyMemoryStrategies": [{"memoryStrategyId": by_name["facts"]["strategyId"], "description": "changed"}],
        "deleteMemoryStrategies": [{"memoryStrategyId": by_name["sums"]["strategyId"]}],
    }
    control.update_memory(memoryId=memory_id, memoryStrategies=change)
    (left,) = control.get_memory(memoryId=memory_id)["memory"]["strategies"]
    assert (left["name"], left["description"]) == ("facts", "changed")
    unknown = {"deleteMemoryStrategies": [{"memoryStrategyId": "facts-0000000000"}]}
    missing(control.update_memory, memoryId=memory_id, description="not this", memoryStrategies=unknown)
    assert "description" not in control.get_memory(memoryId=memory_id)["memory"], "the update is atomic"


def test_default_templates_and_the_view_without_decryption(control, new_memory):
    strategies = [
        {"semanticMemoryStrategy": {"name": "sem", "description": "hidden"}},
        {"summaryMemoryStrategy": {"name": "sums"}},
        {"episodicMemoryStrategy": {"name": "epi"}},
    ]
    memory = new_memory(memoryStrategies=strategies, description="hidden too")
    templates = {s["name"]: s["namespaceTemplates"] for s in memory["strategies"]}
    assert templates == {
        "sem": ["/strategies/{memoryStrategyId}/actors/{actorId}/"],
        "sums": ["/strategies/{memoryStrategyId}/actors/{actorId}/sessions/{sessionId}/"],
        "epi": ["/strategies/{memoryStrategyId}/actors/{actorId}/sessions/{sessionId}/"],
    }
    episodic = next(s for s in memory["strategies"] if s["name"] == "epi")
    reflection = episodic["configuration"]["reflection"]["episodicReflectionConfiguration"]
    assert reflection["namespaceTemplates"] == ["/strategies/{memoryStrategyId}/actors/{actorId}/"]
    hidden = control.get_memory(memoryId=memory["id"], view="without_decryption")["memory"]
    assert "hidden" not in str(hidden) and hidden["id"] == memory["id"]


def test_custom_strategies_are_written_flat_and_read_nested(new_memory):
    step = {"appendToPrompt": "Look for dates.", "modelId": "anthropic.some-model"}
    custom = {"name": "own", "configuration": {"semanticOverride": {"extraction": step}}}
    (strategy,) = new_memory(memoryStrategies=[{"customMemoryStrategy": custom}])["strategies"]
    assert (strategy["type"], strategy["configuration"]["type"]) == ("CUSTOM", "SEMANTIC_OVERRIDE")
    nested = strategy["configuration"]["extraction"]["customExtractionConfiguration"]
    assert nested["semanticExtractionOverride"] == step


def test_self_managed_defaults_are_read_back(new_memory):
    invocation = {"topicArn": "arn:aws:sns:us-west-2:123456789012:topic", "payloadDeliveryBucketName": "a-bucket"}
    configuration = {"selfManagedConfiguration": {"invocationConfiguration": invocation}}
    strategy = {"customMemoryStrategy": {"name": "own", "configuration": configuration}}
    (got,) = new_memory(memoryStrategies=[strategy])["strategies"]
    managed = got["configuration"]["selfManagedConfiguration"]
    assert got["configuration"]["type"] == "SELF_MANAGED" and managed["historicalContextWindowSize"] == 4
    assert managed["invocationConfiguration"] == invocation
    values = {k: v for trigger in managed["triggerConditions"] for k, v in trigger.items()}
    assert values == {
        "messageBasedTrigger": {"messageCount": 6},
        "tokenBasedTrigger": {"tokenCount": 5000},
        "timeBasedTrigger": {"idleSessionTimeout": 20},
    }


def test_streams_keys_and_namespace_keys_come_back_unchanged(control, new_memory):
    stream = {
        "resources": [
            {
                "kinesis": {
                    "dataStreamArn": "arn:aws:kinesis:us-west-2:123456789012:stream/s",
                    "contentConfigurations": [{"type": "MEMORY_RECORDS"}],
                }
            }
        ]
    }
    keys = [{"key": "team", "type": "STRING"}, {"key": "cost", "type": "NUMBER"}]
    variables = [{"key": "tenant", "validation": {"allowedValues": ["a", "b"], "regexPattern": "[ab]"}}]
    memory = new_memory(streamDeliveryResources=stream, indexedKeys=keys, namespaceKeys=variables)
    assert memory["streamDeliveryResources"] == stream
    assert (memory["indexedKeys"], memory["namespaceKeys"]) == (keys, variables)
    added = control.update_memory(
        memoryId=memory["id"], addIndexedKeys=[{"key": "team", "type": "STRING"}, {"key": "tags", "type": "STRINGLIST"}]
    )["memory"]
    assert [k["key"] for k in added["indexedKeys"]] == ["team", "cost", "tags"]
    invalid(control.update_memory, memoryId=memory["id"], addIndexedKeys=[{"key": "team", "type": "NUMBER"}])
    template = {"semanticMemoryStrategy": {"name": "f", "namespaceTemplates": ["/{tenant}/{actorId}/"]}}
    control.update_memory(memoryId=memory["id"], memoryStrategies={"addMemoryStrategies": [template]})
    invalid(control.update_memory, memoryId=memory["id"], namespaceKeys=[])


def test_record_expiry_of_a_strategy_is_set_and_removed(control, new_memory):
    strategy = {"name": "f", "recordExpirySpecification": {"recordExpiryDurationDays": 45}}
    memory = new_memory(memoryStrategies=[{"semanticMemoryStrategy": strategy}])
    (got,) = memory["strategies"]
    assert got["recordExpiryDurationDays"] == 45
    change = [{"memoryStrategyId": got["strategyId"], "recordExpirySpecification": {"action": "REMOVE"}}]
    update = {"modifyMemoryStrategies": change}
    (got,) = control.update_memory(memoryId=memory["id"], memoryStrategies=update)["memory"]["strategies"]
    assert "recordExpiryDurationDays" not in got
    strategy["recordExpirySpecification"] = {"action": "REMOVE"}
    invalid(
        control.create_memory,
        name=f"x_{uuid.uuid4().hex[:8]}",
        eventExpiryDuration=7,
        memoryStrategies=[{"semanticMemoryStrategy": strategy}],
    )


def test_ids_that_are_malformed_and_ids_that_are_unknown(control):
    invalid(control.get_memory, memoryId="not a memory id")
    missing(control.get_memory, memoryId="unknown-0000000000")
    missing(control.update_memory, memoryId="unknown-0000000000", description="x")


def test_tags(control, new_memory):
    arn = new_memory(tags={"team": "search", "stage": "test"})["arn"]
    assert control.list_tags_for_resource(resourceArn=arn)["tags"] == {"team": "search", "stage": "test"}
    tagged = control.tag_resource(resourceArn=arn, tags={"stage": "live", "owner": ""})
    assert tagged["ResponseMetadata"]["HTTPStatusCode"] == 204
    untagged = control.untag_resource(resourceArn=arn, tagKeys=["team", "absent"])
    assert untagged["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert control.list_tags_for_resource(resourceArn=arn)["tags"] == {"stage": "live", "owner": ""}
    more = {f"k{i}": "v" for i in range(50)}
    refused("ServiceQuotaExceededException", control.tag_resource, resourceArn=arn, tags=more)
    invalid(control.tag_resource, reason=None, resourceArn=arn, tags={"a|b": "v"})
    missing(control.list_tags_for_resource, resourceArn=arn.rsplit("/", 1)[0] + "/unknown-0000000000")
    other = "arn:aws:bedrock-agentcore:us-west-2:123456789012:runtime/x-0000000000"
    missing(control.list_tags_for_resource, resourceArn=other)
