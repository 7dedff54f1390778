"""A server on a folder of its own, for as long as it is asked. It does not say what to ask."""

from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import tempfile
import time
from typing import Iterator

_START_S = 60


@contextlib.contextmanager
def running_server(loci: str) -> Iterator[str]:
    """Starts the binary, and gives the address of the server."""
    with tempfile.TemporaryDirectory() as folder:
        port_file = pathlib.Path(folder) / "port"
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "LOCI_DATA_DIR": str(pathlib.Path(folder) / "data")}
        command = [os.path.abspath(loci), "serve", "--listen", "127.0.0.1:0", "--port-file", str(port_file)]
        server = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield f"http://127.0.0.1:{_port(server, port_file)}"
        finally:
            server.terminate()
            server.wait(30)


def _port(server: subprocess.Popen, port_file: pathlib.Path) -> str:
    end = time.monotonic() + _START_S
    while not (port_file.exists() and port_file.read_text(encoding="utf-8").strip()):
        if server.poll() is not None or time.monotonic() > end:
            raise SystemExit("generate: the server did not start")
        time.sleep(0.05)
    return port_file.read_text(encoding="utf-8").strip()
