"""Settings of the book: `cargo xtask book` builds it from the Markdown files with Sphinx.

The source folder is the root of the repository, so that README and the other pages of the root are
pages of the book. The lists of links in `docs/README.md` are the table of contents.
"""

import os
import pathlib
import re
import urllib.parse

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.util import logging

ROOT = pathlib.Path(__file__).parent.parent
CONTENTS = "docs/README"
DECISIONS = "docs/decisions"

project = "Loci"
html_title = "Loci"
html_theme = "furo"
root_doc = CONTENTS
extensions = ["myst_parser"]
include_patterns = ["*.md", "docs/**", "clients/*/README.md"]
# The other folders have no pages of the book, and some are large.
FOLDERS = {"docs", "clients"}
exclude_patterns = [name for name in os.listdir(ROOT) if (ROOT / name).is_dir()]
exclude_patterns = [name for name in exclude_patterns if name not in FOLDERS] + ["**/node_modules"]

html_copy_source = False
html_use_index = False
html_show_copyright = False
pygments_style = "default"
pygments_dark_style = "github-dark"
# Examples shorten JSON and outputs with `…`. Sphinx then shows the block without colours.
suppress_warnings = ["misc.highlighting_failure"]

myst_heading_anchors = 6
myst_url_schemes = ["http", "https", "mailto"]


def add_decisions(_app, page, source):
    """Lists the decisions on their index page."""
    if page == f"{DECISIONS}/README":
        numbers = sorted(path.name for path in (ROOT / DECISIONS).glob("[0-9]*.md"))
        source[0] += "\n" + "\n".join(f"- [](./{name})" for name in numbers) + "\n"


def add_contents(_app, page, source):
    """Makes the navigation of the book from the headings and lists of the contents page."""
    if page != CONTENTS:
        return
    trees = []
    for section in re.split(r"^## ", source[0], flags=re.MULTILINE)[1:]:
        entries = re.findall(r"^- \[[^\]]+\]\(([^)#]+)\.md\)", section, flags=re.MULTILINE)
        if entries:
            options = [":hidden:", f":caption: {section.splitlines()[0]}", ""]
            trees.append("\n".join(["```{toctree}", *options, *entries, "```\n"]))
    source[0] += "\n" + "\n".join(trees)


def leave_decisions_out(app, _tree):
    """Keeps the decisions out of the navigation, which every page repeats."""
    if app.env.docname.startswith(f"{DECISIONS}/") and app.env.docname != f"{DECISIONS}/README":
        app.env.metadata[app.env.docname]["orphan"] = ""


def check_external_links(_app, tree):
    """Warns about a link to another site without a host, or with a character of no URL."""
    for link in tree.findall(nodes.reference):
        url = urllib.parse.urlsplit(link.get("refuri", ""))
        is_web = url.scheme in ("http", "https")
        if is_web and (not url.hostname or re.search(r"[\s<>\"{}|\\^`]", url.geturl())):
            logging.getLogger(__name__).warning("malformed link: %s", url.geturl(), location=link)


def write_start_page(app, error):
    """Opens the contents page for a reader who opens the folder of the book."""
    if error is None and app.builder.format == "html":
        page = f'<!doctype html><meta http-equiv="refresh" content="0; url={CONTENTS}.html">\n'
        pathlib.Path(app.outdir, "index.html").write_text(page, encoding="utf-8")


def setup(app):
    app.add_lexer("output", TextLexer)
    app.connect("source-read", add_decisions)
    app.connect("source-read", add_contents)
    app.connect("doctree-read", leave_decisions_out)
    app.connect("doctree-read", check_external_links)
    app.connect("build-finished", write_start_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
