"""One HTTP request and its answer, over TCP, TLS or a unix socket. Tries once; whether to try again is the caller's."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
from typing import Any, Dict, List, Mapping, NamedTuple, Optional
from urllib.parse import quote, urlsplit

from .errors import InvalidAnswer, Unreachable, error_of

#: An answer may be this long, in bytes.
ANSWER_MAX = 32 * 1024 * 1024


class Answer(NamedTuple):
    """What a server answered, whatever the status says."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def header(self, name: str) -> Optional[str]:
        """A header, by its name in any case."""
        return self.headers.get(name.lower())

    def parsed(self) -> Any:
        """The content as JSON; ``None`` where it is none."""
        try:
            return json.loads(self.content.decode("utf-8"))
        except ValueError:
            return None


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
    """Requests to one server. A connection is kept for each thread."""

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        tls: Optional[ssl.SSLContext],
        answer_bytes_max: int = ANSWER_MAX,
    ) -> None:
        self._headers = dict(headers)
        self._answer_bytes_max = answer_bytes_max
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
        """The result of a tool. Raises ``LociError``."""
        body = json.dumps(arguments, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        path = f"/v1/tools/{quote(tool, safe='')}"
        # The provider gives every call that changes something a key, so that it is not done twice.
        answer = self.exchange("POST", path, {"Content-Type": "application/json"}, body, timeout, may_repeat=True)
        parsed = answer.parsed()
        if answer.status != 200:
            raise error_of(answer.status, parsed, answer.header("Retry-After"), of_tool=True)
        if not isinstance(parsed, dict):
            raise InvalidAnswer("INVALID_ANSWER", "the answer is no JSON object: is the address right?", status=200)
        return parsed

    def exchange(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        content: Optional[bytes],
        timeout: float,
        *,
        may_repeat: bool,
    ) -> Answer:
        """What the server answers. Raises ``Unreachable``, and ``InvalidAnswer`` where there is too much of it.

        A connection that was kept may have been closed by the server in the meantime, which cannot be told from a server
        that ended in the middle of the work: what may not be done twice goes over a new one.
        """
        if not may_repeat:
            self._drop()
        kept = getattr(self._own, "connection", None)
        request = (method, self._prefix + path, headers, content, timeout)
        try:
            return self._try(kept or self._connect(timeout), *request)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError, http.client.CannotSendRequest) as error:
            self._drop()
            if kept is None:
                raise self._unreachable(error) from error
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            raise self._unreachable(error) from error
        try:
            return self._try(self._connect(timeout), *request)
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

    def _try(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        headers: Mapping[str, str],
        content: Optional[bytes],
        timeout: float,
    ) -> Answer:
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        connection.request(method, path, body=content, headers={**self._headers, **headers})
        response = connection.getresponse()
        received = response.read(self._answer_bytes_max + 1)
        if len(received) > self._answer_bytes_max:
            self._drop()
            message = f"the answer is longer than {self._answer_bytes_max} bytes"
            raise InvalidAnswer("INVALID_ANSWER", message, status=response.status)
        if response.length:
            # A read of so many bytes is short without an error where the connection ends before.
            whole = len(received) + response.length
            raise ConnectionError(f"the connection ended after {len(received)} of {whole} bytes")
        if response.will_close:
            self._drop()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, received)

    def _unreachable(self, error: BaseException) -> Unreachable:
        server = f"unix:{self._socket_path}" if self._socket_path is not None else f"{self._host}"
        what = "no answer in time" if isinstance(error, socket.timeout) else str(error) or type(error).__name__
        return Unreachable("UNREACHABLE", f"{server}: {what}", retryable=True)


def headers_of(token: Optional[str], memory: Optional[str]) -> Dict[str, str]:
    """The headers of every call."""
    headers = {"Accept": "application/json", "User-Agent": "locimem-python/0.1.0"}
    for name, value in (("token", token), ("memory", memory)):
        if value and not all(" " <= char < "\x7f" for char in value):
            raise ValueError(f"{name} may have printable ASCII characters only")
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if memory:
        headers["X-Loci-Memory"] = memory
    return headers
