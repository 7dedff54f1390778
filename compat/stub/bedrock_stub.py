"""A stand-in for Bedrock Runtime that answers with what users said.

It speaks the two converse operations for any model id, so that an agent framework runs without a model: an answer
contains a name only if the conversation that carried it was stored and replayed. It is no model and checks no
signature. Standard library only.
"""

import argparse
import binascii
import json
import os
import struct
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
METRICS = {"latencyMs": 1}


def echo(request):
    """Every text of every user message, joined by spaces."""
    texts = [
        block["text"]
        for message in request.get("messages", [])
        if message.get("role") == "user"
        for block in message.get("content", [])
        if "text" in block
    ]
    return "You said: " + " ".join(texts)


def header(name, value):
    """One event-stream header of type string."""
    raw_name, raw_value = name.encode(), value.encode()
    return struct.pack("!B", len(raw_name)) + raw_name + struct.pack("!BH", 7, len(raw_value)) + raw_value


def frame(event_type, payload):
    """One message of the AWS event-stream encoding."""
    headers = (
        header(":event-type", event_type)
        + header(":content-type", "application/json")
        + header(":message-type", "event")
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack("!II", len(headers) + len(body) + 16, len(headers))
    prelude += struct.pack("!I", binascii.crc32(prelude))
    message = prelude + headers + body
    return message + struct.pack("!I", binascii.crc32(message))


def stream(text):
    """The five frames of a streamed answer."""
    return b"".join(
        [
            frame("messageStart", {"role": "assistant"}),
            frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": text}}),
            frame("contentBlockStop", {"contentBlockIndex": 0}),
            frame("messageStop", {"stopReason": "end_turn"}),
            frame("metadata", {"usage": USAGE, "metrics": METRICS}),
        ]
    )


class Handler(BaseHTTPRequestHandler):
    """Routes on the last segment of the path; the model id may hold anything."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):  # noqa: N802 (the base class names it)
        """Answers converse and converse-stream, 404 otherwise."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        operation = self.path.rsplit("/", 1)[-1]
        if not self.path.startswith("/model/") or operation not in ("converse", "converse-stream"):
            self.answer(404, "application/json", b'{"message":"unknown operation"}')
            return
        text = echo(json.loads(body or b"{}"))
        if operation == "converse-stream":
            self.answer(200, "application/vnd.amazon.eventstream", stream(text))
            return
        message = {"role": "assistant", "content": [{"text": text}]}
        reply = {"output": {"message": message}, "stopReason": "end_turn", "usage": USAGE, "metrics": METRICS}
        self.answer(200, "application/json", json.dumps(reply).encode())

    def answer(self, status, content_type, body):
        """Writes a whole answer."""
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Keeps quiet."""


def main():
    """Serves until it is killed; the port goes to a file, whole or not at all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port-file", required=True)
    arguments = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    partial = arguments.port_file + ".partial"
    with open(partial, "w", encoding="utf-8") as file:
        file.write(f"{server.server_address[1]}\n")
    os.replace(partial, arguments.port_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
