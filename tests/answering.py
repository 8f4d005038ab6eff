"""A registry of the tests' own: a real HTTP server on this machine for the length of a block."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Quiet(BaseHTTPRequestHandler):
    """Answers without writing of it; `do_GET` and its like say what."""

    disable_nagle_algorithm = True  # head and body are written apart

    def log_message(self, *_: object) -> None:
        """Silent."""

    def read_body(self) -> bytes:
        """The body of the request, by its stated length."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def send_whole(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        """Sends an answer that says nothing but what is given, not even the hour."""
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serves with a handler; gives the base address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
