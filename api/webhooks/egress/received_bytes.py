"""The status line of a response as it came, for endpoints whose responses are not valid HTTP.

Frameworks and proxies send 204 with a body, two lengths, or more bytes than they announced. The HTTP client rejects
such a response as a whole, but its status line has acknowledged the delivery (docs/contract/delivery.md 4), so the
first bytes after each request are kept beside the client's own parser. Does not belong here: sending
(`api.webhooks.egress.http_client`), or what a status means (`api.webhooks.egress.attempt_result`).
"""

import asyncio
import re
from typing import Final, Self, cast

from multidict import CIMultiDict

from api.webhooks.egress.attempt_result import EndpointResponse

KEPT_BYTES: Final = 8_192
_STATUS_LINE: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: [^\r\n]*)?\r?\n")
# blanks around a value are stripped afterwards: tried at every place by a pattern, a line of blanks takes hours
_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n]*)\r?\n")
_BLANK_LINE: Final = re.compile(rb"\r?\n")
_END_OF_HEAD: Final = re.compile(rb"\r?\n\r?\n")
_INTERIM: Final = range(100, 200)


class ReceivedBytes(asyncio.Protocol):
    """Stands between a connection and its protocol, and keeps the first bytes received since `clear`."""

    def __init__(self, protocol: asyncio.Protocol) -> None:
        self._protocol = protocol
        self.first_bytes = b""

    @classmethod
    def watch(cls, transport: asyncio.BaseTransport) -> Self:
        """The watcher of a connection, which keeps what is received from now on."""
        protocol = transport.get_protocol()
        if not isinstance(protocol, cls):
            protocol = cls(cast("asyncio.Protocol", protocol))
            transport.set_protocol(protocol)
        protocol.first_bytes = b""
        return protocol

    def data_received(self, data: bytes) -> None:
        if len(self.first_bytes) < KEPT_BYTES:
            self.first_bytes += data[: KEPT_BYTES - len(self.first_bytes)]
        self._protocol.data_received(data)

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()


def parse_status_line(received: bytes) -> EndpointResponse | None:
    """The response that begins with a complete status line, with the headers after it that can be read.

    Interim responses (1xx) are skipped. None without a complete status line of HTTP/1.0 or 1.1.
    """
    line = _STATUS_LINE.match(received)
    while line is not None and int(line[1]) in _INTERIM:
        end = _END_OF_HEAD.search(received, line.end() - 2)
        line = None if end is None else _STATUS_LINE.match(received, end.end())
    if line is None:
        return None
    headers, place = CIMultiDict[str](), line.end()
    while (header := _HEADER.match(received, place)) is not None:
        headers.add(header[1].decode(), header[2].strip(b" \t").decode("utf-8", "surrogateescape"))
        place = header.end()
    end = _BLANK_LINE.match(received, place)
    return EndpointResponse(int(line[1]), headers, b"" if end is None else received[end.end() :], is_complete=False)
