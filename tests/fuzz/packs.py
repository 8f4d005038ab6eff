"""Mutators of what is packed: members of zips, headers that lie, gzip; and packing and unpacking for all of this room.

Does not belong here: what is done to the bytes inside (`mutating`).
"""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import warnings
import zipfile
import zlib
from random import Random
from typing import Final

NAMES: Final = (
    "../x",
    "/x",
    "C:\\x",
    "a\x00b",
    "x" * 2_000,
    "",
    "x.xml",
    "x.json",
    "x.csv",
    "x.zip",
    "ü.html",
    "a/b/c.txt",
)
_MOST: Final = 4 << 20  # bytes that a member is unpacked to


def member(chance: Random, body: bytes, other: bytes) -> bytes:
    """A member of a zip changed, doubled, hidden, renamed, put into another zip."""
    files = unpacked(body)
    if not files:
        return chance.choice((packed([("x", other)]), header(chance, body, other)))
    at = chance.randrange(len(files))
    name, inner = files[at]
    how = chance.randrange(7)
    if how == 0:
        files.append(files[at])
    elif how == 1:
        files[at] = (chance.choice(NAMES), inner)
    elif how == 2:
        files[at] = (f"{name}.zip", packed([(name, inner)]))
    elif how == 3:
        files[at] = (name, bytes(chance.choice((1 << 20, 16 << 20))))
    else:
        files[at] = (name, changed_inside(chance, inner, other))
    return packed(files)


def unpacked(body: bytes) -> list[tuple[str, bytes]]:
    """Names and bytes of the members of a zip that are not large; none where it cannot be opened."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            infos = [one for one in archive.infolist() if one.file_size < _MOST]
            return [(one.filename, archive.read(one)) for one in infos]
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OSError, RuntimeError, ValueError, EOFError):
        return []


def packed(files: list[tuple[str, bytes]]) -> bytes:
    """A zip of one day, so that the same members are the same bytes."""
    into = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        warnings.simplefilter("ignore")  # one name twice is what is wanted
        for name, body in files:
            archive.writestr(zipfile.ZipInfo(name or "x"), body, zipfile.ZIP_DEFLATED)
    return into.getvalue()


def header(chance: Random, body: bytes, _other: bytes) -> bytes:
    """A field of a zip's header says something else: sizes, method, flags, places."""
    mark = chance.choice((b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"))
    at = body.find(mark, chance.randrange(len(body) + 1))
    at = body.find(mark) if at < 0 else at
    if at < 0 or at + 30 > len(body):
        return body
    place = at + 4 + 2 * chance.randrange(13)
    value = struct.pack("<H", chance.choice((0, 1, 8, 9, 12, 14, 93, 0x800, 0x7FFF, 0xFFFF)))
    return body[:place] + value + body[place + 2 :]


def gzipped(chance: Random, body: bytes, other: bytes) -> bytes:
    """What is inside changed, another member behind, or a trailer that does not fit."""
    try:
        plain = zlib.decompressobj(31).decompress(body, _MOST)
    except zlib.error:
        return body
    how = chance.randrange(5)
    if how == 0:
        return body + gzip.compress(plain, 1, mtime=0)
    if how == 1:
        return body[:-4] + b"\xff\xff\xff\x7f"
    if how == 2:
        return body + b"trailing"
    return gzip.compress(changed_inside(chance, plain, other), 1, mtime=0)


def changed_inside(chance: Random, body: bytes, other: bytes) -> bytes:
    """One mutation of what is packed."""
    from tests.fuzz import mutating

    return mutating.changed(chance, mutating.Case("", body), mutating.Case("", other)).body
