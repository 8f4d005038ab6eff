"""Writes one market of one release into its export folder: each file when complete, then the manifest.

Only one row group is in memory. `manifest.json` is as the contract defines it (docs/contract/contract.md 4.15), plus
further facts for consumers. Does not belong here: rows (`market_rows`), which markets, the pointer to the export,
pruning (`exports`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self

import msgspec
import pyarrow as pa

from warehouse.exports import schemas
from warehouse.exports.bods import statement_file
from warehouse.exports.bods.market_statements import market_statements
from warehouse.exports.formats import BODS, COMPRESSIONS, FORMATS, SUFFIXES, TABLE_FORMATS
from warehouse.exports.market_rows import MarketRows
from warehouse.exports.schemas import ExportTable
from warehouse.exports.sinks import GROUP, TableFiles
from warehouse.ledger.read_index import format_instant
from warehouse.release.manifest import InvalidReleaseError, ReleaseManifest
from warehouse.schema.market_state import DatasetState
from warehouse.storage import atomic_files

ExportProgress = Callable[[str, str, int], None]  # market, table, rows written so far
MANIFEST: Final = "manifest.json"
ALL_ROWS: Final = "rows"  # part of an export; those of a delta: `delta_writer`
_TOGETHER: Final = (
    (schemas.COMPANIES, schemas.DETAILS),
    (schemas.FINANCIALS,),
    (schemas.FILINGS,),
    (schemas.OWNERSHIP,),
    (schemas.EVENTS,),
)  # tables written from one pass over the rows


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """One file of an export."""

    name: str
    table: str
    format: str
    compression: str
    rows: int
    bytes: int
    sha256: str
    part: str = ALL_ROWS

    @classmethod
    def of(cls, path: Path, table: ExportTable, form: str, rows: int, part: str = ALL_ROWS) -> Self:
        """Describes a finished file on disk. part: of a delta, `deletes` or `upserts`."""
        digest = atomic_files.file_sha256(path)
        return cls(path.name, table.name, form, COMPRESSIONS[form], rows, path.stat().st_size, digest, part)


class _KnownManifest(msgspec.Struct, frozen=True):
    """Of the manifest of an export, what says which files it has."""

    schema_version: int
    columns: dict[str, list[dict[str, Any]]]
    files: list[ExportedFile]


_KNOWN: Final = msgspec.json.Decoder(_KnownManifest)


def file_name(table: ExportTable, form: str) -> str:
    """The file name, as `companies.parquet` or `companies.ndjson.gz`."""
    return table.name + SUFFIXES[form]


def complete_files(folder: Path) -> dict[str, ExportedFile]:
    """The complete files of an export by name: those with the size given in its manifest.

    Empty if there is no readable manifest, or if it describes other columns.
    """
    try:
        manifest = _KNOWN.decode((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
    if manifest.schema_version != schemas.VERSION or manifest.columns != column_entries():
        return {}
    return {
        entry.name: entry
        for entry in manifest.files
        if (path := folder / entry.name).is_file() and path.stat().st_size == entry.bytes
    }


def build_export_manifest(
    release: ReleaseManifest, market: str, owned_on: date, files: Iterable[ExportedFile], now: datetime
) -> dict[str, Any]:
    """The manifest for the given files."""
    state = release.markets[market]
    by_name = {entry.name: entry for entry in files}
    names = [*(file_name(table, form) for table in schemas.TABLES for form in TABLE_FORMATS), statement_file.NAME]
    listed = [by_name[name] for name in names if name in by_name]
    return {
        "market": market,
        "generated_at": format_instant(now),
        "as_of_sequence": release.last,
        "release": release.release,
        "released_at": format_instant(release.built_at),
        "observed_at": format_instant(state.at) if state.at else None,
        "state": state.state,
        "ownership_as_of": owned_on.isoformat(),
        "schema_version": schemas.VERSION,
        "formats": [form for form in FORMATS if any(entry.format == form for entry in listed)],
        "files": [asdict(entry) for entry in listed],
        "datasets": [_dataset_entry(key, state.datasets[key]) for key in sorted(state.datasets)],
        "columns": column_entries(),
    }


def _dataset_entry(key: str, state: DatasetState) -> dict[str, Any]:
    terms: Mapping[str, str | None] = (
        asdict(state.terms) if state.terms else dict.fromkeys(("licence", "licence_url", "attribution"))
    )
    return {
        "dataset": key,
        "observed_at": format_instant(state.observed_at) if state.observed_at else None,
        "held": asdict(state.held) if state.held else None,
        **terms,
    }


def column_entries() -> dict[str, list[dict[str, Any]]]:
    """Columns of every table, as manifests list them."""
    return {
        table.name: [
            {"name": field.name, "type": str(field.type), "nullable": field.nullable} for field in table.schema
        ]
        for table in schemas.TABLES
    }


@dataclass(frozen=True, slots=True)
class MarketExportWriter:
    """One export in progress: its rows, its target, and a progress callback."""

    rows: MarketRows
    folder: Path
    formats: Sequence[str]
    report_progress: ExportProgress
    on_step: atomic_files.Step

    def write(self, now: datetime) -> bool:
        """Writes the missing files of the export; returns False if none is missing."""
        there = complete_files(self.folder)
        wanted = {name for table in schemas.TABLES for name in self._file_formats(table)}
        missing = (wanted | self._statement_files()) - there.keys()
        if not missing:
            return False
        try:
            atomic_files.make_folder(self.folder)
            made = [entry for tables in _TOGETHER for entry in self._write_tables(tables, missing)]
            made += [self._write_statements(name) for name in self._statement_files() & missing]
            kept = [entry for name, entry in there.items() if name not in missing]
            self._write_manifest([*kept, *made], now)
        finally:
            self._discard_incomplete()
        return True

    @property
    def _manifest(self) -> ReleaseManifest:
        return self.rows.release.manifest

    def _file_formats(self, table: ExportTable) -> dict[str, str]:
        """File names of a table, with their formats."""
        return {file_name(table, form): form for form in self.formats if form in TABLE_FORMATS}

    def _statement_files(self) -> set[str]:
        """The file of statements, if that format is wanted."""
        return {statement_file.NAME} if BODS in self.formats else set()

    def _write_statements(self, name: str) -> ExportedFile:
        path = self.folder / name
        self.report_progress(self.rows.market, BODS, 0)
        count = statement_file.write_statements(atomic_files.temporary_path(path), market_statements(self.rows))
        atomic_files.publish_file(atomic_files.temporary_path(path), path)
        self.on_step(f"{name} published")
        self.report_progress(self.rows.market, BODS, count)
        return ExportedFile.of(path, schemas.OWNERSHIP, BODS, count)

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
        rows, market = self.rows.all_rows(sinks[0].table), self.rows.market
        self.report_progress(market, sinks[0].table.name, 0)
        while group := list(islice(rows, GROUP)):
            for sink, lines in zip(sinks, zip(*group, strict=True), strict=True):
                try:
                    sink.add(lines)
                except pa.ArrowInvalid as error:
                    raise InvalidReleaseError(
                        f"release {self._manifest.release}: {sink.table.name} of {market} do not match "
                        f"the declared export (warehouse.exports.schemas): {error}"
                    ) from error
            self.report_progress(market, sinks[0].table.name, sinks[0].rows)
            self.on_step(f"{sinks[0].table.name}: a group of rows")

    def _write_manifest(self, made: Sequence[ExportedFile], now: datetime) -> None:
        manifest = build_export_manifest(self._manifest, self.rows.market, self.rows.owned_on, made, now)
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
