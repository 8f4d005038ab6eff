"""Writes statements as one JSON array, packed with gzip: one statement per line, so that streams read it by lines.

The published schema of BODS is that of an array. Does not belong here: what statements say (`statements`).
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Final

NAME: Final = "ownership.bods.json.gz"
_GZIP_LEVEL: Final = 5


def write_statements(path: Path, statements: Iterable[bytes]) -> int:
    """Writes the file and returns the number of statements. Equal statements give equal bytes."""
    count = 0
    with path.open("wb") as raw, gzip.GzipFile("", "wb", _GZIP_LEVEL, raw, mtime=0) as packed:
        packed.write(b"[")
        for statement in statements:
            packed.write((b",\n" if count else b"\n") + statement)
            count += 1
        packed.write(b"\n]\n")
    return count
