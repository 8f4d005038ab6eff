"""Release validation before publishing: counts, keys, columns, content, and test reads.

Does not belong here: checks of rows against their declarations (`warehouse.schema_render.find_violations`), which
run before history.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache

import duckdb

from warehouse import schema_render
from warehouse.publish import full_build
from warehouse.release.manifest import NAMES, SERVING, WAREHOUSE, InvalidReleaseError, ReleaseManifest
from warehouse.schema.tables import EVENTS, TABLES
from warehouse.serving import codec_read, document_sql, documents_db, name_index, search_table
from warehouse.storage.duckdb import open_database, quote_identifier, quoted_columns
from warehouse.storage.layout import Layout


@dataclass(frozen=True, slots=True)
class ContentSummary:
    """Contents of a release's tables: rows by table, companies by market, and the fingerprint of everything."""

    counts: Mapping[str, int]
    companies: Mapping[str, int]
    fingerprint: str


@cache
def schema_fingerprint() -> str:
    """Fingerprint of the file formats that this code writes."""
    tables = schema_render.declarations_fingerprint((*TABLES, EVENTS, search_table.SEARCH, search_table.PLACES))
    files = (SERVING, *documents_db.SCHEMA, NAMES, *name_index.SCHEMA)
    said = (tables, *files, *sorted(document_sql.TEMPLATES.values()), full_build.hash_function_id())
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def verify_release(layout: Layout, manifest: ReleaseManifest) -> None:
    """Validates a whole release; raises InvalidReleaseError at the first violation."""
    folder = layout.release_folder(manifest.release)
    for name in truncated_files(layout, manifest):
        raise InvalidReleaseError(
            f"release {manifest.release}: {folder / name} is missing or not {manifest.sizes[name]} bytes long"
        )
    where = f"release {manifest.release}: {WAREHOUSE}"
    if manifest.schema_fingerprint != schema_fingerprint():
        raise InvalidReleaseError(f"{where}: made by another version of the schema; only that version can verify it")
    with open_database(folder / WAREHOUSE, read_only=True) as connection:
        found = summarise_content(connection, manifest.release)
    if found.counts != manifest.counts:
        raise InvalidReleaseError(f"{where}: row counts are {found.counts}, not {dict(manifest.counts)}")
    if found.fingerprint != manifest.content_fingerprint:
        raise InvalidReleaseError(
            f"{where}: content fingerprint is {found.fingerprint}, not {manifest.content_fingerprint}"
        )
    verify_documents(layout, manifest)


def summarise_content(
    connection: duckdb.DuckDBPyConnection, release: int, schema_name: str | None = None
) -> ContentSummary:
    """Contents of a release's tables; raises InvalidReleaseError if they are inconsistent.

    schema_name: catalog of rows patched into valid tables: only their keys are checked for duplicates.
    """
    where = f"release {release}: {WAREHOUSE}"
    for table in TABLES:
        connection.execute(f"SELECT {quoted_columns(table.names)} FROM {quote_identifier(table.name)} LIMIT 0")
    if repeated := full_build.tables_with_duplicate_keys(connection, schema_name):
        raise InvalidReleaseError(f"{where}: duplicate keys in {', '.join(repeated)}")
    if wrong := search_table.find_inconsistency(connection):
        raise InvalidReleaseError(f"{where}: {wrong}")
    return ContentSummary(
        full_build.table_row_counts(connection),
        full_build.companies_by_market(connection),
        full_build.content_fingerprint(connection),
    )


def truncated_files(layout: Layout, manifest: ReleaseManifest) -> list[str]:
    """Files of a release that are missing or of the wrong size."""
    folder = layout.release_folder(manifest.release)
    return [
        name
        for name, size in manifest.sizes.items()
        if not (folder / name).is_file() or (folder / name).stat().st_size != size
    ]


def verify_documents(layout: Layout, manifest: ReleaseManifest) -> None:
    """Raises InvalidReleaseError if the documents of a release do not match its manifest."""
    path = layout.release_folder(manifest.release) / SERVING
    where = f"release {manifest.release}: {path.name}"
    try:
        with closing(codec_read.open_documents(path)) as connection:
            _verify_open_documents(connection, manifest, where)
    except sqlite3.DatabaseError as error:
        raise InvalidReleaseError(
            f"{where}: this file or its file of names cannot be read ({error}): roll back to an earlier release "
            "(`firm release rollback`)"
        ) from error


def _verify_open_documents(connection: sqlite3.Connection, manifest: ReleaseManifest, where: str) -> None:
    for table, what in (("companies", "documents"), ("labels", "labels")):
        found = _query_int(connection, f"SELECT count(*) FROM {table}")
        if found != manifest.counts["companies"]:
            raise InvalidReleaseError(f"{where}: {found} {what} for {manifest.counts['companies']} companies")
    newest = _query_int(connection, "SELECT max(sequence) FROM events") or 0
    if newest > manifest.last:
        raise InvalidReleaseError(f"{where}: holds event {newest}, above the last of the release, {manifest.last}")
    for market, state in manifest.markets.items():
        if state.companies:
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
