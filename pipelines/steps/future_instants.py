"""Instants that lie ahead of a run: files and values that would make all genuine data after them late-arriving.

Belongs here: the latest instant that a run accepts, the words for a refused file, and rows without such instants. Does
not belong here: archiving what is accepted (`fetch`), or days in shared tables, which may lie ahead
(`schema_validation`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import polars as pl

from connectors.contract.dataset import Dataset
from connectors.contract.pieces import REJECT_COLUMNS, FetchedFile, RecognisedFile, Signal
from warehouse.schema.types import ColumnKind, Table

FUTURE_SLACK: Final = timedelta(days=1)  # wrong clocks and zones are tolerated up to this
FUTURE_GUARD: Final = "future"
FUTURE_SIGNAL: Final = "instant_in_future"
HEAD_BYTES: Final = 64 * 1024  # of a body, as `Dataset.recognise_file` expects
_EXAMPLES: Final = 5
_SHOWN: Final = 3
_REJECTS: Final = pl.Schema(dict.fromkeys(REJECT_COLUMNS, pl.String()))


def latest_accepted_instant(at: datetime, now: datetime) -> datetime:
    """The latest instant that a run accepts. at: its logical instant; now: its clock, if that is ahead of it."""
    return max(at, now) + FUTURE_SLACK


def stated_instant(dataset: Dataset, file: FetchedFile) -> datetime | None:
    """The instant that a fetched body states of itself, by its name or first bytes; None if it states none.

    A body of a stream has many events, each with an instant of its own (`without_future_instants`).
    """
    if dataset.listen_stream is not None:
        return None
    found = dataset.recognise_file(file.name, file.body.read(HEAD_BYTES))
    file.body.seek(0)
    return found.observed_at if isinstance(found, RecognisedFile) else None


def future_file_reason(instant: datetime) -> str:
    """Why a file was not archived, and what to do."""
    return (
        f"{_describe_future(instant)}: it was not archived; correct the date (day.json, the file's name or its "
        "content), or this machine's clock, and ingest it again"
    )


def future_response_reason(name: str, instant: datetime) -> str:
    """Why a fetch ended with this file, and what follows."""
    return (
        f"{name} is {_describe_future(instant)}: it was not archived; every run fetches it again until its source "
        "has corrected the date"
    )


def _describe_future(instant: datetime) -> str:
    return f"dated {instant.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}, in the future"


def describe_refused(refused: Sequence[Mapping[str, str]]) -> str:
    """The refused files of one dataset, the first ones by name, and what to do."""
    names = ", ".join(file["name"] for file in refused[:_SHOWN])
    more = f" and {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
    return f"{names}{more}: {future_file_reason(datetime.fromisoformat(refused[0]['observed_at']))}"


def without_future_instants(
    dataset: str, table: Table, rows: pl.DataFrame, latest: datetime
) -> tuple[pl.DataFrame, pl.DataFrame, tuple[Signal, ...]]:
    """Staged rows without instants later than `latest`, the rejected rows (REJECT_COLUMNS), and the signals.

    Such a value becomes null, so that a complete file keeps its records; a row that needs it is rejected.
    """
    far = {
        column.name: is_far
        for column in table.columns
        if column.kind is ColumnKind.INSTANT and (is_far := rows[column.name] > latest).any()
    }
    if not far:
        return rows, pl.DataFrame(schema=_REJECTS), ()
    record = pl.concat_str([pl.col(name).cast(pl.String) for name in table.key], separator=" ", ignore_nulls=True)
    records = rows.select(record=record)["record"]
    signals = tuple(_far_signal(dataset, name, records.filter(is_far)) for name, is_far in far.items())
    needed = [name for name in far if name in table.key or not table.column(name).nullable]
    is_rejected = pl.any_horizontal(pl.lit(value=False), *(pl.col(name) > latest for name in needed))
    mask = rows.select(rejected=is_rejected.fill_null(value=False))["rejected"]
    rejects = pl.DataFrame({"record": records.filter(mask)}, schema={"record": pl.String}).with_columns(
        reason=pl.lit(f"in the future: {', '.join(needed)}"), excerpt=pl.lit(None, pl.String)
    )
    known = [pl.when(pl.col(name) <= latest).then(pl.col(name)).alias(name) for name in far if name not in needed]
    return rows.with_columns(known).filter(~mask), rejects, signals


def _far_signal(dataset: str, column: str, records: pl.Series) -> Signal:
    return Signal(dataset, FUTURE_SIGNAL, column, records.len(), tuple(records.head(_EXAMPLES)))
