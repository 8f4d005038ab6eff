"""uvicorn's HTTP protocol with budgets for what a client sends, as of uvicorn 0.54.0 and httptools 0.9.0.

uvicorn bounds neither the bytes of a head nor the time in which a request arrives or a response is taken, and answers
malformed HTTP with plain text. Overridden are only callbacks of httptools, those of `asyncio.Protocol`, and
`send_400_response`, with which uvicorn answers whatever stops the parser; attributes with underscores are neither read
nor written. `tests/api/runtime/test_http_protocol.py` fails when what this relies on changes. Does not belong here:
exact limits of URLs, headers and bodies (`api.http.content_negotiation`), which need a whole head.
"""

import asyncio
import email.utils
import time
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from api.common.ids import UlidGenerator
from api.http.content_negotiation import (
    HEADER_COUNT,
    HEADERS_LIMIT,
    LARGEST_BODY,
    URL_LIMIT,
    headers_problem,
    payload_too_large,
    url_problem,
)
from api.problems.problem import MEDIA_TYPE, ProblemError, new_problem, render_problem
from api.runtime.connection_guard import ConnectionGuard, Phase, Progress
from api.runtime.joined_writes import JoinedWrites
from api.settings.service import ApiSettings

_HEAD_BYTES: Final = URL_LIMIT + HEADERS_LIMIT + 1024  # the method, the version, blanks around values
_BODY_BYTES: Final = 4 * LARGEST_BODY  # with the lengths of chunks; the body alone is counted where it is read
_PIECE_BYTES: Final = 16_384  # parsed before the head is looked at
PIPELINED: Final = 16
"""Requests that may wait on one connection for the response to an earlier one."""


class _TooManyRequestsError(Exception):
    """Stops the parser; earlier requests are answered."""


class GuardedHttpProtocol(HttpToolsProtocol):
    """One connection; subclasses have a guard (`guarded_protocol`)."""

    guard: ConnectionGuard
    public_url: str
    ulids: UlidGenerator
    address: str | None = None
    progress: Progress
    earlier: Sequence[RequestResponseCycle] = ()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(JoinedWrites(transport, self.loop))
        self.progress = Progress(self.loop.time())
        self.address = self.guard.counted_address(self.client)
        problem = self.guard.add(self, self.loop)
        if problem is not None:
            self.refuse(problem)

    def connection_lost(self, exc: Exception | None) -> None:
        self.guard.remove(self)
        self._tell_disconnected()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        progress = self.progress
        for piece in (data,) if len(data) <= _PIECE_BYTES else _pieces(data):
            if progress.phase is Phase.IDLE:
                progress.enter(Phase.HEAD, self.loop.time())  # also for line ends, which begin no message
            elif progress.phase in (Phase.REFUSED, Phase.ENDING):
                return
            progress.received += len(piece)
            super().data_received(piece)
            if progress.phase is Phase.HEAD:
                self._check_head()
            elif progress.phase is Phase.BODY and progress.received > _BODY_BYTES:
                self.refuse(payload_too_large(LARGEST_BODY))

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= PIPELINED:
            raise _TooManyRequestsError
        if self.progress.phase is Phase.IDLE:  # in the bytes after an earlier request
            self.progress.enter(Phase.HEAD, self.loop.time())
            self.progress.received = 1
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        earlier = self.cycle
        super().on_headers_complete()
        if earlier is not None and not earlier.response_complete:
            self.earlier = [*(one for one in self.earlier if not one.response_complete), earlier]
        self.headers = []  # for trailers, which would join the headers that are checked
        self.progress.enter(Phase.BODY, self.loop.time())

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self.progress.enter(Phase.IDLE, 0.0)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 -- uvicorn's signature
        self.refuse(new_problem("malformed_request", "The request is not valid HTTP/1.1."))

    @property
    def unsent_bytes(self) -> int:
        return self.transport.get_write_buffer_size()

    @property
    def is_read_paused(self) -> bool:
        return self.flow.read_paused

    def abort(self) -> None:
        self._tell_disconnected()
        self.transport.abort()

    def refuse(self, problem: ProblemError) -> None:
        """Answers and closes. Responses to earlier requests come first; after them there is no answer to this one."""
        progress, cycle = self.progress, self.cycle
        phase, received = progress.phase, progress.received
        is_answered = cycle is None or cycle.response_complete
        progress.enter(Phase.ENDING, 0.0)
        if phase in (Phase.HEAD, Phase.IDLE) and not is_answered:
            self.shutdown()
        elif phase is Phase.HEAD and received:
            progress.enter(Phase.REFUSED, self.loop.time())
            self.transport.write(self._response(problem))
            self.transport.write_eof()  # closed later: bytes that were never read would destroy the answer
        else:
            is_in_time = phase is Phase.BODY and not (is_answered or cycle.response_started or self.pipeline)
            if is_in_time or (phase is Phase.HEAD and problem.status != HTTPStatus.REQUEST_TIMEOUT):
                self.transport.write(self._response(problem))
            self._tell_disconnected()
            self.transport.close()

    def _tell_disconnected(self) -> None:
        """Ends what still runs: uvicorn tells the newest request only; others would write to a closed connection."""
        for cycle in (*self.earlier, self.cycle):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()

    def _check_head(self) -> None:
        """Refuses a head that has no end; a whole one is checked by the application."""
        if self.progress.received > _HEAD_BYTES or len(self.headers or ()) > HEADER_COUNT:
            self.refuse(headers_problem() if self.headers or len(self.url) <= URL_LIMIT else url_problem())

    def _response(self, problem: ProblemError) -> bytes:
        request_id = self.ulids.make("req")
        body = render_problem(problem, request_id, self.public_url)
        headers = (
            (b"date", email.utils.formatdate(usegmt=True).encode()),
            (b"content-type", MEDIA_TYPE),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"x-request-id", request_id.encode()),
            (b"connection", b"close"),
            *problem.headers,
        )
        return b"%s%s\r\n%s" % (
            STATUS_LINE[problem.status],
            b"".join([b"%s: %s\r\n" % header for header in headers]),
            body,
        )


def _pieces(data: bytes) -> list[bytes]:
    return [data[start : start + _PIECE_BYTES] for start in range(0, len(data), _PIECE_BYTES)]


def guarded_protocol(settings: ApiSettings) -> type[GuardedHttpProtocol]:
    """The protocol of one server, with its own guard."""

    class ServedHttpProtocol(GuardedHttpProtocol):
        guard = ConnectionGuard(settings)
        public_url = settings.public_url
        ulids = UlidGenerator(time.time)

    return ServedHttpProtocol
