"""Rows of point 13: prompts begin with `system/` in full and a listing; the agent's memory tool cannot write `system/`."""

import json


def _filled(world):
    memory = json.loads(world.loci("--json", "memory", "create", "notes"))["id"]
    world.loci("files", "put", "--memory", "notes", "knowledge/system/rules.md", input="Answer in English.\n")
    theme = "---\ndescription: \"Editor theme\"\n---\n\nDark mode in the editor.\n"
    world.loci("files", "put", "--memory", "notes", "knowledge/facts/theme.md", input=theme)
    return memory


def row_clients_and_the_hook_inject_documents(world):
    """A session begins with the documents of `system/` in full and a listing of the others, within a budget."""
    memory = _filled(world)
    status, context = world.http("GET", f"/v1/memory-tool?memory={memory}")
    assert status == 200, context
    text = context["text"]
    assert "Answer in English." in text and "Editor theme" in text, text
    assert "Dark mode in the editor" not in text, f"a document outside of system/ stands in full: {text}"
    status, small = world.http("GET", f"/v1/memory-tool?memory={memory}&budget_tokens=30")
    assert status == 200 and small["tokens"] <= 30, small
    hook = world.loci("fact", "recent", "--cwd", ".", "--format", "prompt", "--files", "notes", "--fail-open", cwd=world.folder)
    assert "Answer in English." in hook and "Editor theme" in hook, f"the hook's command shows: {hook}"
    repository = world.repo({"README.md": "x\n"})
    world.loci("install", "claude-code", "--project", "--files", "notes", "--yes", cwd=repository)
    written = (repository / ".claude" / "settings.json").read_text()
    assert "--files notes --fail-open" in written, f"the hook that was written: {written}"


def row_the_memory_tool_cannot_write_system(world):
    """The agent's memory tool reads `system/` and cannot write it, in development mode either."""
    memory = _filled(world)
    commands = [
        {"command": "create", "path": "/memories/system/more.md", "file_text": "x\n"},
        {"command": "str_replace", "path": "/memories/system/rules.md", "old_str": "English", "new_str": "French"},
        {"command": "insert", "path": "/memories/system/rules.md", "insert_line": 0, "insert_text": "x\n"},
        {"command": "delete", "path": "/memories/system/rules.md"},
        {"command": "rename", "old_path": "/memories/facts/theme.md", "new_path": "/memories/system/theme.md"},
    ]
    for command in commands:
        status, answer = world.http("POST", f"/v1/memory-tool?memory={memory}", command)
        assert status == 200 and answer["is_error"] and "read-only" in answer["content"], (command, answer)
    view = {"command": "view", "path": "/memories/system/rules.md"}
    status, answer = world.http("POST", f"/v1/memory-tool?memory={memory}", view)
    assert status == 200 and "Answer in English." in answer["content"], answer


def row_search_leaves_system_out(world):
    """Search leaves `system/` out, unless a caller asks for it."""
    memory = _filled(world)
    asked = {"memory": memory, "query": "answer in English, dark mode in the editor"}
    for include, expected in ((False, {"knowledge/facts/theme.md"}), (True, {"knowledge/facts/theme.md", "knowledge/system/rules.md"})):
        status, answer = world.http("POST", "/v1/search", {**asked, "include_system": include})
        found = {hit["record"].get("path") for hit in answer["hits"]}
        assert status == 200 and found == expected, (include, found)
