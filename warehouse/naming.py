"""`names.sqlite` of a release, the name index: labels, the words of names, and what lies one slip beside them.

In a file of its own: it is made by one thread, beside the documents, which takes half as long as they do. Written
once, or copied from the release before and patched; `packed` shows it beside the documents. Does not belong here:
documents and rows (`serving`), or asking (`queries.names`, `queries.slips`).
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
from warehouse.filling import filling, open_for_building, with_changed
from warehouse.queries import names, slips
from warehouse.segments import read_only_uri

SCHEMA: Final = (
    # narrow, so that walking many names touches no documents
    """CREATE TABLE labels (rank INTEGER PRIMARY KEY, folded TEXT NOT NULL, country TEXT NOT NULL,
        company_id TEXT NOT NULL, first TEXT AS (substr(folded, 1, instr(folded || ' ', ' ') - 1)))""",
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
LABELS: Final = "SELECT rank, trim(words) AS folded, country, company_id"
_TOLD: Final = "rank, folded, country, company_id"
_CHUNK: Final = 50_000
# The words that the index has: folded names part at blanks alone.
_WORDS: Final = """SELECT DISTINCT word FROM (SELECT unnest(string_split(trim(words), ' ')) AS word FROM search)
    WHERE word <> '' ORDER BY word"""
# Bytes of lists kept in memory before they are written: all at once need no merging. The file keeps it for patches.
_GATHERED: Final = 1 << 28


def build(path: Path, source: duckdb.DuckDBPyConnection) -> None:
    """Writes the index of every company."""
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
        for found in streamed(source, _WORDS, _CHUNK):
            target.executemany("INSERT INTO words VALUES (?)", found.rows())
        _insert_slips(target, source, (word for (word,) in target.execute("SELECT word FROM words")))
        for statement in INDEXES:
            target.execute(statement)
        target.execute("COMMIT")
        target.execute("PRAGMA optimize")


def patch(path: Path, source: duckdb.DuckDBPyConnection, changed: pl.Series, former: Path) -> None:
    """Brings a copy of the former index to the ranks and names that the changed companies have in `source` now.

    former: the documents of the release before, which tell what ranks the companies had.
    """
    with closing(open_for_building(path)) as target:
        target.execute("ATTACH ? AS former", (read_only_uri(former),))
        target.execute("BEGIN")
        with_changed(target, source, changed)
        target.execute(
            "CREATE TEMP TABLE fresh (rank INTEGER PRIMARY KEY, folded TEXT, country TEXT, company_id TEXT)"
        )
        found = streamed(source, f"{LABELS} FROM search SEMI JOIN wanted USING (company_id)", _CHUNK)
        for labels in found:
            target.executemany("INSERT INTO fresh VALUES (?, ?, ?, ?)", labels.rows())
        target.execute(
            f"""CREATE TEMP TABLE gone AS SELECT {_TOLD} FROM labels WHERE rank IN
                (SELECT rank FROM former.companies WHERE company_id IN (SELECT company_id FROM changed))
                EXCEPT SELECT {_TOLD} FROM fresh"""
        )
        _withdraw(target)
        target.execute(
            f"""CREATE TEMP TABLE come AS
                SELECT {_TOLD} FROM fresh WHERE rank NOT IN (SELECT rank FROM labels)"""
        )
        _add(target, source)
        target.execute("COMMIT")


def _withdraw(target: sqlite3.Connection) -> None:
    """Takes the labels of the table `gone` away; their words stay, and find nothing."""
    target.execute(
        """INSERT INTO names (names, rowid, folded, country)
            SELECT 'delete', rank, folded, country FROM gone"""
    )
    target.execute("DELETE FROM labels WHERE rank IN (SELECT rank FROM gone)")


def _add(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection) -> None:
    """Adds the labels of the table `come`, their words and what lies beside these."""
    target.execute(f"INSERT INTO labels ({_TOLD}) SELECT {_TOLD} FROM come")
    target.execute("INSERT INTO names (rowid, folded, country) SELECT rank, folded, country FROM come")
    words = {word for (name,) in target.execute("SELECT folded FROM come") for word in name.split()}
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
