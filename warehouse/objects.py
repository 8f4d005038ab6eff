"""Bodies in RAW by their SHA-256: compressed files, written once, read as streams and checked as read.

Does not belong here: which dataset a body belongs to or when it came (`archive`, the manifest).
"""

from __future__ import annotations

import filecmp
import hashlib
import io
import itertools
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

import zstandard

from warehouse import files

CHUNK: Final = 1 << 20
IN_MEMORY: Final = 32 << 20  # plain bytes up to which a body that must be sought in stays out of the disk
LEVEL: Final = (
    3  # zstd: registries' text shrinks to a tenth at about 300 MB/s; higher levels gain a few percent
)
_HEADER: Final = 18  # bytes of the longest header of a zstd frame
_counter = itertools.count()


class CorruptObject(RuntimeError):  # noqa: N818 - named for the state it tells
    """A body in RAW is not what its name says.

    `path` is the object, `label` the dataset and file it came as.
    """

    def __init__(self, path: Path, label: str, reason: str) -> None:
        super().__init__(
            f"{label}: the archived body {path} is damaged ({reason}); restore it from a copy, "
            f"or take the same file in again: the next ingest reads it"
        )
        self.path = path
        self.label = label
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Stored:
    """What a body turned out to be: hash and size of what is kept, hash of what came where that differs.

    is_mended: a damaged file stood in its place, which these bytes have replaced.
    """

    sha256: str
    size: int
    received_sha256: str
    is_mended: bool = False


class _Hashing(io.RawIOBase):
    """Passes a stream through and hashes what has gone by."""

    def __init__(self, body: BinaryIO) -> None:
        self._body = body
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        chunk = self._body.read(len(buffer))
        self.digest.update(chunk)
        buffer[: len(chunk)] = chunk
        return len(chunk)


def object_path(root: Path, sha256: str) -> Path:
    """Where a body lies below the archive."""
    return root / "sha256" / sha256[:2] / f"{sha256}.zst"


def store(
    root: Path, body: BinaryIO, redact: Callable[[BinaryIO], BinaryIO] | None, on_step: files.Step
) -> Stored:
    """Takes a body in, never whole in memory.

    Present bytes are kept as they are, unless they are damaged; a kill leaves no half object.
    """
    incoming = root / "incoming"
    files.make_folder(incoming)
    built = incoming / f"{os.getpid()}.{next(_counter)}{files.TEMPORARY}"
    try:
        stored = _compress(body, redact, built)
        on_step("object written")
        path = object_path(root, stored.sha256)
        is_there = path.exists()
        stored = replace(stored, is_mended=is_there and _is_damaged(root, stored.sha256, built))
        if stored.is_mended or not is_there:
            files.make_folder(path.parent)
            files.publish(built, path)
            on_step("object published")
    finally:
        files.discard(built)
    return stored


def _compress(body: BinaryIO, redact: Callable[[BinaryIO], BinaryIO] | None, built: Path) -> Stored:
    received = _Hashing(body)
    through = io.BufferedReader(received, CHUNK)
    kept = redact(through) if redact else through
    digest, size = hashlib.sha256(), 0
    packer = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with built.open("wb") as target, packer.stream_writer(target) as writer:
        while chunk := kept.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            writer.write(chunk)
    while through.read(CHUNK):  # what redaction left unread counts for the hash of what came
        pass
    return Stored(digest.hexdigest(), size, received.digest.hexdigest())


def _is_damaged(root: Path, sha256: str, built: Path) -> bool:
    """Whether a present body is not what it should be; read to its end only where its file is another's.

    Another edition of zstd makes another file of the same bytes.
    """
    if filecmp.cmp(object_path(root, sha256), built, shallow=False):
        return False
    try:
        verify(root, sha256, "")
    except CorruptObject:
        return True
    return False


def sweep(root: Path) -> None:
    """Removes half-written bodies of processes that are no more."""
    incoming = root / "incoming"
    for path in incoming.glob(f"*{files.TEMPORARY}") if incoming.is_dir() else ():
        process = int(path.name.split(".")[0])
        if process == os.getpid() or not files.lives(process):
            files.discard(path)


class _Body(io.RawIOBase):
    """Plain bytes of an object: a stream until somebody seeks, then a file that is gone when closed.

    Damage is found by the checksum that zstd keeps and by the size, which costs an eighth of the SHA-256; that
    one is taken where the size is not told or the file carries no checksum.
    """

    def __init__(self, path: Path, sha256: str, label: str, size: int | None) -> None:
        self._path, self._sha256, self._label, self._size = path, sha256, label, size
        self._spool: Any = None
        self._source: BinaryIO = io.BytesIO()
        try:
            self._source = path.open("rb")
        except FileNotFoundError:
            raise CorruptObject(path, label, "the file is missing") from None
        self._plain = zstandard.ZstdDecompressor().stream_reader(self._source, read_size=CHUNK)
        self._digest = hashlib.sha256() if size is None or not _has_checksum(path) else None
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._spool.tell() if self._spool else self._position

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        return self._spool.readinto(buffer) if self._spool else self._next(memoryview(buffer))

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        absolute = whence == os.SEEK_SET and offset == self._position
        if self._spool is None and (absolute or (whence == os.SEEK_CUR and offset == 0)):
            return self._position
        return self._spooled().seek(offset, whence)

    def close(self) -> None:
        self._source.close()
        if self._spool:
            self._spool.close()
        super().close()

    def _next(self, buffer: memoryview) -> int:
        try:
            count = self._plain.readinto(buffer)
        except zstandard.ZstdError as error:
            raise CorruptObject(self._path, self._label, str(error)) from None
        self._position += count
        if self._digest is not None:
            self._digest.update(buffer[:count])
        if not count:
            self._judge()
        return count

    def _judge(self) -> None:
        """At the end: are these the bytes that were put here?"""
        if self._digest is not None and self._digest.hexdigest() != self._sha256:
            raise CorruptObject(self._path, self._label, "its bytes have another SHA-256")
        if self._size is not None and self._position != self._size:
            reason = f"{self._position} bytes where {self._size} are due: they have another SHA-256"
            raise CorruptObject(self._path, self._label, reason)

    def _again(self) -> _Body:
        return _Body(self._path, self._sha256, self._label, self._size)

    def _spooled(self) -> Any:
        if self._spool is None:
            spool: Any = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed with this body
            position = self._position
            with io.BufferedReader(self._again(), CHUNK) as whole:
                while chunk := whole.read(CHUNK):
                    spool.write(chunk)
            spool.seek(position)
            self._spool = spool
        return self._spool


def _has_checksum(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_HEADER)
    try:
        return zstandard.get_frame_parameters(head).has_checksum
    except zstandard.ZstdError:
        return False  # reading tells what is wrong


def open_object(root: Path, sha256: str, label: str, size: int | None = None) -> BinaryIO:
    """Plain bytes of a body, seekable; raises CorruptObject here or while reading.

    `size`: of the plain bytes; where it is told, reading does not hash them again (`verify` does).
    """
    return io.BufferedReader(_Body(object_path(root, sha256), sha256, label, size), CHUNK)


def verify(root: Path, sha256: str, label: str) -> None:
    """Reads a body to its end and hashes it; raises CorruptObject when it is not what its name says."""
    with open_object(root, sha256, label) as body:
        while body.read(CHUNK):
            pass
