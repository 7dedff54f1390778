"""The design's rule example: taken whole, and rendered with pull request, reviewer and date."""

REPO = "/v1/repos/acme/shop"
RULE = "We don't use `any` types in this codebase. Use proper generics."


def expect(world, method, path, body=None):
    """Returns the answer of a call that must succeed."""
    status, answer = world.http(method, path, body)
    assert status < 300, f"{method} {path}: {status} {answer}"
    return answer


def shown(world):
    """Two reviewers state the rule; returns the rules in force and the block of the next task."""
    expect(world, "PUT", REPO, {"forge": "gitlab", "host": "gitlab.com", "remotes": ["git@gitlab.com:acme/shop.git"]})
    for pr, login, day in ((41, "bob", "2026-11-20"), (42, "alice", "2026-11-22")):
        expect(world, "POST", f"{REPO}/reviews", {
            "forge": "gitlab", "pr": pr, "review_id": pr * 10, "state": "changes_requested",
            "author": {"id": pr, "login": login, "role": "write"},
            "submitted_at": f"{day}T08:05:00Z", "comments": [{"id": pr * 100, "body": RULE}],
        })
    expect(world, "POST", "/v1/tasks", {"task_id": "t-001", "repo": "acme/shop", "description": "Type the orders module"})
    rules = expect(world, "GET", f"{REPO}/rules")["rules"]
    return rules, expect(world, "POST", "/v1/tasks/t-001/hydrate", {})["rendered"]


def row_rule_taken_whole(world):
    """“We don't use `any` types in this codebase. Use proper generics.” becomes one rule with both sentences."""
    rules, block = shown(world)
    assert [rule["text"] for rule in rules] == [RULE], rules
    assert RULE in block, block


def row_block_names_source(world):
    """The rendered block names pull request, reviewer and date of the rule."""
    _, block = shown(world)
    assert "PR #42 by @alice on 2026-11-22" in block, block
