"""Serves the sandbox's registries over HTTP, on the loopback interface, one day at a time.

Belongs here: sockets, validators, ranges, the world's clock in `Date`, and connection faults. Responses are
built in `routes`, damaged contents in `sandbox.faults`. One server simulates every host: the registries' paths do
not overlap. `POST /sandbox/advance` moves to the next day, for callers in another process.
"""

from __future__ import annotations

import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from sandbox.faults.files import PAGE, damage_body
from sandbox.faults.requests import CONNECTION_FAULTS, FAULTS, FaultPlan
from sandbox.http.routes import RegistryResponder
from sandbox.shared.response import HTML, SandboxResponse, json_response
from sandbox.uk.stream_http import StreamResponse
from sandbox.us import faults as us_faults
from sandbox.us import http
from sandbox.world import World

_PIECE: Final = 64 * 1024
_DRIP: Final = 512
_NIGHT: Final = timedelta(hours=4)
_RANGE: Final = re.compile(r"bytes=(\d+)-(\d*)")


class _QuietServer(ThreadingHTTPServer):
    """HTTP server that does not report clients disconnecting in the middle of a response."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class SandboxServer:
    """A running server: its address, its current day, its faults."""

    def __init__(self, responder: RegistryResponder, fault_plan: FaultPlan, address: tuple[str, int]) -> None:
        self.desk, self.troubles = responder, fault_plan
        self.requests: list[str] = []  # "GET /path", in order of arrival
        try:
            self.server = _QuietServer(address, _handler_class(self))
        except OSError as error:
            host, port = address
            told = f"cannot listen on {host} port {port} ({error.strerror}): choose another --host or --port"
            raise OSError(told) from error

    @property
    def url(self) -> str:
        """Base URL, without a trailing slash."""
        host, port = self.server.server_address[:2]
        return f"http://{host!s}:{port}"

    @property
    def now(self) -> datetime:
        """The world's clock: four in the morning of the current day."""
        return datetime.combine(self.desk.world.date(self.desk.day), datetime.min.time(), UTC) + _NIGHT

    def advance(self) -> int:
        """Moves to the next day; ValueError after the last."""
        return self.desk.advance()


