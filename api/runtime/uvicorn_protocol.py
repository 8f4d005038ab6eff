"""Coalesces response writes: uvicorn's HTTP protocol over a transport that sends once per loop iteration.

uvicorn writes head and body of a response separately, and uvloop passes each write to the system at once: two
system calls, two packets and a client that is woken twice, between one request and the next. Buffered until all
ready requests have been answered, there is one of each. uvicorn also validates each header separately; ours are
checked in one pass. This is the only module that relies on private members of uvicorn: a request's cycle, and the
method that starts the application for it, where uvicorn offers no place for an extension. The tests of
`tests/api/runtime` fail where a version of uvicorn changes them. Does not belong here: the content of responses
(`api.http.responses`), or HTTP semantics.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, cast

from litestar.types import Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from api.http.responses import WHOLE, Header

_GATHERED: Final = 65_536  # bytes; copying longer data into the buffer does not pay off
_NEVER_IN_A_VALUE: Final = bytes({*range(0x20), 0x7F} - {0x09})  # RFC 9110 5.5


class CoalescingTransport:
    """The part of a transport that uvicorn uses, with buffered writes.

    Order is kept; all data is sent before closing.
    """

    __slots__ = (
        "_close",
        "_held",
        "_soon",
        "_write",
        "get_extra_info",
        "is_closing",
        "pause_reading",
        "resume_reading",
        "set_protocol",
    )

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._write = transport.write
        self._close = transport.close
        self._soon = loop.call_soon
        self._held = b""
        self.get_extra_info = transport.get_extra_info
        self.is_closing = transport.is_closing
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading
        self.set_protocol = transport.set_protocol

    def write(self, data: bytes) -> None:
        """Buffers data until the end of this loop iteration; long data is sent immediately."""
        held = self._held
        if len(data) > _GATHERED:
            self._send_buffered()
            self._write(data)
            return
        if not held:
            self._soon(self._send_buffered)
        self._held = held + data
        if len(self._held) > _GATHERED:
            self._send_buffered()

    def close(self) -> None:
        """Sends the buffer and closes the transport."""
        self._send_buffered()
        self._close()

    def _send_buffered(self) -> None:
        held, self._held = self._held, b""
        if held and not self.is_closing():  # the client may have disconnected since the write
            self._write(held)


def try_send_whole(
    cycle: RequestResponseCycle, send: Send, status: int, headers: Sequence[Header], body: bytes
) -> bool:
    """Sends a complete response; its headers must include the body's length (except for 204 and 304).

    Returns False if it must be sent step by step: a middleware wraps `send` and expects each message, the
    client reads too slowly or has disconnected, or the connection is to be closed. ValueError if a header value
    contains a control character (response splitting).
    """
    if send != cycle.send or cycle.flow.write_paused or cycle.disconnected or not cycle.keep_alive:
        return False
    values = b"".join([value for _, value in headers])
    if len(values.translate(None, _NEVER_IN_A_VALUE)) != len(values):
        raise ValueError("an answer's header holds a control character")
    lines = [b"%b: %b\r\n" % header for header in (*cycle.default_headers, *headers)]
    cycle.response_started = True
    cycle.waiting_for_100_continue = False
    cycle.transport.write(b"".join((STATUS_LINE[status], *lines, b"\r\n", body)))
    cycle.response_complete = True
    cycle.message_event.set()
    cycle.on_response()
    return True


class FastHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol over the buffered transport; applications may send complete responses."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wraps the transport of each new connection."""
        super().connection_made(cast("Any", CoalescingTransport(transport, self.loop)))

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Offers the complete-response extension to each request."""
        cast("dict[str, Any]", cycle.scope)["extensions"] = {WHOLE: partial(try_send_whole, cycle)}
        super()._start_asgi_task(cycle, app)
