"""Snapshots of an Iceberg table: reading how far it is, committing a release as one snapshot with its tag, expiry.

pyiceberg has no writer of position deletes yet, so manifests are written here with its own parts. One commit holds the
snapshot, the branch and the tag. Does not belong here: data files (`data_files`), which rows change (`writer`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from pyiceberg.manifest import (
    DataFile,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriter,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.table import Table as IcebergTable
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType
from pyiceberg.table.snapshots import (
    Operation,
    Snapshot,
    SnapshotSummaryCollector,
    Summary,
    ancestors_of,
    update_snapshot_summaries,
)
from pyiceberg.table.update import (
    AddSnapshotUpdate,
    AssertRefSnapshotId,
    AssertTableUUID,
    RemoveSnapshotRefUpdate,
    RemoveSnapshotsUpdate,
    SetSnapshotRefUpdate,
    TableUpdate,
)

from warehouse.exports.merged.results import MergePosition, MergeRefusedError

TAG: Final = "release-"
RELEASE: Final = "firmdata.release"
SEQUENCE: Final = "firmdata.last-sequence"
CONTENT: Final = "firmdata.content-fingerprint"
EVENTS: Final = "firmdata.events-fingerprint"
_VERSION: Final = 2
_CODEC: Final = "deflate"


class DeleteManifestWriter(ManifestWriterV2):
    """Writes a manifest of delete files."""

    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


@dataclass(frozen=True, slots=True)
class SnapshotFiles:
    """Files that a snapshot adds. replaces_all: they are the whole table, so every earlier file is removed."""

    data: Sequence[DataFile]
    deletes: Sequence[DataFile] = ()
    replaces_all: bool = False


def stored_position(table: IcebergTable, *, may_be_changed: bool = False) -> MergePosition | None:
    """How far a table is; None if it has no release yet.

    Snapshots of maintenance, which leave rows as they are, may follow ours. Raises MergeRefusedError if another writer
    has changed rows, unless they `may_be_changed`.
    """
    for snapshot in ancestors_of(table.current_snapshot(), table.metadata):
        summary = snapshot.summary
        if summary is not None and RELEASE in summary.additional_properties:
            found = summary.additional_properties
            return MergePosition(int(found[RELEASE]), int(found[SEQUENCE]), found[CONTENT], found[EVENTS])
        if not may_be_changed and (summary is None or summary.operation is not Operation.REPLACE):
            raise MergeRefusedError(
                f"Iceberg table {table.name()[-1]} was changed by another writer (snapshot {snapshot.snapshot_id}): "
                "roll the table back to the last tag, or write all tables again with --rewrite"
            )
    return None


def summary_number(table: IcebergTable, name: str) -> int:
    """A total of the current snapshot's summary, as total-records; 0 if it does not say."""
    snapshot = table.current_snapshot()
    summary = None if snapshot is None else snapshot.summary
    return int(str(summary.get(name, 0))) if summary is not None else 0


def commit_release(table: IcebergTable, files: SnapshotFiles, position: MergePosition) -> None:
    """Commits a release as the next snapshot of the branch, and tags it.

    Raises pyiceberg's CommitFailedException if another process has committed meanwhile.
    """
    metadata, parent = table.metadata, table.current_snapshot()
    writer = _ManifestFiles(table, metadata.new_snapshot_id())
    replaced = _live_entries(table) if files.replaces_all else []
    manifests = [
        *writer.write(ManifestContent.DATA, files.data, [one for one in replaced if one.data_file.content == 0]),
        *writer.write(ManifestContent.DELETES, files.deletes, [one for one in replaced if one.data_file.content != 0]),
    ]
    if parent is not None and not files.replaces_all:
        kept = parent.manifests(table.io)
        manifests += [one for one in kept if one.has_added_files() or one.has_existing_files()]
    sequence = metadata.next_sequence_number()
    path = table.location_provider().new_metadata_location(f"snap-{writer.snapshot_id}-0-{uuid4()}.avro")
    parent_id = parent.snapshot_id if parent else None
    with write_manifest_list(
        _VERSION, table.io.new_output(path), writer.snapshot_id, parent_id, sequence, _CODEC
    ) as listed:
        listed.add_manifests(manifests)
    snapshot = Snapshot.model_validate(
        {
            "snapshot-id": writer.snapshot_id,
            "parent-snapshot-id": parent_id,
            "sequence-number": sequence,
            "manifest-list": path,
            "summary": _summary(table, files, [one.data_file for one in replaced], position),
            "schema-id": metadata.current_schema_id,
        }
    )
    refs = {MAIN_BRANCH: SnapshotRefType.BRANCH, f"{TAG}{position.release}": SnapshotRefType.TAG}
    pointers = [
        SetSnapshotRefUpdate.model_validate({"ref-name": name, "type": kind, "snapshot-id": writer.snapshot_id})
        for name, kind in refs.items()
    ]
    _commit(table, [AddSnapshotUpdate(snapshot=snapshot), *pointers])