@contextmanager
def serve(
    world: World,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    faults: Mapping[str, str] | None = None,
    removed: frozenset[str] = frozenset(),
) -> Iterator[SandboxServer]:
    """Serves a world from its first day until the block ends. `port` 0 takes a free one."""
    unknown = set((faults or {}).values()) - set(FAULTS)
    if unknown:
        raise ValueError(f"unknown faults {sorted(unknown)}; known: {', '.join(FAULTS)}")
    with tempfile.TemporaryDirectory(prefix="sandbox-") as folder:
        desk = RegistryResponder(world, Path(folder), removed=removed)
        registry = SandboxServer(desk, FaultPlan(dict(faults or {})), (host, port))
        thread = threading.Thread(target=registry.server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield registry
        finally:
            desk.streams.end()
            registry.server.shutdown()
            registry.server.server_close()
            thread.join()


def serve_forever(
    world: World,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    faults: Mapping[str, str] | None = None,
    ready: Callable[[SandboxServer], None] | None = None,
    until: threading.Event | None = None,
) -> None:
    """Serves until interrupted or until `until` is set; `ready` is called once the address is known."""
    with serve(world, host=host, port=port, faults=faults) as registry:
        if ready:
            ready(registry)
        try:
            (until or threading.Event()).wait()
        except KeyboardInterrupt:
            return


def _handler_class(registry: SandboxServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_RequestHandler):
        pass

    Handler.registry = registry
    return Handler


class _RequestHandler(BaseHTTPRequestHandler):
    """Handles one request. Bodies are streamed from files; a truncated response closes its connection."""

    registry: SandboxServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are written separately: the body would wait for the head's receipt
    server_version = "sandbox"
    sys_version = ""

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self.registry.requests.append(f"POST {self.path}")
        # an unread body would be parsed as the next request
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = urlsplit(self.path)
        path = unquote(asked.path)
        if path != "/sandbox/advance":
            self._respond_with_faults(
                path, lambda: self.registry.desk.post(path, body, self._authorization_header, asked.query)
            )
            return
        try:
            self.registry.advance()
        except ValueError as end:
            self._send(json_response({"error": str(end)}, 409))
            return
        date = self.registry.desk.world.date(self.registry.desk.day)
        self._send(json_response({"date": str(date)}))

    @property
    def _authorization_header(self) -> str:
        return self.headers.get("Authorization") or self.headers.get("X-API-Key", "")

    def date_time_string(self, timestamp: float | None = None) -> str:  # noqa: ARG002 - the world's clock
        return format_datetime(self.registry.now, usegmt=True)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Logs nothing; tests use `requests`."""

    def _serve(self) -> None:
        asked = urlsplit(self.path)
        path = unquote(asked.path)
        self.registry.requests.append(f"{self.command} {path}")
        page = http.undeclared_agent_response(path, self.headers.get("User-Agent", ""))
        if page is not None:
            self._send(page)
            return
        self._respond_with_faults(
            path, lambda: self.registry.desk.respond(path, asked.query, self._authorization_header)
        )

    def _respond_with_faults(self, path: str, answered: Callable[[], SandboxResponse | StreamResponse]) -> None:
        """Sends the response, or the fault configured for the path."""
        fault = self.registry.troubles.of(path)
        page = us_faults.fault_page(path, fault)
        if page is not None:
            self._send(page)
            return
        if fault in {"rate_limited", "unavailable"}:
            status = 429 if fault == "rate_limited" else 503
            wait = {"Retry-After": str(self.registry.troubles.retry_after)}
            self._send(SandboxResponse(status, HTML, PAGE, headers=wait))
            return
        if fault == "hang":
            self.close_connection = True
            self.rfile.read(1)  # until the client has gone
            return
        answer = answered()
        if isinstance(answer, StreamResponse) and fault != "html":
            self._stream(answer, fault)
        elif isinstance(answer, StreamResponse):
            self._send(SandboxResponse(200, HTML, PAGE))
        else:
            self._send(_damaged_response(answer, path, fault), fault)

    def _stream(self, flow: StreamResponse, fault: str | None) -> None:
        """Sends chunks as they come; a fault cuts off inside the second one, within a line or character."""
        self.close_connection = True
        self.send_response(200)
        headers = {**flow.headers, "Transfer-Encoding": "chunked", "Connection": "close"}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        with closing(flow.chunks) as chunks:
            for place, chunk in enumerate(chunks):
                is_last = fault == "cut_off" and place > 0
                kept = chunk[: len(chunk) // 2] if is_last else chunk
                self.wfile.write(b"%x\r\n%b\r\n" % (len(kept), kept) if kept else b"")
                if is_last:
                    return
        self.wfile.write(b"0\r\n\r\n")

    def _send(self, answer: SandboxResponse, fault: str | None = None) -> None:
        size = answer.body.stat().st_size if isinstance(answer.body, Path) else len(answer.body)
        if self._is_not_modified(answer):
            self.send_response(304)
            self._send_validators(answer)
            self.end_headers()
            return
        start, end = self._byte_span(answer, size)
        if start >= size > 0:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{size}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        partial = (start, end) != (0, size)
        self.send_response(206 if partial else answer.status)
        for name, value in {"Content-Type": answer.kind, **answer.headers}.items():
            self.send_header(name, value)
        if partial:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        self._send_validators(answer)
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        if self.command != "HEAD":
            self._send_body(answer.body, start, end, fault)

    def _is_not_modified(self, answer: SandboxResponse) -> bool:
        """Whether the caller has the same bytes: by ETag, else by Last-Modified."""
        if not answer.is_cacheable or not answer.tag:
            return False
        tags = self.headers.get("If-None-Match")
        if tags is not None:
            return f'"{answer.tag}"' in tags
        return self.headers.get("If-Modified-Since") == format_datetime(self.registry.now, usegmt=True)

    def _send_validators(self, answer: SandboxResponse) -> None:
        if answer.is_cacheable:
            self.send_header("ETag", f'"{answer.tag}"')
            self.send_header("Last-Modified", format_datetime(self.registry.now, usegmt=True))
            self.send_header("Accept-Ranges", "bytes")

    def _byte_span(self, answer: SandboxResponse, size: int) -> tuple[int, int]:
        """First byte and the one after the last; a range with another ETag is answered in full."""
        found = _RANGE.fullmatch(self.headers.get("Range", "")) if answer.is_cacheable else None
        if found is None or self.headers.get("If-Range", f'"{answer.tag}"') != f'"{answer.tag}"':
            return 0, size
        return int(found[1]), min(int(found[2]) + 1, size) if found[2] else size

    def _send_body(self, body: bytes | Path, start: int, end: int, fault: str | None) -> None:
        stop = start + (end - start) // 2 if fault == "cut_off" else end
        step = _DRIP if fault == "slow_drip" else _PIECE
        for piece in _body_pieces(body, start, stop, step):
            self.wfile.write(piece)
            if fault == "slow_drip":
                self.wfile.flush()
                time.sleep(self.registry.troubles.pause)
        if stop != end:
            self.close_connection = True


def _damaged_response(answer: SandboxResponse, path: str, fault: str | None) -> SandboxResponse:
    """Damaged contents with a success status; the ETag shows that the bytes differ."""
    if fault is None or fault in CONNECTION_FAULTS or answer.status != 200:  # noqa: PLR2004
        return answer
    body = answer.body.read_bytes() if isinstance(answer.body, Path) else answer.body
    kind = HTML if fault == "html" else answer.kind
    tag = f"{answer.tag}-{fault}" if answer.tag else None
    return replace(answer, kind=kind, body=damage_body(path, body, fault), tag=tag)


def _body_pieces(body: bytes | Path, start: int, stop: int, step: int) -> Iterator[bytes]:
    if isinstance(body, bytes):
        yield from (body[place : min(place + step, stop)] for place in range(start, stop, step))
        return
    with body.open("rb") as file:
        file.seek(start)
        left = stop - start
        while left > 0 and (piece := file.read(min(step, left))):
            left -= len(piece)
            yield piece
