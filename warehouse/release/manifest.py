"""Release manifest (`manifest.json`), the pointer `current.json` to the current release, and deleting older ones.

Does not belong here: building (`publish`) or reading content (`reader.reader`). Imports no engine, as replicas that
only serve prune too.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, Self

from warehouse.release.past_files import PastFile
from warehouse.release.segments import DOCUMENTS, EARLIER_FILES, NAMES, ContentSums, Segment
from warehouse.schema.market_state import (
    DatasetState,
    LicenceTerms,
    MarketState,
    QuarantineReason,
    Reconciliation,
    RuleWithoutData,
    UnexplainedStatus,
)
from warehouse.schema.markets import MARKETS, PREVIEW_SETTING
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

MANIFEST: Final = "manifest.json"


class InvalidReleaseError(RuntimeError):
    """A release or its pointer is invalid or damaged; the message says which and how."""


class UnservedMarketError(InvalidReleaseError):
    """A release has companies of a market in preview that is not served here; the message says what to set."""


@dataclass(frozen=True, slots=True)
class HistoryRevision:
    """Revision of a history at the time of a release.

    Equal ids and revisions mean that nothing has changed since.
    """

    id: str
    revision: int


@dataclass(frozen=True, slots=True)
class ReleaseManifest:
    """One release. `first` above `last` means it brought no events; `history` is by market.

    `full_at`: time of the last full build. A patched release has the segments of its predecessor and a delta of the
    changed companies. `segments` and `past`: oldest first; `sizes`: bytes by file of both.
    """

    release: int
    kind: Literal["full", "patch", "rollback"]
    built_at: datetime
    full_at: datetime
    schema_fingerprint: str
    content_fingerprint: str
    previous: int | None
    first: int
    last: int
    counts: Mapping[str, int]
    segments: tuple[Segment, ...]
    sizes: Mapping[str, int]
    markets: Mapping[str, MarketState]
    history: Mapping[str, HistoryRevision] = field(default_factory=dict)
    rollback_of: int | None = None
    past: tuple[PastFile, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The manifest as JSON for its file."""
        return {
            "release": self.release,
            "kind": self.kind,
            "built_at": self.built_at.isoformat(),
            "full_at": self.full_at.isoformat(),
            "schema_fingerprint": self.schema_fingerprint,
            "content_fingerprint": self.content_fingerprint,
            "previous": self.previous,
            "rollback_of": self.rollback_of,
            "sequence": {"first": self.first, "last": self.last},
            "counts": dict(self.counts),
            "segments": [asdict(segment) for segment in self.segments],
            "past": [asdict(file) for file in self.past],
            "sizes": dict(self.sizes),
            "markets": {market: atomic_files.json_fields(state) for market, state in self.markets.items()},
            "history": {market: asdict(standing) for market, standing in self.history.items()},
        }

    @classmethod
    def parse(cls, content: bytes) -> Self:
        values = json.loads(content)
        return cls(
            release=values["release"],
            kind=values["kind"],
            built_at=datetime.fromisoformat(values["built_at"]),
            full_at=datetime.fromisoformat(values["full_at"]),
            schema_fingerprint=values["schema_fingerprint"],
            content_fingerprint=values["content_fingerprint"],
            previous=values["previous"],
            first=values["sequence"]["first"],
            last=values["sequence"]["last"],
            counts=values["counts"],
            segments=_parse_segments(values),
            sizes=values["sizes"],
            markets={market: _parse_market(state) for market, state in values["markets"].items()},
            history={market: HistoryRevision(**standing) for market, standing in values["history"].items()},
            rollback_of=values["rollback_of"],
            # missing in releases made by earlier versions
            past=tuple(PastFile(**file) for file in values.get("past", ())),
        )


def _parse_segments(values: Mapping[str, Any]) -> tuple[Segment, ...]:
    """The segments of a release; one of an earlier version, which has one file of each kind, is one segment."""
    if isinstance(values["segments"], list):
        return tuple(map(Segment.parse, values["segments"]))
    files = dict(EARLIER_FILES)
    if files[NAMES] not in values["sizes"]:
        files[NAMES] = files[DOCUMENTS]
    return (Segment(files, 0, 0, ContentSums(values["counts"])),)


def _parse_market(values: Mapping[str, Any]) -> MarketState:
    datasets = {
        key: DatasetState(
            optional_instant(value["observed_at"]),
            tuple(value["batches"]),
            value["rows"],
            QuarantineReason(**value["held"]) if value["held"] else None,
            QuarantineReason(**value["accepted"]) if value["accepted"] else None,
            # missing in releases made by earlier versions
            optional_instant(value.get("checked_at")),
            optional_instant(value.get("held_since")),
            LicenceTerms(**value["terms"]) if value.get("terms") else None,
        )
        for key, value in values["datasets"].items()
    }
    return MarketState(
        values["state"],
        optional_instant(values["at"]),
        values["companies"],
        datasets,
        # missing in releases made by earlier versions
        parse_reconciliation(values["reconciliation"]) if values.get("reconciliation") else None,
    )


