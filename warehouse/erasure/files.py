"""Erases subjects from files: staged tables, snapshots, run outputs, the ledger, exports.

Each function changes only content about a subject, one file at a time and atomically: after a kill it is called
again. Does not belong here: RAW (`raw.archive`), a market's history (`history`), the meaning of a staged
row (`pipelines`), or the order of steps (`tombstones`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

import polars as pl

from warehouse.erasure.event_redaction import EventRedactor
from warehouse.erasure.free_texts import TextRedactor
from warehouse.exports.delta_writer import DELTAS
from warehouse.exports.exports import FORMATS, LATEST, ExportStore, ForeignExportError, delete_export_folder
from warehouse.ledger import read_index
from warehouse.ledger.ledger import read_index_rows
from warehouse.schema.ids import holder_id
from warehouse.staged.snapshots import TOUCHED, SnapshotStore
from warehouse.staged.store import INDEX
from warehouse.staged.writer import PIECE, REJECTS, SIGNALS
from warehouse.storage import atomic_files, parquet
from warehouse.storage.layout import Layout

Mask = Callable[[pl.DataFrame], pl.Series]  # true for rows to delete
MentionsSubject = Callable[[str], bool]  # true if a text mentions a subject
_COMPANY: Final = "company_id"


def erase_parquet_rows(path: Path, mask: Mask) -> int:
    """Deletes rows from a finished Parquet file and returns their number."""
    if not path.exists():
        return 0
    rows = pl.read_parquet(path)
    gone = mask(rows)
    count = int(gone.sum())
    if count:
        parquet.replace_parquet(path, rows.filter(~gone))
    return count


def erase_rejects_and_signals(path: Path, mentions_subject: MentionsSubject) -> None:
    """Removes rejects and signal examples that mention a subject from one staged batch."""

    def mask(rows: pl.DataFrame) -> pl.Series:
        texts = (f"{record} {excerpt}" for record, excerpt in rows.select("record", "excerpt").iter_rows())
        return pl.Series("gone", [mentions_subject(text) for text in texts], dtype=pl.Boolean)

    erase_parquet_rows(path / f"{REJECTS}.parquet", mask)
    signals = path / f"{SIGNALS}.json"
    if signals.exists() and mentions_subject(signals.read_text()):
        told = json.loads(signals.read_text())
        for signal in told:
            signal["examples"] = [example for example in signal["examples"] if not mentions_subject(example)]
            signal["subject"] = "" if mentions_subject(signal["subject"]) else signal["subject"]
        atomic_files.write_json(signals, told)


def redact_batch_texts(path: Path, redactor: TextRedactor) -> None:
    """Redacts what one staged batch says in free text: names of files and members, reasons, signals."""
    rejects = path / f"{REJECTS}.parquet"
    for table in sorted(path.glob("*.parquet")):
        _redact_columns(table, ("piece", "raw", "reason") if table == rejects else (PIECE, "_raw"), redactor)
    for name in (INDEX, f"{SIGNALS}.json"):
        redact_json_file(path / name, redactor)


def _redact_columns(path: Path, names: Iterable[str], redactor: TextRedactor) -> None:
    rows = pl.scan_parquet(path)
    markers: dict[str, dict[str, str]] = {}
    for name in names:
        texts = rows.select(pl.col(name).unique()).collect()[name].drop_nulls()
        markers[name] = {text: told for text in texts if (told := redactor.redact_text(text)) != text}
    if any(markers.values()):
        redacted = [pl.col(name).replace(told) for name, told in markers.items() if told]
        parquet.replace_parquet(path, pl.read_parquet(path).with_columns(redacted))


def redact_json_file(path: Path, redactor: TextRedactor) -> None:
    """Redacts the texts of a JSON file; one that names no subject stays as it is."""
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:  # removed by another process
        return
    redacted = redactor.redact_json(value)
    if redacted != value:
        atomic_files.write_json(path, redacted)


def redact_reports(layout: Layout, names: Collection[str], redactor: TextRedactor) -> None:
    """Redacts results of steps of one market (`names`: its code and its datasets), and the operator's logs."""
    steps = (path for path in sorted((layout.root / "runs").glob("*/*.json")) if path.stem.partition("-")[2] in names)
    for path in (*steps, *sorted(layout.run_log_folder.glob("*.json")), layout.retraction_log_file):
        redact_json_file(path, redactor)


