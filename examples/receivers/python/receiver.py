"""A webhook receiver that uses only Python's standard library.

    WEBHOOK_SECRET=whsec_... python receiver.py

It verifies the Standard Webhooks signature of every delivery, stores each event once, and answers only when the
event is stored. During a rotation give both secrets, separated by a comma. Other settings: PORT (8000), INBOX (a
SQLite file, inbox.sqlite).
"""

import base64
import binascii
import hmac
import json
import os
import sqlite3
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOLERANCE = 5 * 60  # maximum clock difference in seconds
LARGEST = 64 * 1024  # maximum body size in bytes; deliveries have at most 32 KiB


def is_genuine(headers: Mapping[str, str], body: bytes, secrets: Sequence[str], now: float) -> bool:
    """True if one of the secrets signed id, time and body recently (Standard Webhooks)."""
    message, sent, signatures = (headers.get(f"webhook-{name}") or "" for name in ("id", "timestamp", "signature"))
    if not (sent.isascii() and sent.isdigit()) or abs(now - int(sent[:12])) > TOLERANCE:
        return False
    signed = f"{message}.{sent}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key(secret), signed, "sha256")) for secret in secrets]
    return is_any_equal(expected, [given.encode() for given in signatures.split()])


def is_signed(headers: Mapping[str, str], body: bytes, secrets: Sequence[str]) -> bool:
    """Alternative with the service's own header: check `delivered_at` in the body afterwards."""
    given = [headers.get(name) or "" for name in ("X-Service-Signature", "X-Service-Signature-Previous")]
    expected = [b"sha256=" + hmac.digest(secret.encode(), body, "sha256").hex().encode() for secret in secrets]
    return is_any_equal(expected, [one.encode() for one in given])


def is_any_equal(expected: Sequence[bytes], given: Sequence[bytes]) -> bool:
    """Compare every pair in constant time, without stopping at a match."""
    return sum(hmac.compare_digest(one, other) for one in expected for other in given) > 0


def key(secret: str) -> bytes:
    """Decode a secret to the bytes of its key."""
    return base64.b64decode(secret.removeprefix("whsec_"), validate=True)


class Inbox:
    """Stores received events, each once: a retry or a replay may deliver an event again."""

    def __init__(self, path: str) -> None:
        self.path = path
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS events (event_id TEXT PRIMARY KEY, body BLOB NOT NULL)")

    def keep(self, event_id: str, body: bytes) -> bool:
        """Store an event durably; return False if it was already stored."""
        with closing(sqlite3.connect(self.path)) as database, database:
            stored = database.execute("INSERT OR IGNORE INTO events VALUES (?, ?)", (event_id, body))
            return stored.rowcount == 1


class Handler(BaseHTTPRequestHandler):
    """Answers 204 when an event is stored, 401 if the signature is invalid."""

    server_version = "receiver"
    protocol_version = "HTTP/1.1"
    timeout = 30
    secrets: Sequence[str]
    inbox: Inbox

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            return self.answer(411)
        if len(length) > 9 or int(length) > LARGEST:
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body, self.secrets, time.time()):
            return self.answer(401)
        event = json.loads(body)  # signed by the service, so it is JSON
        if self.inbox.keep(event["event_id"], body):
            print(f"{event['event_type']} {event['event_id']}", flush=True)  # put your own work after this line
        return self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        if status in (411, 413):  # the body was not read, so the connection cannot be reused
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Log nothing: a request's path may contain a secret."""


def main() -> int:
    given = os.environ.get("WEBHOOK_SECRET", "").split(",")
    Handler.secrets = [secret.strip() for secret in given if secret.strip()]
    try:
        usable = bool(Handler.secrets) and all(map(key, Handler.secrets))
    except binascii.Error:
        usable = False
    if not usable:
        print("Set WEBHOOK_SECRET to the secret that was shown when the subscription was created.", file=sys.stderr)
        return 2
    Handler.inbox = Inbox(os.environ.get("INBOX", "inbox.sqlite"))
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Handler)
    print(f"Listening on http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return 0
    finally:
        server.server_close()


if __name__ == "__main__":
    sys.exit(main())
