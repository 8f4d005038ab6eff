"""Text of unknown encoding as UTF-8 bytes: byte order marks, declared encodings, stray lines of cp1252.

Does not belong here: what a line means (`ragged`, `tabular`).
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO, Final

from connectors.kit.signs import values

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Beginnings of a text that polars' reader of CSV does not take as they stand: it drops the mark, and unpacks what
# begins as gzip, zlib or zstd do. A name may begin «x^».
NOT_AS_THEY_STAND: Final = (
    codecs.BOM_UTF8, b"\x1f\x8b", b"x\x01", b"x^", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd",
)  # fmt: skip
_BROADEST: Final = 10_000  # separators of a first line: tables have a hundred columns
_WESTERN: Final = "cp1252"
_CONTROLS: Final = (0x80, 0x9F)  # what Latin-1 leaves to control characters, and cp1252 does not
_UTF8: Final = ("utf-8", "utf-8-sig", "utf8", "ascii")


def blocks(stream: BinaryIO, encoding: str, size: int) -> Iterator[bytes]:
    """UTF-8 bytes in blocks of about `size`. A byte order mark wins over the declared encoding.

    Text declared as UTF-8 is passed on as it stands: its reader finds out at no cost whether it is, and mends
    the lines that are not (`mended`). Bytes that another declared encoding does not have become U+FFFD.
    """
    first = stream.read(size)
    for mark, marked in _MARKS:
        if first.startswith(mark):
            first, encoding = first[len(mark) :], marked
            break
    decoder = None if encoding in _UTF8 else codecs.getincrementaldecoder(encoding)(errors="replace")
    is_western = encoding == _WESTERN
    block = first
    while block:
        if decoder is None:
            yield block
        elif is_western and is_latin(block):
            yield block.decode("latin-1").encode()
        else:
            yield decoder.decode(block).encode()
        block = stream.read(size)
    if decoder is not None and (rest := decoder.decode(b"", final=True)):
        yield rest.encode()


def is_broad(body: bytes, separator: str) -> bool:
    """Whether the first line has fields without end: polars makes a column of each, in half a kilobyte."""
    return body.count(separator.encode(), 0, body.find(b"\n")) > _BROADEST


def is_latin(body: bytes) -> bool:
    """Whether cp1252 reads the bytes as Latin-1 does, which takes half the time: none is a control character."""
    return not values(body).is_between(*_CONTROLS).any()


def is_utf8(body: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def mended(body: bytes) -> tuple[bytes, list[int]]:
    """The body with every line that is not UTF-8 read as cp1252, and the indexes of those lines."""
    lines = body.split(b"\n")
    wrong = [index for index, line in enumerate(lines) if not is_utf8(line)]
    for index in wrong:
        lines[index] = _single_byte(lines[index]).encode()
    return b"\n".join(lines), wrong


def _single_byte(line: bytes) -> str:
    try:
        return line.decode("cp1252")
    except UnicodeDecodeError:  # five byte values that cp1252 does not have
        return line.decode("latin-1")