def erase_snapshot_rows(snapshots: SnapshotStore, market: str, redactor: EventRedactor) -> None:
    """Erases subjects from snapshots that are not merged into history yet."""
    for image in snapshots.all(market):
        for part in image.parts:
            for table in part.tables:
                erase_parquet_rows(part.path(table), lambda rows: erased_rows_mask(rows, redactor))
            erase_parquet_rows(part.path(TOUCHED), lambda rows: rows[TOUCHED].is_in(list(redactor.companies)))


def erased_rows_mask(rows: pl.DataFrame, redactor: EventRedactor) -> pl.Series:
    """Mask of the rows of a shared table that belong to a subject."""
    nothing = pl.Series("gone", [False], dtype=pl.Boolean).new_from_index(0, rows.height)
    if _COMPANY not in rows.columns:
        return nothing
    hit = rows[_COMPANY].is_in(list(redactor.companies))
    if "holder_id" in rows.columns:
        return hit | rows["holder_id"].is_in(list(redactor.holders))
    if redactor.holders and {"register", "native_id", "holder_type"} <= set(rows.columns):
        keys = rows.select(_COMPANY, "register", "native_id").iter_rows()
        found = [holder_id(*key) in redactor.holders for key in keys]
        return hit | pl.Series("gone", found, dtype=pl.Boolean)
    return hit


def redact_collected_events(runs: Path, market: str, redactor: EventRedactor) -> None:
    """Redacts events that runs have collected for a release."""
    for path in sorted(runs.glob(f"*/events-{market}.parquet")):
        if (rows := _redacted_events(path, redactor)) is not None:
            parquet.replace_parquet(path, rows)


def _redacted_events(path: Path, redactor: EventRedactor) -> pl.DataFrame | None:
    """The rows of a Parquet file of events with their `data` redacted; None if that changes nothing."""
    rows = pl.read_parquet(path)
    data = pl.Series("data", list(map(redactor.redact_event, rows["data"])), dtype=pl.String)
    return None if (data == rows["data"]).all() else rows.with_columns(data)


def redact_ledger(layout: Layout, redactor: EventRedactor) -> int:
    """Redacts events in the ledger: ids, kinds, times and sequences stay. Returns the number of rewritten segments.

    The read index is written first: after a kill in between, the segment still shows that it has to be redone.
    """
    count = 0
    for segment in read_index.read_segments(layout.ledger_folder):
        path = read_index.segment_path(layout.ledger_folder, segment.release)
        rows = _redacted_events(path, redactor)
        if rows is not None:
            lookup = read_index.lookup_path(layout.ledger_folder, segment.release)
            read_index.write_lookup(lookup, read_index_rows(rows))
            parquet.replace_parquet(path, rows)
            count += 1
    return count


def replace_exports(exports_: ExportStore, folder: Path, market: str) -> None:
    """Deletes a market's exports and deltas; if it had any, writes an export of the current release instead.

    Exports that this release does not follow, as of a folder that was restored without them, go first.
    """
    root = folder / market
    newest = exports_.latest(market)
    if newest is not None:
        formats = [form for form in FORMATS if form in newest.manifest["formats"]]
        try:
            list(exports_.write([market], formats))
        except ForeignExportError:
            atomic_files.delete_if_exists(root / LATEST)
            for path in _release_folders(root):
                delete_export_folder(path)
            list(exports_.write([market], formats))
    fresh = exports_.latest(market)
    for path in _release_folders(root):
        if fresh is None or path != fresh.folder:
            delete_export_folder(path)
    for path in (root / DELTAS).glob("*"):  # they name what was erased
        delete_export_folder(path)
    atomic_files.delete_if_exists(root / DELTAS)
    if fresh is None:
        atomic_files.delete_if_exists(root / LATEST)


def _release_folders(root: Path) -> Iterator[Path]:
    return (path for path in sorted(root.glob("[0-9]*")) if path.is_dir())
