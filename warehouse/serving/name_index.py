"""Name index of a segment: labels, words of names, and spellings for typo tolerance.

Of the base a separate file, so that one thread builds it in parallel to the documents; it takes half as long. Written
once; `codec_read` attaches it to the documents. Does not belong here: documents and rows (`documents_db`), or queries
(`reader.queries.names`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.serving import segment_views
from warehouse.serving.name_terms import PREFIX_LENGTHS, allows_typos
from warehouse.serving.segment_views import SUPERSEDED, SUPERSEDED_RANKS
from warehouse.storage.duckdb import registered_frame, stream_frames
from warehouse.storage.sqlite_bulk import bulk_inserter, open_for_building

SCHEMA: Final = (
    # narrow, so that scanning many names reads no documents
    """CREATE TABLE labels (rank INTEGER PRIMARY KEY, folded TEXT NOT NULL, country TEXT NOT NULL,
        company_id TEXT NOT NULL, first TEXT AS (substr(folded, 1, instr(folded || ' ', ' ') - 1)))""",
    "CREATE TABLE slips (spelling TEXT, word TEXT, PRIMARY KEY (spelling, word)) WITHOUT ROWID",
    "CREATE TABLE words (word TEXT PRIMARY KEY) WITHOUT ROWID",
    segment_views.NAMES_SCHEMA,
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
_CHUNK: Final = 50_000
# The distinct words of the index: folded names separate words only by blanks.
_WORDS: Final = """SELECT DISTINCT word FROM (SELECT unnest(string_split(trim(words), ' ')) AS word FROM search)
    WHERE word <> '' ORDER BY word"""
_REPLACED: Final = f"SELECT rank FROM {SUPERSEDED} WHERE rank IS NOT NULL ORDER BY rank"
# Bytes of index lists gathered in memory before writing: a single write needs no merging.
_GATHERED: Final = 1 << 28


def build_name_index(path: Path, source: duckdb.DuckDBPyConnection) -> None:
    """Builds the index of all companies in `source`, in a new file or beside the documents."""
    with closing(open_for_building(path)) as target:
        for statement in SCHEMA:
            target.execute(statement)
    with bulk_inserter(path) as fill:
        for labels in stream_frames(source, f"{LABELS} FROM search ORDER BY rank", _CHUNK):
            fill("labels", labels)
        for ranks in stream_frames(source, _REPLACED, _CHUNK):
            fill(SUPERSEDED_RANKS, ranks)
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


def _insert_typo_spellings(target: sqlite3.Connection, source: duckdb.DuckDBPyConnection, words: Iterable[str]) -> None:
    """Fills the table of deletions used for typo tolerance (`serving.name_terms`)."""
    frame = pl.DataFrame({"word": [word for word in words if allows_typos(word)]}, schema={"word": pl.String})
    with registered_frame(source, "words", frame):
        spellings = """SELECT DISTINCT left(word, place) || word[place + 2:] AS spelling, word FROM (
            SELECT word, unnest(range(0, length(word))) AS place FROM words) ORDER BY ALL"""
        for chunk in stream_frames(source, spellings, _CHUNK):
            target.executemany("INSERT OR IGNORE INTO slips VALUES (?, ?)", chunk.rows())
