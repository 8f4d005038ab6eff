"""Export manifest: `manifest.json` as the contract defines it, plus further facts for consumers.

See docs/contract/contract.md 4.15.
Does not belong here: writing the files it lists (`exports`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, Self

from warehouse.exports import schemas
from warehouse.exports.schemas import ExportTable
from warehouse.exports.sinks import COMPRESSIONS, SUFFIXES
from warehouse.ledger.read_index import format_instant
from warehouse.release.manifest import ReleaseManifest
from warehouse.schema.market_state import DatasetState, MarketState

MANIFEST: Final = "manifest.json"


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

    @classmethod
    def of(cls, path: Path, table: ExportTable, form: str, rows: int) -> Self:
        """Describes a finished file on disk."""
        with path.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
        return cls(path.name, table.name, form, COMPRESSIONS[form], rows, path.stat().st_size, digest)


def file_name(table: ExportTable, form: str) -> str:
    """The file name, as `companies.parquet` or `companies.ndjson.gz`."""
    return table.name + SUFFIXES[form]


def complete_files(folder: Path) -> dict[str, ExportedFile]:
    """The complete files of an export by name: those with the size given in its manifest.

    Empty if there is no readable manifest, or if it describes other columns.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    if manifest["schema_version"] != schemas.VERSION or manifest["columns"] != _column_entries():
        return {}
    found = [ExportedFile(**entry) for entry in manifest["files"]]
    return {
        entry.name: entry
        for entry in found
        if (path := folder / entry.name).is_file() and path.stat().st_size == entry.bytes
    }


def build_export_manifest(
    release: ReleaseManifest, market: str, owned_on: date, files: Iterable[ExportedFile], now: datetime
) -> dict[str, Any]:
    """The manifest for the given files."""
    state = release.markets[market]
    by_name = {entry.name: entry for entry in files}
    names = [file_name(table, form) for table in schemas.TABLES for form in SUFFIXES]
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
        "formats": [form for form in SUFFIXES if any(entry.format == form for entry in listed)],
        "files": [asdict(entry) for entry in listed],
        "datasets": _dataset_entries(state),
        "columns": _column_entries(),
    }


def _dataset_entries(state: MarketState) -> list[dict[str, Any]]:
    return [_dataset_entry(key, state.datasets[key]) for key in sorted(state.datasets)]


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


def _column_entries() -> dict[str, list[dict[str, Any]]]:
    return {
        table.name: [
            {"name": field.name, "type": str(field.type), "nullable": field.nullable} for field in table.schema
        ]
        for table in schemas.TABLES
    }
