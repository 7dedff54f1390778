"""The surroundings of one row: a fresh development server without a model, and the doors of its clients."""

import contextlib
import json
import os
import pathlib
import queue
import subprocess
import threading
import time
import urllib.error
import urllib.request

LOCI = os.environ["LOCI_BIN"]
START_MAX_S = 30
CALL_MAX_S = 60
SETTLE_MAX_MS = 30_000
REGION = "us-west-2"


class World:
    """One server, and calls of it through its doors."""

    def __init__(self, url, folder, home):
        self.url, self.folder, self._home = url, folder, home
        self._sessions = contextlib.ExitStack()

    def close(self):
        """Ends what the row started."""
        self._sessions.close()

    def environment(self):
        """Returns the environment of a client: nothing of the outer one that names AWS or Loci."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "LOCI_"))}
        own = {"HOME": str(self._home), "XDG_CONFIG_HOME": str(self._home), "LOCI_URL": self.url}
        return kept | own | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LOCI_BIN": LOCI}

    def loci(self, *arguments, input=None, cwd=None):
        """Runs the program against the server and returns its standard output."""
        done = subprocess.run([LOCI, *map(str, arguments)], input=input, capture_output=True, text=True,
                              cwd=cwd or self.folder, env=self.environment(), timeout=CALL_MAX_S)
        assert done.returncode == 0, f"loci {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr}{done.stdout}"
        return done.stdout

    def http(self, method, path, body=None, headers=None):
        """Returns the status of a call over HTTP and its JSON, or its text where it is none."""
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.url + path, data=data, method=method,
                                       headers={"content-type": "application/json", **(headers or {})})
        try:
            with urllib.request.urlopen(asked, timeout=CALL_MAX_S) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        try:
            return status, json.loads(text or "null")
        except ValueError:
            return status, text

    def mcp(self, *arguments, environment=None, cwd=None):
        """Starts `loci mcp` on the server and returns its session."""
        session = McpSession([LOCI, "mcp", *map(str, arguments)], self.environment() | (environment or {}), cwd or self.folder)
        return self._sessions.enter_context(session)

    def boto3(self):
        """Returns the clients of the control plane and of the data plane."""
        import boto3

        def client(name):
            return boto3.client(name, endpoint_url=self.url, region_name=REGION, aws_access_key_id="local",
                                aws_secret_access_key="local")

        return client("bedrock-agentcore-control"), client("bedrock-agentcore")

    def repo(self, files):
        """Makes a git repository with one commit of the files, and returns its folder."""
        folder = self.folder / "repo"
        folder.mkdir()
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for command in (["init", "-q", "-b", "main"], ["remote", "add", "origin", "https://github.com/acme/shop.git"],
                        ["add", "-A"], ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-qm", "first"]):
            subprocess.run(["git", *command], cwd=folder, env=self.environment(), check=True, timeout=CALL_MAX_S)
        return folder

    def settle(self):
        """Waits until no job of the pipeline waits or runs."""
        for memory in json.loads(self.loci("memory", "list", "--json"))["memories"]:
            self.loci("job", "wait", "--memory", memory["id"], "--wait-ms", SETTLE_MAX_MS)

    def node(self, script, *arguments):
        """Runs an ES module with the built TypeScript client importable as `locimem`; returns its output."""
        modules = self.folder / "node_modules"
        if not modules.exists():
            modules.mkdir()
            (modules / "locimem").symlink_to(pathlib.Path(os.environ["LOCI_TYPESCRIPT"]).parent)
        path = self.folder / "script.mjs"
        path.write_text(script)
        done = subprocess.run(["node", path, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder,
                              env=self.environment(), timeout=CALL_MAX_S)
        assert done.returncode == 0, f"the module ended with {done.returncode}: {done.stderr}"
        return done.stdout


class McpSession:
    """A session of the Model Context Protocol over standard input and output."""

    def __init__(self, command, environment, cwd):
        self._command, self._environment, self._cwd = command, environment, cwd
        self._answers, self._last_id = queue.Queue(), 0

    def __enter__(self):
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True, env=self._environment, cwd=self._cwd)
        threading.Thread(target=self._read, daemon=True).start()
        own = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "designs", "version": "1"}}
        self.instructions = self._ask("initialize", own).get("instructions", "")
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def list_tools(self):
        """Returns the tools of the session, by name."""
        return {tool["name"]: tool for tool in self._ask("tools/list", {})["tools"]}

    def call(self, tool, arguments):
        """Returns the result of a tool as data; raises where the tool reports an error."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result.get("content", []))
        assert not result.get("isError"), f"{tool}: {text}"
        if "structuredContent" in result:
            return result["structuredContent"]
        try:
            return json.loads(text)
        except ValueError:
            return {"text": text}

    def _read(self):
        for line in self._process.stdout:
            self._answers.put(json.loads(line))
        self._answers.put(None)

    def _write(self, message):
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _ask(self, method, parameters):
        self._last_id += 1
        self._write({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": parameters})
        until = time.monotonic() + CALL_MAX_S
        while True:
            try:
                answer = self._answers.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"{method}: no answer in {CALL_MAX_S} s") from None
            assert answer is not None, f"{method}: the program ended: {self._process.stderr.read()[-2000:]}"
            if answer.get("id") == self._last_id:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]


@contextlib.contextmanager
def fresh(folder):
    """Starts a server on an empty data folder below `folder` and yields its world."""
    folder = pathlib.Path(folder)
    home, port_file, log = folder / "home", folder / "port", folder / "log"
    for name in (home, folder / "work"):
        name.mkdir()
    world = World("", folder / "work", home)
    environment = {k: v for k, v in world.environment().items() if k != "LOCI_URL"}
    command = [LOCI, "serve", "--listen", "127.0.0.1:0", "--data-dir", folder / "data", "--port-file", port_file]
    with open(log, "ab") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        until = time.monotonic() + START_MAX_S
        while not (port_file.exists() and port_file.read_text().strip()):
            if server.poll() is not None or time.monotonic() > until:
                raise AssertionError("the server did not start:\n" + log.read_text()[-4000:])
            time.sleep(0.02)
        world.url = f"http://127.0.0.1:{port_file.read_text().strip()}"
        yield world
    finally:
        world.close()
        server.terminate()
        try:
            server.wait(timeout=15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
