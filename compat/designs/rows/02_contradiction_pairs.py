"""Contradiction pairs: superseded within one scope, coexisting across scopes, rules by meaning, doubt as a conflict."""

REPO = "/v1/repos/acme/shop"


def begin(world):
    """Registers the repository and begins a task."""
    expect(world, "PUT", REPO, {"forge": "gitlab", "host": "gitlab.com", "remotes": ["git@gitlab.com:acme/shop.git"]})
    expect(world, "POST", "/v1/tasks", {"task_id": "t-001", "repo": "acme/shop", "description": "Type the orders module"})


def expect(world, method, path, body=None):
    """Returns the answer of a call that must succeed."""
    status, answer = world.http(method, path, body)
    assert status < 300, f"{method} {path}: {status} {answer}"
    return answer


def note(world, text):
    """Notes a learning; what became of it."""
    return expect(world, "POST", "/v1/tasks/t-001/notes", {"text": text})["learning"]


def rendered(world, query, paths=()):
    """Returns the block that the task is shown for a query."""
    body = {"query": query, "paths": list(paths)}
    return expect(world, "POST", "/v1/tasks/t-001/hydrate", body)["rendered"]


def review(world, pr, who, text, role="write"):
    """Hands a review in, with one comment."""
    expect(world, "POST", f"{REPO}/reviews", {
        "forge": "gitlab", "pr": pr, "review_id": pr * 10, "state": "changes_requested",
        "author": {"id": who, "login": f"user{who}", "role": role},
        "submitted_at": "2026-11-22T08:05:00Z", "comments": [{"id": pr * 100, "body": text}],
    })


def rules(world):
    """Returns the rules in force."""
    return expect(world, "GET", f"{REPO}/rules")["rules"]


def row_superseded_in_one_scope(world):
    """“the team migrated to Vitest” supersedes “the team uses Jest for testing” within one scope."""
    begin(world)
    note(world, "the team uses Jest for testing")
    second = note(world, "the team migrated to Vitest")
    assert second["action"] == "superseded", second
    block = rendered(world, "testing of the team")
    assert "migrated to Vitest" in block and "uses Jest" not in block, block


def row_coexisting_across_scopes(world):
    """“Use Redux for state management” in /src/legacy/ coexists with “Use React Context” in /src/v2/."""
    begin(world)
    note(world, "[/src/legacy/]: Use Redux for state management")
    second = note(world, "[/src/v2/]: Use React Context")
    assert second["action"] == "added", second
    paths = ["src/legacy/a.ts", "src/v2/b.ts"]
    block = rendered(world, "Use Redux or React Context for state management", paths)
    assert "Redux" in block and "React Context" in block, block
    assert "another memory says otherwise" not in block, block


def row_rules_by_meaning(world):
    """“Avoid any types everywhere” and “We don't use any types” are one rule, in force by two reviewers."""
    begin(world)
    review(world, 1, 1, "We don't use any types.")
    review(world, 2, 2, "Avoid any types everywhere.")
    found = rules(world)
    assert len(found) == 1 and found[0]["reviewers"] == 2, found
    # A newer rule takes the place of one that it contradicts.
    for pr, who in ((3, 1), (4, 2)):
        review(world, pr, who, "Avoid default exports everywhere.")
    for pr, who in ((5, 1), (6, 2)):
        review(world, pr, who, "Always use default exports in this codebase.")
    texts = [rule["text"] for rule in rules(world) if "default exports" in rule["text"]]
    assert texts == ["Always use default exports in this codebase."], texts


def row_doubt_is_a_visible_conflict(world):
    """Where certainty is missing both statements appear, each with a visible conflict."""
    begin(world)
    note(world, "Use Redux for state management")
    second = note(world, "Use React Context")
    assert second["action"] == "conflict", second
    assert len(expect(world, "GET", f"{REPO}/conflicts")["conflicts"]) == 1
    block = rendered(world, "Use Redux or React Context for state management")
    assert block.count("another memory says otherwise") == 2, block
