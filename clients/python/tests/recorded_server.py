"""A server on loopback that answers as it is told, and keeps what it was asked. It checks nothing itself."""

from __future__ import annotations

import http.server
import json
import os
import socket
import socketserver
import tempfile
import threading
from typing import Any, List, NamedTuple, Optional


class Asked(NamedTuple):
    """A request that came."""

    path: str
    headers: Any
    body: Any
    method: str = "POST"


class Answer(NamedTuple):
    """An answer to give."""

    body: Any
    status: int = 200
    headers: Any = ()
    #: Close the connection without an answer.
    hangs_up: bool = False
    #: Close it behind the answer, without saying so.
    closes: bool = False
    #: Of the content only so many bytes come, and then the connection is closed.
    cut_at: Optional[int] = None


class RecordedServer:
    """Gives its answers in their order."""

    def __init__(self, answers: List[Answer], unix: bool = False) -> None:
        self.asked: List[Asked] = []
        self._answers = list(answers)
        self._folder: Optional[tempfile.TemporaryDirectory] = None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._answer(self)

            do_GET = do_PUT = do_PATCH = do_DELETE = do_POST

            def log_message(self, *_: Any) -> None:
                pass

            def address_string(self) -> str:
                return "local"

        if unix:
            self._folder = tempfile.TemporaryDirectory()
            path = os.path.join(self._folder.name, "loci.sock")

            class UnixServer(socketserver.ThreadingUnixStreamServer):
                daemon_threads = True

            self._server: Any = UnixServer(path, Handler)
            self.url = f"unix:{path}"
        else:
            self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            self._server.daemon_threads = True
            self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def _answer(self, request: Any) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", "0")))
        is_json = request.headers.get("Content-Type") == "application/json"
        self.asked.append(Asked(request.path, request.headers, json.loads(body) if is_json else body, request.command))
        answer = self._answers.pop(0) if self._answers else Answer({"error": {"code": "BUG", "message": "no answer is left"}}, 500)
        if answer.hangs_up:
            request.close_connection = True
            request.connection.shutdown(socket.SHUT_RDWR)
            return
        is_bytes = isinstance(answer.body, bytes)
        content = answer.body if is_bytes else json.dumps(answer.body).encode()
        request.send_response(answer.status)
        request.send_header("Content-Length", str(len(content)))
        if not is_bytes:
            request.send_header("Content-Type", "application/json")
        for name, value in answer.headers:
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content[: answer.cut_at])
        request.close_connection = answer.closes or answer.cut_at is not None

    def __enter__(self) -> "RecordedServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if self._folder:
            self._folder.cleanup()
