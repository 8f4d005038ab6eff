"""Event ledger (docs/architecture.md 6): every event once, numbered permanently, one immutable segment per release.

It is stored outside the releases, append-only, never rebuilt and never rolled back. A segment becomes visible
when `current.json` names a release that covers it; segments above that were left by a kill and are removed at
the next start (`ReleaseStore.heal`). Does not belong here: what makes an event (`pipelines.transforms`), reading by
sequence without an engine (`read_index`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

import polars as pl

from warehouse import schema_render
from warehouse.ledger import read_index
from warehouse.ledger.known_ids import KnownIds
from warehouse.ledger.read_index import LedgerEvent, LedgerSegment, format_instant
from warehouse.release.manifest import served_position
from warehouse.schema.tables import EVENTS
from warehouse.storage import atomic_files
from warehouse.storage.layout import Layout

SCHEMA: Final = pl.Schema(
    {
        "sequence": pl.Int64(),
        "event_id": pl.String(),
        "event_type": pl.String(),
        "company_id": pl.String(),
        "occurred_at": schema_render.INSTANT,
        "recorded_at": schema_render.INSTANT,
        "data": pl.String(),
    }
)

# Thousands of days have a segment each, of few events: whatever reads them takes longer to begin than to read
_ROWS_AT_ONCE: Final = 20_000


class Ledger:
    """The ledger of one data root. Appending requires the release lock; reading requires none."""

    def __init__(self, layout: Layout, on_step: atomic_files.Step = atomic_files.ignore_step) -> None:
        self._layout = layout
        self._folder = layout.ledger_folder
        self._on_step = on_step
        self._index = read_index.LedgerIndex(self._folder)
        self._ids = KnownIds(layout)

    def last(self) -> int:
        """The newest visible sequence; 0 if there is none."""
        return served_position(self._layout)[1]

    def after(self, sequence: int, limit: int) -> list[LedgerEvent]:
        """Visible events above a sequence, ascending."""
        return self._index.after(sequence, self.last(), limit)

    def known(self, event_ids: pl.Series) -> pl.Series:
        """The subset of these ids that the ledger has, visible or not."""
        return pl.Series(event_ids.name, self._ids.known(event_ids), event_ids.dtype)

    def append(self, release: int, events: pl.DataFrame, recorded_at: datetime) -> range:
        """Writes the segment of a release: known ids are dropped, the rest is numbered.

        Order is (known_at, occurred_at, event_id): events applied by `sequence` end in the newest known state.
        `sequence` is inserted into each `data` after `occurred_at`. If nothing is new, returns an empty range and
        writes no segment.
        """
        entries = read_index.read_segments(self._folder)
        if entries and entries[-1].release >= release:
            raise ValueError(f"ledger: release {release} is not above {entries[-1].release}; repair it first")
        first = entries[-1].last + 1 if entries else 1
        if events.is_empty():
            return range(first, first)
        fresh = schema_render.conform_frame(EVENTS, events).unique("event_id", keep="first")
        fresh = fresh.filter(~pl.col("event_id").is_in(self.known(fresh["event_id"]).to_list()))
        if fresh.is_empty():
            return range(first, first)
        self._write_segment(release, _number_events(fresh.sort(EVENTS.sort), first, recorded_at))
        segment = LedgerSegment(release, first, first + fresh.height - 1)
        read_index.write_segments(self._folder, [*entries, segment])
        self._on_step("ledger index written")
        return range(segment.first, segment.last + 1)

    def _write_segment(self, release: int, rows: pl.DataFrame) -> None:
        atomic_files.make_folder(self._folder)
        path = read_index.segment_path(self._folder, release)
        built = atomic_files.temporary_path(path)
        rows.write_parquet(built)
        self._on_step("ledger segment written")
        atomic_files.publish_file(built, path)
        self._on_step("ledger segment published")
        read_index.write_lookup(read_index.lookup_path(self._folder, release), read_index_rows(rows))

    def rows(self, above: int = 0) -> Iterator[pl.DataFrame]:
        """Events of a sequence greater than `above`, in order, those of many small segments at once."""
        gathered, height = list[pl.DataFrame](), 0
        for segment in read_index.read_segments(self._folder):
            if segment.last <= above:
                continue
            path = read_index.segment_path(self._folder, segment.release)
            gathered.append(pl.read_parquet(path).filter(pl.col("sequence") > above))
            height += gathered[-1].height
            if height >= _ROWS_AT_ONCE:
                yield pl.concat(gathered)
                gathered, height = [], 0
        if gathered:
            yield pl.concat(gathered)

    def repair_segments(self, release: int) -> list[str]:
        """Removes segments above a release and rebuilds missing read indexes; returns messages on what was done."""
        told: list[str] = []
        entries = read_index.read_segments(self._folder)
        kept = [entry for entry in entries if entry.release <= release]
        if len(kept) < len(entries):
            read_index.write_segments(self._folder, kept)
        names = {read_index.segment_path(self._folder, entry.release).stem for entry in kept}
        for path in sorted(self._folder.glob("[0-9]*")) if self._folder.is_dir() else ():
            if path.name.split(".")[0] not in names or path.suffix == atomic_files.TEMPORARY:
                atomic_files.delete_if_exists(path)
                told.append(f"removed {path.name} of the ledger: its release was never published")
        for entry in kept:
            path = read_index.lookup_path(self._folder, entry.release)
            if not path.exists():
                rows = pl.read_parquet(read_index.segment_path(self._folder, entry.release))
                read_index.write_lookup(path, read_index_rows(rows))
                told.append(f"rebuilt {path.name} of the ledger")
        return told


def _number_events(events: pl.DataFrame, first: int, recorded_at: datetime) -> pl.DataFrame:
    rows = events.with_columns(
        pl.Series("sequence", range(first, first + events.height), pl.Int64()),
        pl.lit(recorded_at).cast(schema_render.INSTANT).alias("recorded_at"),
        pl.Series("data", list(map(with_sequence, events["data"], range(first, first + events.height)))),
    )
    return rows.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


def with_sequence(data: str, sequence: int) -> str:
    """The contract's `data` with `sequence` right after `occurred_at` (docs/contract/contract.md 4.6).

    The order is part of the contract.
    """
    whole: dict[str, Any] = {}
    for key, value in json.loads(data).items():
        whole[key] = value
        if key == "occurred_at":
            whole["sequence"] = sequence
    if "sequence" not in whole:
        raise ValueError("an event's data has no occurred_at")
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def read_index_rows(rows: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Rows in the format of the read index."""
    for row in rows.select(SCHEMA.names()).iter_rows():
        yield (*row[:4], format_instant(row[4]), format_instant(row[5]), row[6])
