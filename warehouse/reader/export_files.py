"""Finds the files of bulk exports and deltas by the manifests of their folders (docs/contract/contract.md 4.15).

A folder without a manifest is incomplete and has no files; one that is deleted meanwhile has none either. What is not
understood (a damaged manifest, a table or format of another version of this software) is left out, logged once, and
told by `export_faults`. Does not belong here: writing them (`warehouse.exports`). Imports no Arrow.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

MANIFEST: Final = "manifest.json"
TABLES: Final = ("companies", "details", "financials", "filings", "ownership", "events")
FORMATS: Final = ("parquet", "ndjson", "csv", "bods")
PARTS: Final = ("rows", "deletes", "upserts")
LOGGER: Final = logging.getLogger("firm.exports")
_FOLDERS: Final = ("[A-Z][A-Z]/[0-9]*", "[A-Z][A-Z]/deltas/[0-9]*-[0-9]*")
_KEPT: Final = 1_000  # parsed manifests


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of an export or of a delta; `path` is relative to the folder of all exports.

    part: `rows` of an export; `upserts` or `deletes` of a delta, which begins at `base_release`.
    """

    path: str
    market: str
    table: str
    part: str
    format: str
    compression: str
    release: int
    base_release: int | None
    released_at: str
    last_sequence: int
    rows: int
    bytes: int
    sha256: str


class _Entry(msgspec.Struct, frozen=True):
    name: str
    table: str
    format: str
    compression: str
    rows: int
    bytes: int
    sha256: str
    part: str = PARTS[0]  # manifests of earlier versions have exports alone


class _Manifest(msgspec.Struct, frozen=True):
    market: str
    release: int
    released_at: str
    as_of_sequence: int
    files: tuple[_Entry, ...]
    base_release: int | None = None


_MANIFEST: Final = msgspec.json.Decoder(_Manifest)


class _Found(NamedTuple):
    """What a manifest lists, and what of it is not understood."""

    files: tuple[ExportFile, ...]
    faults: tuple[str, ...] = ()


def list_export_files(folder: Path) -> list[ExportFile]:
    """Every file of every complete export and delta that is understood, in no particular order."""
    return [one for found in _all_found(folder) for one in found.files]


def export_faults(folder: Path) -> list[str]:
    """What `list_export_files` leaves out: file, and what is wrong with it."""
    return [one for found in _all_found(folder) for one in found.faults]


def _all_found(root: Path) -> Iterator[_Found]:
    for pattern in _FOLDERS:
        for folder in root.glob(pattern):
            with suppress(FileNotFoundError, NotADirectoryError):
                path = folder / MANIFEST
                known = path.stat()
                yield _read_manifest(path, str(folder.relative_to(root)), known.st_mtime_ns, known.st_size)


@lru_cache(_KEPT)
def _read_manifest(path: Path, folder: str, _changed_at: int, _size: int) -> _Found:
    found = _described_files(path, folder)
    for fault in found.faults:
        LOGGER.warning("left out of the list of exports: %s", fault)
    return found


def _described_files(path: Path, folder: str) -> _Found:
    try:
        manifest = _MANIFEST.decode(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _Found((), (f"{path}: {error}",))
    faults = {entry: fault for entry in manifest.files if (fault := _entry_fault(entry)) is not None}
    return _Found(
        tuple(_described_file(manifest, folder, entry) for entry in manifest.files if entry not in faults),
        tuple(f"{path}: {entry.name}: {fault}" for entry, fault in faults.items()),
    )


def _entry_fault(entry: _Entry) -> str | None:
    """Why an entry of a manifest is no file of an export; None if it is one."""
    for what, word, known in (
        ("table", entry.table, TABLES),
        ("format", entry.format, FORMATS),
        ("part", entry.part, PARTS),
    ):
        if word not in known:
            return f"unknown {what} {word!r}"
    return None if Path(entry.name).name == entry.name else "not a name of a file in its folder"


def _described_file(manifest: _Manifest, folder: str, entry: _Entry) -> ExportFile:
    return ExportFile(
        path=f"{folder}/{entry.name}",
        market=manifest.market,
        table=entry.table,
        part=entry.part,
        format=entry.format,
        compression=entry.compression,
        release=manifest.release,
        base_release=manifest.base_release,
        released_at=manifest.released_at,
        last_sequence=manifest.as_of_sequence,
        rows=entry.rows,
        bytes=entry.bytes,
        sha256=entry.sha256,
    )
