"""``Client``: every operation of the native API on one server. The operations are generated; here is how a call is made.

It holds no rule: what is refused is refused by the server.
"""

from __future__ import annotations

import json
import os
import ssl
import time
import uuid
from typing import Any, Callable, Mapping
from urllib.parse import quote, urlencode

from .errors import InvalidAnswer, InvalidArgument, error_of
from .operations import CallOptions, Operation, Operations
from .repeats import Repeats
from .transport import ANSWER_MAX, Answer, Transport, headers_of

_BYTES = "application/octet-stream"
#: What a segment of a path may hold as it is.
_SEGMENT_SAFE = ":"


class Client(Operations):
    """The native API of one server: one method for each operation, as ``/openapi.json`` describes them.

    :param url: ``http://…``, ``https://…`` or ``unix:/path/to/loci.sock``; else ``LOCI_URL``.
    :param token: the bearer token of a key; else ``LOCI_TOKEN``. A socket needs none.
    :param memory: which memory calls of tools mean, by name or id. Operations name their memory themselves.
    :param timeout: seconds that a call may take, all tries together; ``timeout`` of a call goes before it.
    :param retries: further tries after an error that the server calls retryable, or no answer at all, of calls that change
        nothing or carry an idempotency key. Others are tried again only where the server did not begin (429).
    :param tls: for servers with a certificate of their own.
    :param answer_bytes_max: longer answers are refused.

    A context manager; may be used from several threads.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        memory: str | None = None,
        timeout: float = 10.0,
        retries: int = 2,
        tls: ssl.SSLContext | None = None,
        answer_bytes_max: int = ANSWER_MAX,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        url = url or os.environ.get("LOCI_URL")
        if not url:
            raise ValueError("no server: give url, or set LOCI_URL")
        #: The address of the server.
        self.url = url
        self._repeats = Repeats(timeout, retries, sleep, clock)
        headers = headers_of(token or os.environ.get("LOCI_TOKEN"), memory)
        self._transport = Transport(url, headers, tls, answer_bytes_max)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        timeout: float | None = None,
        may_repeat: bool = False,
    ) -> Answer:
        """Any request, for what is no JSON, such as a document as a file. Raises ``LociError`` where it fails."""

        def one(left: float) -> Answer:
            answer = self._transport.exchange(method, path, headers or {}, content, left, may_repeat=may_repeat)
            if not 200 <= answer.status < 300:
                raise error_of(answer.status, answer.parsed(), answer.header("Retry-After"))
            return answer

        return self._repeats.run(one, may_repeat=may_repeat, timeout=timeout)

    def _call(
        self,
        operation: Operation,
        parameters: Mapping[str, str],
        options: CallOptions,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> Any:
        answer = self.request(
            operation.method,
            _path(operation.path, parameters) + _query({**(query or {}), **options.get("query", {})}),
            headers=_headers(operation, options, body),
            content=_content(body),
            timeout=options.get("timeout"),
            may_repeat=operation.repeat != "never",
        )
        return _read(operation, answer)


def _read(operation: Operation, answer: Answer) -> Any:
    if operation.answer == "bytes":
        return answer.content
    if operation.answer == "nothing" or answer.status == 204:
        return None
    parsed = answer.parsed()
    if not (answer.header("Content-Type") or "").startswith("application/json") or parsed is None:
        message = "the answer is no JSON: ask with `request` for what is none, else: is the address right?"
        raise InvalidAnswer("INVALID_ANSWER", message, status=answer.status)
    return parsed


def _path(template: str, parameters: Mapping[str, str]) -> str:
    path = template
    for name, value in parameters.items():
        # What stands for nothing, or for a folder above, would be another operation.
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise InvalidArgument("INVALID_ARGUMENT", f"{name} must be a text that is not empty", field=name)
        path = path.replace("{" + name + "}", quote(value, safe=_SEGMENT_SAFE))
    return path


def _query(members: Mapping[str, Any]) -> str:
    given = {name: _spelled(value) for name, value in members.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _spelled(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _content(body: Any) -> bytes | None:
    if body is None or isinstance(body, bytes):
        return body
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def _headers(operation: Operation, options: CallOptions, body: Any) -> dict[str, str]:
    headers: dict[str, str] = {}
    if body is not None:
        kind = options.get("content_type", _BYTES) if isinstance(body, bytes) else "application/json"
        headers["Content-Type"] = kind
    key = options.get("idempotency_key") or (str(uuid.uuid4()) if operation.repeat == "key" else None)
    if key:
        headers["Idempotency-Key"] = key
    if "if_match" in options:
        headers["If-Match"] = options["if_match"]
    if options.get("if_absent"):
        headers["If-None-Match"] = "*"
    return headers
