"""Writes one market of one release into its export folder: each file when complete, then the manifest.

Rows stream from the API's database; only one row group is in memory.
Does not belong here: which markets, the pointer to the export, pruning (`exports`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import Final

import pyarrow as pa

from warehouse.exports import manifest as exports_manifest
from warehouse.exports import schemas
from warehouse.exports.manifest import MANIFEST, ExportedFile
from warehouse.exports.schemas import ExportTable
from warehouse.exports.sinks import GROUP, TableFiles
from warehouse.reader.leases import LeasedRelease
from warehouse.reader.queries import market_dump
from warehouse.release.manifest import InvalidReleaseError
from warehouse.storage import atomic_files

ExportProgress = Callable[[str, str, int], None]  # market, table, rows written so far
Rows = Iterator[tuple[bytes, ...]]
_TOGETHER: Final = (
    (schemas.COMPANIES, schemas.DETAILS),
    (schemas.FINANCIALS,),
    (schemas.OWNERSHIP,),
    (schemas.EVENTS,),
)  # tables written from one pass over the rows


@dataclass(frozen=True, slots=True)
class MarketExportWriter:
    """One export in progress: its release and market, its target, and a progress callback."""

    release: LeasedRelease
    market: str
    folder: Path
    formats: Sequence[str]
    report_progress: ExportProgress
    on_step: atomic_files.Step

    def write(self, now: datetime) -> bool:
        """Writes the missing files of the export; returns False if none is missing."""
        there = exports_manifest.complete_files(self.folder)
        missing = {name for table in schemas.TABLES for name in self._file_formats(table)} - there.keys()
        if not missing:
            return False
        try:
            atomic_files.make_folder(self.folder)
            made = [entry for tables in _TOGETHER for entry in self._write_tables(tables, missing)]
            kept = [entry for name, entry in there.items() if name not in missing]
            self._write_manifest([*kept, *made], now)
        finally:
            self._discard_incomplete()
        return True

    def _file_formats(self, table: ExportTable) -> dict[str, str]:
        """File names of a table, with their formats."""
        return {exports_manifest.file_name(table, form): form for form in self.formats}

    def _write_tables(self, tables: Sequence[ExportTable], missing: set[str]) -> Iterator[ExportedFile]:
        wanted = [
            {form: self.folder / name for name, form in self._file_formats(table).items() if name in missing}
            for table in tables
        ]
        if not any(wanted):
            return
        with ExitStack() as stack:
            sinks = [
                stack.enter_context(
                    TableFiles(table, {form: atomic_files.temporary_path(path) for form, path in paths.items()})
                )
                for table, paths in zip(tables, wanted, strict=True)
            ]
            self._fill_sinks(sinks)
        for sink, paths in zip(sinks, wanted, strict=True):
            for form, path in paths.items():
                atomic_files.publish_file(atomic_files.temporary_path(path), path)
                self.on_step(f"{path.name} published")
                yield ExportedFile.of(path, sink.table, form, sink.rows)

    def _fill_sinks(self, sinks: Sequence[TableFiles]) -> None:
        rows = self._table_rows(sinks[0].table)
        self.report_progress(self.market, sinks[0].table.name, 0)
        while group := list(islice(rows, GROUP)):
            for sink, lines in zip(sinks, zip(*group, strict=True), strict=True):
                try:
                    sink.add(lines)
                except pa.ArrowInvalid as error:
                    raise InvalidReleaseError(
                        f"release {self.release.manifest.release}: {sink.table.name} of {self.market} do not match "
                        f"the declared export (warehouse.exports.schemas): {error}"
                    ) from error
            self.report_progress(self.market, sinks[0].table.name, sinks[0].rows)
            self.on_step(f"{sinks[0].table.name}: a group of rows")

    def _table_rows(self, table: ExportTable) -> Rows:
        serving, market = self.release.serving, self.market
        if table is schemas.COMPANIES:
            return market_dump.market_profiles(serving, market)
        if table is schemas.FINANCIALS:
            return market_dump.market_financials(serving, market)
        if table is schemas.OWNERSHIP:
            return market_dump.market_owners(serving, market, self.owned_on)
        return market_dump.market_events(serving, market)

    @property
    def owned_on(self) -> date:
        """The day for which owners are exported: the day of the release, or of its data if that is later.

        (Generated sandbox data may be ahead of the clock.) It depends on the release alone, never on the
        current day.
        """
        state = self.release.manifest.markets[self.market]
        built = self.release.manifest.built_at
        return max(built, state.at or built).astimezone(UTC).date()

    def _write_manifest(self, made: Sequence[ExportedFile], now: datetime) -> None:
        manifest = exports_manifest.build_export_manifest(self.release.manifest, self.market, self.owned_on, made, now)
        self.on_step("checksums taken")
        atomic_files.write_json(self.folder / MANIFEST, manifest)
        self.on_step("manifest written")

    def _discard_incomplete(self) -> None:
        """Removes incomplete files; errors are ignored, as a failing disk has already raised one."""
        with suppress(OSError):
            for path in self.folder.glob(f"*{atomic_files.TEMPORARY}"):
                atomic_files.delete_if_exists(path)
            if self.folder.is_dir() and not (self.folder / MANIFEST).exists():
                atomic_files.delete_if_exists(self.folder)
