"""Turns holdings, as recorded by each source, into one line per holder of a company.

Belongs here: one line per holder, and since when its percentage is valid. Does not belong here: who a holder
is (`holders.resolve`), which of several sources wins (`merge_by_precedence`), earlier days (`valid_time`), or which
changes are events (`events.ownership`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import polars as pl

from pipelines.transforms.holders.resolve import SINGLE, with_holder_id
from pipelines.transforms.ownership.survivorship import merge_by_precedence, record_date
from warehouse.schema.decisions import HolderDecision
from warehouse.schema.tables import OWNERS

SHARE: Final = ("pct", "pct_min", "pct_max", "votes_pct", "votes_min", "votes_max", "basis")
_KEY: Final = ("company_id", "holder_id")
_RECORD: Final = ("company_id", "register", "native_id")
_AWKWARD: Final = r'["\\\x00-\x1f]'


@dataclass(frozen=True, slots=True)
class SourcePrecedence:
    """Properties of a market's sources of holdings.

    precedence: registers in the order in which they win for one holder. dated: registers with records that
    are statements of a day of their own (notices, yearly lists), so that another share is another statement
    and no change in place.
    """

    precedence: Sequence[str] = ()
    dated: Sequence[str] = ()


def build_owners(
    holdings: pl.DataFrame,
    previous_rows: pl.DataFrame,
    instant: datetime,
    sources: SourcePrecedence | Sequence[str] = (),
    decisions: Sequence[HolderDecision] = (),
    earlier: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """One row per holder per company.

    Args:
        holdings: HOLDINGS rows, all of these companies.
        previous_rows: OWNERS rows known before, of the same companies: a share changed in place has no date of its
            own, so it gets the day it was first seen, and keeps it while unchanged.
        instant: when this state was observed.
        sources: properties of the market's registers, or their precedence alone.
        decisions: manual decisions on the holders of these companies, oldest first.
        earlier: HOLDINGS_EARLIER rows of these companies; used only for the day a holder is known since.
    """
    said = sources if isinstance(sources, SourcePrecedence) else SourcePrecedence(sources)
    return owner_lines(holder_records(holdings, previous_rows, decisions, earlier), previous_rows, instant, said)


def holder_records(
    holdings: pl.DataFrame,
    previous_rows: pl.DataFrame,
    decisions: Sequence[HolderDecision] = (),
    earlier: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Holdings with the id of each record's holder (`resolve.with_holder_id`), and `_since`: its earliest day.

    Arguments as in `build_owners`.
    """
    return with_holder_id(_with_first_day(holdings, earlier), previous_rows, decisions)


def owner_lines(
    records: pl.DataFrame, previous_rows: pl.DataFrame, instant: datetime, sources: SourcePrecedence
) -> pl.DataFrame:
    """One row per holder per company of `holder_records`; other arguments as in `build_owners`."""
    if records.is_empty():
        return previous_rows.select(OWNERS.names).clear()
    lines = reconciled_lines(records, previous_rows, instant, sources)
    return lines.select(OWNERS.names).sort(OWNERS.key)


def reconciled_lines(
    records: pl.DataFrame, previous_rows: pl.DataFrame, instant: datetime, sources: SourcePrecedence
) -> pl.DataFrame:
    """One row per holder per company with all columns of its deciding record, days and `sources`; unordered.

    previous_rows: the lines of before, one per holder and company.
    """
    rows = _one_per_holder(records, sources.precedence)
    rows = _with_dates(rows, previous_rows, instant.date(), sources.dated)
    return rows.with_columns(sources_text(rows))


def _with_first_day(holdings: pl.DataFrame, earlier: pl.DataFrame | None) -> pl.DataFrame:
    """Adds `_since`: the earliest day of any statement of a record."""
    if earlier is None or earlier.is_empty():
        return holdings.with_columns(_since=pl.col("valid_from"))
    first = earlier.group_by(_RECORD).agg(pl.col("valid_from").min().alias("_earliest"))
    rows = holdings.join(first, on=_RECORD, how="left", maintain_order="left")
    return rows.with_columns(_since=pl.min_horizontal("valid_from", "_earliest")).drop("_earliest")


