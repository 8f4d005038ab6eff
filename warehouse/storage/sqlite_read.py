"""Reading finished SQLite files: opened read-only, as files that never change.

Does not belong here: a file under construction (`storage.sqlite_bulk`). Imports no engine.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path


def open_read_only(path: Path) -> sqlite3.Connection:
    """Opens a finished, immutable SQLite file; usable from any thread, one at a time."""
    return sqlite3.connect(read_only_uri(path), uri=True, check_same_thread=False, isolation_level=None)


def read_only_uri(path: Path) -> str:
    """URI for opening or attaching an immutable SQLite file."""
    return f"{path.absolute().as_uri()}?mode=ro&immutable=1"
