"""Decodes text of unknown encoding to UTF-8 bytes: byte order marks, declared encodings, stray cp1252 lines.

Does not belong here: the meaning of a line (`rows`, `reader`).
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO, Final

from connectors.kit.csv.byte_masks import as_uint8

_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# Prefixes that polars' CSV reader does not take literally: it drops the BOM, and unpacks gzip, zlib or zstd.
# A name may begin with «x^».
POLARS_MISREAD_PREFIXES: Final = (
    codecs.BOM_UTF8, b"\x1f\x8b", b"x\x01", b"x^", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd",
)  # fmt: skip
_BROADEST: Final = 10_000  # separators of a first line: real tables have about a hundred columns
_CONTROLS: Final = (0x80, 0x9F)  # control characters in Latin-1, but not in cp1252
_UTF8: Final = ("utf-8", "utf-8-sig", "utf8", "ascii")


def utf8_blocks(stream: BinaryIO, encoding: str, size: int) -> Iterator[bytes]:
    """UTF-8 bytes in blocks of about `size`. A byte order mark overrides the declared encoding.

    Text declared as UTF-8 is passed on unchanged: its reader validates it at no extra cost, and repairs
    invalid lines (`repair_to_utf8`). Bytes invalid in another declared encoding become U+FFFD.
    """
    first = stream.read(size)
    for mark, marked in _MARKS:
        if first.startswith(mark):
            first, encoding = first[len(mark) :], marked
            break
    decoder = None if encoding in _UTF8 else codecs.getincrementaldecoder(encoding)(errors="replace")
    is_western = encoding == "cp1252"
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


def exceeds_max_columns(body: bytes, separator: str) -> bool:
    """True if the first line has too many fields: polars makes a column of half a kilobyte for each."""
    return body.count(separator.encode(), 0, body.find(b"\n")) > _BROADEST


def is_latin(body: bytes) -> bool:
    """True if cp1252 and Latin-1 (twice as fast) decode the bytes alike: there is no control character."""
    return not as_uint8(body).is_between(*_CONTROLS).any()


def is_utf8(body: bytes) -> bool:
    """True if the bytes are valid UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def repair_to_utf8(body: bytes) -> tuple[bytes, list[int]]:
    """The body with every invalid UTF-8 line read as cp1252, and the indexes of those lines."""
    lines = body.split(b"\n")
    wrong = [index for index, line in enumerate(lines) if not is_utf8(line)]
    for index in wrong:
        lines[index] = _decode_single_byte(lines[index]).encode()
    return b"\n".join(lines), wrong


def _decode_single_byte(line: bytes) -> str:
    try:
        return line.decode("cp1252")
    except UnicodeDecodeError:  # five byte values are undefined in cp1252
        return line.decode("latin-1")
