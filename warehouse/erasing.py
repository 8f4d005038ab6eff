"""Erases subjects from files: staged tables, snapshots, run outputs, the ledger, exports.

Each function changes only content about a subject, one file at a time and atomically: after a kill it is called
again. Does not belong here: RAW (`archive`), a market's history (`erasing_history`), the meaning of a staged
row (`pipelines`), or the order of steps (`tombstones`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import polars as pl

from warehouse import files, segments
from warehouse.blanking import Blanking
from warehouse.exports import FORMATS, LATEST, Exports
from warehouse.images import TOUCHED, Images
from warehouse.ledger import lookup_rows
from warehouse.paths import Layout
from warehouse.schema.ids import holder_id
from warehouse.staging import REJECTS, SIGNALS

Mask = Callable[[pl.DataFrame], pl.Series]  # true for rows to delete
Says = Callable[[str], bool]  # true if a text mentions a subject
_COMPANY: Final = "company_id"


def parquet(path: Path, mask: Mask) -> int:
    """Deletes rows from a finished Parquet file and returns their number."""
    if not path.exists():
        return 0
    rows = pl.read_parquet(path)
    gone = mask(rows)
    count = int(gone.sum())
    if count:
        _replace(path, rows.filter(~gone))
    return count


def _replace(path: Path, rows: pl.DataFrame) -> None:
    built = files.temporary(path)
    rows.write_parquet(built)
    files.publish(built, path)


def told_of(path: Path, says: Says) -> None:
    """Removes rejects and signal examples that mention a subject from one staged batch."""

    def mask(rows: pl.DataFrame) -> pl.Series:
        texts = (f"{record} {excerpt}" for record, excerpt in rows.select("record", "excerpt").iter_rows())
        return pl.Series("gone", [says(text) for text in texts], dtype=pl.Boolean)

    parquet(path / f"{REJECTS}.parquet", mask)
    signals = path / f"{SIGNALS}.json"
    if signals.exists() and says(signals.read_text()):
        told = json.loads(signals.read_text())
        for signal in told:
            signal["examples"] = [example for example in signal["examples"] if not says(example)]
            signal["subject"] = "" if says(signal["subject"]) else signal["subject"]
        files.write_json(signals, told)


def images(images: Images, market: str, blanking: Blanking) -> None:
    """Erases subjects from snapshots that are not merged into history yet."""
    for image in images.all(market):
        for part in image.parts:
            for table in part.tables:
                parquet(part.path(table), lambda rows: gone(rows, blanking))
            parquet(part.path(TOUCHED), lambda rows: rows[TOUCHED].is_in(list(blanking.companies)))


def gone(rows: pl.DataFrame, blanking: Blanking) -> pl.Series:
    """Mask of the rows of a shared table that belong to a subject."""
    nothing = pl.Series("gone", [False], dtype=pl.Boolean).new_from_index(0, rows.height)
    if _COMPANY not in rows.columns:
        return nothing
    hit = rows[_COMPANY].is_in(list(blanking.companies))
    if "holder_id" in rows.columns:
        return hit | rows["holder_id"].is_in(list(blanking.holders))
    if blanking.holders and {"register", "native_id", "holder_type"} <= set(rows.columns):
        keys = rows.select(_COMPANY, "register", "native_id").iter_rows()
        found = [holder_id(*key) in blanking.holders for key in keys]
        return hit | pl.Series("gone", found, dtype=pl.Boolean)
    return hit


def collected_events(runs: Path, market: str, blanking: Blanking) -> None:
    """Redacts events that runs have collected for a release."""
    for path in sorted(runs.glob(f"*/events-{market}.parquet")):
        _blank(path, blanking)


def _blank(path: Path, blanking: Blanking) -> pl.DataFrame | None:
    """Redacts the `data` of events in a Parquet file; returns the new rows, or None if nothing changed."""
    rows = pl.read_parquet(path)
    data = pl.Series("data", list(map(blanking.blanked, rows["data"])), dtype=pl.String)
    if (data == rows["data"]).all():
        return None
    rows = rows.with_columns(data)
    _replace(path, rows)
    return rows


def ledger(layout: Layout, blanking: Blanking) -> int:
    """Redacts events in the ledger: ids, kinds, times and sequences stay. Returns the number of rewritten segments.

    The read index is written first: after a kill in between, the segment still shows that it has to be redone.
    """
    count = 0
    for segment in segments.read_index(layout.ledger):
        path = segments.segment_path(layout.ledger, segment.release)
        lookup = segments.lookup_path(layout.ledger, segment.release)
        rows = pl.read_parquet(path)
        data = pl.Series("data", list(map(blanking.blanked, rows["data"])), dtype=pl.String)
        if (data == rows["data"]).all():
            continue
        rows = rows.with_columns(data)
        segments.write_lookup(lookup, lookup_rows(rows))
        _replace(path, rows)
        count += 1
    return count


def exports(exports_: Exports, folder: Path, market: str) -> None:
    """Deletes a market's exports; if it had any, writes one of the current release instead."""
    root = folder / market
    newest = exports_.latest(market)
    formats: Iterable[str] = newest.manifest["formats"] if newest else ()
    if newest is not None:
        for _ in exports_.write([market], [form for form in FORMATS if form in formats]):
            pass
    fresh = exports_.latest(market)
    for path in _folders(root):
        if fresh is None or path != fresh.folder:
            files.discard(path / "manifest.json")
            files.discard(path)
    if fresh is None:
        files.discard(root / LATEST)


def _folders(root: Path) -> Iterator[Path]:
    return (path for path in sorted(root.glob("[0-9]*")) if path.is_dir())
