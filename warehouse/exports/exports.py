"""Bulk exports (docs/contract/contract.md 4.15): all of a market's content of one release as files.

    <folder>/<market>/latest.json      {"market", "release", "folder", "manifest_sha256"}
    <folder>/<market>/0000000042/      one release: its files, and manifest.json, which lists them
    <folder>/<market>/deltas/0000000041-0000000042/    what changed from one export to the next

A folder counts once its manifest exists, and `latest.json` moves after that: a kill at any moment leaves the
previous export complete. An export that already has the requested files is left unchanged. Does not belong
here: columns (`schemas`), file formats (`sinks`), rows (`market_rows`), writing one market (`writer`), what has
changed (`delta_writer`).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from warehouse.exports.delta_writer import DELTAS, write_delta
from warehouse.exports.formats import FORMATS, TABLE_FORMATS
from warehouse.exports.market_rows import MarketRows
from warehouse.exports.writer import MANIFEST, ExportProgress, MarketExportWriter
from warehouse.ledger.read_index import format_instant
from warehouse.raw.archive import utc_now
from warehouse.reader.leases import LeasedRelease, leased_release, unreadable_release_error
from warehouse.reader.reader import NoReleaseError
from warehouse.release.manifest import InvalidReleaseError, ReleaseManifest
from warehouse.storage import atomic_files
from warehouse.storage.layout import DIGITS, Layout, padded_number
from warehouse.storage.locks import exclusive_lock

__all__ = [
    "FORMATS",
    "ExportProgress",
    "ExportStore",
    "ExportWriteError",
    "ForeignExportError",
    "InvalidReleaseError",
    "MarketExport",
    "MarketNotInReleaseError",
    "NoReleaseError",
    "ignore_progress",
]

LATEST: Final = "latest.json"
KEEP: Final = 3
KEEP_DELTAS: Final = 30


class MarketNotInReleaseError(LookupError):
    """The release does not have this market; the message lists the markets it has."""


class ExportWriteError(OSError):
    """The export could not be written to disk; the message says where and why. Earlier exports stay intact."""


class ForeignExportError(ExportWriteError):
    """The folder has an export that this release does not follow; the message says which. Nothing was written."""


class _ExportedState(msgspec.Struct, frozen=True):
    """Of the manifest of an export, what says which state it has."""

    release: int
    released_at: str
    as_of_sequence: int


_EXPORTED_STATE: Final = msgspec.json.Decoder(_ExportedState)


@dataclass(frozen=True, slots=True)
class MarketExport:
    """One market's export on disk.

    is_new: files of it were written by this call. delta: the folder with what changed since the export before it, if
    this call found or wrote one.
    """

    market: str
    folder: Path
    manifest: Mapping[str, Any]
    is_new: bool
    delta: Path | None = None


def ignore_progress(_market: str, _table: str, _rows: int) -> None:
    """A progress callback that does nothing."""


class ExportStore:
    """The exports of one data root, in its own folder or in another one."""

    def __init__(
        self,
        layout: Layout,
        clock: Callable[[], datetime] = utc_now,
        keep: int = KEEP,
        keep_deltas: int = KEEP_DELTAS,
        on_step: atomic_files.Step = atomic_files.ignore_step,
        folder: Path | None = None,
    ) -> None:
        self._layout = layout
        self._clock = clock
        self._keep = keep
        self._keep_deltas = keep_deltas
        self._on_step = on_step
        self._folder = folder or layout.exports_folder

    def write(
        self,
        markets: Iterable[str] = (),
        formats: Iterable[str] = TABLE_FORMATS,
        progress: ExportProgress = ignore_progress,
    ) -> Iterator[MarketExport]:
        """Exports the given markets (default: all), every one from the current release."""
        formats = tuple(formats)
        with leased_release(self._layout) as release:
            for market in _chosen_markets(release.manifest, markets):
                with exclusive_lock(self._layout, f"export-{market}", f"the export of {market}"):
                    made = self._export_market(release, market, formats, progress)
                yield made

    def latest(self, market: str) -> MarketExport | None:
        """The newest export of a market; None if there is none."""
        try:
            pointer = json.loads((self._folder / market / LATEST).read_bytes())
        except FileNotFoundError:
            return None
        folder = self._folder / market / pointer["folder"]
        return MarketExport(market, folder, json.loads((folder / MANIFEST).read_bytes()), is_new=False)

    def _export_market(
        self, release: LeasedRelease, market: str, formats: tuple[str, ...], told: ExportProgress
    ) -> MarketExport:
        folder = self._folder / market / padded_number(release.manifest.release)
        _check_follows(release.manifest, folder.parent)
        rows = MarketRows(self._layout, release, market)
        try:
            is_new = MarketExportWriter(rows, folder, formats, told, self._on_step).write(self._clock())
            delta = write_delta(rows, self._base_folder(folder), folder, formats, self._on_step)
            self._replace_pointer(market, folder, release.manifest.release)
            self._prune_exports(market)
        except OSError as error:
            raise ExportWriteError(
                f"cannot write {folder}: {error.strerror or error}; free space or give another folder "
                "(`firm export --to DIR`); the previous export is unchanged"
            ) from error
        except sqlite3.Error as error:
            raise unreadable_release_error(release.manifest, error) from error
        return MarketExport(market, folder, json.loads((folder / MANIFEST).read_bytes()), is_new, delta)

    def _base_folder(self, folder: Path) -> Path | None:
        """The newest export before this one, if there is any."""
        earlier = [path for path in _complete_folders(folder.parent) if path.name < folder.name]
        return max(earlier, default=None)

    def _replace_pointer(self, market: str, folder: Path, release: int) -> None:
        digest = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
        pointer = {"market": market, "release": release, "folder": folder.name, "manifest_sha256": digest}
        atomic_files.write_json(self._folder / market / LATEST, pointer)
        self._on_step("pointer replaced")

    def _prune_exports(self, market: str) -> None:
        """Deletes all but the newest exports and deltas, and incomplete ones left by kills."""
        root = self._folder / market
        for folder, pattern, keep in ((root, "[0-9]" * DIGITS, self._keep), (root / DELTAS, "*-*", self._keep_deltas)):
            kept = _complete_folders(folder, pattern)[-keep:]
            for path in folder.glob(pattern):
                if path.is_dir() and path not in kept:
                    delete_export_folder(path)


def delete_export_folder(path: Path) -> None:
    """Deletes the manifest first: a half-removed folder no longer counts as an export."""
    atomic_files.delete_if_exists(path / MANIFEST)
    atomic_files.delete_if_exists(path)


def delete_exports(folder: Path, market: str) -> None:
    """Deletes all exports of a market with their deltas: subjects were erased elsewhere that these name."""
    root = folder / market
    atomic_files.delete_if_exists(root / LATEST)
    for path in (*root.glob("[0-9]" * DIGITS), *(root / DELTAS).glob("*-*")):
        delete_export_folder(path)


def _complete_folders(folder: Path, pattern: str = "[0-9]" * DIGITS) -> list[Path]:
    """Folders of exports or deltas that have a manifest, oldest first."""
    return sorted(path for path in folder.glob(pattern) if (path / MANIFEST).is_file())


def _check_follows(manifest: ReleaseManifest, root: Path) -> None:
    """Raises ForeignExportError unless a release is that of the newest export of a market, or follows it.

    Another one would leave its files in place as if they were this release's, or be deleted as the older one.
    """
    newest = next(filter(None, map(_exported_state, reversed(_complete_folders(root)))), None)
    if newest is None:
        return
    released_at = format_instant(manifest.built_at)
    advice = "give another folder (`firm export --to DIR`), or move that one away"
    if newest.release > manifest.release:
        raise ForeignExportError(
            f"{root} has release {newest.release}, which is newer than {manifest.release}, the current one here: "
            f"export where the newer release is; if that was another installation, {advice}"
        )
    is_same = newest.release == manifest.release
    is_own = (newest.released_at, newest.as_of_sequence) == (released_at, manifest.last)
    is_later = newest.released_at > released_at or newest.as_of_sequence > manifest.last
    if is_later or (is_same and not is_own):
        raise ForeignExportError(f"{root} has release {newest.release} of another installation: {advice}")


def _exported_state(folder: Path) -> _ExportedState | None:
    """The state of an export; None if its manifest is damaged, as then it is written again."""
    try:
        return _EXPORTED_STATE.decode((folder / MANIFEST).read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _chosen_markets(manifest: ReleaseManifest, markets: Iterable[str]) -> list[str]:
    """The given markets, or all of the release. Raises UnknownMarketError before anything is written."""
    chosen = list(dict.fromkeys(markets)) or sorted(manifest.markets)
    for market in chosen:
        if market not in manifest.markets:
            raise MarketNotInReleaseError(
                f"market {market} is not in release {manifest.release}, which has "
                f"{', '.join(sorted(manifest.markets))}: run `firm ingest` first"
            )
    return chosen
