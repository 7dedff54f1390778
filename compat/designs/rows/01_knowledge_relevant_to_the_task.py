"""Rows of the coding agents' design on hydration: knowledge that is relevant to the task."""

import pathlib
import statistics
import time

REPO = "acme/shop"
FLOOR = 0.025
TASKS = pathlib.Path(__file__).resolve().parents[3] / "bench" / "data" / "hydration"
AUTHORS = ("webshop", "meter", "clinic", "game")


def begin(world, task, description, repo=REPO):
    """Creates a task on a repository, registering the repository first."""
    world.http("PUT", f"/v1/repos/{repo}", {})
    body = {"task_id": task, "repo": repo, "kind": "new_task", "description": description}
    status, answer = world.http("POST", "/v1/tasks", body)
    assert status in (200, 201), f"the task {task} was not created: {status} {answer}"


def note(world, task, text):
    """Stores one learning and returns its id."""
    status, answer = world.http("POST", f"/v1/tasks/{task}/notes", {"text": text})
    assert status == 202, f"the learning was not stored: {status} {answer}"
    return answer["learning"]["id"]


def hydrated(world, task, **asked):
    """Returns what a task is shown."""
    status, answer = world.http("POST", f"/v1/tasks/{task}/hydrate", asked)
    assert status == 200, f"the task was not hydrated: {status} {answer}"
    return answer


def row_scope_admits_by_relevance(world):
    """A scoped learning is shown where it answers the description, without a word of its scope in it."""
    begin(world, "t-1", "seed")
    auth = note(world, "t-1", "**[Auth module]:** the session service caches tokens for 5 minutes after their expiry.")
    other = note(world, "t-1", "**[Mail module]:** templates are written in MJML and compiled by `make mail`.")
    world.settle()
    begin(world, "t-2", "Fix the session token cache expiry")
    found = hydrated(world, "t-2")
    shown = [one["id"] for one in found["knowledge"]]
    assert shown == [auth], f"shown are {shown}, not only {auth}"
    dropped = [one["reason"] for one in found["budget"]["dropped"] if one["id"] == other]
    assert dropped in ([], ["noise"]), f"the learning on mail was left out as {dropped}"


def row_scope_excludes_what_contradicts_paths(world):
    """Given paths exclude a learning of another scope, and keep one of theirs."""
    begin(world, "t-1", "seed")
    legacy = note(world, "t-1", "**src/legacy/:** Use Redux for state management.")
    new = note(world, "t-1", "**src/v2/:** Use React Context for state management.")
    world.settle()
    begin(world, "t-2", "Change the state management of the cart")
    for path, expect in (("src/legacy/cart.tsx", legacy), ("src/v2/**", new)):
        shown = [one["id"] for one in hydrated(world, "t-2", paths=[path])["knowledge"]]
        assert shown == [expect], f"for {path} shown are {shown}, not only {expect}"
    shown = {one["id"] for one in hydrated(world, "t-2")["knowledge"]}
    assert shown == {legacy, new}, f"without paths shown are {shown}"


def row_nothing_below_the_noise_floor(world):
    """A task to which nothing known has to do with is shown no learning, although places are left."""
    begin(world, "t-1", "seed")
    for text in ("The build needs Node 20.", "Mail templates are compiled by `make mail`.", "CSV exports are streamed."):
        note(world, "t-1", text)
    world.settle()
    begin(world, "t-2", "Draw a parabola with the plotting widget")
    found = hydrated(world, "t-2")
    assert found["knowledge"] == [], f"noise is shown: {found['knowledge']}"


def read(author):
    """Returns an author's learnings, and the tasks with the number of the learning that each needs."""
    learnings, asked = [], []
    for line in (TASKS / f"{author}.txt").read_text(encoding="utf-8").splitlines():
        if line == "[none]":
            break
        if line.startswith("- "):
            query, _, paths = line[2:].partition(" | ")
            asked.append((len(learnings) - 1, query, [path.strip() for path in paths.split(",") if path.strip()]))
        elif line.startswith("["):
            learnings.append(line.removeprefix("[]:").strip())
    return learnings, asked


def row_two_hundred_tasks(world):
    """Of 200 tasks by independent authors 90 % are shown the right learning, and none anything below the noise floor."""
    hits, count, took = 0, 0, []
    for author in AUTHORS:
        learnings, asked = read(author)
        begin(world, f"t-{author}", "work", f"acme/{author}")
        ids = [note(world, f"t-{author}", text) for text in learnings]
        world.settle()
        for right, query, paths in asked:
            began = time.monotonic()
            found = hydrated(world, f"t-{author}", query=query, paths=paths)
            took.append(time.monotonic() - began)
            count += 1
            hits += ids[right] in [one["id"] for one in found["knowledge"]]
            low = [one for one in found["knowledge"] if one["similarity"] < FLOOR]
            assert not low, f"below the noise floor for {query!r}: {low}"
    assert count == 200, f"{count} tasks were read"
    assert hits >= 180, f"the right learning was shown in {hits} of 200 tasks"
    print(f"{hits} of 200 shown, p50 {statistics.median(took) * 1000:.1f} ms")
