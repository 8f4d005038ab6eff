"""A server in front of a running service that plays faults, and else passes requests on.

The first part of a path names a scenario: its faults strike one request each, in their order, and then all is passed on.
So a client needs to know nothing but its base URL. Belongs here: the faults of a network and of an overloaded service.
Does not belong here: what a client must make of them (`test_faults`).
"""

from __future__ import annotations

import http.client
import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final
from urllib.parse import urlsplit

_HOP_HEADERS: Final = frozenset({"connection", "host", "keep-alive", "transfer-encoding", "content-length"})
_PIECE: Final = 65_536


@dataclass(frozen=True)
class Refusal:
    """A problem in place of the answer. date: what the service's clock shows; default: the time."""

    status: int
    code: str
    retry_after: str | None = None
    date: str | None = None


@dataclass(frozen=True)
class CutBody:
    """The answer ends after so many bytes, and the connection with it."""

    after_bytes: int


@dataclass(frozen=True)
class CutStream:
    """The connection ends in the middle of the event after so many whole ones."""

    after_events: int


@dataclass(frozen=True)
class Refused:
    """The connection is reset before an answer."""


Fault = Refusal | CutBody | CutStream | Refused


@dataclass(frozen=True)
class Passed:
    """A request as it came: scenario, method, path with query, headers in lower case."""

    scenario: str
    method: str
    path: str
    headers: dict[str, str]


@dataclass
class FaultyService:
    """A running server; `requests`: all that came, in order."""

    target: str
    scenarios: dict[str, list[Fault]]
    url: str = ""
    requests: list[Passed] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def received(self, scenario: str) -> list[Passed]:
        return [one for one in self.requests if one.scenario == scenario]

    def next_fault(self, request: Passed) -> Fault | None:
        with self._lock:
            self.requests.append(request)
            left = self.scenarios.get(request.scenario, [])
            return left.pop(0) if left else None


@contextmanager
def faulty(target: str, scenarios: dict[str, list[Fault]]) -> Iterator[FaultyService]:
    """Serves the scenarios in front of the service at `target` until the block ends."""
    service = FaultyService(target, {name: list(faults) for name, faults in scenarios.items()})

    class Handler(_Handler):
        played = service

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    played: FaultyService
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._serve()

    do_POST = do_DELETE = do_GET  # noqa: N815 -- names of the base class

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name is the base class's
        pass

    def _serve(self) -> None:
        _, scenario, path = self.path.split("/", 2)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        fault = self.played.next_fault(Passed(scenario, self.command, f"/{path}", headers))
        match fault:
            case Refusal():
                self._refuse(fault)
            case Refused():
                self._cut()
            case _:
                self._pass_on(f"/{path}", headers, body, fault)

    def _refuse(self, fault: Refusal) -> None:
        problem = {"status": fault.status, "code": fault.code, "title": "Played", "detail": "played by a test"}
        body = json.dumps(problem).encode()
        self.send_response_only(fault.status)
        self.send_header("Date", fault.date or formatdate(usegmt=True))
        self.send_header("Content-Type", "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        if fault.retry_after is not None:
            self.send_header("Retry-After", fault.retry_after)
        self.end_headers()
        self.wfile.write(body)

    def _pass_on(self, path: str, headers: dict[str, str], body: bytes, fault: Fault | None) -> None:
        target = urlsplit(self.played.target)
        connection = http.client.HTTPConnection(target.hostname or "", target.port, timeout=30)
        passed = {name: value for name, value in headers.items() if name not in _HOP_HEADERS}
        with closing(connection):
            connection.request(self.command, path, body or None, passed | {"Accept-Encoding": "identity"})
            with connection.getresponse() as answer:
                self._head(answer)
                self._body(answer, fault)

    def _head(self, answer: http.client.HTTPResponse) -> None:
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in {"connection", "transfer-encoding"}:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def _body(self, answer: http.client.HTTPResponse, fault: Fault | None) -> None:
        sent = b""
        try:
            while piece := answer.read1(_PIECE):
                sent += piece
                end = _end_of(fault, sent)
                if end is not None:
                    self.wfile.write(piece[: len(piece) - (len(sent) - end)])
                    self._cut()
                    return
                self.wfile.write(piece)
        except ConnectionError:
            return  # the client has what it wanted

    def _cut(self) -> None:
        """Ends the connection without a farewell."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.close(self.connection.detach())
        self.close_connection = True


def _end_of(fault: Fault | None, sent: bytes) -> int | None:
    """After which byte of an answer it is cut; None: not yet."""
    match fault:
        case CutBody(after_bytes):
            return after_bytes if len(sent) > after_bytes else None
        case CutStream(after_events):
            return _middle_of_event(sent, after_events)
        case _:
            return None


def _middle_of_event(sent: bytes, after_events: int) -> int | None:
    place = 0
    for _ in range(after_events + 1):
        place = sent.find(b"\ndata: ", place + 1)
        if place < 0:
            return None
    return place + 20 if len(sent) >= place + 20 else None
