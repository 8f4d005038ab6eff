"""Releases as former editions wrote them, and as later ones may. Does not belong here: what tests say of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from warehouse.release import manifest as release_manifest
from warehouse.release.manifest import MANIFEST, ReleaseManifest
from warehouse.release.segments import DOCUMENTS, EARLIER_FILES, NAMES
from warehouse.serving import name_index
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

_MOVED: Final = {  # what FTS5 keeps of an index is in the last two
    "labels": "rank, folded, country",
    "words": "word",
    "slips": "spelling, word",
    "names_data": "id, block",
    "names_idx": "segid, term, pgno",
}


def with_whole_files(layout: Layout, number: int, *, has_names: bool = True) -> ReleaseManifest:
    """Writes a release of one segment as editions did that had one file of each kind; without one of names before."""
    folder, made = layout.release_folder(number), release_manifest.read_manifest(layout, number)
    [segment] = made.segments
    for kind, name in segment.files.items():
        (folder / name).rename(folder / EARLIER_FILES[kind])
    if not has_names:
        _with_names(folder / EARLIER_FILES[DOCUMENTS], folder / EARLIER_FILES[NAMES])
    values = made.as_json()
    values["segments"] = {"documents": [EARLIER_FILES[DOCUMENTS]]}
    values["schema_fingerprint"] = "earlier"
    values["sizes"] = {path.name: path.stat().st_size for path in sorted(folder.glob("*.*[!n]"))}
    atomic_files.write_json(folder / MANIFEST, values)
    release_manifest.write_pointer(layout, number)
    return release_manifest.read_manifest(layout, number)


def with_unknown_members(layout: Layout, number: int) -> ReleaseManifest:
    """Writes the manifest of the newest release as a later edition may, which tells more of each past file."""
    made = release_manifest.read_manifest(layout, number)
    values = made.as_json()
    values["past"] = [{**file, "compression": "zstd"} for file in values["past"]]
    atomic_files.write_json(layout.release_folder(number) / MANIFEST, values)
    release_manifest.write_pointer(layout, number)
    return made


def _with_names(path: Path, names: Path) -> None:
    """Puts the name index into the file of the documents."""
    with closing(sqlite3.connect(path, isolation_level=None)) as target:
        for statement in name_index.SCHEMA:
            target.execute(statement.replace("company_id TEXT NOT NULL, ", ""))
        target.execute("ATTACH ? AS apart", (str(names),))
        for table, columns in _MOVED.items():
            target.execute(f"DELETE FROM main.{table}")
            target.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM apart.{table}")
        for statement in name_index.INDEXES:
            target.execute(statement)
        target.execute("CREATE UNIQUE INDEX companies_by_rank ON companies (rank)")
    names.unlink()
