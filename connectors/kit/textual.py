"""Text of unknown encoding as UTF-8 bytes: byte order marks, declared encodings, stray lines of cp1252.

Does not belong here: what a line means (`ragged`, `tabular`).
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO, Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
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
    block = first
    while block:
        yield block if decoder is None else decoder.decode(block).encode()
        block = stream.read(size)
    if decoder is not None and (rest := decoder.decode(b"", final=True)):
        yield rest.encode()


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
