"""Bulk exports (docs/contract/contract.md 4.15): all of a market's content of one release as files.

    <folder>/<market>/latest.json      {"market", "release", "folder", "manifest_sha256"}
    <folder>/<market>/0000000042/      one release: its files, and manifest.json, which lists them

A folder counts once its manifest exists, and `latest.json` moves after that: a kill at any moment leaves the
previous export complete. An export that already has the requested files is left unchanged. Does not belong
here: columns (`handover`), file formats (`handover_files`), rows (`queries.whole`), writing one market
(`export_writing`).
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

from warehouse import files
from warehouse.archive import utc_now
from warehouse.export_manifests import MANIFEST
from warehouse.export_writing import Told, Writing
from warehouse.handover_files import SUFFIXES
from warehouse.leases import Leased, leased, unreadable
from warehouse.locks import exclusive
from warehouse.manifests import Manifest, Unsound
from warehouse.paths import DIGITS, Layout, numbered
from warehouse.reader import NoRelease

__all__ = [
    "FORMATS",
    "Export",
    "Exports",
    "NoMarket",
    "NoRelease",
    "NotWritten",
    "Told",
    "Unsound",
    "untold",
]

FORMATS: Final = tuple(SUFFIXES)
LATEST: Final = "latest.json"
KEEP: Final = 3


class NoMarket(LookupError):  # noqa: N818 - named for what it says
    """The release does not have this market; the message lists the markets it has."""


class NotWritten(OSError):  # noqa: N818 - named for what it says
    """The export could not be written to disk; the message says where and why. Earlier exports stay intact."""


@dataclass(frozen=True, slots=True)
class Export:
    """One market's export on disk. `is_new`: files of it were written by this call."""

    market: str
    folder: Path
    manifest: Mapping[str, Any]
    is_new: bool


def untold(_market: str, _table: str, _rows: int) -> None:
    """A progress callback that does nothing."""


class Exports:
    """The exports of one data root, in its own folder or in another one."""

    def __init__(
        self,
        layout: Layout,
        clock: Callable[[], datetime] = utc_now,
        keep: int = KEEP,
        on_step: files.Step = files.no_step,
        folder: Path | None = None,
    ) -> None:
        self._layout = layout
        self._clock = clock
        self._keep = keep
        self._on_step = on_step
        self._folder = folder or layout.exports

    def write(
        self, markets: Iterable[str] = (), formats: Iterable[str] = FORMATS, told: Told = untold
    ) -> Iterator[Export]:
        """Exports the given markets (default: all), every one from the current release."""
        formats = tuple(formats)
        with leased(self._layout) as release:
            for market in _chosen(release.manifest, markets):
                with exclusive(self._layout, f"export-{market}", f"the export of {market}"):
                    made = self._export_market(release, market, formats, told)
                yield made

    def latest(self, market: str) -> Export | None:
        """The newest export of a market; None if there is none."""
        try:
            pointer = json.loads((self._folder / market / LATEST).read_bytes())
        except FileNotFoundError:
            return None
        folder = self._folder / market / pointer["folder"]
        return Export(market, folder, json.loads((folder / MANIFEST).read_bytes()), is_new=False)

    def _export_market(self, release: Leased, market: str, formats: tuple[str, ...], told: Told) -> Export:
        folder = self._folder / market / numbered(release.manifest.release)
        try:
            is_new = Writing(release, market, folder, formats, told, self._on_step).write(self._clock())
            self._replace_pointer(market, folder, release.manifest.release)
            self._prune_exports(market)
        except OSError as error:
            raise NotWritten(
                f"cannot write {folder}: {error.strerror or error}; free space or give another folder "
                "(`firm export --to DIR`); the previous export is unchanged"
            ) from error
        except sqlite3.Error as error:
            raise unreadable(release.manifest, error) from error
        return Export(market, folder, json.loads((folder / MANIFEST).read_bytes()), is_new)

    def _replace_pointer(self, market: str, folder: Path, release: int) -> None:
        digest = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
        pointer = {"market": market, "release": release, "folder": folder.name, "manifest_sha256": digest}
        files.write_json(self._folder / market / LATEST, pointer)
        self._on_step("pointer replaced")

    def _prune_exports(self, market: str) -> None:
        """Deletes all but the newest exports, and incomplete ones left by kills."""
        folders = sorted(path for path in (self._folder / market).glob("[0-9]" * DIGITS) if path.is_dir())
        kept = [path for path in folders if (path / MANIFEST).exists()][-self._keep :]
        for path in folders:
            if path not in kept:
                # the manifest first: a half-removed folder no longer counts as an export
                files.discard(path / MANIFEST)
                files.discard(path)


def _chosen(manifest: Manifest, markets: Iterable[str]) -> list[str]:
    """The given markets, or all of the release. Raises NoMarket before anything is written."""
    chosen = list(dict.fromkeys(markets)) or sorted(manifest.markets)
    for market in chosen:
        if market not in manifest.markets:
            raise NoMarket(
                f"market {market} is not in release {manifest.release}, which has "
                f"{', '.join(sorted(manifest.markets))}: run `firm ingest` first"
            )
    return chosen
