"""Runs named checks in order, tells each, and ends the process as the worst of them. A check fails by an exception."""

import time
import traceback


def run(checks, outcome=0):
    """Runs functions; their docstrings are their names. `outcome`: of checks that were told before."""
    failed = 0
    for check in checks:
        name, began = check.__doc__.strip(), time.monotonic()
        try:
            check()
        except Exception:  # noqa: BLE001  (each is told, and the others still run)
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
        else:
            print(f"ok {name} ({time.monotonic() - began:.1f} s)", flush=True)
    raise SystemExit(1 if failed or outcome else 0)