def _one_per_holder(holdings: pl.DataFrame, precedence: Sequence[str]) -> pl.DataFrame:
    """One row per holder, with the earliest day of its records and the other records' entries for `sources`."""
    marked = holdings.with_columns(reconciliation=pl.lit(SINGLE), _others=pl.lit(""))
    several = marked.filter("_several")
    if several.is_empty():
        return marked
    rows: list[dict[str, Any]] = []
    ordered_rows = several.sort(*_KEY, maintain_order=True).iter_rows(named=True)
    for _, records in groupby(ordered_rows, key=itemgetter(*_KEY)):
        told = list(records)
        row, ordered = merge_by_precedence(told, precedence)
        others = "".join(f",{source_text(record, record_date(record))}" for record in ordered[1:])
        since = min(record["_since"] or record_date(record) for record in told)
        rows.append(row | {"_since": since, "_others": others})
    single = marked.filter(~pl.col("_several"))
    return pl.concat([single, pl.DataFrame(rows, schema=marked.schema, orient="row")])


def _with_dates(rows: pl.DataFrame, former: pl.DataFrame, today: date, statements: Sequence[str]) -> pl.DataFrame:
    """Adds as_of and first_seen."""
    since = pl.coalesce("valid_from", pl.col("observed_at").dt.date())
    if former.is_empty():
        return rows.with_columns(as_of=since, first_seen=pl.min_horizontal("_since", since))
    before = former.select(*_KEY, "as_of", "first_seen", "ended_on", *SHARE, known=pl.lit(value=True))
    rows = rows.join(before, on=_KEY, how="left", suffix="_before")
    since = pl.coalesce("valid_from", "first_seen", pl.col("observed_at").dt.date())
    earliest = pl.coalesce(pl.min_horizontal("_since", "first_seen"), since)
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_before")) for name in SHARE)
    resumed = pl.col("ended_on_before").is_not_null() & pl.col("ended_on").is_null()
    has_own_day = pl.col("register").is_in(list(statements)) & pl.col("valid_from").is_not_null()
    # unchanged since the first day: an earlier valid_from corrects that day and is no change of share
    corrected = same & ~resumed & (pl.col("as_of") == pl.col("first_seen"))
    moved = (pl.col("valid_from") > pl.col("as_of")) | has_own_day | (corrected & pl.col("valid_from").is_not_null())
    as_of = (
        pl.when(pl.col("known").is_null())
        .then(since)
        .when(moved)
        .then(pl.col("valid_from"))
        .when(same & ~resumed)
        .then(pl.col("as_of"))
        .otherwise(pl.lit(today))
    )
    return rows.with_columns(as_of=as_of, first_seen=pl.min_horizontal(earliest, since))


def sources_text(rows: pl.DataFrame) -> pl.Series:
    """`sources` as JSON text: the deciding record, dated as the line's share is, then `_others`."""
    texts = rows.with_columns(_json_quoted(rows[name]) for name in ("register", "native_id", "url"))
    told = pl.concat_str(
        pl.lit('[{"register":'),
        "register",
        pl.lit(',"native_id":'),
        "native_id",
        pl.lit(',"url":'),
        "url",
        pl.lit(',"as_of":"'),
        pl.col("as_of").cast(pl.String),
        pl.lit('","pct":'),
        _percent_text("pct"),
        pl.lit("}"),
        "_others",
        pl.lit("]"),
    )
    return texts.select(told.alias("sources")).to_series()


def _json_quoted(texts: pl.Series) -> pl.Series:
    """Texts as JSON strings; null as null. Only the few texts with special characters need escaping."""
    plain = pl.when(pl.col("text").is_null()).then(pl.lit("null")).otherwise(pl.format('"{}"', "text"))
    rows = texts.alias("text").to_frame()
    found = rows.select(plain.alias(texts.name)).to_series()
    if _is_plain(texts.str.join().item() or ""):
        return found
    awkward = texts.str.contains(_AWKWARD).fill_null(value=False).arg_true()
    spelled = [json.dumps(text, ensure_ascii=False) for text in texts.gather(awkward)]
    return found.scatter(awkward, spelled)


def _is_plain(text: str) -> bool:
    """True if a text (a whole column, joined) needs no JSON escaping; False if in doubt (unprintable text)."""
    return text.isprintable() and '"' not in text and "\\" not in text


def _percent_text(name: str) -> pl.Expr:
    """A percentage as the shortest JSON number; null as null."""
    text = pl.col(name).cast(pl.String).str.strip_chars_end("0").str.strip_chars_end(".")
    return pl.when(pl.col(name).is_null()).then(pl.lit("null")).otherwise(text)


def source_text(record: Mapping[str, Any], as_of: date) -> str:
    """One entry of `sources` as JSON text."""
    told = {
        "register": record["register"],
        "native_id": record["native_id"],
        "url": record["url"],
        "as_of": as_of.isoformat(),
        "pct": percent_number(record["pct"]),
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


def percent_number(percent: Decimal | None) -> int | float | None:
    """A percentage as the shortest JSON number; null stays null."""
    if percent is None:
        return None
    return int(percent) if percent == percent.to_integral_value() else float(percent)
