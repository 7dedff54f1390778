"""A server that runs for the tests of a class: the binary that `LOCI_BIN` names. It asks it nothing."""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

LOCI = os.environ.get("LOCI_BIN")


class Running(unittest.TestCase):
    """A server on a folder of its own."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.folder.name)
        cls.repository = root / "deliveries"
        cls.data = root / "data"
        cls.environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(root), "LOCI_DATA_DIR": str(cls.data)}
        cls.prepare()
        port_file = root / "port"
        serve = [str(LOCI), "serve", "--listen", "127.0.0.1:0", "--port-file", str(port_file)]
        cls.log = open(root / "log", "w", encoding="utf-8")
        cls.server = subprocess.Popen(serve, env=cls.environment, cwd=root, stdout=cls.log, stderr=cls.log)
        end = time.monotonic() + 60
        while not (port_file.exists() and port_file.read_text().strip()):
            if cls.server.poll() is not None or time.monotonic() > end:
                raise AssertionError("the server did not start: " + (root / "log").read_text())
            time.sleep(0.05)
        cls.url = f"http://127.0.0.1:{port_file.read_text().strip()}"

    @classmethod
    def prepare(cls):
        """What is to be there before the server starts."""

    @classmethod
    def tearDownClass(cls):
        server = getattr(cls, "server", None)
        if server is not None:
            server.terminate()
            server.wait(30)
        if hasattr(cls, "log"):
            cls.log.close()
        cls.folder.cleanup()
