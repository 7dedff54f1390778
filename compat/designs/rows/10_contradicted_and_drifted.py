"""Point 10: what the cited lines contradict warns and is not served as verified; drifted facts are withheld from agents."""

LIMITS = "pub const MAX_ITEMS: usize = 60;\npub const PAYMENT_MODE: &str = \"invoice\";\n"
MANIFEST = "[package]\nname = \"shop\"\nversion = \"2.1.5\"\n"
CART = "def add_item(cart, item):\n    if len(cart.items) >= MAX_ITEMS:\n        raise CartFull(cart)\n    cart.items.append(item)\n"
WRONG = [
    ("MAX_ITEMS is 9000", "limits.rs", 1, 1),
    ("PAYMENT_MODE defaults to prepaid.", "limits.rs", 2, 2),
    ("The shop has version 3.0.0.", "Cargo.toml", 1, 3),
]


def _session(world, path):
    """Starts an agent's MCP process, with a repository that the server knows."""
    status, added = world.http("POST", "/v1/repos", {"directory": str(path)})
    assert status in (200, 201), (status, added)
    return world.mcp("--profile", "verified"), added["repository"]["repo"]


def _cited(path, first, last):
    return [{"path": path, "line_start": first, "line_end": last}]


def _commit(path, message):
    import subprocess

    who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", *who, "commit", "-q", "-a", "-m", message], cwd=path, check=True, capture_output=True)


def row_contradicted_when_stored(world):
    """A number, name or version that the cited lines contradict warns when it is stored, and is not served as verified."""
    path = world.repo({"limits.rs": LIMITS, "Cargo.toml": MANIFEST})
    agent, repo = _session(world, path)
    for fact, file, first, last in WRONG:
        arguments = {"repo": repo, "subject": "shop", "fact": fact, "citations": _cited(file, first, last)}
        stored = agent.call("memory_store", arguments)
        assert any(one.startswith("CONTRADICTED: ") for one in stored["warnings"]), (fact, stored["warnings"])
    recent = agent.call("memory_get_recent", {"repo": repo, "verify": "fresh"})
    assert recent["memories"] == [], recent["memories"]
    assert len(recent["withheld"]) == recent["omitted"]["contradicted"] == len(WRONG), recent
    prompt = agent.call("memory_get_recent", {"repo": repo, "format": "prompt"})["prompt"]
    assert not any(fact in prompt for fact, *_ in WRONG), prompt


def row_drifted_withheld_from_agents(world):
    """An agent is given the places of a drifted fact, not its statement; a person is given it with a label."""
    path = world.repo({"cart.py": CART, "limits.rs": LIMITS})
    agent, repo = _session(world, path)
    fact = "`add_item` raises CartFull at MAX_ITEMS."
    arguments = {"repo": repo, "subject": "carts", "fact": fact, "citations": _cited("cart.py", 1, 4)}
    stored = agent.call("memory_store", arguments)
    (path / "cart.py").write_text(CART.replace(">= MAX_ITEMS", "> MAX_ITEMS"), encoding="utf-8")
    _commit(path, "one item more")
    recent = agent.call("memory_get_recent", {"repo": repo, "verify": "fresh"})
    assert recent["memories"] == [] and recent["omitted"] == {"drifted": 1}, recent
    (withheld,) = recent["withheld"]
    assert withheld["id"] == stored["id"] and withheld["places"][0]["path"] == "cart.py", withheld
    assert fact not in str(recent) and "> MAX_ITEMS" in withheld["change"]["diff"], recent
    lines = world.loci("fact", "recent", "--verify", "fresh", cwd=path)
    assert fact in lines and "the cited code has changed" in lines, lines
