"""Atomic and durable file writes: a kill at any moment leaves either the old content or the new.

Always in this order: temporary file in the same folder, fsync, rename, fsync of the folder. Belongs here too: the
JSON form of stored records. Does not belong here: which records a file has, or locking (`locks`).
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

Step = Callable[[str], None]  # receives the name of each step of a write; tests kill the process there
TEMPORARY = ".tmp"
COPIED_BYTES_AT_A_TIME: Final = 1 << 25
UNTOUCHED_SECONDS: Final = 86_400.0  # then the writer of a file counts as dead that cannot be looked for
# Errors of kernels or file systems that do not support copy_file_range, or not across file systems
_ANOTHER_WAY: Final = frozenset((errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP))
# Errors of file systems without hard links, with a limit of links per file, or of two of them
_NO_LINKS: Final = frozenset((errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS))


def ignore_step(_: str) -> None:
    """The default hook: does nothing."""


def is_process_alive(process: int) -> bool:
    """True if a process of this machine is running: its unfinished files must not be removed by others."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the process of another user
        return True
    return True


@cache
def process_space() -> str:
    """Names the processes among which an id of a process is unique: containers that share a folder have their own.

    In each of them the first process is number 1, and a process of another one looks like a dead one.
    """
    try:
        return str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:  # not Linux: one space for all
        return "0"


def writer_name() -> str:
    """This process as a part of names of its unfinished files: no other process that runs has the same."""
    return f"{process_space()}-{os.getpid()}"


def is_abandoned(path: Path, writer: str) -> bool:
    """True if the process of a `writer_name` is dead, so that its unfinished file or folder may be removed.

    Processes of other containers cannot be looked for: theirs are abandoned after a day without a change.
    """
    space, _, process = writer.partition("-")
    if space == process_space() and process.isdecimal():
        return not is_process_alive(int(process))
    try:
        return time.time() - path.stat().st_mtime > UNTOUCHED_SECONDS
    except FileNotFoundError:  # just renamed or removed by its writer
        return False


def sync_folder(folder: Path) -> None:
    """Syncs a folder: a rename is durable only after its folder is synced."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Syncs a finished file."""
    with path.open("rb") as handle:
        os.fsync(handle.fileno())


def make_folder(folder: Path) -> None:
    """Creates a folder and its parents, and syncs each new name."""
    missing = list(takewhile(lambda part: not part.exists(), (folder, *folder.parents)))
    folder.mkdir(parents=True, exist_ok=True)
    for part in missing:
        sync_folder(part.parent)


def temporary_path(path: Path) -> Path:
    """The temporary name of `path` in the same folder. One writer per folder (ensured by locks)."""
    return path.with_name(path.name + TEMPORARY)


def publish_file(built: Path, path: Path) -> None:
    """Renames a finished temporary file to its final name, durably."""
    sync_file(built)
    built.replace(path)
    sync_folder(path.parent)


def write_bytes(path: Path, content: bytes) -> None:
    """Replaces a small file atomically."""
    make_folder(path.parent)
    built = temporary_path(path)
    built.write_bytes(content)
    publish_file(built, path)


def write_json(path: Path, value: Any) -> None:
    """Replaces a JSON file atomically; keys in the order given."""
    write_bytes(path, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())


def json_fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass and of those inside it as JSON values: instants as ISO text."""
    return asdict(record, dict_factory=_with_instant_texts)


def _with_instant_texts(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields}


def copy_file(source: Path, target: Path) -> None:
    """Copies a large file; the file system shares the blocks where it can (XFS, btrfs).

    Pages that were read leave the page cache at once: that halves the time or better for files larger than
    memory, as no page has to be evicted first. Written pages stay, as they are read next.
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


def link_file(source: Path, target: Path) -> None:
    """Gives a file that never changes another name on the same disk; copies it where the file system has no links."""
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        copy_file(source, target)


def sync_tree(folder: Path) -> None:
    """Syncs a finished folder: its files, then the folder."""
    for path in sorted(folder.iterdir()):
        sync_file(path)
    sync_folder(folder)


def publish_folder(built: Path, folder: Path, what: str, on_step: Step) -> None:
    """Renames a finished temporary folder to its final name, durably."""
    sync_tree(built)
    on_step(f"{what} synced")
    built.replace(folder)
    sync_folder(folder.parent)
    on_step(f"{what} published")


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as body:
        return hashlib.file_digest(body, "sha256").hexdigest()


def delete_if_exists(path: Path) -> None:
    """Removes a file or folder if it exists."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
