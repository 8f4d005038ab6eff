"""Answers leave whole and together: uvicorn's HTTP protocol, over a transport that sends at the end of a turn.

uvicorn writes the head and the body of an answer apart, and uvloop hands each write to the system at once: two
system calls, two packets and a client that is woken twice, between the work of one request and the next. Gathered
until all requests that are ready have been answered, it is one of each, and the work of requests stays together.
uvicorn also looks at each header by itself, for it knows neither names nor values; ours are checked in one go.
Does not belong here: what is answered (`api.answers`), or anything of HTTP.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, cast

from litestar.types import Send
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from api.answers import WHOLE, Header

_GATHERED: Final = 65_536  # bytes; what is longer would be copied for nothing
_NEVER_IN_A_VALUE: Final = bytes({*range(0x20), 0x7F} - {0x09})  # RFC 9110 5.5


class Gathering:
    """The part of a transport that uvicorn uses. All is sent in its order, at the latest before it closes."""

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
        """Sends with what else is written in this turn of the loop; at once what is long."""
        held = self._held
        if len(data) > _GATHERED:
            self._send()
            self._write(data)
            return
        if not held:
            self._soon(self._send)
        self._held = held + data
        if len(self._held) > _GATHERED:
            self._send()

    def close(self) -> None:
        """Sends what was written, and closes."""
        self._send()
        self._close()

    def _send(self) -> None:
        held, self._held = self._held, b""
        if held and not self.is_closing():  # the client may have gone since it was written
            self._write(held)


def leave(
    cycle: RequestResponseCycle, send: Send, status: int, headers: Sequence[Header], body: bytes
) -> bool:
    """Answers a request with all of the answer, whose headers tell the body's length (but for 204 and 304).

    False where it must go step by step: somebody stands between and wants to see each message (`send` is not
    uvicorn's own), the client reads too slowly, has gone, or is to be parted from.
    ValueError for a header's value that would be read as something else.
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


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol over such a transport; its applications may answer whole."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Every connection begins here."""
        super().connection_made(cast("Any", Gathering(transport, self.loop)))

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Every request begins here."""
        cast("dict[str, Any]", cycle.scope)["extensions"] = {WHOLE: partial(leave, cycle)}
        super()._start_asgi_task(cycle, app)
