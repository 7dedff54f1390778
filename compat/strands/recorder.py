"""A door in front of the server and of the stub for models: it passes every request on, and remembers it.

`GET /recorded` tells what went through since `DELETE /recorded`: method, path, body and status, in the order of the answers. What
clients do is counted here, not believed. It changes nothing on the way, and streams nothing: no MCP goes through it.
"""

import http.client
import json
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: Headers of one connection, not of what is passed on.
OF_THE_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Recorder(ThreadingHTTPServer):
    """Listens on a free port of loopback, in a thread."""

    daemon_threads = True

    def __init__(self, server_url, model_url):
        super().__init__(("127.0.0.1", 0), Handler)
        self.places = {kind: urllib.parse.urlsplit(url).netloc for kind, url in [("server", server_url), ("model", model_url)]}
        self.requests = []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """A client that is gone is nothing to tell."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Calls of models go to the stub, all else to the server."""

    protocol_version = "HTTP/1.1"

    def pass_on(self):
        """Answers what the other side answers."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/recorded":
            self.tell()
            return
        place = self.server.places["model" if self.path.startswith("/model/") else "server"]
        connection = http.client.HTTPConnection(place, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OF_THE_CONNECTION}
        connection.request(self.command, self.path, body=body, headers=headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        told = {"method": self.command, "path": self.path, "status": answer.status, "body": json.loads(body or b"null")}
        with self.server.lock:
            self.server.requests.append(told)
        self.respond(answer.status, answer.getheaders(), content)

    def tell(self):
        """Tells what went through, or forgets it."""
        with self.server.lock:
            content = json.dumps(self.server.requests).encode()
            if self.command == "DELETE":
                self.server.requests.clear()
        self.respond(200, [("content-type", "application/json")], content)

    def respond(self, status, headers, content):
        """Writes a whole answer."""
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in OF_THE_CONNECTION:
                self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = pass_on

    def log_message(self, *_):
        """Keeps quiet."""
