"""Writing files so that a kill at any moment leaves either the old content or the new.

Temporary file beside the target, fsync, rename, fsync of the folder: in this order, always. Does not belong
here: what is written, or locking (`locks`).
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

Step = Callable[[str], None]  # told the name of each step of a write; tests stop the process there
TEMPORARY = ".tmp"
COPIED_BYTES_AT_A_TIME: Final = 1 << 25  # bytes
# What a kernel or a file system says that cannot copy by itself, or not to another file system
_ANOTHER_WAY: Final = frozenset((errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP))


def no_step(_: str) -> None:
    """The hook of everybody who does not watch."""


def lives(process: int) -> bool:
    """Whether a process of this machine runs: what it writes is not yet whole, and nobody else's to remove."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        return True
    return True


def sync_folder(folder: Path) -> None:
    """Makes names in a folder durable: a rename is not, until its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Makes the bytes of a finished file durable."""
    with path.open("rb") as handle:
        os.fsync(handle.fileno())


def make_folder(folder: Path) -> None:
    """Makes a folder and its parents, each name durable."""
    missing = [part for part in (folder, *folder.parents) if not part.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for part in missing:
        sync_folder(part.parent)


def temporary(path: Path) -> Path:
    """The name beside `path` under which it is built. One writer per folder (locks see to it)."""
    return path.with_name(path.name + TEMPORARY)


def publish(built: Path, path: Path) -> None:
    """Moves a finished temporary file to its name, durably."""
    sync_file(built)
    built.replace(path)
    sync_folder(path.parent)


def write_bytes(path: Path, content: bytes) -> None:
    """Replaces a whole small file atomically."""
    make_folder(path.parent)
    built = temporary(path)
    built.write_bytes(content)
    publish(built, path)


def write_json(path: Path, value: Any) -> None:
    """Replaces a JSON file atomically; keys in the order given."""
    write_bytes(path, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())


def copy(source: Path, target: Path) -> None:
    """Copies a large file; the file system shares the blocks of both where it can (XFS, btrfs).

    What has been read leaves the page cache at once: files larger than memory are copied in half the time, or less,
    where no page must be found that can be spared. What was written stays, to be read next.
    """
    if sys.platform != "linux":
        shutil.copyfile(source, target)
        return
    try:
        with source.open("rb") as read, target.open("wb") as written:
            os.posix_fadvise(read.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)
            at = 0
            while copied := os.copy_file_range(read.fileno(), written.fileno(), COPIED_BYTES_AT_A_TIME):
                os.posix_fadvise(read.fileno(), at, copied, os.POSIX_FADV_DONTNEED)
                at += copied
    except OSError as error:
        if error.errno not in _ANOTHER_WAY:
            raise
        shutil.copyfile(source, target)


def sync_tree(folder: Path) -> None:
    """Makes a finished folder durable: its files, then itself."""
    for path in sorted(folder.iterdir()):
        sync_file(path)
    sync_folder(folder)


def discard(path: Path) -> None:
    """Removes a file or folder that nobody may see, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
