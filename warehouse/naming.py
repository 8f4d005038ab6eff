"""The name index of a release: labels, the words of names, and what lies one slip beside them.

A name index is made by one thread, which takes as long as all the rows of the companies take the others: it is made
in a file of its own and moved into `serving.sqlite` when both are done. Does not belong here: documents and rows
(`serving`), or asking (`queries.names`, `queries.slips`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.engine import registered, streamed
from warehouse.filling import filling
from warehouse.queries import names, slips

SCHEMA: Final = (
    # narrow, so that walking many names touches no documents
    """CREATE TABLE labels (rank INTEGER PRIMARY KEY, folded TEXT NOT NULL, country TEXT NOT NULL,
        first TEXT AS (substr(folded, 1, instr(folded || ' ', ' ') - 1)))""",
    "CREATE TABLE slips (spelling TEXT, word TEXT, PRIMARY KEY (spelling, word)) WITHOUT ROWID",
    "CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID",
    # Prefixes of these lengths have lists of their own, which are read as they are; lists of longer ones would be
    # merged, so those are asked for word by word (`queries.names`). No phrases are asked for: `detail = column`.
    # Folded names part at blanks alone, which is what `ascii` does with them.
    f"""CREATE VIRTUAL TABLE names USING fts5(folded, country, content = 'labels', content_rowid = 'rank',
        tokenize = 'ascii', detail = 'column', columnsize = 0, prefix = '{" ".join(map(str, names.LISTED))}')""",
)
INDEXES: Final = (
    "CREATE INDEX labels_by_name ON labels (folded)",
    "CREATE INDEX labels_by_first_word ON labels (first)",
)
LABELS: Final = "SELECT rank, trim(words) AS folded, country"
_CHUNK: Final = 50_000
_GATHERED: Final = (
    1 << 28
)  # bytes of lists kept in memory before they are written: all at once need no merging
# Table by table, as they lie beside each other: what FTS5 keeps of an index is in these two.
_MOVED: Final = {
    "labels": "rank, folded, country",
    "words": "word",
    "slips": "spelling, word",
    "names_data": "id, block",
    "names_idx": "segid, term, pgno",
}


def open_for_building(path: Path) -> sqlite3.Connection:
    """A file that only its builder sees: a kill throws it away, so nothing is journaled."""
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in (
        "page_size = 8192",
        "journal_mode = OFF",
        "synchronous = OFF",
        "cache_size = -131072",
        "temp_store = MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def build(path: Path, source: duckdb.DuckDBPyConnection) -> None:
    """Writes the index of every company to a file of its own."""
    with closing(open_for_building(path)) as target:
        for statement in SCHEMA:
            target.execute(statement)
    with filling(path) as fill:
        for labels in streamed(source, f"{LABELS} FROM search ORDER BY rank", _CHUNK):
            fill("labels", labels)
    with closing(open_for_building(path)) as target:
        target.execute("BEGIN")
        target.execute("INSERT INTO names (names, rank) VALUES ('hashsize', ?)", (_GATHERED,))
        target.execute("INSERT INTO names (names) VALUES ('rebuild')")
        target.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, names, col)")
        target.execute(
            "INSERT INTO words SELECT term FROM temp.vocabulary WHERE col = 'folded' ORDER BY term"
        )
        target.execute("DROP TABLE temp.vocabulary")
        _insert_slips(target, source, (word for (word,) in target.execute("SELECT word FROM words")))
        target.execute("COMMIT")


def move(path: Path, target: sqlite3.Connection) -> None:
    """Puts an index of its own file into another that has `SCHEMA` and nothing in it; the file goes."""
    target.execute("ATTACH ? AS apart", (str(path),))
    target.execute("BEGIN")
    for table, columns in _MOVED.items():
        target.execute(f"DELETE FROM main.{table}")
        target.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM apart.{table}")
    for statement in INDEXES:
        target.execute(statement)
    target.execute("COMMIT")
    target.execute("DETACH apart")
    path.unlink()


def withdraw(target: sqlite3.Connection, labels: str) -> None:
    """Takes the labels of a table (rank, folded, country) away; their words stay, and find nothing."""
    target.execute(
        f"""INSERT INTO names (names, rowid, folded, country)
            SELECT 'delete', rank, folded, country FROM {labels}"""
    )
    target.execute(f"DELETE FROM labels WHERE rank IN (SELECT rank FROM {labels})")


def add(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection, labels: str) -> None:
    """Adds the labels of a table (rank, folded, country), their words and what lies beside these."""
    target.execute(f"INSERT INTO labels (rank, folded, country) SELECT rank, folded, country FROM {labels}")
    target.execute(f"INSERT INTO names (rowid, folded, country) SELECT rank, folded, country FROM {labels}")
    words = {word for (name,) in target.execute(f"SELECT folded FROM {labels}") for word in name.split()}
    target.executemany("INSERT OR IGNORE INTO words VALUES (?)", ((word,) for word in words))
    _insert_slips(target, source, words)


def _insert_slips(
    target: sqlite3.Connection, source: duckdb.DuckDBPyConnection, words: Iterable[str]
) -> None:
    """The table of deletions (`queries.slips`)."""
    frame = pl.DataFrame({"word": [word for word in words if slips.suits(word)]}, schema={"word": pl.String})
    with registered(source, "words", frame):
        spellings = """SELECT DISTINCT left(word, place) || word[place + 2:] AS spelling, word FROM (
            SELECT word, unnest(range(0, length(word))) AS place FROM words) ORDER BY ALL"""
        for chunk in streamed(source, spellings, _CHUNK):
            target.executemany("INSERT OR IGNORE INTO slips VALUES (?, ?)", chunk.rows())
