"""The impact of a change names importers of a module, of a directory and of a file."""

import json

FILES = {
    "src/auth/session.ts": "export const session = 1;\n",
    "src/auth/index.ts": 'export { session } from "./session";\n',
    "src/cart.ts": '// the cart\nimport { session } from "./auth";\n',
    "src/main.ts": 'import "./cart";\n',
    "tools/acme/__init__.py": "",
    "tools/acme/store.py": "LIMIT = 3\n",
    "tools/report.py": "from acme.store import LIMIT\n",
    "go.mod": "module example.org/shop\n",
    "store/disk.go": "package store\n\nfunc Open() {}\n",
    "main.go": 'package main\n\nimport "example.org/shop/store"\n\nfunc main() { store.Open() }\n',
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/lib.rs": "mod price;\nmod tax;\n",
    "src/price.rs": "use crate::tax::rate;\n",
    "src/tax.rs": "pub fn rate() {}\n",
}


def _impact(world, repo, *asked):
    return json.loads(world.loci("graph", "impact", *asked, "--json", cwd=repo))


def _paths(found):
    return [(row["path"], row["distance"]) for row in found["rows"]]


def row_impact_of_a_module_and_a_directory(world):
    """`loci graph impact --module` answers by imports, for a module, a directory and a path of the language."""
    repo = world.repo(FILES)
    world.loci("repo", "add", "acme/shop", cwd=repo)
    expect = [("src/cart.ts", 1), ("src/main.ts", 2)]
    for asked in (["--module", "auth"], ["--module", "src/auth"], ["src/auth"]):
        found = _impact(world, repo, *asked)
        assert _paths(found) == expect, (asked, found)
        assert found["imports"]["files"] > 0, found
        site = found["rows"][0]["sites"][0]
        assert site == {"of": "src/auth/index.ts", "line": 2, "by": "path"}, site
        assert found["rows"][0]["reasons"] == ["imports"], found


def row_impact_in_the_common_languages(world):
    """Importers are found in TypeScript, Python, Go and Rust, with the certainty of each."""
    repo = world.repo(FILES)
    world.loci("repo", "add", "acme/shop", cwd=repo)
    for asked, importer in (
        (["src/auth/session.ts"], "src/auth/index.ts"),
        (["--module", "acme.store"], "tools/report.py"),
        (["store/disk.go"], "main.go"),
        (["--module", "crate::tax"], "src/price.rs"),
    ):
        found = _impact(world, repo, *asked, "--depth", "1")
        assert importer in [path for path, _ in _paths(found)], (asked, found)
        assert 0 < found["rows"][0]["certainty"] <= 1, found
