"""What several test processes need and one of them makes: a world takes minutes, and its tests are shared out."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


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
