"""Random sequences of commands of the memory tool. The same seed gives the same sequence."""

NAMES = ["a", "b", "notes.md", "todo.txt", "facts", "Theme.md", "été.md", "日本.md", ".hidden", "x y.md"]
WORDS = ["tea", "dark", "mode", "one", "two", "été", "日本", "", " ", "\t", "tea tea", "- item", "\r"]
OUTSIDE = ["/memoriesfoo", "/etc/passwd", "memories/a", "/memories/../x", "/memories/a\\b", "/memories/%2e%2e/x", ""]


def path(rng, deep=3):
    """A path below the root; now and then the root, one with slashes too many, or one that leads outside."""
    roll = rng.random()
    if roll < 0.03:
        return rng.choice(OUTSIDE)
    if roll < 0.08:
        return rng.choice(["/memories", "/memories/"])
    names = [rng.choice(NAMES) for _ in range(rng.choice([1, 1, 1, 2, 2, deep]))]
    separator = "//" if rng.random() < 0.03 else "/"
    return "/memories" + separator + separator.join(names) + ("/" if rng.random() < 0.04 else "")


def text(rng):
    """Some lines, with or without an end."""
    lines = [rng.choice(WORDS) for _ in range(rng.randrange(0, 7))]
    return "\n".join(lines) + rng.choice(["", "\n", "\n", "\n\n"])


def known(rng, files):
    """Mostly a path at which something lies, or a directory above it."""
    if not files or rng.random() < 0.25:
        return path(rng)
    found = "/memories/" + rng.choice(sorted(files))
    while rng.random() < 0.15 and found.count("/") > 2:
        found = found.rsplit("/", 1)[0]
    return found


def command(rng, files):
    """A command on a tree of these files, from paths below the root to texts."""
    kind = rng.choice(["view", "view", "create", "create", "create", "str_replace", "insert", "insert", "delete", "rename"])
    if kind == "create":
        return {"command": kind, "path": path(rng), "file_text": text(rng)}
    if kind == "rename":
        target = known(rng, files) if rng.random() < 0.2 else path(rng)
        return {"command": kind, "old_path": known(rng, files), "new_path": target}
    made = {"command": kind, "path": known(rng, files)}
    if kind == "view" and rng.random() < 0.5:
        made["view_range"] = [rng.randrange(-2, 9), rng.choice([-1, -1, -2, 0, 1, 2, 3, 5, 8, 99])]
    if kind == "insert":
        made |= {"insert_line": rng.choice([-1, 0, 0, 1, 1, 2, 3, 5, 9]), "insert_text": text(rng)}
    if kind == "str_replace":
        body = files.get(made["path"].removeprefix("/memories/"), "")
        start = rng.randrange(0, len(body) + 1)
        piece = body[start : start + rng.randrange(0, 9)]
        made["old_str"] = piece if piece and rng.random() < 0.8 else rng.choice(WORDS)
        if rng.random() < 0.9:
            made["new_str"] = text(rng) if rng.random() < 0.5 else rng.choice(WORDS)
    return made
