"""Answers leave together: uvicorn's HTTP protocol over a transport that sends at the end of the loop's turn.

uvicorn writes the head and the body of an answer apart, and uvloop hands each write to the system at once: two
system calls, two packets and a client that is woken twice, between the work of one request and the next. Gathered
until all requests that are ready have been answered, it is one of each, and the work of requests stays together.
Does not belong here: what is answered (`api.answers`), or anything of HTTP.
"""

import asyncio
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_GATHERED: Final = 65_536  # bytes; what is longer would be copied for nothing


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


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol over such a transport."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Every connection begins here."""
        super().connection_made(cast("Any", Gathering(transport, self.loop)))
