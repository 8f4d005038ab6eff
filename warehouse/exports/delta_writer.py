"""Writes what changed from one export of a market to the next, so that a consumer need not load everything again.

    <folder>/<market>/deltas/0000000041-0000000042/    <table>.deletes.*, <table>.upserts.*, and manifest.json

A consumer deletes the rows of the companies in the deletes and then inserts the upserts; the result is the next
export, row for row (docs/bulk.md). What changed is found by comparing the Parquet files of both exports, so that
nothing depends on why a row differs; a range of companies at a time, so that memory does not grow with the market.
Where the base has no Parquet files, or files of other columns, there is no delta. Does not belong here: rows
(`market_rows`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final

import duckdb
import msgspec
import pyarrow.parquet as pq

from warehouse.exports import schemas
from warehouse.exports.formats import SUFFIXES, TABLE_FORMATS
from warehouse.exports.market_rows import MarketRows
from warehouse.exports.schemas import ExportTable
from warehouse.exports.sinks import GROUP, TableFiles
from warehouse.exports.writer import MANIFEST, ExportedFile, column_entries, complete_files, file_name
from warehouse.ledger.read_index import format_instant
from warehouse.reader.queries.market_dump import market_id_bounds
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import open_database, quote_identifier, string_literal

DELTAS: Final = "deltas"
PARTS: Final = ("deletes", "upserts")
_PARQUET: Final = "parquet"
COMPANIES: Final = 500  # whose rows are read at once


@dataclass(frozen=True, slots=True)
class CompanyChange:
    """A company with other rows of a table than in the base. is_growth: the base lacks later events alone."""

    company_id: str
    is_in_base: bool
    is_growth: bool


def write_delta(
    rows: MarketRows, base: Path | None, folder: Path, formats: Sequence[str], on_step: atomic_files.Step
) -> Path | None:
    """Writes the missing files of the delta from one export to another, both complete; returns its folder.

    None: there is no base, or it cannot be compared. Statements have no delta: they are compared by their ids.
    """
    formats = [form for form in formats if form in TABLE_FORMATS]
    if base is None or not formats or not _is_comparable(base) or not _is_comparable(folder):
        return None
    return _DeltaWriter(rows, base, folder, formats, on_step).write()


def changed_companies(
    base: Path, new: Path, key: str, market: str, above: int | None = None
) -> Iterator[CompanyChange]:
    """Companies whose rows differ between two Parquet files of one table, by id. key: the column with the id.

    above: of events, the last sequence of the base. None: a table whose changes are no growth.
    """
    column = quote_identifier(key)
    earlier = "true" if above is None else f"sequence <= {above}"
    with open_database() as connection:
        connection.execute(
            f"""PREPARE changed AS
                WITH base AS (SELECT * FROM read_parquet({string_literal(str(base))})
                    WHERE {column} >= $1 AND {column} < $2),
                new AS (SELECT * FROM read_parquet({string_literal(str(new))})
                    WHERE {column} >= $1 AND {column} < $2),
                gone AS (SELECT DISTINCT {column} AS id FROM (FROM base EXCEPT ALL FROM new)),
                fresh AS (FROM new EXCEPT ALL FROM base),
                other AS (FROM gone UNION SELECT {column} FROM fresh WHERE {earlier})
                SELECT id, id IN (SELECT {column} FROM base), id NOT IN (FROM other)
                FROM (FROM gone UNION SELECT {column} FROM fresh) ORDER BY id"""
        )
        for first, last in pairwise(_range_bounds((base, new), key, market)):
            for found in _execute(connection, first, last):
                yield CompanyChange(*found)


def _execute(connection: duckdb.DuckDBPyConnection, first: str, last: str) -> list[tuple[str, bool, bool]]:
    return connection.execute(f"EXECUTE changed({string_literal(first)}, {string_literal(last)})").fetchall()


def _range_bounds(paths: Sequence[Path], key: str, market: str) -> list[str]:
    """Ids at which the row groups of the files begin, and the end of the market's.

    From the beginning of the market's ids where a row group does not state where it begins.
    """
    first, end = market_id_bounds(market)
    found = set()
    for path in paths:
        meta = pq.read_metadata(path)
        place = meta.schema.names.index(key)
        for number in range(meta.num_row_groups):
            statistics = meta.row_group(number).column(place).statistics
            found.add(statistics.min if statistics is not None and statistics.has_min_max else first)
    return [*sorted(found), end]


def _is_comparable(folder: Path) -> bool:
    there = complete_files(folder)
    return all(file_name(table, _PARQUET) in there for table in schemas.TABLES)


@dataclass(frozen=True, slots=True)
class _DeltaWriter:
    rows: MarketRows
    base: Path
    new: Path
    formats: Sequence[str]
    on_step: atomic_files.Step

    @property
    def _folder(self) -> Path:
        return self.new.parent / DELTAS / f"{self.base.name}-{self.new.name}"

    def write(self) -> Path:
        there = complete_files(self._folder)
        wanted = {
            table: {part: {form: self._path(table, part, form) for form in self.formats} for part in PARTS}
            for table in schemas.TABLES
        }
        names = {path.name for parts in wanted.values() for paths in parts.values() for path in paths.values()}
        if names <= there.keys():
            return self._folder
        try:
            atomic_files.make_folder(self._folder)
            made = [entry for table, parts in wanted.items() for entry in self._write_table(table, parts)]
            kept = [entry for name, entry in there.items() if name not in names]
            self._write_manifest([*kept, *made])
        finally:
            self._discard_incomplete()
        return self._folder

    def _path(self, table: ExportTable, part: str, form: str) -> Path:
        return self._folder / f"{table.name}.{part}{SUFFIXES[form]}"

    def _write_table(self, table: ExportTable, parts: Mapping[str, Mapping[str, Path]]) -> Iterator[ExportedFile]:
        declared: Mapping[str, ExportTable] = dict(zip(PARTS, (schemas.DELETES, table), strict=True))
        files = {
            part: _GroupedFiles(
                declared[part], {form: atomic_files.temporary_path(path) for form, path in paths.items()}
            )
            for part, paths in parts.items()
        }
        with ExitStack() as stack:
            for one in files.values():
                stack.enter_context(one)
            self._fill(table, files["deletes"].add_row, files["upserts"].add_row)
            for one in files.values():
                one.flush()
        for part, paths in parts.items():
            for form, path in paths.items():
                atomic_files.publish_file(atomic_files.temporary_path(path), path)
                self.on_step(f"{path.name} published")
                yield ExportedFile.of(path, table, form, files[part].rows, part)

    def _fill(self, table: ExportTable, delete: Callable[[bytes], None], upsert: Callable[[bytes], None]) -> None:
        name = file_name(table, _PARQUET)
        above: int = self._base_manifest["as_of_sequence"]
        growing = above if table is schemas.EVENTS else None
        changes = changed_companies(self.base / name, self.new / name, table.sorted_by[0], self.rows.market, growing)
        place = 1 if table is schemas.DETAILS else 0  # in the rows of one pass over profiles
        while some := list(islice(changes, COMPANIES)):
            grown = [one for one in some if one.is_growth]
            others = [one for one in some if one not in grown]
            for change in others:
                if change.is_in_base:
                    delete(msgspec.json.encode({"company_id": change.company_id}))
            for chosen, least in ((others, 0), (grown, above)):
                if chosen:
                    for row in self.rows.company_rows(table, [one.company_id for one in chosen], least):
                        upsert(row[place])

    @property
    def _base_manifest(self) -> dict[str, Any]:
        manifest: dict[str, Any] = json.loads((self.base / MANIFEST).read_bytes())
        return manifest

    def _write_manifest(self, files: Sequence[ExportedFile]) -> None:
        base, release = self._base_manifest, self.rows.release.manifest
        manifest = {
            "market": self.rows.market,
            "base_release": base["release"],
            "base_sequence": base["as_of_sequence"],
            "release": release.release,
            "released_at": format_instant(release.built_at),
            "as_of_sequence": release.last,
            "ownership_as_of": self.rows.owned_on.isoformat(),
            "schema_version": schemas.VERSION,
            "formats": [form for form in SUFFIXES if any(entry.format == form for entry in files)],
            "files": [asdict(entry) for entry in files],
            "columns": column_entries(),
        }
        atomic_files.write_json(self._folder / MANIFEST, manifest)
        self.on_step("delta written")

    def _discard_incomplete(self) -> None:
        """Removes incomplete files; errors are ignored, as a failing disk has already raised one."""
        with suppress(OSError):
            for path in self._folder.glob(f"*{atomic_files.TEMPORARY}"):
                atomic_files.delete_if_exists(path)


class _GroupedFiles(TableFiles):
    """Files of one table, given row by row; sinks get whole groups, so that equal rows give equal bytes."""

    def __init__(self, table: ExportTable, paths: Mapping[str, Path]) -> None:
        super().__init__(table, paths)
        self._lines: list[bytes] = []

    def add_row(self, line: bytes) -> None:
        """Adds one object."""
        self._lines.append(line)
        if len(self._lines) == GROUP:
            self.flush()

    def flush(self) -> None:
        """Writes the last group."""
        if self._lines:
            self.add(self._lines)
            self._lines = []
