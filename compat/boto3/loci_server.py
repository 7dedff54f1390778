"""Starts a server of its own for the tests that need keys or a restart. The program is `LOCI_BIN`."""

import contextlib
import json
import os
import pathlib
import subprocess
import time
import urllib.request

LOCI = os.environ["LOCI_BIN"]
START_MAX_S = 30


def environment(folder):
    """Ours without what the outer test run says about servers."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "LOCI_"))}
    return kept | {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}


@contextlib.contextmanager
def serve(folder, *arguments):
    """Runs `loci serve` on the data folder below `folder`, and yields its address."""
    folder = pathlib.Path(folder)
    port_file, log = folder / "port", folder / "log"
    port_file.unlink(missing_ok=True)
    command = [LOCI, "serve", "--listen", "127.0.0.1:0", "--data-dir", folder / "data", "--port-file", port_file]
    with open(log, "ab") as output:
        process = subprocess.Popen([*command, *arguments], stdout=output, stderr=output, env=environment(folder))
    try:
        deadline = time.monotonic() + START_MAX_S
        while not (port_file.exists() and port_file.read_text().strip()):
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("the server did not start:\n" + log.read_text()[-4000:])
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port_file.read_text().strip()}"
    finally:
        process.terminate()
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def first_key(folder, name):
    """Makes the first key with the command of the binary, before any server runs: whoever owns the folder may."""
    command = [LOCI, "key", "create", name, "--json", "--data-dir", pathlib.Path(folder) / "data"]
    result = subprocess.run(command, capture_output=True, text=True, env=environment(folder), timeout=60)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def create_key(url, name, grants, token):
    """Makes a further key through the native API."""
    body = {"name": name, "grants": grants}
    headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"{url}/v1/keys", data=json.dumps(body).encode(), headers=headers, method="POST")
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)
