"""Keeps Iceberg tables at the current release: each table one snapshot per release, tagged `release-<number>`.

A day appends the rows of changed companies and marks their earlier rows as deleted (merge on read), so it costs what
has changed. A table is written in full the first time, when a quarter of its rows is marked as deleted or its delete
files are many, and with `rewrite`. Tables are committed one after the other, `digests` last: a kill leaves each at the
earlier or the new release, and the next export completes the rest. Does not belong here: the forms of files and
snapshots (`data_files`, `snapshots`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.manifest import DataFile
from pyiceberg.table import Table as IcebergTable

from warehouse.exports.iceberg import data_files, snapshots, table_schema
from warehouse.exports.iceberg.catalogs import NAME, IcebergTarget, open_catalog
from warehouse.exports.iceberg.snapshots import SnapshotFiles
from warehouse.exports.merged.release_rows import REWRITE_SHARE, CompanyChanges, ReleaseRows, open_release_rows
from warehouse.exports.merged.results import (
    MergedRows,
    MergePosition,
    MergeProgress,
    MergeRefusedError,
    MergeResult,
    ignore_table,
)
from warehouse.exports.merged.tables import DIGESTS, EVENTS, MERGED
from warehouse.schema.types import Table
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout
from warehouse.storage.locks import exclusive_lock

MOST_FILES: Final = 400  # of a table, beside those that its rows fill
_PROPERTIES: Final = {
    "format-version": "2",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "20",
}


class IcebergWriter:
    """The Iceberg tables at one target."""

    def __init__(
        self, layout: Layout, target: IcebergTarget, keep: int, on_step: atomic_files.Step = atomic_files.ignore_step
    ) -> None:
        self._layout = layout
        self._target = target
        self._keep = keep
        self._on_step = on_step

    def write(self, report: MergeProgress = ignore_table, *, rewrite: bool = False) -> MergeResult:
        """Brings every table to the current release. rewrite: in full, without any earlier snapshot.

        Raises MergeRefusedError, AlreadyLockedError, NoReleaseError, InvalidReleaseError, and OSError of the files.
        """
        with (
            exclusive_lock(self._layout, "export-iceberg", "the Iceberg export"),
            open_release_rows(self._layout) as rows,
            open_catalog(self._target) as catalog,
        ):
            stored = {table.name: self._open_table(catalog, table) for table in MERGED}
            merge = _TableMerge(rows, stored, self._on_step, rewrite=rewrite)
            is_new = not merge.is_done
            try:
                made: list[MergedRows] = []
                for table in MERGED:
                    report(table.name)
                    made.append(merge.write(table))
            except CommitFailedException as error:
                raise MergeRefusedError(
                    "another process has written the Iceberg tables meanwhile: export again when it is done"
                ) from error
            for table in stored.values():
                snapshots.expire_releases(table, 1 if rewrite else self._keep)
            kept = (f"{name}: {ref}" for name, one in stored.items() for ref in snapshots.earlier_refs(one) if rewrite)
            return MergeResult(rows.manifest.release, rows.manifest.last, is_new, tuple(made), tuple(kept))

    def _open_table(self, catalog: Catalog, table: Table) -> IcebergTable:
        """Loads a table, or creates it empty. Raises MergeRefusedError if the catalogue has it elsewhere."""
        location = f"{self._target.location}/{table.name}"
        try:
            found = catalog.load_table((NAME, table.name))
        except NoSuchTableError:
            schema = table_schema.iceberg_schema(table)
            return catalog.create_table(
                (NAME, table.name),
                schema,
                location=location,
                partition_spec=table_schema.market_partitions(schema),
                properties=_PROPERTIES,
            )
        if found.location().rstrip("/") != location:
            raise MergeRefusedError(
                f"the catalogue has {NAME}.{table.name} at {found.location()}, not at {location}: export there, or set "
                "another FIRM_ICEBERG_CATALOG"
            )
        return found


class _TableMerge:
    """Brings tables to a release, each by what has changed or in full."""

    def __init__(
        self, rows: ReleaseRows, stored: dict[str, IcebergTable], on_step: atomic_files.Step, *, rewrite: bool
    ) -> None:
        self._rows = rows
        self._stored = stored
        self._on_step = on_step
        self._rewrite = rewrite
        self._after = rows.position
        self._evolved = dict.fromkeys(stored, False)
        self._held = {name: self._held_position(name) for name in stored}
        for table in MERGED:
            self._evolved[table.name] = table_schema.evolve_schema(stored[table.name], table)
        self._changes = self._find_changes()

    @property
    def is_done(self) -> bool:
        """True if every table has the release."""
        return all(held is not None and held.release == self._after.release for held in self._held.values())

    def _held_position(self, name: str) -> MergePosition | None:
        """How far a table is; None if it is to be written in full whatever it has."""
        held = snapshots.stored_position(self._stored[name], may_be_changed=self._rewrite)
        if held is not None:
            self._rows.check_position(held, f"Iceberg table {name}")
        return None if self._rewrite else held

    def _find_changes(self) -> CompanyChanges | None:
        """Companies that have changed since the release of `digests`; None if there is none to compare with."""
        if self._held[DIGESTS.name] is None or self.is_done:
            return None
        return self._rows.find_changes(
            self._stored[DIGESTS.name].scan(selected_fields=DIGESTS.names).to_arrow_batch_reader()
        )

    def write(self, table: Table) -> MergedRows:
        """Brings one table to the release."""
        stored, held = self._stored[table.name], self._held[table.name]
        files = SnapshotFiles(())
        if held is None or held.release != self._after.release:
            if held is None or self._must_rewrite(table, held):
                files = SnapshotFiles(self._write_rows(table, self._rows.manifest.markets), replaces_all=True)
            else:
                files = self._changed_files(table, held)
            self._on_step(f"{table.name}: files written")
            snapshots.commit_release(stored, files, self._after)
            self._on_step(f"{table.name}: committed")
        written = sum(file.record_count for file in files.data)
        return MergedRows(table.name, self._rows.count_rows(table), written)

    def _must_rewrite(self, table: Table, held: MergePosition) -> bool:
        """True if a table has to be written in full, or if that is cheaper."""
        if self._evolved[table.name] or self._has_many_files(table):
            return True
        if table is EVENTS:
            return held.events != self._rows.events_fingerprint(held.sequence)
        # a kill may have left this table at another release than `digests`
        base = self._held[DIGESTS.name]
        if base is None or held.release != base.release or (self._changes is not None and self._changes.is_most):
            return True
        deleted, rows = (self._total(table, what) for what in ("position-deletes", "records"))
        return deleted > REWRITE_SHARE * rows

    def _has_many_files(self, table: Table) -> bool:
        data, deletes, rows = (self._total(table, what) for what in ("data-files", "delete-files", "records"))
        return data + deletes > MOST_FILES + rows // data_files.FILE_ROWS

    def _total(self, table: Table, what: str) -> int:
        return snapshots.summary_number(self._stored[table.name], f"total-{what}")

    def _changed_files(self, table: Table, held: MergePosition) -> SnapshotFiles:
        if table is EVENTS:
            return SnapshotFiles(self._write_rows(table, self._rows.manifest.markets, above=held.sequence))
        stored, changes = self._stored[table.name], self._changes
        if changes is None or changes.companies.is_empty():
            return SnapshotFiles(())
        positions = data_files.company_positions(stored, changes.companies, changes.markets)
        deletes = [data_files.write_delete_file(stored, one, self._after.release) for one in positions]
        return SnapshotFiles(self._write_rows(table, changes.markets, only_changed=True), deletes)

    def _write_rows(
        self, table: Table, markets: Iterable[str], *, above: int = 0, only_changed: bool = False
    ) -> list[DataFile]:
        stored, files = self._stored[table.name], []
        for market in markets:
            if table is EVENTS:
                batches = self._rows.market_events(market, above)
            else:
                batches = self._rows.market_rows(table, market, only_changed=only_changed)
            files += data_files.write_data_files(stored, batches, self._after.release)
        return files
