"""What earlier releases served of companies, by company: the content of a past file (docs/architecture.md 7).

A row is what was served of a company until a release served something else in its place; a value of null says that
nothing was. A company without a row of a kind above some release has been served the same since it. Values are the
bytes of the documents that served them, with the formats needed to read them. Does not belong here: which rows a
publish writes (`publish.past_build`), which files it keeps (`release.past_files`), reading (`reader.past_states`).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from warehouse.serving import codec_read, past_relations
from warehouse.serving.codec_read import StoredFormat
from warehouse.storage.sqlite_read import read_only_uri

PROFILE: Final = "profile"
PARTS: Final = "parts"
FINANCIALS: Final = "financials"
OWNERS: Final = "owners"
RELATIONS: Final = "relations"
LEIS: Final = "leis"
KINDS: Final = (PROFILE, PARTS, FINANCIALS, OWNERS, RELATIONS, LEIS)
TABLE_OF_KIND: Final[Mapping[str, str]] = {
    PARTS: "companies",
    FINANCIALS: "financials",
    OWNERS: "owners",
    RELATIONS: "relations",
}
"""The table whose format a kind's values have; a profile is stored as it is sent, LEIs as they are."""
AS_SENT: Final = 0  # the format of values that are stored as they are sent
SCHEMA: Final = (
    # until: the first release that served something else; value null: nothing was served of this kind
    """CREATE TABLE states (company_id TEXT, kind TEXT, until INTEGER, format INTEGER NOT NULL, value BLOB,
        PRIMARY KEY (company_id, kind, until)) WITHOUT ROWID""",
    "CREATE TABLE formats (format INTEGER PRIMARY KEY, dictionary BLOB, templates TEXT NOT NULL)",
    # published: UTC in whole seconds, which sorts as text; has_relations: 0 if it served no groups
    "CREATE TABLE releases (number INTEGER PRIMARY KEY, published TEXT NOT NULL, has_relations INTEGER NOT NULL)",
    *past_relations.SCHEMA,
)
INDEXED_KINDS: Final = (RELATIONS, LEIS)
_HOLDER_ID: Final[Mapping[str, int]] = {OWNERS: 0, RELATIONS: past_relations.HOLDER_ID}  # its field in a row
_CHUNK: Final = 2_000
_PRAGMAS: Final = (
    *("page_size = 8192", "journal_mode = OFF", "synchronous = OFF", "cache_size = -32768"),
    "temp_store = MEMORY",
)


class PublishedRelease(NamedTuple):
    """A release, and its instant of publication as `published_text` writes it."""

    published: str
    number: int
    has_relations: bool = True


class PastRow(NamedTuple):
    """What was served of a company until a release; `value` None: nothing of this kind."""

    company_id: str
    kind: str
    until: int
    format: int
    value: bytes | None


@dataclass(frozen=True, slots=True)
class ErasedSubjects:
    """Ids of companies and of holders that no file may contain."""

    companies: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.companies or self.holders)


NOBODY: Final = ErasedSubjects()


def format_number(stored: StoredFormat) -> int:
    """The number of a format: it follows from its content, so that files are merged without renumbering."""
    if stored.dictionary is None and not stored.templates:
        return AS_SENT
    text = (stored.dictionary or b"") + json.dumps(stored.templates, sort_keys=True).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:7]) + 1


class PastWriter:
    """A past file that is being written. Rows must come in the order of the primary key to be written fast."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        for statement in (*(f"PRAGMA {pragma}" for pragma in _PRAGMAS), *SCHEMA, "BEGIN"):
            connection.execute(statement)

    def add_release(self, release: PublishedRelease) -> None:
        """Adds a release."""
        row = (release.number, release.published, release.has_relations)
        self._connection.execute("INSERT OR REPLACE INTO main.releases VALUES (?, ?, ?)", row)

    def add_format(self, stored: StoredFormat) -> int:
        """Adds a format; returns its number."""
        number = format_number(stored)
        if number != AS_SENT:
            row = (number, stored.dictionary, json.dumps(stored.templates, sort_keys=True))
            self._connection.execute("INSERT OR IGNORE INTO main.formats VALUES (?, ?, ?)", row)
        return number

    def add_rows(self, rows: Iterable[PastRow]) -> None:
        self._connection.executemany("INSERT INTO main.states VALUES (?, ?, ?, ?, ?)", rows)

    def index_row(self, row: PastRow, value: bytes | None) -> None:
        """Adds the indexes of a row of relations or LEIs with this unpacked value; other rows have none."""
        if value is None:
            return
        if row.kind == RELATIONS:
            past_relations.add_held(self._connection, row.company_id, row.until, value)
        elif row.kind == LEIS:
            past_relations.add_leis(self._connection, row.company_id, row.until, value)

    def finish(self) -> int:
        """Ends the file; returns the number of its rows."""
        self._connection.execute("COMMIT")
        return count_rows(self._connection)


def write_past(path: Path, fill: Callable[[PastWriter], None]) -> int:
    """Writes a new file with what `fill` adds; returns the number of its rows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        writer = PastWriter(connection)
        fill(writer)
        return writer.finish()


