"""Releases as former editions wrote them. Does not belong here: what tests say of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from warehouse.release.manifest import NAMES
from warehouse.serving import name_index

_MOVED: Final = {  # what FTS5 keeps of an index is in the last two
    "labels": "rank, folded, country",
    "words": "word",
    "slips": "spelling, word",
    "names_data": "id, block",
    "names_idx": "segid, term, pgno",
}


def with_names(path: Path) -> None:
    """Puts the name index into the file of the documents, where editions before had it."""
    names = path.with_name(NAMES)
    with closing(sqlite3.connect(path, isolation_level=None)) as target:
        for statement in name_index.SCHEMA:
            target.execute(statement.replace("company_id TEXT NOT NULL, ", ""))
        target.execute("ATTACH ? AS apart", (str(names),))
        for table, columns in _MOVED.items():
            target.execute(f"DELETE FROM main.{table}")
            target.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM apart.{table}")
        for statement in name_index.INDEXES:
            target.execute(statement)
        target.execute("CREATE UNIQUE INDEX companies_by_rank ON companies (rank)")
    names.unlink()
