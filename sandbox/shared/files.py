"""Files below a day's folder, and archives with the day's time stamp: the same world gives the same bytes.

Does not belong here: names, folders and contents of a registry's files (`sandbox.<cc>.files`).
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import IO, Final

Clock = tuple[int, int, int]
NIGHT: Final = (3, 30, 0)


def open_file(path: Path) -> IO[bytes]:
    """A new file in a folder that is made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


def write_file(path: Path, body: bytes) -> None:
    """Writes a file in a folder that is made for it."""
    with open_file(path) as file:
        file.write(body)


def write_json(path: Path, value: object, indent: int | None = None) -> None:
    """Writes a file of JSON."""
    write_file(path, json.dumps(value, ensure_ascii=False, indent=indent).encode())


def zip_info(name: str, day: date, clock: Clock, compression: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    """A member of an archive, stamped with its day."""
    info = zipfile.ZipInfo(name, (day.year, day.month, day.day, *clock))
    info.compress_type = compression
    return info


def stream_member(archive: zipfile.ZipFile, name: str, day: date, chunks: Iterable[bytes]) -> None:
    """Writes a large member piece by piece."""
    with archive.open(zip_info(name, day, NIGHT), "w", force_zip64=True) as member:
        member.writelines(chunks)


def stream_archive(file: IO[bytes], name: str, day: date, chunks: Iterable[bytes]) -> None:
    """Writes an archive of one large member."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        stream_member(archive, name, day, chunks)


def write_archive(
    file: IO[bytes],
    members: Iterable[tuple[str, bytes]],
    day: date,
    clock: Clock,
    compression: int = zipfile.ZIP_DEFLATED,
) -> None:
    """Writes an archive of several members."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members:
            archive.writestr(zip_info(name, day, clock, compression), body)


def archive_bytes(
    members: Iterable[tuple[str, bytes]], day: date, clock: Clock, compression: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """An archive of several members."""
    packed = io.BytesIO()
    write_archive(packed, members, day, clock, compression)
    return packed.getvalue()
