"""A server that is ended in the middle of what it does, and started again on the same address and folder. It asks it nothing."""

import contextlib
import pathlib
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "boto3"))
import loci_server  # noqa: E402  (what a server is started with is there)


class Served:
    """`loci serve` on a data folder below `folder`, with the text of a configuration."""

    def __init__(self, folder, configuration=""):
        self.folder = pathlib.Path(folder)
        self.configuration = self.folder / "loci.toml"
        self.configuration.write_text(configuration)
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{self.address}"
        self.process = None

    def start(self):
        """Waits until it listens."""
        port_file = self.folder / "port"
        port_file.unlink(missing_ok=True)
        command = [loci_server.LOCI, "serve", "--listen", self.address, "--data-dir", self.folder / "data"]
        command += ["--port-file", port_file, "--config", self.configuration]
        told = loci_server.environment(self.folder) | {"LOCI_LOG_LEVEL": "warn"}
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=told)
        end = time.monotonic() + loci_server.START_MAX_S
        while not (port_file.exists() and port_file.read_text().strip()):
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError("the server did not start:\n" + self.log())
            time.sleep(0.02)

    def kill(self):
        """Ends it as a loss of power would, for the process."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Asks it to end."""
        self.process.terminate()
        self.process.wait(30)

    def log(self):
        """The end of what it wrote."""
        return (self.folder / "log").read_text()[-4000:]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
