"""Stock Strands agents in Python and TypeScript against a fresh server: tests 26 to 33 of the specification of the memory manager.

Ends with a line `N passed, M failed`. Each group is a process of its own, which tells its checks by `ok …` and `FAILED …`; nothing of
Strands is replaced but the model, which is the stub. It holds no check itself.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from recorder import Recorder

HERE = pathlib.Path(__file__).parent
GROUP_MAX_S = 240
PYTHON = ["memory.py", "sessions.py", "tools.py", "files.py", "unit_suites.py"]
JAVASCRIPT = ["memory.mjs", "store.mjs", "tools.mjs", "storage.mjs"]
#: Has a server of its own, and takes as long as all others together: it runs beside them.
BESIDE = ["restarts.py"]


def environment(arguments, stub_url):
    """What stock clients are told: the recorder in the place of AWS."""
    recorder = Recorder(os.environ["LOCI_URL"], stub_url)
    names = ["AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"]
    told = dict.fromkeys([*names, "RECORDER_URL"], recorder.url)
    told |= {"STUB_URL": stub_url, "NODE_FOLDER": arguments.node_folder, "STRANDS_SOURCES": arguments.sources}
    # The SDK says on every start that it leaves this Node next year.
    return os.environ | told | {"LOCI_TYPESCRIPT": arguments.typescript, "NODE_NO_WARNINGS": "1"}


def stub(folder):
    """The stub of Bedrock Runtime, and its address."""
    port_file = pathlib.Path(folder) / "stub.port"
    command = [sys.executable, HERE.parent / "stub" / "bedrock_stub.py", "--port-file", port_file]
    process = subprocess.Popen(command)
    while not port_file.exists():
        assert process.poll() is None, "the stub did not start"
        time.sleep(0.02)
    return process, f"http://127.0.0.1:{port_file.read_text().strip()}"


def group(command, told):
    """Runs one group: what it told, and how many checks passed and failed."""
    began = time.monotonic()
    try:
        process = subprocess.run(command, env=told, stdout=subprocess.PIPE, text=True, timeout=GROUP_MAX_S)
        lines, code = process.stdout.splitlines(), process.returncode
    except subprocess.TimeoutExpired as error:
        lines, code = (error.stdout or b"").decode().splitlines(), "no end in time"
    passed, failed = (sum(line.startswith(start) for line in lines) for start in ("ok ", "FAILED "))
    if not passed + failed or (code and not failed):
        lines.append(f"FAILED {command[-1]} ended with {code} after {passed} checks")
        failed += 1
    lines.append(f"   {pathlib.Path(command[-1]).name}: {time.monotonic() - began:.1f} s")
    print("\n".join(lines), flush=True)
    return passed, failed


def groups(arguments, told):
    """Runs the groups that are asked for, two at a time at most: one beside the others."""

    def run(folder, program, names):
        asked = [name for name in names if not arguments.groups or name in arguments.groups]
        return [group([program, str(folder / name)], told) for name in asked]

    with ThreadPoolExecutor(1) as beside:
        longest = beside.submit(run, HERE, sys.executable, BESIDE)
        totals = run(HERE, sys.executable, PYTHON)
        totals += run(pathlib.Path(arguments.node_folder), "node", JAVASCRIPT)
        return totals + longest.result()


def main():
    """Runs the groups, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node-folder", required=True, help="where the npm packages and the modules lie")
    parser.add_argument("--typescript", required=True, help="the built TypeScript client")
    parser.add_argument("--sources", required=True, help="the unpacked source distribution of strands-agents")
    parser.add_argument("groups", nargs="*", help="files of groups; all where none is named")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process, stub_url = stub(folder)
        try:
            totals = groups(arguments, environment(arguments, stub_url))
        finally:
            process.kill()
            process.wait()
    passed, failed = (sum(column) for column in zip(*totals, strict=True))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
