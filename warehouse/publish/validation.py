"""Release validation before publishing: counts, keys, columns, content, and test reads.

Does not belong here: checks of rows against their declarations (`warehouse.schema_render.find_violations`), which
run before history.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Final

import duckdb

from warehouse import schema_render
from warehouse.publish import full_build
from warehouse.release.manifest import InvalidReleaseError, ReleaseManifest
from warehouse.release.past_files import PastFile
from warehouse.release.segments import DOCUMENTS, NAMES, ROWS, ContentSums, Segment, address_of, total_content
from warehouse.schema.tables import EVENTS, TABLES
from warehouse.serving import codec_read, document_sql, documents_db, name_index, past_db, search_table, segment_views
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import open_database, quote_identifier, quoted_columns
from warehouse.storage.layout import Layout
from warehouse.storage.sqlite_read import open_read_only

_ADVICE: Final = (
    "fetch it again (`firm release pull`), or move the file away and build a release from the histories (`firm ingest`)"
)


@cache
def schema_fingerprint() -> str:
    """Fingerprint of the file formats that this code writes."""
    tables = schema_render.declarations_fingerprint((*TABLES, EVENTS, search_table.SEARCH, search_table.PLACES))
    files = (DOCUMENTS, *documents_db.SCHEMA, NAMES, *name_index.SCHEMA, *segment_views.SCHEMAS)
    coded = (*sorted(document_sql.TEMPLATES.values()), repr(document_sql.compression_dictionary()))
    said = (tables, *files, full_build.DIGESTS_SCHEMA, *coded, full_build.hash_function_id())
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def verify_release(layout: Layout, manifest: ReleaseManifest) -> None:
    """Validates a whole release; raises InvalidReleaseError at the first violation."""
    folder = layout.release_folder(manifest.release)
    for name in truncated_files(layout, manifest):
        said = f"{folder / name} is missing or not {manifest.sizes[name]} bytes long"
        raise InvalidReleaseError(f"release {manifest.release}: {said}: {_ADVICE}")
    where = f"release {manifest.release}"
    if manifest.schema_fingerprint != schema_fingerprint():
        raise InvalidReleaseError(f"{where}: made by another version of the schema; only that version can verify it")
    for place, segment in enumerate(manifest.segments):
        _verify_rows(folder, manifest, place, segment)
    _verify_total(manifest, where)
    for segment in manifest.segments:
        _verify_documents(folder, manifest, segment)
    for file in manifest.past:
        _verify_past(folder, manifest, file)
    for name in manifest.sizes:
        if atomic_files.file_sha256(folder / name) != address_of(name):
            raise InvalidReleaseError(f"{where}: {folder / name} does not have the SHA-256 in its name: {_ADVICE}")


def _verify_total(manifest: ReleaseManifest, where: str) -> None:
    total = total_content(manifest.segments)
    if total.counts != manifest.counts:
        raise InvalidReleaseError(f"{where}: row counts are {total.counts}, not {dict(manifest.counts)}")
    if total.fingerprint != manifest.content_fingerprint:
        expected = manifest.content_fingerprint
        raise InvalidReleaseError(f"{where}: content fingerprint is {total.fingerprint}, not {expected}")


def _verify_rows(folder: Path, manifest: ReleaseManifest, place: int, segment: Segment) -> None:
    """Raises InvalidReleaseError if the rows of a segment are not those that its manifest counts."""
    path, older = folder / segment.files[ROWS], manifest.segments[:place]
    try:
        with (
            open_database(path, read_only=True) as connection,
            full_build.attached_segments(connection, folder, older) as catalogs,
        ):
            found = summarise_content(connection, manifest.release, catalogs)
    except duckdb.Error as error:
        raise InvalidReleaseError(
            f"release {manifest.release}: {path.name} cannot be read ({error}): {_ADVICE}"
        ) from error
    if found != segment.content:
        raise InvalidReleaseError(
            f"release {manifest.release}: {path.name}: its content is {found}, not {segment.content}"
        )


def summarise_content(connection: duckdb.DuckDBPyConnection, release: int, older: Sequence[str] = ()) -> ContentSums:
    """Contents of a segment's tables; raises InvalidReleaseError if they are inconsistent.

    older: catalogs of the segments before it.
    """
    where = f"release {release}: {ROWS}"
    for table in TABLES:
        connection.execute(f"SELECT {quoted_columns(table.names)} FROM {quote_identifier(table.name)} LIMIT 0")
    counts = full_build.table_row_counts(connection)
    if repeated := full_build.tables_with_duplicate_keys(connection, counts, older):
        raise InvalidReleaseError(f"{where}: duplicate keys in {', '.join(repeated)}")
    if wrong := search_table.find_inconsistency(connection):
        raise InvalidReleaseError(f"{where}: {wrong}")
    content = full_build.digest_sums(connection)
    if content.counts != counts:
        raise InvalidReleaseError(f"{where}: digests are of {content.counts} rows, and there are {counts}")
    return content


def _verify_past(folder: Path, manifest: ReleaseManifest, file: PastFile) -> None:
    where = f"release {manifest.release}: {file.file}"
    try:
        with closing(open_read_only(folder / file.file)) as connection:
            found = past_db.count_rows(connection)
    except sqlite3.DatabaseError as error:
        raise InvalidReleaseError(f"{where}: cannot be read ({error}): restore it from a backup") from error
    if found != file.rows:
        raise InvalidReleaseError(f"{where}: has {found} rows, not {file.rows}")


def truncated_files(layout: Layout, manifest: ReleaseManifest) -> list[str]:
    """Files of a release that are missing or of the wrong size."""
    folder = layout.release_folder(manifest.release)
    return [
        name
        for name, size in manifest.sizes.items()
        if not (folder / name).is_file() or (folder / name).stat().st_size != size
    ]


def verify_newest_documents(layout: Layout, manifest: ReleaseManifest) -> None:
    """Raises InvalidReleaseError if the documents of the newest segment do not match the manifest of a release."""
    _verify_documents(layout.release_folder(manifest.release), manifest, manifest.segments[-1])


def _verify_documents(folder: Path, manifest: ReleaseManifest, segment: Segment) -> None:
    where = f"release {manifest.release}: {segment.files[DOCUMENTS]}"
    try:
        with closing(codec_read.open_documents(folder, (segment,))) as connection:
            _verify_open_documents(connection, manifest, segment.content, where)
    except sqlite3.DatabaseError as error:
        raise InvalidReleaseError(
            f"{where}: this file or its file of names cannot be read ({error}): {_ADVICE}"
        ) from error


def _verify_open_documents(
    connection: sqlite3.Connection, manifest: ReleaseManifest, content: ContentSums, where: str
) -> None:
    companies = content.counts["companies"]
    for table, what in (("companies", "documents"), ("labels", "labels")):
        found = _query_int(connection, f"SELECT count(*) FROM {table}")
        if found != companies:
            raise InvalidReleaseError(f"{where}: {found} {what} for {companies} companies")
    newest = _query_int(connection, "SELECT max(sequence) FROM events") or 0
    if newest > manifest.last:
        raise InvalidReleaseError(f"{where}: holds event {newest}, above the last of the release, {manifest.last}")
    for market in content.companies:
        _probe_market(connection, market, where)


def _query_int(connection: sqlite3.Connection, statement: str) -> int:
    return connection.execute(statement).fetchone()[0]


def _probe_market(connection: sqlite3.Connection, market: str, where: str) -> None:
    """Reads one company of a market as requests would: by id, by name, as JSON."""
    row = connection.execute(
        """SELECT c.company_id, c.body, c.etag, l.folded, c.rank
            FROM companies AS c LEFT JOIN labels AS l USING (rank, company_id)
            WHERE c.company_id > ? ORDER BY c.company_id LIMIT 1""",
        (f"firm:{market}:",),
    ).fetchone()
    if row is None or not row[0].startswith(f"firm:{market}:"):
        raise InvalidReleaseError(f"{where}: no company of market {market} can be read")
    company_id, body, etag, folded, rank = row
    if json.loads(body)["id"] != company_id or hashlib.sha256(body).hexdigest()[:16] != etag:
        raise InvalidReleaseError(
            f"{where}: the document of {company_id} is another company's, or its ETag does not match"
        )
    word = (folded or "").partition(" ")[0]
    found = connection.execute(
        "SELECT rowid FROM names WHERE names MATCH ? AND rowid = ?", (f'folded : "{word}"', rank)
    ).fetchone()
    if folded is None or (word and found is None):
        raise InvalidReleaseError(f"{where}: {company_id} is not found by its name")
