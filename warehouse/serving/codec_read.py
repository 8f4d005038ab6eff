"""Decodes the packed values of companies: all rows of one company, or the parts of its profile, in one value.

For JSON objects the file stores only the values, and the surrounding text once per table. Older formats stay
readable: files of the previous version have complete objects; those of the version before, with one row each,
are read through views. The name index is attached from its own file, or found in this one in older versions. Deltas
of a release are attached too, and views (`segment_views`) hide what they supersede.
Does not belong here: encoding (`codec_write`), or the content of rows (`document_sql`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import zstandard

from warehouse.release.segments import DOCUMENTS, NAMES, Segment
from warehouse.serving import segment_views
from warehouse.serving.segment_views import NameIndex
from warehouse.storage.sqlite_read import read_only_uri

FIELD: Final = "\x1f"  # between the fields of a row; JSON escapes both separators, and ids have neither
ROW: Final = "\x1e"
VALUE: Final = "%b"  # placeholder of a value in the surrounding text
_UNPACKED: Final = "unpacked"  # name of the SQL function
Unpack = Callable[[str, Any], bytes]
"""Decodes a stored value of a table: its rows, each with the JSON around its values."""


class StoredFormat(NamedTuple):
    """How a file packs values: dictionary (None: not compressed), and the text around values by table."""

    dictionary: bytes | None
    templates: Mapping[str, str]


def _row_sql(*columns: str) -> str:
    """SQL for a row of these columns, empty where one is null."""
    return " || char(31) || ".join(f"coalesce({column}, '')" for column in columns)


def _rows_view_sql(table: str, *columns: str) -> str:
    return f"""CREATE TEMP VIEW {table} AS
        SELECT company_id, group_concat(row, char(30)) AS packed
        FROM (SELECT company_id, {_row_sql(*columns)} AS row FROM main.{table} ORDER BY company_id, position)
        GROUP BY company_id"""


# Until the first publish after an upgrade, the release of an older version is served: one row each, not
# packed.
_FORMER: Final = (
    f"""CREATE TEMP VIEW companies AS SELECT rank, company_id, org_number, name, body, etag,
        {_row_sql("detail", "identifiers", "address", "sources")} AS parts FROM main.companies""",
    _rows_view_sql(
        "financials",
        *("period_type", "fiscal_year", "period_start", "period_end", "is_consolidated", "is_current"),
        *("version", "currency", "filing_id", "body", "source"),
    ),
    _rows_view_sql("owners", "holder_id", "since", "until", "pct", "floor", "body"),
)


class DocumentsConnection(sqlite3.Connection):
    """A connection to the documents and name indexes of one release, usable from any thread, one at a time."""

    name_indexes: tuple[NameIndex, ...] = ()


def open_documents(folder: Path, segments: Sequence[Segment]) -> DocumentsConnection:
    """Opens the files of a release (segments: oldest first), with the SQL function `unpacked(table, value)`.

    Older formats are read in the same way. Raises sqlite3.DatabaseError if a file is damaged or missing.
    """
    base, *deltas = segments
    connection = sqlite3.connect(
        read_only_uri(folder / base.files[DOCUMENTS]),
        uri=True,
        check_same_thread=False,
        isolation_level=None,
        factory=DocumentsConnection,
    )
    try:
        schemas = [_attach_name_index(connection, folder, base)]
        for place, delta in enumerate(deltas, 1):
            schemas.append(f"delta{place}")
            connection.execute(f"ATTACH ? AS delta{place}", (read_only_uri(folder / delta.files[DOCUMENTS]),))
        _create_ranked_view(connection, schemas)
        connection.create_function(_UNPACKED, 2, _unpack_function(connection), deterministic=True)
        if deltas:
            segment_views.create_document_views(connection, ["main", *schemas[1:]])
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _attach_name_index(connection: sqlite3.Connection, folder: Path, segment: Segment) -> str:
    """Attaches the name index if it is a separate file; returns its schema."""
    if segment.files[NAMES] == segment.files[DOCUMENTS]:
        return "main"
    connection.execute("ATTACH ? AS named", (read_only_uri(folder / segment.files[NAMES]),))
    return "named"


def _create_ranked_view(connection: DocumentsConnection, schemas: Sequence[str]) -> None:
    """View `ranked` maps ranks to companies; labels of versions before separate name indexes have no company."""
    connection.name_indexes = segment_views.name_indexes(schemas)
    has_company = connection.execute(
        f"SELECT 1 FROM pragma_table_xinfo('labels', '{schemas[0]}') WHERE name = 'company_id'"
    ).fetchone()
    ranked = segment_views.ranked_sql(connection.name_indexes)
    connection.execute(
        f"CREATE TEMP VIEW ranked AS {ranked if has_company else 'SELECT rank, company_id FROM main.companies'}"
    )


def _unpack_function(connection: sqlite3.Connection) -> Unpack:
    """The decoder for a file's values; creates views if the file is not packed."""
    stored = stored_format(connection)
    if stored.dictionary is None:
        for view in _FORMER:
            connection.execute(view)
    return unpack_function(stored)


def stored_format(connection: sqlite3.Connection) -> StoredFormat:
    """The format of a file of documents; that of an older version may have no dictionary or no templates."""
    if not _has_table(connection, "packing"):
        return StoredFormat(None, {})
    shapes = connection.execute("SELECT name, template FROM shapes") if _has_table(connection, "shapes") else ()
    return StoredFormat(read_dictionary(connection), dict(shapes))


def unpack_function(stored: StoredFormat) -> Unpack:
    """The decoder of values in a format; not thread-safe."""
    if stored.dictionary is None:
        return _as_bytes
    unpack = dictionary_decompressor(stored.dictionary)
    completing = {table: partial(fill_template, template.encode()) for table, template in stored.templates.items()}
    if not completing:
        return lambda _, value: unpack(value)
    return lambda table, value: completing[table](unpack(value))


def has_relations(connection: sqlite3.Connection) -> bool:
    """False for a release of a version that did not store relations."""
    return _has_table(connection, "relations")


def _has_table(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone() is not None


def dictionary_decompressor(dictionary: bytes) -> Callable[[bytes], bytes]:
    """A decoder for packed values; not thread-safe."""
    known = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    return zstandard.ZstdDecompressor(dict_data=known).decompress


def fill_template(template: bytes, value: bytes) -> bytes:
    """Fills `template` with the last fields of each row; empty values become null."""
    count = template.count(VALUE.encode())
    rows_ = (row.split(FIELD.encode()) for row in value.split(ROW.encode()))
    return ROW.encode().join(
        FIELD.encode().join((*fields[:-count], template % tuple(field or b"null" for field in fields[-count:])))
        for fields in rows_
    )


def _as_bytes(table: str, value: str | bytes) -> bytes:
    del table
    return value.encode() if isinstance(value, str) else value


def split_rows(value: tuple[bytes] | None) -> Iterator[list[bytes]]:
    """The rows of one company, each split into fields; none if the value is missing."""
    if value is not None:
        for row in value[0].split(ROW.encode()):
            yield row.split(FIELD.encode())


def read_dictionary(connection: sqlite3.Connection) -> bytes:
    return connection.execute("SELECT dictionary FROM packing").fetchone()[0]
