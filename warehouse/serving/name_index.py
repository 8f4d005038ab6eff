"""Name index of a release, `names.sqlite`: labels, words of names, and spellings for typo tolerance.

A separate file, so that one thread builds it in parallel to the documents; it takes half as long. Written once,
or copied from the previous release and patched; `codec_read` attaches it to the documents. Does not belong here:
documents and rows (`documents_db`), or queries (`reader.queries.names`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.serving.name_terms import PREFIX_LENGTHS, allows_typos
from warehouse.storage.duckdb import registered_frame, stream_frames
from warehouse.storage.sqlite_bulk import bulk_inserter, expose_changed, open_for_building
from warehouse.storage.sqlite_read import read_only_uri

SCHEMA: Final = (
    # narrow, so that scanning many names reads no documents
    """CREATE TABLE labels (rank INTEGER PRIMARY KEY, folded TEXT NOT NULL, country TEXT NOT NULL,
        company_id TEXT NOT NULL, first TEXT AS (substr(folded, 1, instr(folded || ' ', ' ') - 1)))""",
    "CREATE TABLE slips (spelling TEXT, word TEXT, PRIMARY KEY (spelling, word)) WITHOUT ROWID",
    "CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID",
    # FTS5 keeps separate lists for prefixes of these lengths, which are read directly; lists of longer
    # prefixes would be merged, so these are queried word by word (`reader.queries.names`). There are no phrase
    # queries: `detail = column`. Folded names separate words only by blanks, for which the `ascii` tokenizer
    # is enough.
    f"""CREATE VIRTUAL TABLE names USING fts5(folded, country, content = 'labels', content_rowid = 'rank',
        tokenize = 'ascii', detail = 'column', columnsize = 0, prefix = '{" ".join(map(str, PREFIX_LENGTHS))}')""",
)
INDEXES: Final = (
    "CREATE INDEX labels_by_name ON labels (folded)",
    "CREATE INDEX labels_by_first_word ON labels (first)",
)
LABELS: Final = "SELECT rank, trim(words) AS folded, country, company_id"
_TOLD: Final = "rank, folded, country, company_id"
_CHUNK: Final = 50_000
# The distinct words of the index: folded names separate words only by blanks.
_WORDS: Final = """SELECT DISTINCT word FROM (SELECT unnest(string_split(trim(words), ' ')) AS word FROM search)
    WHERE word <> '' ORDER BY word"""
# Bytes of index lists gathered in memory before writing: a single write needs no merging. The file stores the
# setting, so it applies to patches too.
_GATHERED: Final = 1 << 28


def build_name_index(path: Path, source: duckdb.DuckDBPyConnection) -> None:
    """Builds the index of all companies."""
    with closing(open_for_building(path)) as target:
        for statement in SCHEMA:
            target.execute(statement)
    with bulk_inserter(path) as fill:
        for labels in stream_frames(source, f"{LABELS} FROM search ORDER BY rank", _CHUNK):
            fill("labels", labels)
    with closing(open_for_building(path)) as target:
        target.execute("BEGIN")
        target.execute("INSERT INTO names (names, rank) VALUES ('hashsize', ?)", (_GATHERED,))
        target.execute("INSERT INTO names (names) VALUES ('rebuild')")
        for found in stream_frames(source, _WORDS, _CHUNK):
            target.executemany("INSERT INTO words VALUES (?)", found.rows())
        _insert_typo_spellings(target, source, (word for (word,) in target.execute("SELECT word FROM words")))
        for statement in INDEXES:
            target.execute(statement)
        target.execute("COMMIT")
        target.execute("PRAGMA optimize")


def patch_name_index(path: Path, source: duckdb.DuckDBPyConnection, changed: pl.Series, previous_path: Path) -> None:
    """Updates a copy of the previous index to the current ranks and names of the changed companies in `source`.

    previous_path: documents of the previous release, which have the companies' previous ranks.
    """
    with closing(open_for_building(path)) as target:
        target.execute("ATTACH ? AS former", (read_only_uri(previous_path),))
        target.execute("BEGIN")
        expose_changed(target, source, changed)
        target.execute("CREATE TEMP TABLE fresh (rank INTEGER PRIMARY KEY, folded TEXT, country TEXT, company_id TEXT)")
        found = stream_frames(source, f"{LABELS} FROM search SEMI JOIN wanted USING (company_id)", _CHUNK)
        for labels in found:
            target.executemany("INSERT INTO fresh VALUES (?, ?, ?, ?)", labels.rows())
        target.execute(
            f"""CREATE TEMP TABLE gone AS SELECT {_TOLD} FROM labels WHERE rank IN
                (SELECT rank FROM former.companies WHERE company_id IN (SELECT company_id FROM changed))
                EXCEPT SELECT {_TOLD} FROM fresh"""
        )
        _remove_labels(target)
        target.execute(
            f"""CREATE TEMP TABLE come AS
                SELECT {_TOLD} FROM fresh WHERE rank NOT IN (SELECT rank FROM labels)"""
        )
        _add_labels(target, source)
        target.execute("COMMIT")


def _remove_labels(target: sqlite3.Connection) -> None:
    """Removes the labels in table `gone`; their words stay, but match nothing."""
    target.execute(
        """INSERT INTO names (names, rowid, folded, country)
            SELECT 'delete', rank, folded, country FROM gone"""
    )
    target.execute("DELETE FROM labels WHERE rank IN (SELECT rank FROM gone)")


def _add_labels(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection) -> None:
    """Adds the labels in table `come`, their words, and the spellings of these."""
    target.execute(f"INSERT INTO labels ({_TOLD}) SELECT {_TOLD} FROM come")
    target.execute("INSERT INTO names (rowid, folded, country) SELECT rank, folded, country FROM come")
    words = {word for (name,) in target.execute("SELECT folded FROM come") for word in name.split()}
    target.executemany("INSERT OR IGNORE INTO words VALUES (?)", ((word,) for word in words))
    _insert_typo_spellings(target, source, words)


def _insert_typo_spellings(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection, words: Iterable[str]) -> None:
    """Fills the table of deletions used for typo tolerance (`serving.name_terms`)."""
    frame = pl.DataFrame({"word": [word for word in words if allows_typos(word)]}, schema={"word": pl.String})
    with registered_frame(source, "words", frame):
        spellings = """SELECT DISTINCT left(word, place) || word[place + 2:] AS spelling, word FROM (
            SELECT word, unnest(range(0, length(word))) AS place FROM words) ORDER BY ALL"""
        for chunk in stream_frames(source, spellings, _CHUNK):
            target.executemany("INSERT OR IGNORE INTO slips VALUES (?, ?)", chunk.rows())
