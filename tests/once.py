"""What several tests need and one of them makes: of all test processes (a world takes minutes), or of its own."""

import atexit
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from filelock import FileLock

_MADE: Final[dict[tuple[object, ...], Path]] = {}


def made_once(temporary: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that the first process to ask fills and the others read. Nobody changes it afterwards."""
    base = temporary.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base  # below it every process has its own
    folder = shared / f"once-{name}"
    done = folder / "made"
    with FileLock(f"{folder}.lock"):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of one that failed
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def copy_made(make: Callable[..., object], into: Path, *arguments: str) -> None:
    """Fills a folder as `make` does, which makes it for the first test of this process and is copied for the others."""
    key = (make, *arguments)
    if key not in _MADE:
        folder = Path(tempfile.mkdtemp(prefix="firm-made-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        make(folder, *arguments)
        _MADE[key] = folder
    shutil.copytree(_MADE[key], into, dirs_exist_ok=True)
