"""`firm doctor` checks of stores: the object store, histories with rows from before an upgrade, and exports.

The object store must be reachable and support conditional writes: one small object is written under a unique name
and removed; nothing else is changed.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb

from connectors import JURISDICTIONS
from connectors.contract.dataset import Jurisdiction
from firm.doctor import DoctorFinding
from pipelines.workspace import staged_tables
from warehouse.history import database, record_counts
from warehouse.reader.export_files import export_faults
from warehouse.release import manifest
from warehouse.release.manifest import InvalidReleaseError
from warehouse.replication.errors import ReplicationError
from warehouse.storage import locks
from warehouse.storage.duckdb import open_database
from warehouse.storage.layout import Layout

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings
    from warehouse.replication.s3 import ObjectStore

_PATIENCE: Final = timedelta(seconds=10)
_POINTER: Final = "releases/current.json"


def export_findings(layout: Layout) -> Iterator[DoctorFinding]:
    """Exports that no list shows, as their manifests are damaged or another version's."""
    for fault in export_faults(layout.exports_folder):
        advice = "it is left out of lists: run `firm export`, or delete its folder if its release is no longer served"
        yield DoctorFinding("warn", f"export {fault}", advice)


def object_store_findings(settings: IngestSettings) -> Iterator[DoctorFinding]:
    """Checks the object store, if one is configured."""
    if settings.object_store is None:
        return
    from warehouse.replication.s3 import ObjectStore

    what = f"object store {settings.object_store}"
    shared = ObjectStore(settings.object_store, _PATIENCE)
    try:
        if not _supports_conditional_writes(shared):
            yield DoctorFinding(
                "bad",
                f"{what} overwrites existing objects",
                "machines would overwrite each other: use a store that honours If-None-Match and If-Match on PUT",
            )
            return
        found = shared.read(_POINTER)
    except ReplicationError as error:
        yield DoctorFinding("bad", f"{what} does not answer", str(error))
        return
    with suppress(InvalidReleaseError):  # reported with the ingested data
        yield _release_finding(settings.layout, what, {} if found is None else json.loads(found.content))
    if not settings.lease_url:
        yield DoctorFinding(
            "warn",
            f"{what}: read only",
            "to ingest or publish here, set FIRM_DATABASE_URL to postgresql://…, the same on every machine",
        )


def _release_finding(layout: Layout, what: str, pointer: Mapping[str, Any]) -> DoctorFinding:
    """Compares the newest release of the store, by its pointer, with the one that is served here."""
    newest, here = pointer.get("release", 0), manifest.served_position(layout)[0]
    both = f"{what}: release {newest}, here {here}"
    if newest > here:
        return DoctorFinding("warn", both, "firm serve fetches it automatically; or run: firm release pull")
    if not newest and here:
        return DoctorFinding("warn", both, "no other machine has it: run firm release push")
    is_other = newest == here > 0 and pointer["manifest_sha256"] != manifest.manifest_digest(layout, here)
    if newest < here or is_other:
        return DoctorFinding(
            "bad",
            f"{both}: {'two releases of one number' if is_other else 'the store is behind'}",
            "they are of two lines, so nothing is fetched or published here: give this machine an empty FIRM_DATA, or "
            "another prefix in the store; if the bucket was restored, restore its newer state",
        )
    return DoctorFinding("ok", f"{what}: release {newest}")


def _supports_conditional_writes(shared: ObjectStore) -> bool:
    key = f"doctor-{uuid.uuid4().hex}"
    try:
        tag = shared.create(key, b"1")
        if tag is None or shared.create(key, b"2") is not None:
            return False
        return shared.replace(key, b"3", tag) is not None and shared.replace(key, b"4", tag) is None
    finally:
        shared.remove([key])


def _repeated_records(path: Path, jurisdiction: Jurisdiction) -> str:
    """Staged tables of a market with records that have several current rows, with their number; else empty."""
    with open_database(path, read_only=True) as connection:
        counts = record_counts.repeated_record_counts(connection, staged_tables(jurisdiction).values())
    return ", ".join(f"{count} of {name}" for name, count in counts.items())


def history_findings(layout: Layout) -> Iterator[DoctorFinding]:
    """Checks the history of each market; one being written is skipped."""
    markets = {one.code: one for one in JURISDICTIONS}
    for path in sorted(layout.history_folder.glob("*.duckdb")):
        if path.stem not in markets:
            yield DoctorFinding(
                "warn",
                f"history of {path.stem}: no such market is declared",
                f"if it is no longer served, remove {path}",
            )
            continue
        is_written = locks.is_history_written(layout, path.stem)
        try:
            is_mixed = database.has_mixed_schema_versions(path)
            repeated = _repeated_records(path, markets[path.stem])
        except duckdb.Error as error:
            # a damaged file is an IOException too
            if isinstance(error, duckdb.IOException) and (is_written or locks.is_history_written(layout, path.stem)):
                yield DoctorFinding("ok", f"history of {path.stem}: being written now")
                continue
            yield DoctorFinding(
                "bad", f"history of {path.stem}", f"{error}: restore {path} from a copy, or ingest into a new FIRM_DATA"
            )
            continue
        if repeated:
            yield DoctorFinding(
                "bad",
                f"history of {path.stem} has records with two current rows: {repeated}",
                f"DuckDB 2.0.0 lost deletions; run: firm rebuild {path.stem.lower()}",
            )
        elif is_mixed:
            yield DoctorFinding(
                "warn",
                f"history of {path.stem} has rows from before an upgrade, which lack new columns",
                f"run: firm rebuild {path.stem.lower()}",
            )
        else:
            yield DoctorFinding("ok", f"history of {path.stem}")
