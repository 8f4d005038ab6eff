"""SHARED: what a person should know of a normalised run: its signals in words, what mappings found, late files.

Pure functions. Does not belong here: where lines and signals go (`normalise`, `pipelines.reporting`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

import polars as pl

from connectors.contract.pieces import Signal
from pipelines.runtime.counted_words import counted
from pipelines.steps.normalise_plan import FEED_GAP
from pipelines.steps.reconciliation import NO_DATA, OTHER_SUBJECT
from warehouse import schema_render
from warehouse.schema.types import ColumnKind, Table
from warehouse.staged.writer import PIECE

CONTRADICTION: Final = "contradicts_other_source"  # code of a signal
UNREAD_RECORD: Final = "unread_record"  # signal: a full file has a record in a row that was rejected
DIFFERING_FILES: Final = "differing_files"  # signal: files of one instant state one record differently
_EXAMPLES: Final = 5
_FINDINGS: Final = {
    FEED_GAP: ("changed without an entry in {}",) * 2,
    CONTRADICTION: (
        "value of {} differs from that of a source that ranks before it, which is served",
        "values of {} differ from those of a source that ranks before it, which are served",
    ),
    UNREAD_RECORD: (
        "record of {} stays as it was: the complete file has it in a row that was rejected",
        "records of {} stay as they were: the complete file has them in rows that were rejected",
    ),
    DIFFERING_FILES: (
        "record of {} is in two files of one instant with different values: the file that is read last counts",
        "records of {} are in two files of one instant with different values: the file that is read last counts",
    ),
    OTHER_SUBJECT: (
        "record of {} names another subject under an unchanged key",
        "records of {} name another subject under an unchanged key",
    ),
    NO_DATA: (
        "row stays undecided by the rule {}: none of the datasets that it reads was ever loaded",
        "rows stay undecided by the rule {}: none of the datasets that it reads was ever loaded",
    ),
}


def contradiction_signals(found: Iterable[pl.DataFrame], default: str) -> list[Signal]:
    """A signal per source and column whose values differ from those of a source that ranks before it.

    default: the dataset of rows that name none.
    """
    frames = [frame for frame in found if not frame.is_empty()]
    if not frames:
        return []
    rows = pl.concat(frames)
    grouped = rows.group_by(pl.col("register").fill_null(default), "table", "column").agg(
        pl.len(), pl.col("company_id").unique().sort().head(_EXAMPLES)
    )
    return [
        Signal(register, CONTRADICTION, f"{table}.{column}", count, tuple(companies))
        for register, table, column, count, companies in grouped.sort("register", "table", "column").iter_rows()
    ]


def unread_record_signals(dataset: str, table: Table, records: pl.DataFrame) -> list[Signal]:
    """A signal where records of a table are kept that a full snapshot has in rejected rows."""
    if records.is_empty():
        return []
    companies = records["_company_id"].drop_nulls().unique().sort().head(_EXAMPLES)
    return [Signal(dataset, UNREAD_RECORD, table.name, records.height, tuple(companies))]


def watch_differing_files(
    dataset: str, table: Table, chunks: Iterable[pl.DataFrame], signals: list[Signal]
) -> Iterator[pl.DataFrame]:
    """The rows of a snapshot, chunk by chunk; adds the signals of `differing_file_signals`."""
    for rows in chunks:
        signals += differing_file_signals(dataset, table, rows)
        yield rows


def differing_file_signals(dataset: str, table: Table, rows: pl.DataFrame) -> list[Signal]:
    """A signal where two files of one instant state different values of one record: nothing says which is newer.

    A value that only one of them states is no difference. Entries of feeds have an order of their own.
    """
    if rows[PIECE].n_unique() <= 1:
        return []
    key = list(table.key)
    values = [one for one in table.business if one not in key and table.column(one).kind is not ColumnKind.TEXTS]
    if not values or table.sequence is not None or table.told is not None or schema_render.has_unique_keys(table, rows):
        return []
    differs = pl.any_horizontal(pl.col(one).drop_nulls().n_unique() > 1 for one in values)
    records = rows.filter(pl.struct(key).is_duplicated()).group_by(*key, "_observed_at")
    found = records.agg(files=pl.col(PIECE).n_unique(), differs=differs).filter("differs", pl.col("files") > 1)
    if found.is_empty():
        return []
    names = found.select(record=pl.concat_str(pl.col(key).cast(pl.String), separator=" ", ignore_nulls=True))["record"]
    return [Signal(dataset, DIFFERING_FILES, table.name, found.height, tuple(names.unique().sort().head(_EXAMPLES)))]


def mapping_signals(found: Iterable[pl.DataFrame]) -> list[Signal]:
    """A signal per dataset, code and subject of what mappings found, with the first companies concerned."""
    frames = [frame for frame in found if not frame.is_empty()]
    if not frames:
        return []
    rows = pl.concat(frames)
    grouped = rows.group_by("dataset", "code", "subject").agg(
        pl.len(), pl.col("company_id").unique().sort().head(_EXAMPLES)
    )
    return [
        Signal(dataset, code, subject, count, tuple(companies))
        for dataset, code, subject, count, companies in grouped.sort("dataset", "code", "subject").iter_rows()
    ]


def finding_lines(
    market: str,
    signals: Iterable[Signal],
    far: Mapping[str, int],
    late: Mapping[str, int],
    newest: Mapping[str, datetime],
) -> Iterator[str]:
    """A line per signal, column with unknown days, and dataset with late files.

    far: dates too far ahead, by `table.column`. late: files, by dataset. newest: what was applied before, by dataset
    with late files. A signal without words of its own is told by its code.
    """
    for signal in signals:
        words = _FINDINGS.get(signal.code, (f"{signal.code}: {{}}",) * 2)
        yield f"{signal.dataset}: {counted(signal.count, *words).format(signal.subject)}"
    for column, count in far.items():
        yield f"{market}: {column}: {counted(count, 'date')} more than a year ahead, treated as unknown"
    for dataset, count in late.items():
        yield (
            f"{dataset}: {counted(count, 'late-arriving file')}, not newer than "
            f"{newest[dataset]:%Y-%m-%d %H:%M:%S} UTC: what comes late fills gaps in the history and announces no new "
            "filings or news"
        )
