"""Point 11: the server enforces verification before use, and takes the `sha` of a read as a citation's."""

LIMITS = "pub const MAX_ITEMS: usize = 60;\npub const MAX_REQUESTS: usize = 120;\n"


def _agent(world, files):
    """Starts an agent's MCP process, with a repository that the server knows."""
    path = world.repo(files)
    status, added = world.http("POST", "/v1/repos", {"directory": str(path)})
    assert status in (200, 201), (status, added)
    return path, world.mcp("--profile", "verified"), added["repository"]["repo"]


def _store(agent, repo, fact, line, **more):
    place = {"path": "limits.rs", "line_start": line, "line_end": line, **more}
    return agent.call("memory_store", {"repo": repo, "subject": "limits", "fact": fact, "citations": [place]})


def _refused(call, word):
    """Runs a call that must be refused with a word in its message."""
    try:
        answer = call()
    except AssertionError as error:
        assert word in str(error), (word, str(error))
        return
    raise AssertionError(f"not refused with {word}: {answer}")


def _commit(path):
    import subprocess

    who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", *who, "commit", "-q", "-a", "-m", "change"], cwd=path, check=True, capture_output=True)


def row_verify_none_needs_a_capability(world):
    """`verify: "none"` is refused for an agent, and for a key without the capability `unverified`."""
    _, agent, repo = _agent(world, {"limits.rs": LIMITS})
    _store(agent, repo, "MAX_ITEMS is 60", 1)
    asked = {"repo": repo, "verify": "none"}
    _refused(lambda: agent.call("memory_get_recent", asked), "unverified")

    def key_of(capabilities, headers=None):
        asked = {"name": "-".join(capabilities), "grants": [{"capabilities": capabilities}]}
        status, key = world.http("POST", "/v1/keys", asked, headers)
        assert status in (200, 201), (status, key)
        return key

    # The first key ends the development mode.
    by_admin = {"Authorization": f"Bearer {key_of(['admin'])['token']}"}
    for capabilities, expect in [(["read"], 403), (["read", "unverified"], 200)]:
        key = key_of(capabilities, by_admin)
        headers = {"Authorization": f"Bearer {key['token']}"}
        status, answer = world.http("POST", "/v1/tools/memory_get_recent", asked, headers)
        assert status == expect, (capabilities, status, answer)


def row_use_of_a_withheld_fact_is_refused(world):
    """`log_applied` on a withheld fact is refused, and all uses of MCP agents were verified first."""
    path, agent, repo = _agent(world, {"limits.rs": LIMITS})
    right = _store(agent, repo, "MAX_ITEMS is 60", 1)["id"]
    wrong = _store(agent, repo, "MAX_REQUESTS is 9000", 2)["id"]
    used = agent.call("memory_log_applied", {"memory_id": right, "outcome": "helped"})
    assert used["logged"] and not used["unverified"], used
    _refused(lambda: agent.call("memory_log_applied", {"memory_id": wrong}), "withheld")
    (path / "limits.rs").write_text("// nothing\n", encoding="utf-8")
    _commit(path)
    agent.call("memory_get_recent", {"repo": repo, "verify": "fresh"})
    _refused(lambda: agent.call("memory_log_applied", {"memory_id": right}), "the fact is gone")
    stats = agent.call("memory_stats", {"repo": repo})
    assert (stats["verified_before_use_rate"], stats["applied_count"]) == (1.0, 1), stats


def row_sha_of_a_read_is_a_citations(world):
    """The `sha` that `memory_read_citation` returns is accepted as the `sha` of a citation."""
    _, agent, repo = _agent(world, {"limits.rs": LIMITS})
    place = {"path": "limits.rs", "line_start": 1, "line_end": 1}
    read = agent.call("memory_read_citation", {"repo": repo, **place})
    stored = _store(agent, repo, "MAX_ITEMS is 60", 1, sha=read["sha"])
    assert stored["status"] == "created", stored
    checked = agent.call("memory_verify_citations", {"repo": repo, "citations": [{**place, "sha": read["sha"]}]})
    assert checked["valid"] is True, checked