def merge_past(path: Path, files: Sequence[Path]) -> int:
    """Writes all rows of these files into a new one, in one pass over each; returns their number."""
    names = [f"past{place}" for place in range(len(files))]
    with closing(sqlite3.connect(path, isolation_level=None, uri=True)) as connection:
        for name, file in zip(names, files, strict=True):
            connection.execute(f"ATTACH ? AS {name}", (read_only_uri(file),))
        writer = PastWriter(connection)
        rows = " UNION ALL ".join(f"SELECT company_id, kind, until, format, value FROM {name}.states" for name in names)
        # each file is sorted so, and SQLite merges them without sorting
        connection.execute(f"INSERT INTO main.states {rows} ORDER BY company_id, kind, until")
        for table in past_relations.INDEXES:
            entries = " UNION ALL ".join(f"SELECT * FROM {name}.{table}" for name in names)
            connection.execute(f"INSERT INTO main.{table} {entries} ORDER BY {past_relations.INDEXES[table]}")
        for name in names:
            connection.execute(f"INSERT OR IGNORE INTO main.formats SELECT * FROM {name}.formats")
            connection.execute(f"INSERT OR REPLACE INTO main.releases SELECT * FROM {name}.releases")
        return writer.finish()


def file_fault(file: Path) -> str | None:
    """What SQLite finds wrong with a file on disk; None if nothing. Reads all of it."""
    try:
        with closing(sqlite3.connect(read_only_uri(file), uri=True)) as connection:
            [(found,)] = connection.execute("PRAGMA integrity_check(1)").fetchall()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if found == "ok" else str(found).replace("\n", " ")


def copy_without(path: Path, source: Path, erased: ErasedSubjects, replaced: Iterable[PastRow]) -> int:
    """Writes a file anew without these subjects: their own states, and their rows among the holders of others.

    replaced: states that stand in the place of theirs. Returns the number of its rows. No free page of the old file
    comes along.
    """

    def fill(writer: PastWriter) -> None:
        unpack = {number: codec_read.unpack_function(stored) for number, stored in read_formats(before).items()}
        for stored in read_formats(before).values():
            writer.add_format(stored)
        for release in read_releases(before):
            writer.add_release(release)
        found = before.execute("SELECT * FROM states ORDER BY company_id, kind, until")
        while chunk := found.fetchmany(_CHUNK):
            rows = (PastRow(*row) for row in chunk if row[0] not in erased.companies)
            kept = [_without_holders(row, erased, unpack) for row in rows]
            writer.add_rows(kept)
            for row in kept:
                if row.kind in INDEXED_KINDS:
                    writer.index_row(row, _unpacked(row, unpack))
        writer.add_rows(replaced)

    with closing(sqlite3.connect(read_only_uri(source), uri=True)) as before:
        return write_past(path, fill)


def _without_holders(row: PastRow, erased: ErasedSubjects, unpack: Mapping[int, codec_read.Unpack]) -> PastRow:
    """A row of owners or relations without those of the subjects; any other row as it is."""
    text = _unpacked(row, unpack) if row.kind in _HOLDER_ID else None
    if text is None:
        return row
    rows = list(codec_read.split_rows((text,)))
    place = _HOLDER_ID[row.kind]
    kept = [
        fields
        for fields in rows
        if fields[place].decode() not in erased.holders and not _names_company(row.kind, fields, erased.companies)
    ]
    if len(kept) == len(rows):
        return row
    return row._replace(format=AS_SENT, value=past_relations.rows_text(kept) if kept else None)


def _names_company(kind: str, fields: Sequence[bytes], companies: frozenset[str]) -> bool:
    """Whether a row has one of these companies as its holder."""
    if kind == RELATIONS:
        return fields[past_relations.HOLDER].decode() in companies
    return any(f'"{company}"'.encode() in fields[-1] for company in companies)


def _unpacked(row: PastRow, unpack: Mapping[int, codec_read.Unpack]) -> bytes | None:
    if row.value is None or row.format == AS_SENT:
        return row.value
    return unpack[row.format](TABLE_OF_KIND[row.kind], row.value)


def count_rows(connection: sqlite3.Connection) -> int:
    """States and releases of an open file."""
    return connection.execute(
        "SELECT (SELECT count(*) FROM main.states) + (SELECT count(*) FROM main.releases)"
    ).fetchone()[0]


def read_formats(connection: sqlite3.Connection) -> dict[int, StoredFormat]:
    """The formats of an open file, by number."""
    rows: Iterable[tuple[int, bytes | None, str]] = connection.execute(
        "SELECT format, dictionary, templates FROM formats"
    ).fetchall()
    return {number: StoredFormat(dictionary, _templates(text)) for number, dictionary, text in rows}


def _templates(text: str) -> Mapping[str, str]:
    values: dict[str, Any] = json.loads(text)
    return values


def published_text(instant: datetime) -> str:
    """An instant of publication as files have it: UTC in whole seconds, as answers and events state it."""
    # isoformat pads years to four digits, so that they sort as text (strftime does not)
    return instant.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def read_releases(connection: sqlite3.Connection) -> list[PublishedRelease]:
    """The releases in an open file, by number."""
    rows = connection.execute("SELECT published, number, has_relations FROM releases ORDER BY number")
    return [PublishedRelease(published, number, bool(has)) for published, number, has in rows]
