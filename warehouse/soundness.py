"""Release validation before publishing: counts, keys, columns, content, and test reads.

Does not belong here: checks of rows against their declarations (`render.violations`), which run before history.
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

from warehouse import assembly, documents, naming, packed, render, searching, serving
from warehouse.engine import columns, opened, quoted
from warehouse.manifests import NAMES, SERVING, WAREHOUSE, Manifest, Unsound
from warehouse.paths import Layout
from warehouse.schema.tables import EVENTS, TABLES


@dataclass(frozen=True, slots=True)
class Content:
    """Contents of a release's tables: rows by table, companies by market, and the fingerprint of everything."""

    counts: Mapping[str, int]
    companies: Mapping[str, int]
    fingerprint: str


@cache
def schema_fingerprint() -> str:
    """Fingerprint of the file formats that this code writes."""
    tables = render.fingerprint((*TABLES, EVENTS, searching.SEARCH, searching.PLACES))
    files = (SERVING, *serving.SCHEMA, NAMES, *naming.SCHEMA)
    said = (tables, *files, *sorted(documents.TEMPLATES.values()), assembly.hash_edition())
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def verify(layout: Layout, manifest: Manifest) -> None:
    """Validates a whole release; raises Unsound at the first violation."""
    folder = layout.release(manifest.release)
    for name, size in manifest.sizes.items():
        path = folder / name
        if not path.exists() or path.stat().st_size != size:
            raise Unsound(f"release {manifest.release}: {path} is missing or not {size} bytes long")
    where = f"release {manifest.release}: {WAREHOUSE}"
    if manifest.schema_fingerprint != schema_fingerprint():
        raise Unsound(f"{where}: made by another version of the schema; only that version can verify it")
    with opened(folder / WAREHOUSE, read_only=True) as connection:
        found = content(connection, manifest.release)
    if found.counts != manifest.counts:
        raise Unsound(f"{where}: row counts are {found.counts}, not {dict(manifest.counts)}")
    if found.fingerprint != manifest.content_fingerprint:
        raise Unsound(
            f"{where}: content fingerprint is {found.fingerprint}, not {manifest.content_fingerprint}"
        )
    verify_documents(layout, manifest)


def content(connection: duckdb.DuckDBPyConnection, release: int, put: str | None = None) -> Content:
    """Contents of a release's tables; raises Unsound if they are inconsistent.

    put: catalog of rows patched into valid tables: only their keys are checked for duplicates.
    """
    where = f"release {release}: {WAREHOUSE}"
    for table in TABLES:
        connection.execute(f"SELECT {columns(table.names)} FROM {quoted(table.name)} LIMIT 0")
    if repeated := assembly.repeated_keys(connection, put):
        raise Unsound(f"{where}: duplicate keys in {', '.join(repeated)}")
    if wrong := searching.check(connection):
        raise Unsound(f"{where}: {wrong}")
    return Content(
        assembly.counts(connection),
        assembly.companies_by_market(connection),
        assembly.fingerprint(connection),
    )


def torn(layout: Layout, manifest: Manifest) -> frozenset[str]:
    """Files of a release that are missing or of the wrong size."""
    folder = layout.release(manifest.release)
    return frozenset(
        name
        for name, size in manifest.sizes.items()
        if not (folder / name).is_file() or (folder / name).stat().st_size != size
    )


def verify_documents(layout: Layout, manifest: Manifest) -> None:
    """Raises Unsound if the documents of a release do not match its manifest."""
    path = layout.release(manifest.release) / SERVING
    where = f"release {manifest.release}: {path.name}"
    try:
        with closing(packed.opened(path)) as connection:
            _verify_opened(connection, manifest, where)
    except sqlite3.DatabaseError as error:
        raise Unsound(
            f"{where}: this file or its file of names cannot be read ({error}): roll back to an earlier release "
            "(`firm release rollback`)"
        ) from error


def _verify_opened(connection: sqlite3.Connection, manifest: Manifest, where: str) -> None:
    for table, what in (("companies", "documents"), ("labels", "labels")):
        found = _one(connection, f"SELECT count(*) FROM {table}")
        if found != manifest.counts["companies"]:
            raise Unsound(f"{where}: {found} {what} for {manifest.counts['companies']} companies")
    newest = _one(connection, "SELECT max(sequence) FROM events") or 0
    if newest > manifest.last:
        raise Unsound(f"{where}: holds event {newest}, above the last of the release, {manifest.last}")
    for market, state in manifest.markets.items():
        if state.companies:
            _probe(connection, market, where)


def _one(connection: sqlite3.Connection, statement: str) -> int:
    return connection.execute(statement).fetchone()[0]


def _probe(connection: sqlite3.Connection, market: str, where: str) -> None:
    """Reads one company of a market as requests would: by id, by name, as JSON."""
    row = connection.execute(
        """SELECT c.company_id, c.body, c.etag, l.folded, c.rank
            FROM companies AS c LEFT JOIN labels AS l USING (rank, company_id)
            WHERE c.company_id > ? ORDER BY c.company_id LIMIT 1""",
        (f"firm:{market}:",),
    ).fetchone()
    if row is None or not row[0].startswith(f"firm:{market}:"):
        raise Unsound(f"{where}: no company of market {market} can be read")
    company_id, body, etag, folded, rank = row
    if json.loads(body)["id"] != company_id or hashlib.sha256(body).hexdigest()[:16] != etag:
        raise Unsound(
            f"{where}: the document of {company_id} is another company's, or its ETag does not match"
        )
    word = (folded or "").partition(" ")[0]
    found = connection.execute(
        "SELECT rowid FROM names WHERE names MATCH ? AND rowid = ?", (f'folded : "{word}"', rank)
    ).fetchone()
    if folded is None or (word and found is None):
        raise Unsound(f"{where}: {company_id} is not found by its name")
