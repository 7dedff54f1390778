"""The reference: the local file-system tool of the SDK, with the differences evened out that are meant.

What is evened out is the list of the specification, and what its fixtures mark as not copied:

* paths are normalised; `/memoriesfoo`, backslashes and encoded dots are refused; nothing is written below a file;
* `str_replace` without `new_str` deletes, an empty `old_str` is refused;
* a final newline shows no line of its own; ranges past the end, or ending before they begin, are told;
* the range that `insert` tells is worded as documented; of the newlines that end `insert_text` one is dropped, not all,
  and a blank line that ends the file stays;
* sizes of directories are sums of files, directories without a file do not exist, and one cannot go into itself;
* a deletion takes a quarter of more than eight files at most.
"""

import re
from pathlib import Path
from types import SimpleNamespace

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

ROOT = "/memories"
MARK = "\x01mark\x01"
SMALL_TREE, SHARE = 8, 25


def normal(path):
    """A path without doubled slashes or one at the end; others as they are."""
    if path == ROOT or path.startswith(ROOT + "/"):
        return "/".join([ROOT, *[name for name in path[len(ROOT) :].split("/") if name]])
    return path


def size(count):
    """As listings tell it."""
    power = 0
    while power < 3 and count >> (10 * (power + 1)):
        power += 1
    unit = 1 << (10 * power)
    return f"{count // unit}{'BKMG'[power]}" if count % unit == 0 else f"{count / unit:.1f}{'BKMG'[power]}"


def shown_lines(body):
    """Lines as they are numbered: none behind the last newline, one of an empty file."""
    return body.removesuffix("\n").split("\n")


class Reference:
    """The reference in a folder of its own."""

    def __init__(self, folder):
        self.tool = BetaLocalFilesystemMemoryTool(str(folder))
        self.root = Path(self.tool.memory_root)

    def files(self):
        """Texts by path below the root."""
        found = (path for path in self.root.rglob("*") if path.is_file())
        return {path.relative_to(self.root).as_posix(): path.read_bytes().decode() for path in found}

    def answer(self, command):
        """What is to be answered: the text, and whether it is an error."""
        command = dict(command)
        # Parameters are looked at before paths are.
        if command.get("old_str") == "":
            return "Parameter `old_str` must not be empty.", True
        for name in ("path", "old_path", "new_path"):
            if name in command:
                why = outside(command[name])
                if why:
                    return why, True
                command[name] = normal(command[name])
        files = self.files()
        why = RULES[command["command"]](command, files)
        if why:
            return why, True
        return self.asked(command, files)

    def asked(self, command, files):
        """What the reference itself answers, evened out."""
        marks = command["command"] == "insert"
        given = dict(command)
        if command["command"] == "str_replace":
            given.setdefault("new_str", "")
        if marks:
            given["insert_text"] = command["insert_text"].removesuffix("\n") + MARK
        try:
            text = getattr(self.tool, command["command"])(SimpleNamespace(**({"view_range": None} | given)))
        except ToolError as error:
            self.prune()
            return re.sub(r"within the range \[0, (\d+)\]\.$", r"within the range of lines of the file: [0, \1]", str(error)), True
        if marks:
            file = self.root / command["path"][len(ROOT) + 1 :]
            # Where the last line is blank and stays the last, the reference writes the file without its end.
            before = files[file.relative_to(self.root).as_posix()]
            loses = shown_lines(before)[-1] == "" and before and command["insert_line"] < len(shown_lines(before))
            file.write_bytes(file.read_bytes().replace(MARK.encode(), b"") + (b"\n" if loses else b""))
        self.prune()
        if command["command"] in ("view", "str_replace"):
            return self.evened(text, command["path"]), False
        return text, False

    def evened(self, text, path):
        below = path[len(ROOT) + 1 :]
        files = self.files()
        head, *lines = text.split("\n")
        if below in files:
            body = files[below]
            extra = f"{body.count(chr(10)) + 1:>6}\t"
            if body.endswith("\n") and lines and lines[-1] == extra:
                lines.pop()
            return "\n".join([head, *lines])
        return "\n".join([head, *[resized(line, files) for line in lines]])

    def prune(self):
        """Directories that hold no file do not exist."""
        for path in sorted(self.root.rglob("*"), key=lambda path: -len(path.parts)):
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def resized(line, files):
    told, path = line.split("\t", 1)
    below = path[len(ROOT) :].strip("/")
    if below in files:
        return line
    prefix = f"{below}/" if below else ""
    return f"{size(sum(len(body.encode()) for name, body in files.items() if name.startswith(prefix)))}\t{path}"


def outside(path):
    """Why a path is refused that the reference takes, or words otherwise."""
    if not (path == ROOT or path.startswith(ROOT + "/")):
        return f"Path must start with {ROOT}, got: {path}"
    if "\\" in path or "%2e" in path or ".." in path.split("/"):
        return f"Path {path} would escape {ROOT} directory"
    return None


def below_file(path, files):
    """The file above a path."""
    names = path[len(ROOT) + 1 :].split("/")
    above = ("/".join(names[:count]) for count in range(1, len(names)))
    return next((f"{ROOT}/{name}" for name in above if name in files), None)


def exists(path, files):
    below = path[len(ROOT) + 1 :]
    return not below or below in files or any(name.startswith(f"{below}/") for name in files)


def of_view(command, files):
    body = files.get(command["path"][len(ROOT) + 1 :])
    if body is None or "view_range" not in command:
        return None
    (first, last), count = command["view_range"], len(shown_lines(body))
    told = f"Invalid `view_range` parameter: [{first}, {last}]."
    if max(first, 1) > count:
        return f"{told} Its first element `{first}` should be within the range of lines of the file: [1, {count}]"
    if last != -1 and min(last, count) < max(first, 1):
        return f"{told} Its second element `{last}` should be -1 or not less than the first"
    return None


def of_create(command, files):
    above = below_file(command["path"], files)
    return f"The path {above} is not a directory." if above else None


def of_delete(command, files):
    below = command["path"][len(ROOT) + 1 :]
    going = sum(name.startswith(f"{below}/") for name in files)
    if not below or below in files or not going or len(files) <= SMALL_TREE or going * 100 <= len(files) * SHARE:
        return None
    name = command["path"]
    return (
        f"Deleting {name} would remove {going} of {len(files)} files, and at most {SHARE} % may go at once. "
        "Delete smaller parts."
    )


def of_rename(command, files):
    old, new = command["old_path"], command["new_path"]
    if old == ROOT or exists(new, files) or not exists(old, files):
        # The reference makes directories first; where that leads through a file, or into what is not there,
        # it has no words.
        astray = below_file(new, files) or below_file(old, files) or new.startswith(f"{old}/")
        return f"The path {old} does not exist" if old != ROOT and not exists(new, files) and astray else None
    if new.startswith(f"{old}/"):
        return f"Cannot rename {old} into itself"
    above = below_file(new, files)
    return f"The path {above} is not a directory." if above else None


RULES = {
    "view": of_view,
    "create": of_create,
    "str_replace": lambda _command, _files: None,
    "insert": lambda _command, _files: None,
    "delete": of_delete,
    "rename": of_rename,
}
