"""Whether a file is as it was left, told without reading it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self


@dataclass(frozen=True, slots=True)
class FileVersion:
    """What tells a file from itself after a change: two reads that are equal found the same bytes."""

    inode: int
    size: int
    changed_at: int
    """Nanoseconds."""
    log_bytes: int
    """Size of the write-ahead log beside it, if it is a DuckDB file."""

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """None if there is no file."""
        try:
            own = path.stat()
        except FileNotFoundError:
            return None
        log = path.with_name(f"{path.name}.wal")
        return cls(own.st_ino, own.st_size, own.st_mtime_ns, log.stat().st_size if log.exists() else 0)

    @classmethod
    def of(cls, handle: BinaryIO) -> Self:
        """Of an open file, even if another one has taken its name."""
        own = os.fstat(handle.fileno())
        return cls(own.st_ino, own.st_size, own.st_mtime_ns, 0)
