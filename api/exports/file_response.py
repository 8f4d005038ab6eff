"""Responses with a file, whole or a range of it, read in pieces (RFC 9110 14).

One range is answered; of several, as of a unit other than bytes, the whole file is sent, as the RFC allows. Does not
belong here: which file (`api.exports.routes`).
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from litestar.types import Receive, Scope, Send

from api.http.context import RequestContext
from api.http.response_headers import VARY
from api.http.responses import Header, HttpResponse
from api.problems.problem import new_problem

MEDIA_TYPE: Final = b"application/octet-stream"
PIECE: Final = 256 * 1024
"""Bytes of a file that one response holds in memory."""
_RANGE: Final = re.compile(rb"bytes=[ \t]*([0-9]{0,18})-([0-9]{0,18})[ \t]*")
_PRIVATE: Final = (b"cache-control", b"private, no-transform")


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes of a file, from the first to the last, both inclusive."""

    first: int
    last: int


def requested_range(headers: Mapping[bytes, bytes], size: int, tag: bytes) -> ByteRange | None:
    """The range that a request asks for; None: the whole file. 416 if the file has no byte of it."""
    found = _RANGE.fullmatch(headers.get(b"range", b""))
    if found is None or found.groups() == (b"", b"") or headers.get(b"if-range", tag) != tag:
        return None
    first, last = found.groups()
    if not first:
        begin, end = size - min(int(last), size), size - 1
    else:
        begin, end = int(first), min(int(last), size - 1) if last else size - 1
        if last and int(last) < begin:
            return None  # not a range at all
    if begin > end:
        raise new_problem(
            "range_not_satisfiable", f"The file has {size} bytes.", headers=[(b"content-range", b"bytes */%d" % size)]
        )
    return ByteRange(begin, end)


class FileResponse(HttpResponse):
    """A file, or a range of it. The file stays open until the response ends, so it may be deleted meanwhile."""

    __slots__ = ("_file", "_is_head", "_left")

    def __init__(self, context: RequestContext, path: Path, tag: bytes) -> None:
        """Opens the file; OSError if it cannot be."""
        file = path.open("rb")
        try:
            size = file.seek(0, 2)
            # a range is one of GET alone (RFC 9110 14.2): HEAD tells of the whole file
            asked = requested_range(context.request_headers, size, tag) if context.method == "GET" else None
            chosen = ByteRange(0, size - 1) if asked is None else asked
            file.seek(chosen.first)
        except BaseException:
            file.close()
            raise
        self._file: BinaryIO = file
        self._left = chosen.last - chosen.first + 1
        self._is_head = context.method == "HEAD"
        headers: list[Header] = [
            (b"content-type", MEDIA_TYPE),
            (b"content-length", b"%d" % self._left),
            (b"content-disposition", b'attachment; filename="%b"' % path.name.encode()),
            (b"accept-ranges", b"bytes"),
            (b"etag", tag),
            _PRIVATE,
            VARY,
        ]
        if asked is not None:
            headers.append((b"content-range", b"bytes %d-%d/%d" % (asked.first, asked.last, size)))
        super().__init__(200 if asked is None else 206, headers, b"")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 -- ASGI's signature
        try:
            await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
            while self._left and not self._is_head:
                piece = await asyncio.to_thread(self._file.read, min(PIECE, self._left))
                if not piece:
                    raise OSError("an export file has become shorter while it was sent")
                self._left -= len(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._file.close()
