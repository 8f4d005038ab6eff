"""Rows of one release for merged tables: of all companies of a market, or of those that have changed.

What has changed is found by the digests of companies (`publish.full_build`): those that a target holds are compared
with those of the release, so a target may be any number of releases behind. Events are compared by their sequence, and
by a fingerprint of the ledger's segments, which an erasure changes. Does not belong here: where rows are written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl
import pyarrow as pa

from warehouse.exports.merged.results import MergePosition, MergeRefusedError
from warehouse.exports.merged.tables import DIGESTS, EVENTS
from warehouse.ledger import read_index
from warehouse.publish.release_tables import open_release_tables
from warehouse.reader.leases import leased_release
from warehouse.reader.queries.market_dump import market_id_bounds
from warehouse.release.manifest import InvalidReleaseError, ReleaseManifest
from warehouse.release.segments import ROWS
from warehouse.schema.types import Table
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import query_int, quote_identifier, quoted_columns, string_literal
from warehouse.storage.layout import Layout

GROUP: Final = 122_880  # rows read at once
REWRITE_SHARE: Final = 0.25  # of the companies: from here on writing everything costs less than finding the changed
_SIGNED: Final = "({}::HUGEINT - 9223372036854775808)::BIGINT AS digest"  # other engines have no unsigned integers
_FULL_DIGEST: Final = "with_provenance"
_FACTS_DIGEST: Final = "digest"  # the only one in releases of earlier versions


@dataclass(frozen=True, slots=True)
class CompanyChanges:
    """Companies whose rows differ between a target and the release, in the order of their ids."""

    companies: pl.Series
    is_most: bool

    @property
    def markets(self) -> list[str]:
        """The markets of these companies."""
        return self.companies.str.split(":").list.get(1).unique().sort().to_list()


class ReleaseRows:
    """The rows of one release. Not thread-safe."""

    def __init__(self, layout: Layout, manifest: ReleaseManifest, tables: duckdb.DuckDBPyConnection) -> None:
        self.manifest = manifest
        self._tables = tables
        self._folder = layout.ledger_folder
        stored = tables.sql(f"FROM {DIGESTS.name} LIMIT 0").columns
        self._digest = _SIGNED.format(_FULL_DIGEST if _FULL_DIGEST in stored else _FACTS_DIGEST)

    @property
    def position(self) -> MergePosition:
        """Where a target is after the merge."""
        last = self.manifest.last
        return MergePosition(
            self.manifest.release, last, self.manifest.content_fingerprint, self.events_fingerprint(last)
        )

    def check_position(self, held: MergePosition, target: str) -> None:
        """Raises MergeRefusedError if a target has a newer release, or this number from another installation."""
        release = self.manifest.release
        if held.release > release:
            raise MergeRefusedError(
                f"{target} has release {held.release}, which is newer than {release}, the current one here: export "
                "where the newer release is, or into another target"
            )
        if held.release == release and held.content != self.manifest.content_fingerprint:
            raise MergeRefusedError(
                f"{target} has a release {release} with other content, so another installation writes there: export "
                "into another target"
            )

    def events_fingerprint(self, sequence: int) -> str:
        """Fingerprint of the ledger up to the end of the release with this last sequence."""
        digest = hashlib.sha256()
        for segment in read_index.read_segments(self._folder):
            if segment.last <= sequence:
                path = read_index.segment_path(self._folder, segment.release)
                digest.update(f"{segment.first} {segment.last} {atomic_files.file_sha256(path)}\n".encode())
        return digest.hexdigest()

    def find_changes(self, held: pa.RecordBatchReader) -> CompanyChanges:
        """Companies that differ from the held ones. held: columns `company_id` and `digest`."""
        self._tables.register("held", held)
        self._tables.execute(
            f"""CREATE OR REPLACE TEMP TABLE changed AS
                SELECT company_id FROM (SELECT company_id, {self._digest} FROM {DIGESTS.name}) AS ours
                FULL JOIN held USING (company_id)
                WHERE ours.digest IS DISTINCT FROM held.digest ORDER BY company_id"""
        )
        self._tables.unregister("held")
        found = self._tables.sql("SELECT company_id FROM changed").pl()["company_id"]
        return CompanyChanges(found, found.len() > REWRITE_SHARE * self.count_rows(DIGESTS))

    def count_rows(self, table: Table) -> int:
        """Rows of a table in the release."""
        if table is EVENTS:
            segments = read_index.read_segments(self._folder)
            return sum(one.last - one.first + 1 for one in segments if one.last <= self.manifest.last)
        return query_int(self._tables, f"SELECT count(*) FROM {quote_identifier(table.name)}")

    def market_rows(self, table: Table, market: str, *, only_changed: bool = False) -> Iterator[pa.RecordBatch]:
        """Rows of one market in the order of companies, all or those of `find_changes`."""
        listed = f"company_id, {self._digest}" if table is DIGESTS else quoted_columns(table.names)
        chosen = "company_id IN (SELECT company_id FROM changed)" if only_changed else "true"
        return self._query(table, f"SELECT {listed} FROM {quote_identifier(table.name)} WHERE {chosen}", market)

    def market_events(self, market: str, above: int) -> Iterator[pa.RecordBatch]:
        """Events of one market with a sequence greater than `above`, in the order of companies."""
        last = self.manifest.last
        paths = [
            string_literal(str(read_index.segment_path(self._folder, one.release)))
            for one in read_index.read_segments(self._folder)
            if above < one.last and one.first <= last
        ]
        if not paths:
            return iter(())
        chosen = f"sequence > {above} AND sequence <= {last}"
        listed = quoted_columns(EVENTS.names)
        return self._query(EVENTS, f"SELECT {listed} FROM read_parquet([{', '.join(paths)}]) WHERE {chosen}", market)

    def _query(self, table: Table, statement: str, market: str) -> Iterator[pa.RecordBatch]:
        first, last = map(string_literal, market_id_bounds(market))
        order = quoted_columns(list(dict.fromkeys(("company_id", *table.key))))
        try:
            found = self._tables.sql(f"{statement} AND company_id > {first} AND company_id < {last} ORDER BY {order}")
        except duckdb.BinderException as error:
            raise InvalidReleaseError(
                f"release {self.manifest.release} was made by another version, without all columns of {table.name}: "
                "run `firm ingest` first"
            ) from error
        return iter(found.to_arrow_reader(GROUP))


@contextmanager
def open_release_rows(layout: Layout) -> Iterator[ReleaseRows]:
    """Leases the newest release and opens its tables. Raises NoReleaseError, InvalidReleaseError."""
    with leased_release(layout) as release:
        number = release.manifest.release
        for segment in release.manifest.segments:
            path = layout.release_folder(number) / segment.files[ROWS]
            if not path.is_file() or path.stat().st_size != release.manifest.sizes[path.name]:
                raise InvalidReleaseError(
                    f"release {number}: {path} is missing or incomplete: fetch it again with `firm release pull`, or "
                    "run `firm ingest`"
                )
        with open_release_tables(layout, number) as tables:
            yield ReleaseRows(layout, release.manifest, tables)
