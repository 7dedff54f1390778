"""Runs the rows of the source designs: `run.py [WORD]`, each against a server of its own; WORD chooses rows by name."""

import importlib.util
import os
import pathlib
import sys
import tempfile
import time
import traceback

from world import fresh

ROWS = pathlib.Path(__file__).parent / "rows"


def rows():
    """Yields the name and the function of every row, in the order of the files and of their text."""
    for path in sorted(ROWS.glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, function in vars(module).items():
            if name.startswith("row_"):
                yield f"{path.stem}.{name.removeprefix('row_')}", function


def holds(name, function):
    """Runs one row, prints its result, and returns whether it holds."""
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder, fresh(folder) as world:
            function(world)
    except Exception:
        traceback.print_exc(file=sys.stdout)
        print(f"FAILED  {name}: {function.__doc__}", flush=True)
        return False
    print(f"ok      {name} ({time.monotonic() - began:.1f} s): {function.__doc__}", flush=True)
    return True


def main():
    # Rows use the Python client of this checkout.
    sys.path.insert(0, os.environ.get("LOCI_PYTHON", str(ROWS.parents[2] / "clients" / "python")))
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    results = [holds(name, function) for name, function in rows() if word in name]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if results and all(results) else 1)


if __name__ == "__main__":
    main()
