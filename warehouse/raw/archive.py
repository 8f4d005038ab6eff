"""RAW archive (docs/architecture.md 1): every body as received, and one manifest line per fetch.

Bodies are stored by SHA-256 (`blobs`); `manifest/<dataset>.jsonl` lists every fetch in order. Append-only,
except for `erase_body` and `prune_body`, which also add a line, and `redact_lines`. The line of a retraction takes the
bodies of its batches out of use; they stay stored. Manifests are read through their index (`market_index`), which
derives from them. Does not belong here: the content of a body (`connectors`), or rows parsed from it (`staged.store`).
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from warehouse.market_index.batches import utc_text
from warehouse.market_index.index import MarketIndex
from warehouse.raw import blobs
from warehouse.raw.archived_bodies import ArchivedBodies, RawBody
from warehouse.raw.blobs import CorruptBlobError
from warehouse.schema.retractions import BatchRetraction
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

__all__ = ["CorruptBlobError", "FetchedFileLike", "RawArchive", "RawBody", "utc_now"]

KEPT_HEADERS: Final = frozenset({"content-type", "content-length", "etag", "last-modified", "date"})
_MARK_KEY: Final = "mark_key"
_ALWAYS: Final = datetime.max.replace(tzinfo=UTC)
_BLOCK: Final = 1 << 16
Redact = Callable[[BinaryIO], BinaryIO]


class FetchedFileLike(Protocol):
    """A fetched body with metadata, shaped like `connectors.contract.dataset.FetchedFile`."""

    @property
    def name(self) -> str: ...
    @property
    def body(self) -> BinaryIO: ...
    @property
    def scope(self) -> str: ...
    @property
    def observed_at(self) -> datetime: ...
    @property
    def cursor(self) -> Any: ...
    @property
    def url(self) -> str | None: ...
    @property
    def http_status(self) -> int | None: ...
    @property
    def response_headers(self) -> Mapping[str, str] | None: ...


def utc_now() -> datetime:
    """The default clock: current time in UTC."""
    return datetime.now(UTC)


class RawArchive(ArchivedBodies):
    """The RAW archive of one data root. One writer per dataset, ensured by the lock of its market."""

    def __init__(
        self,
        layout: Layout,
        clock: Callable[[], datetime] = utc_now,
        version: str = "",
        on_step: atomic_files.Step = atomic_files.ignore_step,
        index: MarketIndex | None = None,
    ) -> None:
        super().__init__(layout, index)
        self._clock = clock
        self._version = version
        self._on_step = on_step
        blobs.discard_incomplete(self._root)

    def store_body(
        self, dataset: str, file: FetchedFileLike, batch: str, redact: Redact | None = None, mark_key: str | None = None
    ) -> RawBody | None:
        """Stores a body and appends its manifest line.

        Returns None if the newest body of that name has the same bytes.
        `redact` filters the stream before it is written: removed content is never stored; both SHA-256 are
        recorded. mark_key: id of the key of the person marks that `redact` leaves.
        """
        stored = blobs.store_blob(self._root, file.body, redact, self._on_step)
        kept_as, size = self._stored_as(dataset, stored.sha256)
        if kept_as != stored.sha256:  # received again: stays erased
            atomic_files.delete_if_exists(blobs.blob_path(self._root, stored.sha256))
        before, before_at = self._newest(dataset, file.name)
        fresh = before != stored.sha256
        reissue = fresh and before_at == utc_text(file.observed_at)
        line = self._line_fields(dataset, file.name, batch) | {
            "url": file.url,
            "status": file.http_status,
            "headers": _archived_headers(file.response_headers),
            "sha256": stored.sha256,
            "received_sha256": stored.received_sha256,
            "bytes": stored.size,
            "observed_at": utc_text(file.observed_at),
            "scope": str(file.scope),
            "cursor": getattr(file.cursor, "value", file.cursor),
            "replaces": before if reissue else None,
            "new": fresh,
        }
        if mark_key is not None:
            line[_MARK_KEY] = mark_key
        self.append_line(dataset, line)
        if not fresh or kept_as is None:
            return None
        return self._body_of(line, kept_as, size)

    def is_unchanged(self, dataset: str, name: str, body: BinaryIO, redact: Redact | None = None) -> bool:
        """True if the newest body of that name has the same bytes, so that `store_body` would return None."""
        before, _ = self._newest(dataset, name)
        return before is not None and blobs.hash_blob(body, redact) == before

    def record_failed_fetch(
        self, dataset: str, name: str, url: str | None, reason: str, batch: str, status: int | None = None
    ) -> None:
        """Appends the manifest line of a failed fetch."""
        line = self._line_fields(dataset, name, batch)
        self.append_line(dataset, line | {"url": url, "status": status, "error": reason, "new": False})

    def retract_batches(self, dataset: str, retraction: BatchRetraction, bodies: Collection[tuple[str, str]]) -> None:
        """Takes the bodies of batches out of use and records that; done before, it does nothing.

        bodies: (name, SHA-256) of bodies that these batches read, though earlier ones may have fetched them.
        """
        if retraction not in self.retractions(dataset):
            told = self._line_fields(dataset, "", "") | {"new": False, "bodies": sorted(map(list, bodies))}
            self.append_line(dataset, told | retraction.as_json())

    def verify_body(self, body: RawBody) -> None:
        """Reads a body to the end; raises CorruptBlobError, naming object and file, if it is damaged."""
        sha256, _ = self._stored_as(body.dataset, body.sha256)
        blobs.verify_blob(self._root, sha256 or body.sha256, f"{body.dataset}: {body.name}")

    def erase_body(self, dataset: str, sha256: str, reason: str, replacement: BinaryIO | None = None) -> None:
        """Deletes a body permanently and records that.

        `replacement`: replacement body without the erased records, if any.
        Other datasets with the same bytes lose the body too.
        """
        kept_as, _ = self._stored_as(dataset, sha256)
        if kept_as is None:
            return
        stored = None if replacement is None else blobs.store_blob(self._root, replacement, None, self._on_step)
        line = self._line_fields(dataset, "", "") | {"erased": kept_as, "reason": reason, "new": False}
        if stored is not None and stored.sha256 == kept_as:
            return  # nothing was removed
        if stored is not None:
            line |= {"became": stored.sha256, "bytes": stored.size}
        self.append_line(dataset, line)
        atomic_files.delete_if_exists(blobs.blob_path(self._root, kept_as))

    def redact_lines(self, dataset: str, redact: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        """Rewrites the manifest of a dataset with what an erasure leaves of each line: names of files, addresses.

        The caller empties the market's index (`clear_index`).
        """
        if not any(redact(line) != line for line in self.manifest_lines(dataset)):
            return
        path = self._index.manifest_path(dataset)
        built = atomic_files.temporary_path(path)
        with built.open("wb") as target:
            target.writelines(_line_bytes(redact(line)) for line in self.manifest_lines(dataset))
        atomic_files.publish_file(built, path)

    def clear_index(self, market: str) -> None:
        """Empties the index of a market's manifests and staged batches, after an erasure has rewritten these."""
        self._index.clear(market)

    def stored_bytes(self, body: RawBody) -> int | None:
        """Bytes of a body on disk; None if it no longer exists."""
        path = self._blob_path(body)
        return path.stat().st_size if path.exists() else None

    def prune_body(self, body: RawBody) -> None:
        """Deletes a body that is no longer needed and records that.

        Unlike an erased body it is stored again if it is received again.
        """
        path = self._blob_path(body)
        self.append_line(body.dataset, self._line_fields(body.dataset, "", "") | {"pruned": path.stem, "new": False})
        atomic_files.delete_if_exists(path)

    def _blob_path(self, body: RawBody) -> Path:
        sha256, _ = self._stored_as(body.dataset, body.sha256)
        return blobs.blob_path(self._root, sha256 or body.sha256)

    def delete_erased_bodies(self) -> None:
        """Deletes bodies that the manifests list as erased: a kill, or an erasure elsewhere, may have left some."""
        for dataset in self.datasets():
            for sha256 in self.erased_hashes(dataset):
                atomic_files.delete_if_exists(blobs.blob_path(self._root, sha256))

    def _line_fields(self, dataset: str, name: str, batch: str) -> dict[str, Any]:
        return {
            "dataset": dataset,
            "name": name,
            "batch": batch,
            "fetched_at": utc_text(self._clock()),
            "version": self._version,
        }

    def append_line(self, dataset: str, line: dict[str, Any]) -> None:
        """Appends a line to the manifest of a dataset, durably."""
        path = self._index.manifest_path(dataset)
        atomic_files.make_folder(path.parent)
        fresh = not path.exists()
        with path.open("a+b") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            handle.truncate(_complete_bytes(handle))  # cuts off a line left incomplete by a kill
            self._on_step("line begun")
            handle.write(_line_bytes(line))
            handle.flush()
            os.fsync(handle.fileno())
        if fresh:
            atomic_files.sync_folder(path.parent)
        self._on_step("line written")


def _line_bytes(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _complete_bytes(handle: BinaryIO) -> int:
    """Bytes of a file up to the end of its last complete line."""
    end = handle.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - _BLOCK)
        handle.seek(start)
        found = handle.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _archived_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {key.lower(): value for key, value in (headers or {}).items() if key.lower() in KEPT_HEADERS}
