"""Reviewer authority: one maintainer's repeated statement, one approval, and settings that weigh candidates again."""

REPO = "/v1/repos/acme/shop"
STYLE = "Always sort imports alphabetically in this repo."
HIGH = "Always validate all request input in this codebase."


def expect(world, method, path, body=None):
    """Returns the answer of a call that must succeed."""
    status, answer = world.http(method, path, body)
    assert status < 300, f"{method} {path}: {status} {answer}"
    return answer


def begin(world):
    """Registers the repository."""
    expect(world, "PUT", REPO, {"forge": "gitlab", "host": "gitlab.com", "remotes": ["git@gitlab.com:acme/shop.git"]})


def review(world, pr, who, text, role="maintain", state="changes_requested"):
    """Hands a review in, with one comment."""
    expect(world, "POST", f"{REPO}/reviews", {
        "forge": "gitlab", "pr": pr, "review_id": pr * 10, "state": state,
        "author": {"id": who, "login": f"user{who}", "role": role},
        "submitted_at": "2026-11-22T08:05:00Z", "comments": [{"id": pr * 100, "body": text}],
    })


def rules(world, state="active"):
    """Returns the rules in a state."""
    return expect(world, "GET", f"{REPO}/rules?state={state}")["rules"]


def row_one_maintainer_repeats(world):
    """In a repository with one maintainer a statement on two pull requests is a rule in force."""
    begin(world)
    review(world, 1, 1, STYLE)
    assert rules(world) == [], rules(world)
    review(world, 2, 1, STYLE)
    assert [rule["text"] for rule in rules(world)] == [STYLE], rules(world, "candidate")


def row_approval_in_one_step(world):
    """One approval puts a candidate in force, whatever supports it and whatever it changes."""
    begin(world)
    review(world, 1, 1, HIGH)
    (candidate,) = rules(world, "candidate")
    world.loci("rule", "approve", "acme/shop", candidate["id"])
    assert [rule["id"] for rule in rules(world)] == [candidate["id"]]


def row_changed_quorum_weighs_again(world):
    """A changed quorum puts existing candidates in force, and takes rules out of it, without another step."""
    begin(world)
    review(world, 1, 1, STYLE, role="write", state="commented")
    review(world, 2, 2, STYLE, role="write", state="commented")
    assert rules(world) == []
    expect(world, "PATCH", REPO, {"rules": {"quorum": {"weight": 1.0}}})
    assert [rule["text"] for rule in rules(world)] == [STYLE]
    expect(world, "PATCH", REPO, {"rules": {"quorum": {"weight": None}}})
    assert rules(world) == []
