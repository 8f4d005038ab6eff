"""What a body holds, unpacked as far as anybody could: gzip, members of zips, one within another.

A few levels and a few mebibytes of each. Does not belong here: what of it must not be there (`privacy`).
"""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from typing import Final

LARGEST: Final = 8 << 20
_LEVELS: Final = 3
_BROKEN: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, RuntimeError, ValueError, EOFError, NotImplementedError,
)  # fmt: skip


def unpacked(body: bytes, levels: int = _LEVELS) -> Iterator[bytes]:
    """The texts in a body; itself where it is not packed, or breaks before anything came out."""
    inner = _inner(body) if levels else []
    if not inner:
        yield body
    for one in inner:
        yield from unpacked(one, levels - 1)


def _inner(body: bytes) -> list[bytes]:
    found: list[bytes] = []
    try:
        if body.startswith(b"\x1f\x8b"):
            stream = zlib.decompressobj(wbits=31)
            found.append(stream.decompress(body, LARGEST))  # of one that is cut off what came before
        elif body.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(body)) as archive:
                for info in archive.infolist():
                    with archive.open(info) as member:
                        found.append(member.read(LARGEST))
    except _BROKEN:
        pass
    return [one for one in found if one]
