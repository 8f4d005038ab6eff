"""Finds the files of bulk exports and deltas by the manifests of their folders (docs/contract/contract.md 4.15).

A folder without a manifest is incomplete and has no files; one that is deleted meanwhile has none either. Does not
belong here: writing them (`warehouse.exports`). Imports no Arrow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

MANIFEST: Final = "manifest.json"
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


def list_export_files(folder: Path) -> list[ExportFile]:
    """Every file of every complete export and delta, in no particular order."""
    return [one for pattern in _FOLDERS for path in folder.glob(pattern) for one in _folder_files(folder, path)]


def _folder_files(root: Path, folder: Path) -> Iterator[ExportFile]:
    with suppress(FileNotFoundError, NotADirectoryError):
        path = folder / MANIFEST
        known = path.stat()
        yield from _manifest_files(path, str(folder.relative_to(root)), known.st_mtime_ns, known.st_size)


@lru_cache(_KEPT)
def _manifest_files(path: Path, folder: str, _changed_at: int, _size: int) -> tuple[ExportFile, ...]:
    manifest = json.loads(path.read_bytes())
    return tuple(_described_file(manifest, folder, entry) for entry in manifest["files"])


def _described_file(manifest: Mapping[str, Any], folder: str, entry: Mapping[str, Any]) -> ExportFile:
    return ExportFile(
        path=f"{folder}/{entry['name']}",
        market=manifest["market"],
        table=entry["table"],
        part=entry.get("part", "rows"),  # manifests of earlier versions have exports alone
        format=entry["format"],
        compression=entry["compression"],
        release=manifest["release"],
        base_release=manifest.get("base_release"),
        released_at=manifest["released_at"],
        last_sequence=manifest["as_of_sequence"],
        rows=entry["rows"],
        bytes=entry["bytes"],
        sha256=entry["sha256"],
    )
