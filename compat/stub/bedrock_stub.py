"""A stand-in for Bedrock Runtime that answers with what users said.

It speaks the two converse operations for any model id, so that an agent framework runs without a model: an answer
contains a name only if the conversation that carried it was stored and replayed. A line `CALL <tool> <JSON>` of a user's
turn makes it call that tool, and then tell what the tool said. A model whose id begins with `quiet` never repeats what it was
told, so that what it was shown does not come back as its own words. It is no model and checks no signature. Standard library only.
"""

import argparse
import binascii
import json
import os
import struct
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

USAGE = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
METRICS = {"latencyMs": 1}


def answer_to(model, request):
    """The text of an answer, and the tools it calls."""
    messages = request.get("messages", [])
    last = messages[-1].get("content", []) if messages else []
    calls = asked_for(last, f"call-{len(messages)}")
    if calls:
        return "Let me see.", calls
    if model.startswith("quiet"):
        return "Noted.", []
    told = [f"Tool said: {json.dumps(block['toolResult']['content'])}" for block in last if "toolResult" in block]
    return " ".join([echo(messages), *told]), []


def asked_for(content, named):
    """The calls that the lines of a user's turn ask for."""
    lines = [line for block in content for line in block.get("text", "").split("\n") if line.startswith("CALL ")]
    calls = []
    for number, line in enumerate(lines):
        _, tool, arguments = line.split(" ", 2)
        calls.append({"toolUseId": f"{named}-{number}", "name": tool, "input": json.loads(arguments)})
    return calls


def echo(messages):
    """Every text of every user message, joined by spaces."""
    texts = [
        block["text"]
        for message in messages
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


def stream(text, calls):
    """The frames of a streamed answer: five, and three more for each tool it calls."""
    frames = [
        frame("messageStart", {"role": "assistant"}),
        frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": text}}),
        frame("contentBlockStop", {"contentBlockIndex": 0}),
    ]
    for index, call in enumerate(calls, 1):
        named = {"toolUseId": call["toolUseId"], "name": call["name"]}
        arguments = {"toolUse": {"input": json.dumps(call["input"])}}
        frames += [
            frame("contentBlockStart", {"contentBlockIndex": index, "start": {"toolUse": named}}),
            frame("contentBlockDelta", {"contentBlockIndex": index, "delta": arguments}),
            frame("contentBlockStop", {"contentBlockIndex": index}),
        ]
    return b"".join(
        [
            *frames,
            frame("messageStop", {"stopReason": stop_reason(calls)}),
            frame("metadata", {"usage": USAGE, "metrics": METRICS}),
        ]
    )


def stop_reason(calls):
    """Why an answer ends."""
    return "tool_use" if calls else "end_turn"


class Handler(BaseHTTPRequestHandler):
    """Routes on the last segment of the path; the model id may hold anything."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):  # noqa: N802 (the base class names it)
        """Answers converse and converse-stream, 404 otherwise."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        start, _, operation = self.path.rpartition("/")
        if not start.startswith("/model/") or operation not in ("converse", "converse-stream"):
            self.answer(404, "application/json", b'{"message":"unknown operation"}')
            return
        text, calls = answer_to(start.removeprefix("/model/"), json.loads(body or b"{}"))
        if operation == "converse-stream":
            self.answer(200, "application/vnd.amazon.eventstream", stream(text, calls))
            return
        message = {"role": "assistant", "content": [{"text": text}, *({"toolUse": call} for call in calls)]}
        reply = {"output": {"message": message}, "stopReason": stop_reason(calls), "usage": USAGE, "metrics": METRICS}
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