def parse_reconciliation(values: Mapping[str, Any]) -> Reconciliation:
    """Parses the figures of one market."""
    return Reconciliation(
        values["unlinked_rows"],
        values["changed_subjects"],
        tuple(
            RuleWithoutData(one["rule"], tuple(one["datasets"]), one["undecided"])
            for one in values["rules_without_data"]
        ),
        tuple(
            UnexplainedStatus(**(one | {"examples": tuple(one["examples"])})) for one in values["unexplained_statuses"]
        ),
    )


def optional_instant(text: str | None) -> datetime | None:
    """Parses an instant; None stays None."""
    return datetime.fromisoformat(text) if text else None


def write_manifest(layout: Layout, manifest: ReleaseManifest) -> None:
    """Writes the manifest of a release; its files must exist."""
    atomic_files.write_json(layout.release_folder(manifest.release) / MANIFEST, manifest.as_json())


def read_manifest(layout: Layout, number: int) -> ReleaseManifest:
    """Reads the manifest of a release; raises InvalidReleaseError if there is none, or none that can be read."""
    return _parsed(number, _read_bytes(layout, number))


def _parsed(number: int, content: bytes) -> ReleaseManifest:
    """A manifest; raises InvalidReleaseError for one of a later version, with members that are unknown here."""
    try:
        return ReleaseManifest.parse(content)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidReleaseError(
            f"release {number}: its manifest is of another version of this software, or damaged ({error!r}): run the "
            "version that wrote it, here too"
        ) from error


def _read_bytes(layout: Layout, number: int) -> bytes:
    path = layout.release_folder(number) / MANIFEST
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InvalidReleaseError(f"release {number} has no manifest ({path})") from None


def write_pointer(layout: Layout, number: int) -> None:
    """Makes a release the current one: atomic, and the last step of every publish."""
    atomic_files.write_json(
        layout.release_pointer_file, {"release": number, "manifest_sha256": manifest_digest(layout, number)}
    )


def manifest_digest(layout: Layout, number: int) -> str:
    """SHA-256 of a release's manifest, as used in pointers; raises InvalidReleaseError if there is none."""
    return hashlib.sha256(_read_bytes(layout, number)).hexdigest()


def served_manifest(layout: Layout) -> ReleaseManifest | None:
    """The manifest named by the pointer; None before the first release.

    Raises InvalidReleaseError if its hash differs, UnservedMarketError if it has companies of a market that is not
    served here.
    """
    try:
        pointer = json.loads(layout.release_pointer_file.read_bytes())
        number, digest = int(pointer["release"]), str(pointer["manifest_sha256"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidReleaseError(
            f"{layout.release_pointer_file} is damaged ({error!r}): restore it, or name a release in it"
        ) from error
    content = _read_bytes(layout, number)
    if hashlib.sha256(content).hexdigest() != digest:
        raise InvalidReleaseError(f"release {number}: its manifest has changed since publication")
    manifest = _parsed(number, content)
    _check_markets(manifest)
    return manifest


def check_served_markets(layout: Layout) -> None:
    """Raises UnservedMarketError if the current release is one for which it would be raised; other damage may pass."""
    try:
        served_manifest(layout)
    except UnservedMarketError:
        raise
    except (InvalidReleaseError, OSError):
        return


def _check_markets(manifest: ReleaseManifest) -> None:
    """Raises UnservedMarketError for a release with a market in preview that the setting does not name (any more).

    Lists, streams and exports of all markets would have its companies, and routes of one market would not.
    """
    unserved = [code for code in manifest.history if code in MARKETS and MARKETS[code].state != "served"]
    if unserved:
        raise UnservedMarketError(
            f"release {manifest.release} has companies of {', '.join(MARKETS[code].name for code in unserved)}: set "
            f"{PREVIEW_SETTING}={' '.join(unserved).lower()} as when they were taken in, or use another FIRM_DATA"
        )


def served_position(layout: Layout) -> tuple[int, int]:
    """Number of the current release and its last sequence; (0, 0) before the first."""
    manifest = served_manifest(layout)
    return (manifest.release, manifest.last) if manifest else (0, 0)


def release_numbers(layout: Layout) -> list[int]:
    """Numbers of the releases on disk, ascending; including those above the pointer."""
    return sorted(int(path.parent.name) for path in layout.releases_folder.glob(f"[0-9]*/{MANIFEST}"))


def prune_releases(layout: Layout, keep: int) -> list[int]:
    """Deletes all but the newest releases, except those that a reader leases; returns their numbers.

    Called with the release lock held.
    """
    served = served_position(layout)[0]
    older = [number for number in release_numbers(layout) if number < served]
    spare = older[: max(0, len(older) - max(0, keep - 1))]
    return [number for number in spare if _remove_unless_leased(layout.release_folder(number))]


def prune_below(layout: Layout, oldest: int) -> None:
    """Deletes releases older than `oldest`, except the current one; leased ones are left for a later call.

    Called with the release lock held.
    """
    served = served_position(layout)[0]
    for number in release_numbers(layout):
        if number < min(oldest, served):
            _remove_unless_leased(layout.release_folder(number))


def _remove_unless_leased(folder: Path) -> bool:
    """Deletes a release unless a reader leases it (`reader.reader` holds a shared lock on its manifest)."""
    with (folder / MANIFEST).open("r+b") as handle:  # NFS gives an exclusive lock only of a file open for writing
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        atomic_files.delete_if_exists(folder)
        return True
