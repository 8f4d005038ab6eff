"""Content-addressed blobs of RAW: compressed files named by SHA-256, written once, checked while read.

Does not belong here: which dataset a body belongs to or when it was received (`archive`, the manifest).
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

from warehouse.storage import atomic_files

CHUNK: Final = 1 << 20
IN_MEMORY: Final = 32 << 20  # uncompressed bytes up to which a body that needs seeking stays in memory
LEVEL: Final = 3  # zstd: registries' text shrinks to a tenth at about 300 MB/s; higher levels gain a few percent
_HEADER: Final = 18  # bytes of the longest zstd frame header
_counter = itertools.count()


class CorruptBlobError(RuntimeError):
    """A body in RAW does not match its SHA-256, or is missing.

    `path` is the object, `label` the dataset and file it was received as.
    """

    def __init__(self, path: Path, label: str, reason: str) -> None:
        super().__init__(
            f"{label}: the archived body {path} is damaged ({reason}); restore it from a copy, "
            f"or ingest the same file again"
        )
        self.path = path
        self.label = label
        self.reason = reason


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """Result of storing a body: hash and size of the stored bytes, and hash of the received bytes before redaction.

    is_repaired: a damaged file was replaced by these bytes.
    """

    sha256: str
    size: int
    received_sha256: str
    is_repaired: bool = False


class _HashingStream(io.RawIOBase):
    """Passes a stream through and hashes it."""

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


def blob_path(root: Path, sha256: str) -> Path:
    """Path of a body in the archive."""
    return root / "sha256" / sha256[:2] / f"{sha256}.zst"


def store_blob(
    root: Path, body: BinaryIO, redact: Callable[[BinaryIO], BinaryIO] | None, on_step: atomic_files.Step
) -> StoredBlob:
    """Stores a body as a stream.

    An existing object is kept unless it is damaged; a kill leaves no partial object.
    """
    incoming = root / "incoming"
    atomic_files.make_folder(incoming)
    built = incoming / f"{atomic_files.writer_name()}.{next(_counter)}{atomic_files.TEMPORARY}"
    try:
        stored = _compress_to_file(body, redact, built)
        on_step("object written")
        path = blob_path(root, stored.sha256)
        is_there = path.exists()
        stored = replace(stored, is_repaired=is_there and _is_corrupt(root, stored.sha256, built))
        if stored.is_repaired or not is_there:
            atomic_files.make_folder(path.parent)
            atomic_files.publish_file(built, path)
            on_step("object published")
    finally:
        atomic_files.delete_if_exists(built)
    return stored


def _compress_to_file(body: BinaryIO, redact: Callable[[BinaryIO], BinaryIO] | None, built: Path) -> StoredBlob:
    received = _HashingStream(body)
    through = io.BufferedReader(received, CHUNK)
    kept = redact(through) if redact else through
    digest, size = hashlib.sha256(), 0
    packer = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with built.open("wb") as target, packer.stream_writer(target) as writer:
        while chunk := kept.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
            writer.write(chunk)
    while through.read(CHUNK):  # the hash of the received bytes includes what redaction left unread
        pass
    return StoredBlob(digest.hexdigest(), size, received.digest.hexdigest())


def hash_blob(body: BinaryIO, redact: Callable[[BinaryIO], BinaryIO] | None) -> str:
    """SHA-256 under which `store_blob` would store a body; nothing is written."""
    kept = redact(io.BufferedReader(_HashingStream(body), CHUNK)) if redact else body
    digest = hashlib.sha256()
    while chunk := kept.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _is_corrupt(root: Path, sha256: str, built: Path) -> bool:
    """True if the existing object is damaged; it is read in full only if its file differs from the new one.

    Another version of zstd may compress the same bytes differently.
    """
    if filecmp.cmp(blob_path(root, sha256), built, shallow=False):
        return False
    try:
        verify_blob(root, sha256, "")
    except CorruptBlobError:
        return True
    return False


def discard_incomplete(root: Path) -> None:
    """Removes partial bodies of processes that no longer run."""
    incoming = root / "incoming"
    for path in incoming.glob(f"*{atomic_files.TEMPORARY}") if incoming.is_dir() else ():
        writer = path.name.split(".")[0]
        if writer == atomic_files.writer_name() or atomic_files.is_abandoned(path, writer):
            atomic_files.delete_if_exists(path)


class _BlobStream(io.RawIOBase):
    """Uncompressed bytes of an object: a stream until the first seek, then a spooled temporary file.

    Damage is detected by the zstd checksum and the size, which costs an eighth of SHA-256; SHA-256 is used if
    the size is not given or the file has no checksum.
    """

    def __init__(self, path: Path, sha256: str, label: str, size: int | None) -> None:
        self._path, self._sha256, self._label, self._size = path, sha256, label, size
        self._spool: Any = None
        self._source: BinaryIO = io.BytesIO()
        try:
            self._source = path.open("rb")
        except FileNotFoundError:
            raise CorruptBlobError(path, label, "the file is missing") from None
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
        return self._spool.readinto(buffer) if self._spool else self._read_plain(memoryview(buffer))

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        absolute = whence == os.SEEK_SET and offset == self._position
        if self._spool is None and (absolute or (whence == os.SEEK_CUR and offset == 0)):
            return self._position
        return self._seekable_copy().seek(offset, whence)

    def close(self) -> None:
        self._source.close()
        if self._spool:
            self._spool.close()
        super().close()

    def _read_plain(self, buffer: memoryview) -> int:
        try:
            count = self._plain.readinto(buffer)
        except zstandard.ZstdError as error:
            raise CorruptBlobError(self._path, self._label, str(error)) from None
        self._position += count
        if self._digest is not None:
            self._digest.update(buffer[:count])
        if not count:
            self._check_integrity()
        return count

    def _check_integrity(self) -> None:
        """Checks hash and size at the end of the stream."""
        if self._digest is not None and self._digest.hexdigest() != self._sha256:
            raise CorruptBlobError(self._path, self._label, "its SHA-256 differs")
        if self._size is not None and self._position != self._size:
            reason = f"{self._position} bytes instead of {self._size}: their SHA-256 differs"
            raise CorruptBlobError(self._path, self._label, reason)

    def _reopen_stream(self) -> _BlobStream:
        return _BlobStream(self._path, self._sha256, self._label, self._size)

    def _seekable_copy(self) -> Any:
        if self._spool is None:
            spool: Any = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed with this body
            position = self._position
            with io.BufferedReader(self._reopen_stream(), CHUNK) as whole:
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
        return False  # reading reports the error


def open_blob(root: Path, sha256: str, label: str, size: int | None = None) -> BinaryIO:
    """Opens the uncompressed bytes of a body, seekable; raises CorruptBlobError here or while reading.

    `size`: uncompressed size; if given, reading skips the SHA-256 check (`verify_blob` does it).
    """
    return io.BufferedReader(_BlobStream(blob_path(root, sha256), sha256, label, size), CHUNK)


def verify_blob(root: Path, sha256: str, label: str) -> None:
    """Reads a body to the end and checks its SHA-256; raises CorruptBlobError on a mismatch."""
    with open_blob(root, sha256, label) as body:
        while body.read(CHUNK):
            pass