def _commit(table: IcebergTable, updates: Iterable[TableUpdate]) -> None:
    """Commits updates on the condition that nobody has moved the branch."""
    current = table.current_snapshot()
    held = AssertRefSnapshotId.model_validate(
        {"ref": MAIN_BRANCH, "snapshot-id": current.snapshot_id if current else None}
    )
    table.catalog.commit_table(table, (AssertTableUUID(uuid=table.metadata.table_uuid), held), tuple(updates))
    table.refresh()


def _live_entries(table: IcebergTable) -> list[ManifestEntry]:
    parent = table.current_snapshot()
    manifests = parent.manifests(table.io) if parent else []
    return [entry for one in manifests for entry in one.fetch_manifest_entry(table.io)]


class _ManifestFiles:
    """Manifests of one snapshot."""

    def __init__(self, table: IcebergTable, snapshot_id: int) -> None:
        self.snapshot_id = snapshot_id
        self._table = table

    def write(
        self, content: ManifestContent, added: Sequence[DataFile], removed: Sequence[ManifestEntry]
    ) -> list[ManifestFile]:
        """Writes a manifest of added and removed files; none if there are none."""
        if not added and not removed:
            return []
        kind: type[ManifestWriter] = ManifestWriterV2 if content is ManifestContent.DATA else DeleteManifestWriter
        table = self._table
        path = table.location_provider().new_metadata_location(f"{uuid4()}.avro")
        with kind(table.spec(), table.schema(), table.io.new_output(path), self.snapshot_id, _CODEC) as writer:
            for entry in removed:
                writer.delete(entry)
            for file in added:
                status = ManifestEntryStatus.ADDED
                writer.add_entry(
                    ManifestEntry.from_args(
                        status=status,
                        snapshot_id=self.snapshot_id,
                        sequence_number=None,
                        file_sequence_number=None,
                        data_file=file,
                    )
                )
        return [writer.to_manifest_file()]


def _summary(
    table: IcebergTable, files: SnapshotFiles, removed: Sequence[DataFile], position: MergePosition
) -> Summary:
    collector = SnapshotSummaryCollector()
    for file in (*files.data, *files.deletes):
        collector.add_file(file, table.schema(), table.spec())
    for file in removed:
        collector.remove_file(file, table.schema(), table.spec())
    ours = {
        RELEASE: str(position.release),
        SEQUENCE: str(position.sequence),
        CONTENT: position.content,
        EVENTS: position.events,
    }
    operation = Operation.OVERWRITE if files.deletes or removed else Operation.APPEND
    parent = table.current_snapshot()
    return update_snapshot_summaries(
        Summary(operation=operation, **collector.build(), **ours), parent.summary if parent else None
    )


def expire_releases(table: IcebergTable, keep: int) -> int:
    """Removes the tags of all but the newest releases, the snapshots before them, and files that no other one has.

    Returns the number of removed snapshots. Tags and branches of others keep their snapshots.
    """
    tags = sorted((int(name.removeprefix(TAG)), name) for name in table.metadata.refs if _is_release_tag(name))
    if not tags:
        return 0
    old = {name for _, name in tags[:-keep]}
    kept = {ref.snapshot_id for name, ref in table.metadata.refs.items() if name not in old}
    kept |= _snapshots_since(table, table.metadata.refs[tags[-keep:][0][1]].snapshot_id)
    gone = [one for one in table.metadata.snapshots if one.snapshot_id not in kept]
    staying = [one for one in table.metadata.snapshots if one.snapshot_id in kept]
    if not gone:
        return 0
    paths = _files_of(table, gone) - _files_of(table, staying)
    refs = [RemoveSnapshotRefUpdate.model_validate({"ref-name": name}) for name in sorted(old)]
    _commit(table, [*refs, RemoveSnapshotsUpdate.model_validate({"snapshot-ids": [one.snapshot_id for one in gone]})])
    for path in sorted(paths):
        table.io.delete(path)
    return len(gone)


def earlier_refs(table: IcebergTable) -> list[str]:
    """Tags and branches that keep another snapshot than the current one."""
    current = table.current_snapshot()
    kept = None if current is None else current.snapshot_id
    return sorted(name for name, ref in table.metadata.refs.items() if ref.snapshot_id != kept)


def _is_release_tag(name: str) -> bool:
    return name.startswith(TAG) and name.removeprefix(TAG).isdigit()


def _snapshots_since(table: IcebergTable, first: int) -> set[int]:
    """Snapshots of the branch from `first` on."""
    found: set[int] = set()
    for snapshot in ancestors_of(table.current_snapshot(), table.metadata):
        found.add(snapshot.snapshot_id)
        if snapshot.snapshot_id == first:
            break
    return found


def _files_of(table: IcebergTable, snapshots: Iterable[Snapshot]) -> set[str]:
    """Manifest lists, manifests, data and delete files of snapshots."""
    found: set[str] = set()
    manifests: Mapping[str, ManifestFile] = {
        one.manifest_path: one for snapshot in snapshots for one in snapshot.manifests(table.io)
    }
    found.update(snapshot.manifest_list for snapshot in snapshots)
    for path, manifest in manifests.items():
        found.add(path)
        found.update(entry.data_file.file_path for entry in manifest.fetch_manifest_entry(table.io))
    return found
