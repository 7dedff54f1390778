"""Draws docs/pictures/demo.svg from a real run of `loci demo`: its first question and its second act.

Run: pip install rich && python docs/pictures/render.py LOCI > docs/pictures/demo.svg
"""

import io
import re
import subprocess
import sys

from rich.console import Console
from rich.text import Text

COLUMNS = 104


def shown(lines):
    """The lines of the first question, and those of the second act."""
    questions = [at for at, line in enumerate(lines) if re.match(r" ?\d+\. ", line)]
    act = next(at for at, line in enumerate(lines) if line.startswith("Act two"))
    end = next(at for at, line in enumerate(lines) if "have their answer" in line)
    return lines[questions[0] : questions[1]] + lines[act:end]


def main():
    ended = subprocess.run([sys.argv[1], "demo"], capture_output=True, text=True, check=True)
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text("$ loci demo", style="bold"))
    for line in shown(ended.stdout.splitlines()):
        style = ""
        if line.startswith("Act two") or re.match(r" ?\d+\. ", line):
            style = "bold"
        elif "withheld" in line:
            style = "bold red"
        elif "→ served" in line or line.startswith("  * "):
            style = "green"
        elif "why:" in line:
            style = "dim"
        console.print(Text(line, style=style))
    svg = console.export_svg(title="loci demo")
    # Fonts of the reader's machine: a picture fetches nothing.
    svg = re.sub(r"@font-face \{[^}]*\}", "", svg)
    sys.stdout.write(svg)


main()
