"""Copies of large files: the same bytes, to another file system too, and nothing of them left in the way."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from warehouse.storage import atomic_files

_FILE_SYSTEMS = ("/dev/shm", "/var/tmp")


@pytest.fixture
def disk_folder() -> Iterator[Path]:
    """A folder that is on a disk, wherever those of the tests are."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 21, 1000])
def test_a_copy_has_the_same_bytes(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_files, "COPIED_BYTES_AT_A_TIME", 7)
    source, target = _written(tmp_path, size), tmp_path / "target"
    target.write_bytes(b"a former file that is longer" * 100)
    atomic_files.copy_file(source, target)
    assert target.read_bytes() == source.read_bytes()


def test_a_copy_on_another_file_system(tmp_path: Path) -> None:
    elsewhere = [
        path for path in map(Path, _FILE_SYSTEMS) if path.is_dir() and path.stat().st_dev != tmp_path.stat().st_dev
    ]
    if not elsewhere:
        pytest.skip("one file system")
    source = _written(tmp_path, 100_000)
    with tempfile.TemporaryDirectory(dir=elsewhere[0]) as folder:
        atomic_files.copy_file(source, Path(folder) / "target")
        assert Path(folder, "target").read_bytes() == source.read_bytes()


def test_a_source_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="source"):
        atomic_files.copy_file(tmp_path / "source", tmp_path / "target")


def test_what_was_copied_leaves_the_page_cache(disk_folder: Path) -> None:
    source = _written(disk_folder, 1 << 20)
    atomic_files.sync_file(source)
    assert _is_cached(source)
    with source.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if _is_cached(source):
        pytest.skip("a file system in memory")
    source.read_bytes()
    atomic_files.copy_file(source, disk_folder / "target")
    assert _is_cached(disk_folder / "target")
    assert not _is_cached(source)


def _written(folder: Path, size: int) -> Path:
    path = folder / "source"
    path.write_bytes(os.urandom(size))
    return path


def _is_cached(path: Path) -> bool:
    """Whether the beginning of a file is read without waiting for a disk."""
    with path.open("rb") as file:
        try:
            return os.preadv(file.fileno(), [bytearray(4096)], 0, os.RWF_NOWAIT) > 0
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno != errno.EOPNOTSUPP:
                raise
            pytest.skip("a file system in memory")
