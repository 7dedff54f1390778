"""Rows of point 12: one `git log` shows conversations beside knowledge; mirrors have the generated changelog."""

import json
import subprocess


def _git(folder, *args):
    done = subprocess.run(["git", "-C", str(folder), *args], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {args}: {done.stderr}"
    return done.stdout


def _mirror(world, memory, kind, **more):
    body = {"name": kind, "path": kind, "kind": kind, **more}
    status, made = world.http("POST", f"/v1/memories/{memory}/mirrors", body)
    assert status in (200, 201), (status, made)
    return made


def _filled(world):
    memory = json.loads(world.loci("--json", "memory", "create", "notes"))["id"]
    for name in ("a", "b"):
        world.loci("files", "put", "--memory", "notes", f"knowledge/facts/{name}.md", input="The build needs make.\n")
    message = {"message": {"role": "user", "text": "Which tool builds it?"}}
    event = {"actor": "ann", "session": "s1", "payload": [message]}
    status, answer = world.http("POST", f"/v1/memories/{memory}/events", event)
    assert status == 201, answer
    world.loci("consolidate", "--memory", "notes", "--apply", "--scope", "all")
    return memory


def row_one_log_shows_sessions_and_knowledge(world):
    """One `git log` of a mirror shows conversations, documents and runs of consolidation."""
    memory = _filled(world)
    _mirror(world, memory, "git", sessions=True, debounce_ms=0)
    world.loci("mirror", "sync", "--memory", "notes", "git")
    repository = world.folder / "clone"
    _git(world.folder, "clone", "-q", f"{world.url}/git/{memory}/git.git", str(repository))
    subjects = _git(repository, "log", "--format=%s")
    for part in ("session: append s1", "create a.md", "Consolidate("):
        assert part in subjects, f"{part!r} is missing in {subjects}"
    assert "Which tool builds it?" in _git(repository, "show", "HEAD:sessions/current.md")
    assert "merge facts/a.md, facts/b.md" in _git(repository, "show", "HEAD:consolidation/changelog.md")


def row_the_changelog_lies_in_directories_and_is_protected(world):
    """`consolidation/changelog.md` lies in a directory, is generated, and an edit of it is undone."""
    memory = _filled(world)
    made = _mirror(world, memory, "dir")
    report = json.loads(world.loci("--json", "mirror", "sync", "--memory", "notes", "dir"))
    # One document is left of two, and the changelog is the other file that is written.
    assert '"written": 2' in json.dumps(report), report
    status, answer = world.http("GET", f"/v1/memories/{memory}/files/consolidation/changelog.md")
    assert status == 200 and "merge facts/a.md" in answer["body"], answer
    status, answer = world.http("PUT", f"/v1/memories/{memory}/files/consolidation/changelog.md?force=1", {"body": "mine"})
    assert status == 403, (status, answer, made)
