"""Generates shapes and operations of the clients from the API's description: `python3 clients/generate --loci target/debug/loci`.

With `--check` nothing is written: it fails where a file differs from what would be. It knows no language and no document.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import urllib.request

import python_text
import typescript_text
from document import TABLE, NotUnderstood, api_of
from forms import Api
from running_server import running_server

CLIENTS = pathlib.Path(__file__).resolve().parent.parent
FILES = {
    "python/locimem/api.py": python_text.shapes_text,
    "python/locimem/operations.py": python_text.operations_text,
    "typescript/src/api.ts": typescript_text.shapes_text,
    "typescript/src/operations.ts": typescript_text.operations_text,
}


def main() -> int:
    """The exit code."""
    arguments = _arguments()
    try:
        api = api_of(_document(arguments), TABLE.read_text(encoding="utf-8"))
    except NotUnderstood as error:
        print(f"generate: {error}", file=sys.stderr)
        return 1
    differing = [name for name in FILES if not _is_written(api, name, arguments.into)]
    if not arguments.check:
        for name in differing:
            path = arguments.into / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(FILES[name](api), encoding="utf-8")
            print(f"wrote {name}")
        return 0
    for name in differing:
        print(f"clients/{name} is not what the server's API gives: run `python3 clients/generate --loci PATH`", file=sys.stderr)
    return 1 if differing else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="generate", description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--loci", metavar="PATH", help="a binary: it is started on a folder of its own, and asked")
    source.add_argument("--url", help="a server, such as http://127.0.0.1:8411")
    source.add_argument("--document", metavar="FILE", help="a description that is kept in a file")
    parser.add_argument("--into", metavar="FOLDER", type=pathlib.Path, default=CLIENTS, help="the clients, by default these")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where something differs")
    return parser.parse_args()


def _document(arguments: argparse.Namespace) -> dict:
    if arguments.document:
        return json.loads(pathlib.Path(arguments.document).read_text(encoding="utf-8"))
    if arguments.url:
        return _fetched(arguments.url)
    with running_server(arguments.loci) as url:
        return _fetched(url)


def _fetched(url: str) -> dict:
    with urllib.request.urlopen(f"{url.rstrip('/')}/openapi.json", timeout=60) as answer:
        return json.load(answer)


def _is_written(api: Api, name: str, into: pathlib.Path) -> bool:
    path = into / name
    return path.exists() and path.read_text(encoding="utf-8") == FILES[name](api)


if __name__ == "__main__":
    sys.exit(main())
