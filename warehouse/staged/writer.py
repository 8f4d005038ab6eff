"""Staged writer: collects one batch, chunk by chunk, into one Parquet file per table.

Does not belong here: when the batch becomes visible (`store`) or the meaning of its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

import polars as pl

from warehouse import schema_render
from warehouse.schema.market_state import QuarantineReason
from warehouse.schema.types import Table
from warehouse.storage import atomic_files
from warehouse.storage.parquet import FRAMES, RowGroupWriter

REJECTS: Final = "rejects"
SIGNALS: Final = "signals"
PIECE: Final = "_piece"  # column: name of the file that a row was read from
MEMBER: Final = ""  # the table of a reject that is a whole member, or part of an archive
STAGED_COLUMNS: Final[dict[str, pl.DataType]] = {
    "_observed_at": schema_render.INSTANT,
    "_raw": pl.String(),
    PIECE: pl.String(),
    "_scope": pl.String(),
}
_RAW: Final = "_raw"
_REJECT_COLUMNS: Final = ("table", "piece", "raw", "record", "reason", "excerpt")
_REJECT_SCHEMA: Final = pl.Schema(dict.fromkeys(_REJECT_COLUMNS, pl.String()))


class ArchiveMemberLike(Protocol):
    """The source of rows: shaped like `connectors.contract.dataset.ArchiveMember`."""

    @property
    def name(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def observed_at(self) -> datetime: ...
    @property
    def scope(self) -> str: ...


class SignalLike(Protocol):
    """A signal for manual review: shaped like `connectors.contract.dataset.Signal`."""

    @property
    def code(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def examples(self) -> tuple[str, ...]: ...


class StagedWriter:
    """Collects one batch of one dataset; created and published by `StagedStore.write_batch`."""

    def __init__(self, dataset: str, batch: str, folder: Path) -> None:
        self._dataset, self._batch, self._folder = dataset, batch, folder
        self._stack = ExitStack()
        self._writers: dict[str, RowGroupWriter] = {}
        self._schemas: dict[str, pl.Schema] = {}
        self._marks: dict[str, tuple[object, pl.Series]] = {}  # latest values, as series of one row
        self._tables: dict[str, int] = {}
        self._rejects: list[pl.DataFrame] = []
        self._signals: list[dict[str, Any]] = []
        self._editions: dict[tuple[str, str], dict[str, Any]] = {}
        self._keys: dict[tuple[str, str, str], pl.Series] = {}  # hashed, by snapshot and table
        self._fresh: dict[tuple[str, str, str], list[pl.DataFrame]] = {}  # not hashed yet
        self._pieces: dict[tuple[str, str], dict[str, Any]] = {}
        self._newest: dict[str, dict[str, Any]] = {}  # by SHA-256
        self._cursor: str | None = None
        self._held: QuarantineReason | None = None
        self._figures: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
        if kind is None:
            rejects = pl.concat([pl.DataFrame(schema=_REJECT_SCHEMA), *self._rejects])
            rejects.write_parquet(self._folder / f"{REJECTS}.parquet")
            atomic_files.write_json(self._folder / f"{SIGNALS}.json", self._signals)

    def add_rows(self, table: Table, member: ArchiveMemberLike, rows: pl.DataFrame) -> None:
        """Adds rows of one piece, with the columns of STAGED_COLUMNS.

        An existing `_raw` column is kept: a worker may gather rows of many members, with a pointer for each.
        """
        if table.name not in self._writers:
            path = self._folder / f"{table.name}.parquet"
            self._schemas[table.name] = schema_render.polars_schema(table)
            self._writers[table.name] = self._stack.enter_context(self._rows_writer(path))
        rows = self.with_staged_columns(table, member, rows)
        self._writers[table.name].add(rows)
        self._tables[table.name] = self._tables.get(table.name, 0) + rows.height
        counts = self._snapshot_entry(member)["rows"]
        counts[table.name] = counts.get(table.name, 0) + rows.height
        self.add_member(member)["rows"] += rows.height
        self._collect_keys(table, member, rows)

    def _rows_writer(self, path: Path) -> RowGroupWriter:
        return RowGroupWriter(path)

    def with_staged_columns(self, table: Table, piece: ArchiveMemberLike, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows in the declared schema with their provenance. Eager, as a member has few rows."""
        told = {
            "_observed_at": piece.observed_at.astimezone(UTC),
            "_raw": raw_pointer(piece),
            PIECE: piece.name,
            "_scope": str(piece.scope),
        }
        for name, value in told.items():
            if name not in self._marks or self._marks[name][0] != value:
                self._marks[name] = value, pl.Series(name, [value], dtype=STAGED_COLUMNS[name])
        marks = {name: one.new_from_index(0, rows.height) for name, (_, one) in self._marks.items()}
        if _RAW in rows.columns:
            marks[_RAW] = rows.get_column(_RAW)
        schema = self._schemas[table.name]
        fits = rows.columns == schema.names() and rows.dtypes == schema.dtypes()
        return (rows if fits else schema_render.conform_frame(table, rows)).hstack(list(marks.values()))

    def _collect_keys(self, table: Table, piece: ArchiveMemberLike, rows: pl.DataFrame) -> None:
        """Collects the keys of a snapshot, so that duplicate records are counted once."""
        edition = self._snapshot_entry(piece)
        where = (edition["observed_at"], edition["scope"], table.name)
        held = self._fresh.setdefault(where, [])
        held.append(pl.DataFrame([rows.get_column(name) for name in table.key]))
        if len(held) >= FRAMES or rows.height >= FRAMES:
            self._hash_keys(where)

    def _hash_keys(self, where: tuple[str, str, str]) -> None:
        """Hashes the collected keys of a snapshot: many members at once."""
        if held := self._fresh.pop(where, None):
            keys = pl.concat(held).hash_rows()
            self._keys[where] = self._keys[where].append(keys) if where in self._keys else keys

    def add_rejects(self, member: ArchiveMemberLike, table: str, rejects: pl.DataFrame) -> None:
        """Adds rejected records: record, reason, excerpt."""
        if rejects.is_empty():
            return
        where = {"table": table, "piece": member.name, "raw": raw_pointer(member)}
        marked = rejects.with_columns(pl.lit(value, pl.String).alias(name) for name, value in where.items())
        self._rejects.append(marked.select(pl.col(name).cast(pl.String) for name in _REJECT_COLUMNS))
        self.add_member(member)["rejects"] += rejects.height

    def add_unreadable_member(self, piece: ArchiveMemberLike, reason: str) -> None:
        """Records a piece that could not be read at all; it counts as read and is not retried.

        An unreadable member of an archive is one reject: the rest of the archive is kept.
        """
        member = getattr(piece, "member_name", None)
        if member is None:
            self.add_member(piece)["rejected"] = reason
        else:
            row = pl.DataFrame({"record": [member], "reason": [reason], "excerpt": [None]})
            self.add_rejects(piece, MEMBER, row)

    def add_signals(self, signals: Iterable[SignalLike]) -> None:
        """Adds signals for manual review."""
        for signal in signals:
            self._signals.append(
                {
                    "dataset": self._dataset,
                    "code": signal.code,
                    "subject": signal.subject,
                    "count": signal.count,
                    "examples": list(signal.examples),
                }
            )

    def add_member(self, member: ArchiveMemberLike) -> dict[str, Any]:
        """Records a piece as read: called for every piece of the batch, before its members, even without rows.

        A member counts towards the piece that contains it, regardless of its own name.
        """
        self._snapshot_entry(member)
        if getattr(member, "member_name", None) is not None and member.sha256 in self._newest:
            return self._newest[member.sha256]
        entry = {"name": member.name, "sha256": member.sha256, "rows": 0, "rejects": 0, "rejected": None}
        entry = self._pieces.setdefault((member.name, member.sha256), entry)
        self._newest[member.sha256] = entry
        return entry

    def set_cursor(self, value: str | None) -> None:
        """Sets the cursor from which the feed resumes after this batch."""
        self._cursor = value

    def set_quarantine(self, reason: QuarantineReason | None) -> None:
        """Marks the batch as quarantined by a guard."""
        self._held = reason

    def add_figures(self, figures: Mapping[str, Any]) -> None:
        """Adds figures for later comparison by guards; any JSON."""
        self._figures |= figures

    @property
    def reject_count(self) -> int:
        """Rejected records so far."""
        return sum(frame.height for frame in self._rejects)

    def count_rejects_with_prefix(self, prefix: str) -> int:
        """Number of rejects so far with a reason that begins with these words."""
        return sum(int(frame["reason"].str.starts_with(prefix).sum()) for frame in self._rejects)

    def build_index(self) -> dict[str, Any]:
        """The index of what was collected (`store.StagedIndex`)."""
        return {
            "dataset": self._dataset,
            "batch": self._batch,
            "tables": self._tables,
            "rejects": self.reject_count,
            "editions": [
                {**self._editions[key], "records": self._distinct_record_counts(*key)} for key in sorted(self._editions)
            ],
            "pieces": list(self._pieces.values()),
            "cursor": self._cursor,
            "held": None if self._held is None else asdict(self._held),
            "figures": self._figures,
        }

    def _distinct_record_counts(self, instant: str, scope: str) -> dict[str, int]:
        """Number of distinct keys of a snapshot, by table."""
        for where in tuple(self._fresh):
            self._hash_keys(where)
        return {
            table: keys.n_unique()
            for (observed_at, of_scope, table), keys in self._keys.items()
            if (observed_at, of_scope) == (instant, scope)
        }

    def _snapshot_entry(self, piece: ArchiveMemberLike) -> dict[str, Any]:
        key = (piece.observed_at.astimezone(UTC).isoformat(timespec="microseconds"), str(piece.scope))
        return self._editions.setdefault(key, {"observed_at": key[0], "scope": key[1], "rows": {}})


def raw_pointer(piece: ArchiveMemberLike) -> str:
    """Pointer into RAW: `sha256` or `sha256#member`."""
    member = getattr(piece, "member_name", None)
    return piece.sha256 if member is None else f"{piece.sha256}#{member}"
