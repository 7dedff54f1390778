"""One HTTP request and its answer, over TCP, TLS or a unix socket. Tries once; whether to try again is the provider's."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
from typing import Any, Dict, List, Mapping, Optional
from urllib.parse import quote, urlsplit

from .errors import InvalidAnswer, Unreachable, error_of

#: An answer may be this long, in bytes.
ANSWER_MAX = 32 * 1024 * 1024


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise OSError("this system has no unix sockets")
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Transport:
    """Calls of tools on one server. A connection is kept for each thread."""

    def __init__(self, url: str, headers: Mapping[str, str], tls: Optional[ssl.SSLContext]) -> None:
        self._headers = dict(headers)
        self._own = threading.local()
        self._open: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._socket_path: Optional[str] = None
        self._prefix = ""
        if url.startswith("unix:"):
            self._socket_path = url[len("unix:") :]
            if not self._socket_path:
                raise ValueError("unix: needs the path of a socket, such as unix:/var/lib/loci/loci.sock")
            return
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the address of a server is http://…, https://… or unix:/path/to/loci.sock")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("the address of a server has no user, question mark or hash: give the token as `token`")
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._host = parts.hostname
        self._port = parts.port
        self._prefix = parts.path.rstrip("/")

    def call(self, tool: str, arguments: Mapping[str, Any], timeout: float) -> Dict[str, Any]:
        """The result of a tool. Raises ``VerifiedMemoryError``."""
        body = json.dumps(arguments, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        path = f"{self._prefix}/v1/tools/{quote(tool, safe='')}"
        kept = getattr(self._own, "connection", None)
        try:
            return self._try(kept or self._connect(timeout), path, body, timeout)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError, http.client.CannotSendRequest) as error:
            self._drop()
            if kept is None:
                raise self._unreachable(error) from error
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            raise self._unreachable(error) from error
        # A connection that was kept may have been closed by the server in the meantime: once more on a new one. The
        # provider gives every call that changes something a key, so that it is not done twice.
        try:
            return self._try(self._connect(timeout), path, body, timeout)
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            raise self._unreachable(error) from error

    def close(self) -> None:
        """Closes the connections of every thread."""
        with self._lock:
            connections, self._open = self._open, []
        for connection in connections:
            connection.close()
        self._own = threading.local()

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if self._socket_path is not None:
            connection = _UnixConnection(self._socket_path, timeout)
        elif self._tls is not None:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        self._own.connection = connection
        with self._lock:
            self._open.append(connection)
        return connection

    def _drop(self) -> None:
        connection = getattr(self._own, "connection", None)
        self._own.connection = None
        if connection is not None:
            connection.close()
            with self._lock:
                self._open = [other for other in self._open if other is not connection]

    def _try(self, connection: http.client.HTTPConnection, path: str, body: bytes, timeout: float) -> Dict[str, Any]:
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        connection.request("POST", path, body=body, headers={**self._headers, "Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read(ANSWER_MAX + 1)
        if len(content) > ANSWER_MAX:
            self._drop()
            raise InvalidAnswer("INVALID_ANSWER", f"the answer is longer than {ANSWER_MAX} bytes", status=answer.status)
        if answer.will_close:
            self._drop()
        parsed: Any
        try:
            parsed = json.loads(content.decode("utf-8"))
        except ValueError:
            parsed = None
        if answer.status != 200:
            raise error_of(answer.status, parsed, answer.getheader("Retry-After"))
        if not isinstance(parsed, dict):
            raise InvalidAnswer("INVALID_ANSWER", "the answer is no JSON object: is the address right?", status=200)
        return parsed

    def _unreachable(self, error: BaseException) -> Unreachable:
        server = f"unix:{self._socket_path}" if self._socket_path is not None else f"{self._host}"
        what = "no answer in time" if isinstance(error, socket.timeout) else str(error) or type(error).__name__
        return Unreachable("UNREACHABLE", f"{server}: {what}", retryable=True)


def headers_of(token: Optional[str], memory: Optional[str]) -> Dict[str, str]:
    """The headers of every call."""
    headers = {"Accept": "application/json", "User-Agent": "loci-memory-python/0.1.0"}
    for name, value in (("token", token), ("memory", memory)):
        if value and not all(" " <= char < "\x7f" for char in value):
            raise ValueError(f"{name} may have printable ASCII characters only")
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if memory:
        headers["X-Loci-Memory"] = memory
    return headers
