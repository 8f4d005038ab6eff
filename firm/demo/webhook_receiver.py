"""Webhook receiver of the demo: verifies every signature and counts received events.

Further duties of a real receiver (time tolerance, queues) are shown in `examples/receivers`. Does not belong
here: subscribing (`firm.commands.demo`).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, Final

_LARGEST: Final = 32 * 1024  # docs/contract/contract.md 4.6
_DISCARDED: Final = 1 << 20  # bytes still read of a body that is too large


@dataclass(slots=True)
class WebhookReceiver:
    """The receiver's URL and counts; the secret is set once the subscription exists."""

    url: str
    secret: str = field(default="", repr=False)
    seen: set[str] = field(default_factory=set)
    by_type: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    refused: int = 0

    def take(self, headers: Message, body: bytes) -> HTTPStatus:
        """Verifies and counts an event; duplicates count once (docs/contract/contract.md 4.7: at least once)."""
        signed = "sha256=" + hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        if not self.secret or not hmac.compare_digest(signed, headers.get("X-Service-Signature", "")):
            self.refused += 1
            return HTTPStatus.UNAUTHORIZED
        event = json.loads(body)
        if event["event_id"] in self.seen:
            self.repeated += 1
        else:
            self.seen.add(event["event_id"])
            self.by_type[event["event_type"]] += 1
        return HTTPStatus.NO_CONTENT


class _WebhookHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    receiver: ClassVar[WebhookReceiver]
    counting: ClassVar[threading.Lock]  # each connection has its own thread

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        if length > _LARGEST:
            # unread data at close resets the connection, perhaps before the response is seen
            self.rfile.read(min(length, _DISCARDED))
            self._send_status(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, closing=True)
            return
        body = self.rfile.read(length)
        with self.counting:
            status = self.receiver.take(self.headers, body)
        self._send_status(status)

    def _send_status(self, status: HTTPStatus, *, closing: bool = False) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        if closing:  # or the client would reuse a connection that is being closed
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's signature
        """Suppresses request logs: the demo prints counts only."""


@contextmanager
def run_receiver() -> Iterator[WebhookReceiver]:
    """Runs a receiver for the duration of the block."""
    handler = type("_Told", (_WebhookHandler,), {"counting": threading.Lock()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    handler.receiver = WebhookReceiver(f"http://127.0.0.1:{server.server_port}/hooks")
    thread = threading.Thread(target=server.serve_forever, name="firm-receiver", daemon=True)
    thread.start()
    try:
        yield handler.receiver
    finally:
        server.shutdown()
        server.server_close()
