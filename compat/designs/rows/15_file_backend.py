"""Rows of point 15: a third party's file backend in plain Python passes the conformance suite, and a broken one is named."""

import contextlib
import hashlib
import http.server
import json
import subprocess
import threading
import unicodedata
import urllib.parse

from world import CALL_MAX_S, LOCI

DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {f"{name}{digit}" for name in ("com", "lpt") for digit in "123456789¹²³"}


def breaks_a_rule(path):
    """Returns whether a path breaks one of the rules for paths."""
    segments = path.split("/")
    if not path or len(path.encode()) > 1024 or len(segments) > 20:
        return True
    for name in segments:
        decoded, seen = name, name.casefold().rstrip(". ")
        for _ in range(8):
            decoded = urllib.parse.unquote(decoded)
        joined = name.replace("\u200d", "").replace("\u200c", "")
        if decoded in (".", "..") or "/" in decoded or "\\" in decoded or name[-1] == "." or name[-1].isspace():
            return True
        if seen in (".git", "git~1") or name.split(".")[0].rstrip().lower() in DEVICES or len(name.encode()) > 200:
            return True
        if set(name) & set(':<>"|?*') or any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") for c in joined):
            return True
    return False


class Backend(http.server.BaseHTTPRequestHandler):
    """A file backend over HTTP that keeps its files in a dictionary."""

    def answer(self, status, body=b"", code=None, sha256=None):
        body = json.dumps({"code": code, "message": f"{self.path}: {code}"}).encode() if code else body
        self.send_response(status)
        if sha256:
            self.send_header("ETag", f'"{sha256}"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/capabilities":
            return self.answer(200, json.dumps({"cas": True}).encode())
        if url.path == "/files":
            return self.listing(query.get("prefix", "").strip("/"))
        if not url.path.startswith("/files/"):
            return self.answer(501, code="unsupported")
        path = "/".join(part for part in urllib.parse.unquote(url.path[len("/files/"):]).split("/") if part)
        if breaks_a_rule(path):
            return self.answer(400, code="invalid_path")
        with self.server.lock:
            return self.file(path, body)

    do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = handle_request

    def listing(self, prefix):
        with self.server.lock:
            paths = [p for p in self.server.files if not prefix or p == prefix or p.startswith(prefix + "/")]
            files = [{"path": p, "size": len(self.server.files[p])} for p in self.order(paths)]
        self.answer(200, json.dumps({"files": files}).encode())

    def file(self, path, body):
        files, there = self.server.files, self.server.files.get(path)
        sha256 = there is not None and hashlib.sha256(there).hexdigest()
        if there is None and self.command != "PUT":
            return self.answer(404, code="not_found")
        if self.command in ("GET", "HEAD"):
            return self.answer(200, there, sha256=sha256)
        wanted, absent = self.headers.get("If-Match"), self.headers.get("If-None-Match")
        if self.fails(wanted and wanted != f'"{sha256}"' or absent and there is not None):
            return self.answer(412, code="precondition_failed")
        if self.command == "DELETE":
            del files[path]
            return self.answer(204)
        files[path] = self.stored(body)
        return self.answer(200, sha256=hashlib.sha256(files[path]).hexdigest())

    def order(self, paths):
        return sorted(paths, key=str.encode)

    def fails(self, condition):
        return condition

    def stored(self, body):
        return body

    def log_message(self, *_):
        """Writes no log."""


class BrokenBackend(Backend):
    """The backend with three faults: it loses CRLF, ignores preconditions and lists without order."""

    def order(self, paths):
        return sorted(paths, key=lambda path: hashlib.sha256(path.encode()).digest())

    def fails(self, condition):
        return False

    def stored(self, body):
        return body.replace(b"\r\n", b"\n")


@contextlib.contextmanager
def served(handler):
    """Serves a backend on a free port of this machine and yields its URL and its files."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.files, server.lock = {}, threading.Lock()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.files
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _check(world, *place):
    """Runs the suite and returns its exit code and its checks by name."""
    environment = {name: value for name, value in world.environment().items() if name != "LOCI_URL"}
    done = subprocess.run([LOCI, "backend", "check", "--json", *place], capture_output=True, text=True, cwd=world.folder,
                          env=environment, timeout=CALL_MAX_S)
    assert done.stdout, done.stderr
    return done.returncode, {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def _failed(checks):
    return {name for name, check in checks.items() if check["outcome"] == "failed"}


def row_a_backend_in_python_passes(world):
    """A backend of a third party, some 70 lines of `http.server`, passes `loci backend check --url`."""
    with served(Backend) as (url, files):
        code, checks = _check(world, "--url", url)
        assert (code, _failed(checks)) == (0, set()), checks
        assert checks["concurrent-absent"]["outcome"] == "passed", checks
        skipped = {name for name, check in checks.items() if check["outcome"] == "skipped"}
        assert {"history", "restore", "search"} <= skipped, skipped
        assert files == {}, f"the run left {sorted(files)}"


def row_faults_of_a_broken_backend_are_named(world):
    """A variation that loses CRLF, ignores preconditions and lists without order fails the checks that name this."""
    with served(BrokenBackend) as (url, _):
        code, checks = _check(world, "--url", url)
    named = {"bytes-round-trip", "list-sorted", "precondition-absent", "precondition-sha256", "precondition-delete",
             "concurrent-absent", "concurrent-sha256"}
    assert code == 1 and named <= _failed(checks), (code, _failed(checks))
    assert {"path-rules", "path-names", "delete", "clean-up"} & _failed(checks) <= {"path-names"}, checks
    assert "ETag" in checks["bytes-round-trip"]["found"], checks["bytes-round-trip"]


def row_a_memory_is_a_backend(world):
    """The documents of a memory pass every check of versions, and files are copied between a third party and the memory."""
    world.loci("memory", "create", "notes")
    code, checks = _check(world, "--url", world.url, "--memory", "notes", "--namespace", "/team")
    assert (code, _failed(checks)) == (0, set()), checks
    for name in ("history", "changes", "diff", "restore", "search-unsupported", "concurrent-sha256"):
        assert checks[name]["outcome"] == "passed", checks[name]
    with served(Backend) as (url, files):
        files.update({"facts/a.md": b"The build needs make.\r\n", "facts/b.md": "Grüße\n".encode()})
        arguments = ("--from-url", url, "--to-memory", "notes", "--to-namespace", "/team", "--json")
        first = json.loads(world.loci("backend", "copy", *arguments))
        again = json.loads(world.loci("backend", "copy", *arguments))
    assert (first["written"], again["written"], again["unchanged"]) == (2, 0, 2), (first, again)
    text = world.loci("files", "cat", "--memory", "notes", "--namespace", "/team", "knowledge/facts/b.md")
    assert text == "Grüße\n", text
