"""RAW archive (docs/architecture.md 1): every body as received, and one manifest line per fetch.

Bodies are stored by SHA-256 (`blobs`); `manifest/<dataset>.jsonl` lists every fetch in order. Append-only,
except for `erase_body` and `prune_body`, which also add a line, and `redact_lines`. The line of a retraction takes the
bodies of its batches out of use; they stay stored. Does not belong here: the content of a body (`connectors`), or rows
parsed from it (`staged.store`).
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from warehouse.raw import blobs
from warehouse.raw.blobs import CorruptBlobError
from warehouse.schema.retractions import BatchRetraction
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

__all__ = ["CorruptBlobError", "FetchedFileLike", "RawArchive", "RawBody", "utc_now"]

KEPT_HEADERS: Final = frozenset({"content-type", "content-length", "etag", "last-modified", "date"})
_MARK_KEY: Final = "mark_key"
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


@dataclass(frozen=True, slots=True)
class RawBody:
    """One body in RAW that is new for its name; fields as in `connectors.contract.dataset.ArchiveMember`.

    `replaces`: SHA-256 of the earlier body of the same name and instant, if the source re-issued the file.
    `open` can be pickled to another process.
    """

    dataset: str
    name: str
    sha256: str
    observed_at: datetime
    scope: str
    batch: str
    fetched_at: datetime
    bytes: int
    replaces: str | None
    cursor: str | None
    open: Callable[[], BinaryIO]


@dataclass(slots=True)
class _FetchManifest:
    """Manifest lines of one dataset, the end of the last complete line, and the newest body in use per name.

    retracted: places of the lines of bodies out of use.
    """

    lines: list[dict[str, Any]] = field(default_factory=list)
    end: int = 0
    size: int = 0  # of the file in bytes, including an incomplete last line
    newest: dict[str, dict[str, Any]] = field(default_factory=dict)
    erased: dict[str, dict[str, Any]] = field(default_factory=dict)  # by SHA-256
    retracted: set[int] = field(default_factory=set)

    def add(self, line: dict[str, Any]) -> None:
        if "retracted" in line:
            self._retract(line)
        self.lines.append(line)
        if "erased" in line:
            self.erased[line["erased"]] = line
        if line["new"]:
            self.newest[line["name"]] = line

    def _retract(self, line: dict[str, Any]) -> None:
        """Bodies that come again after the line are in use again."""
        batches, bodies = set(line["retracted"]), {tuple(body) for body in line["bodies"]}
        for place, one in enumerate(self.lines):
            is_read = (one["name"], one.get("sha256")) in bodies and one["batch"] <= max(batches)
            if one["new"] and (one["batch"] in batches or is_read):
                self.retracted.add(place)
        self.newest = {
            one["name"]: one for place, one in enumerate(self.lines) if one["new"] and place not in self.retracted
        }


class RawArchive:
    """The RAW archive of one data root. One writer per dataset, ensured by the lock of its market."""

    def __init__(
        self,
        layout: Layout,
        clock: Callable[[], datetime] = utc_now,
        version: str = "",
        on_step: atomic_files.Step = atomic_files.ignore_step,
    ) -> None:
        self._root = layout.raw_folder
        self._manifest_folder = self._root / "manifest"
        self._clock = clock
        self._version = version
        self._on_step = on_step
        self._manifests: dict[str, _FetchManifest] = {}
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
        if stored.sha256 in self._manifest(dataset).erased:  # received again: stays erased
            atomic_files.delete_if_exists(blobs.blob_path(self._root, stored.sha256))
        before = self._manifest(dataset).newest.get(file.name)
        fresh = before is None or before["sha256"] != stored.sha256
        reissue = fresh and before is not None and before["observed_at"] == _instant_text(file.observed_at)
        line = self._line_fields(dataset, file.name, batch) | {
            "url": file.url,
            "status": file.http_status,
            "headers": _archived_headers(file.response_headers),
            "sha256": stored.sha256,
            "received_sha256": stored.received_sha256,
            "bytes": stored.size,
            "observed_at": _instant_text(file.observed_at),
            "scope": str(file.scope),
            "cursor": getattr(file.cursor, "value", file.cursor),
            "replaces": before["sha256"] if reissue and before else None,
            "new": fresh,
        }
        if mark_key is not None:
            line[_MARK_KEY] = mark_key
        self._append_line(dataset, line)
        is_there = _current_sha256(stored.sha256, self._manifest(dataset).erased) is not None
        return self._raw_body(line) if fresh and is_there else None

    def record_failed_fetch(
        self, dataset: str, name: str, url: str | None, reason: str, batch: str, status: int | None = None
    ) -> None:
        """Appends the manifest line of a failed fetch."""
        line = self._line_fields(dataset, name, batch)
        self._append_line(dataset, line | {"url": url, "status": status, "error": reason, "new": False})

    def bodies(self, dataset: str, batch: str | None = None) -> Iterator[RawBody]:
        """Bodies of a dataset in use by (observed_at, name), re-issues after what they replace.

        Erased bodies are omitted; bodies rewritten by an erasure keep the SHA-256 they were received with.
        """
        manifest = self._manifest(dataset)
        lines = [line for place, line in enumerate(manifest.lines) if place not in manifest.retracted]
        return self._stored_bodies(dataset, [line for line in lines if batch in {None, line["batch"]}])

    def all_bodies(self, dataset: str) -> Iterator[RawBody]:
        """Bodies of a dataset, retracted ones included: an erasure and retention see all that is stored."""
        return self._stored_bodies(dataset, self._manifest(dataset).lines)

    def _stored_bodies(self, dataset: str, lines: Collection[dict[str, Any]]) -> Iterator[RawBody]:
        erased = self._manifest(dataset).erased
        found = [line for line in lines if line["new"] and _current_sha256(line["sha256"], erased) is not None]
        found.sort(key=lambda line: (line["observed_at"], line["name"]))  # stable: then by fetch order
        return map(self._raw_body, found)

    def retract_batches(self, dataset: str, retraction: BatchRetraction, bodies: Collection[tuple[str, str]]) -> None:
        """Takes the bodies of batches out of use and records that; done before, it does nothing.

        bodies: (name, SHA-256) of bodies that these batches read, though earlier ones may have fetched them.
        """
        if retraction not in self.retractions(dataset):
            told = self._line_fields(dataset, "", "") | {"new": False, "bodies": sorted(map(list, bodies))}
            self._append_line(dataset, told | retraction.as_json())

    def retractions(self, dataset: str) -> list[BatchRetraction]:
        """Retractions of batches of a dataset, oldest first."""
        return [BatchRetraction.parse(line) for line in self._manifest(dataset).lines if "retracted" in line]

    def newest_cursor(self, dataset: str) -> str | None:
        """Cursor of the last archived body, from which a feed resumes; a retraction takes it back to before it."""
        found: list[tuple[str, str]] = []
        for line in self._manifest(dataset).lines:
            if line.get("cursor") is not None:
                found.append((line["batch"], line["cursor"]))
            elif "retracted" in line and any(batch in line["retracted"] for batch, _ in found):
                found = [one for one in found if one[0] < min(line["retracted"])]
        return found[-1][1] if found else None

    def newest_mark_key(self, dataset: str) -> str | None:
        """Id of the key of the person marks in the last archived body; None if no body has any."""
        lines = reversed(self._manifest(dataset).lines)
        return next((line[_MARK_KEY] for line in lines if _MARK_KEY in line), None)

    def manifest_lines(self, dataset: str) -> Iterator[Mapping[str, Any]]:
        """Every manifest line of a dataset, oldest first."""
        return iter(tuple(self._manifest(dataset).lines))

    def datasets(self) -> list[str]:
        """Datasets that have a manifest."""
        return sorted(path.stem for path in self._manifest_folder.glob("*.jsonl"))

    def verify_body(self, body: RawBody) -> None:
        """Reads a body to the end; raises CorruptBlobError, naming object and file, if it is damaged."""
        sha256 = _current_sha256(body.sha256, self._manifest(body.dataset).erased) or body.sha256
        blobs.verify_blob(self._root, sha256, f"{body.dataset}: {body.name}")

    def erase_body(self, dataset: str, sha256: str, reason: str, replacement: BinaryIO | None = None) -> None:
        """Deletes a body permanently and records that.

        `replacement`: replacement body without the erased records, if any.
        Other datasets with the same bytes lose the body too.
        """
        kept_as = _current_sha256(sha256, self._manifest(dataset).erased)
        if kept_as is None:
            return
        stored = None if replacement is None else blobs.store_blob(self._root, replacement, None, self._on_step)
        line = self._line_fields(dataset, "", "") | {"erased": kept_as, "reason": reason, "new": False}
        if stored is not None and stored.sha256 == kept_as:
            return  # nothing was removed
        if stored is not None:
            line |= {"became": stored.sha256, "bytes": stored.size}
        self._append_line(dataset, line)
        atomic_files.delete_if_exists(blobs.blob_path(self._root, kept_as))

    def redact_lines(self, dataset: str, redact: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        """Rewrites the manifest of a dataset with what an erasure leaves of each line: names of files, addresses."""
        lines = self._manifest(dataset).lines
        redacted = [redact(line) for line in lines]
        if redacted != lines:
            atomic_files.write_bytes(self._path(dataset), b"".join(map(_line_bytes, redacted)))
            del self._manifests[dataset]

    def stored_bytes(self, body: RawBody) -> int | None:
        """Bytes of a body on disk; None if it no longer exists."""
        path = self._blob_path(body)
        return path.stat().st_size if path.exists() else None

    def prune_body(self, body: RawBody) -> None:
        """Deletes a body that is no longer needed and records that.

        Unlike an erased body it is stored again if it is received again.
        """
        path = self._blob_path(body)
        self._append_line(body.dataset, self._line_fields(body.dataset, "", "") | {"pruned": path.stem, "new": False})
        atomic_files.delete_if_exists(path)

    def _blob_path(self, body: RawBody) -> Path:
        sha256 = _current_sha256(body.sha256, self._manifest(body.dataset).erased) or body.sha256
        return blobs.blob_path(self._root, sha256)

    def delete_erased_bodies(self) -> None:
        """Deletes bodies that the manifests list as erased.

        The manifests are reread: a kill, or an erasure on another machine, may have left some bodies.
        """
        self._manifests.clear()
        for dataset in self.datasets():
            for sha256 in self._manifest(dataset).erased:
                atomic_files.delete_if_exists(blobs.blob_path(self._root, sha256))

    def _line_fields(self, dataset: str, name: str, batch: str) -> dict[str, Any]:
        return {
            "dataset": dataset,
            "name": name,
            "batch": batch,
            "fetched_at": _instant_text(self._clock()),
            "version": self._version,
        }

    def _path(self, dataset: str) -> Path:
        return self._manifest_folder / f"{dataset}.jsonl"

    def _manifest(self, dataset: str) -> _FetchManifest:
        """The current manifest; reread if the size of the file changed, as another Archive may have appended."""
        path = self._path(dataset)
        try:
            size = path.stat().st_size
        except FileNotFoundError:
            size = 0
        known = self._manifests.get(dataset)
        if known is None or known.size != size:
            known = _read_manifest(path) if size else _FetchManifest()
            self._manifests[dataset] = known
        return known

    def _append_line(self, dataset: str, line: dict[str, Any]) -> None:
        path = self._path(dataset)
        atomic_files.make_folder(path.parent)
        fresh = not path.exists()
        text = _line_bytes(line)
        with path.open("ab") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            manifest = self._manifest(dataset)
            handle.truncate(manifest.end)  # cuts off a line left incomplete by a kill
            self._on_step("line begun")
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        if fresh:
            atomic_files.sync_folder(path.parent)
        manifest.add(line)
        manifest.end += len(text)
        manifest.size = manifest.end
        self._on_step("line written")

    def _raw_body(self, line: Mapping[str, Any]) -> RawBody:
        label = f"{line['dataset']}: {line['name']}"
        kept_as, size = line["sha256"], line["bytes"]
        while told := self._manifest(line["dataset"]).erased.get(kept_as):
            kept_as, size = told["became"], told["bytes"]
        return RawBody(
            dataset=line["dataset"],
            name=line["name"],
            sha256=line["sha256"],
            observed_at=datetime.fromisoformat(line["observed_at"]),
            scope=line["scope"],
            batch=line["batch"],
            fetched_at=datetime.fromisoformat(line["fetched_at"]),
            bytes=size,
            replaces=line["replaces"],
            cursor=line["cursor"],
            open=partial(blobs.open_blob, self._root, kept_as, label, size),
        )


def _line_bytes(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _read_manifest(path: Path) -> _FetchManifest:
    """Parses all complete lines.

    Whatever follows the last newline was left by a kill: it is ignored, and overwritten by the next line.
    """
    manifest = _FetchManifest()
    with path.open("rb") as handle:
        for number, raw in enumerate(handle, 1):
            if not raw.endswith(b"\n"):
                break
            try:
                line = json.loads(raw)
            except ValueError:
                raise CorruptBlobError(path, path.stem, f"manifest line {number} is not JSON") from None
            manifest.end += len(raw)
            manifest.add(line)
        manifest.size = handle.seek(0, os.SEEK_END)
    return manifest


def _current_sha256(sha256: str, erased: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The SHA-256 under which a body is stored now; None if it was erased entirely."""
    found: str | None = sha256
    while found is not None and found in erased:
        found = erased[found].get("became")
    return found


def _instant_text(moment: datetime) -> str:
    """UTC with fixed width, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _archived_headers(headers: Mapping[str, str] | None) -> dict[str, str]:
    return {key.lower(): value for key, value in (headers or {}).items() if key.lower() in KEPT_HEADERS}
