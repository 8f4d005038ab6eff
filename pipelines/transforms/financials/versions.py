"""Reported figures, by document, to every version of every period.

Belongs here: which document applies to a period, and in which fields two statements of one period differ
(docs/contract/contract.md 4.3 and 4.6). Does not belong here: in which order documents were filed (`document_order`),
names of periods (`periods`), or events (`events.filing`).
A period's own documents make its versions; comparatives of later documents only fill periods that have none.
The register may also serve other figures under the same document: the statement known before is kept as the
earlier version, which is why the rows known so far are an input.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl

from pipelines.transforms.financials.document_order import PERIOD, UNKNOWN_VERSION, sort_by_filing
from pipelines.transforms.financials.periods import period_type, with_fiscal_labels
from warehouse.schema.codes import CHANGE_FIELDS, FIGURES
from warehouse.schema.tables import FINANCIALS

_VALUES: Final = ("currency", *FIGURES)
MONEY: Final = ("revenue", "operating_result", "net_result", "equity", "total_assets")
UNITS: Final = (10**9, 10**6, 10**3)  # units in which filers round; tens and hundreds are not used
_SEVERAL: Final = 2  # amounts that show a unit: one alone, such as a share capital, may be round by itself
Statement = Mapping[str, Any]


def build_financial_versions(
    reported: pl.DataFrame, filings: pl.DataFrame, previous_rows: pl.DataFrame
) -> pl.DataFrame:
    """All versions of all periods of the companies in the input.

    Args:
        reported: FINANCIALS_REPORTED rows, all documents of these companies.
        filings: their FILINGS rows.
        previous_rows: FINANCIALS rows known before, of the same companies.
    """
    if reported.is_empty():
        return previous_rows.select(FINANCIALS.names).clear()
    facts = filings.select("filing_id", "filing_type", "filed_at", "is_amendment", "native_id")
    documents = reported.join(facts, on="filing_id", how="left")
    own = _with_version_numbers(_with_earlier_statements(documents.filter(~pl.col("is_comparative")), previous_rows))
    ends = filings.select("filing_id", _accounts_end="period_end")
    comparatives = documents.filter("is_comparative").join(ends, on="filing_id", how="left")
    rows = own if comparatives.is_empty() else pl.concat([own, _select_comparatives(comparatives, own)], how="diagonal")
    newest = pl.col("version").max().over(PERIOD)
    rows = rows.with_columns(is_current=pl.col("version") == newest, is_restated=pl.col("version") > 1)
    return with_fiscal_labels(rows).select(FINANCIALS.names).sort(FINANCIALS.key)


def _with_earlier_statements(own: pl.DataFrame, former: pl.DataFrame) -> pl.DataFrame:
    """The documents' statements plus the earlier, different statements of the same documents."""
    statement = [*PERIOD, "filing_id"]
    if former.is_empty():
        return own.with_columns(
            _known=UNKNOWN_VERSION, _prior=UNKNOWN_VERSION, _first=pl.lit(None, own.schema["observed_at"])
        )
    known = former.filter(~pl.col("is_comparative")).join(own.select(statement), on=statement, how="semi")
    last = known.sort("version").unique(subset=statement, keep="last", maintain_order=True)
    same = [*statement, *_VALUES]
    repeated = last.join(own.select(same), on=same, how="semi", nulls_equal=True)
    earlier = known.join(repeated, on=[*statement, "version"], how="anti")
    facts = own.select(*statement, "filing_type", "is_amendment", "native_id")
    before = earlier.join(facts, on=statement, how="left").with_columns(_known=pl.col("version"))
    now = own.with_columns(_known=UNKNOWN_VERSION)
    prior = known.group_by(statement).agg(_prior=pl.col("version").min(), _first=pl.col("observed_at").min())
    rows = pl.concat([now, before.select(now.columns)]).join(prior, on=statement, how="left")
    return rows.with_columns(pl.col("_prior").fill_null(UNKNOWN_VERSION))


def _with_version_numbers(statements: pl.DataFrame) -> pl.DataFrame:
    """Assigns versions from 1, in order of filing; statements without a changed value are dropped."""
    alone = pl.len().over(PERIOD) == 1
    single = statements.filter(alone).with_columns(version=pl.lit(1, dtype=pl.Int64))
    several = statements.filter(~alone)
    if several.is_empty():
        return single
    several = sort_by_filing(several)
    numbers = pl.Series("version", _version_numbers(several), dtype=pl.Int64)
    counted = several.with_columns(numbers).filter(pl.col("version").is_not_null())
    return pl.concat([single, counted])


def _version_numbers(statements: pl.DataFrame) -> list[int | None]:
    numbers: list[int | None] = []
    period: tuple[Any, ...] | None = None
    last: dict[str, Any] = {}
    version = 0
    for row in statements.select(*PERIOD, *(name for name in CHANGE_FIELDS if name not in PERIOD)).iter_rows(
        named=True
    ):
        here = tuple(row[name] for name in PERIOD)
        if here != period:
            period, version, last = here, 1, row
            numbers.append(1)
        elif is_new_version(last, row):
            version, last = version + 1, row
            numbers.append(version)
        else:
            numbers.append(None)
    return numbers


def _select_comparatives(comparatives: pl.DataFrame, own: pl.DataFrame) -> pl.DataFrame:
    """Prior periods known only from later documents; the newest document's if there are several."""
    # a restated comparative may begin on another day: end, scope and type identify the period
    same = ["company_id", "period_end", "is_consolidated", "_type"]
    typed = comparatives.filter(pl.any_horizontal(pl.col(FIGURES).is_not_null()))
    typed = typed.with_columns(_type=period_type())
    taken = own.with_columns(_type=period_type()).select(same).unique()
    free = typed.join(taken, on=same, how="anti", nulls_equal=True)
    # accounts without a filing day are as new as their own period, whenever they were read last
    filed = pl.coalesce("filed_at", "_accounts_end", pl.col("observed_at").dt.date())
    order = ("_filed", "is_amendment", "observed_at", "native_id", "filing_id", "period_start")
    newest = free.with_columns(_filed=filed).sort(order)
    last = newest.unique(subset=same, keep="last", maintain_order=True)
    return last.with_columns(version=pl.lit(1, dtype=pl.Int64))


def rounding_unit(statement: Statement) -> int:
    """The coarsest unit that all amounts of a statement are whole multiples of; 1 if there are no amounts."""
    amounts = [statement[field] for field in MONEY if statement[field]]
    for candidate in UNITS if amounts else ():
        if all(amount % candidate == 0 for amount in amounts):
            return candidate
    return 1


def changed_fields(before: Statement, after: Statement) -> tuple[str, ...]:
    """Fields in which the later statement differs, in the contract's order.

    An amount that is merely the earlier one rounded to a coarser unit is no difference. Two amounts at least show such
    a unit.
    """
    return tuple(_iter_changed_fields(before, after))


def _iter_changed_fields(before: Statement, after: Statement) -> Iterator[str]:
    coarser = rounding_unit(after)
    rounds = before["currency"] == after["currency"] and _loses_digits(before, after, coarser)
    for field in CHANGE_FIELDS:
        was, now = before[field], after[field]
        if was == now:
            continue
        if rounds and field in MONEY and was is not None and now is not None and abs(was - now) * 2 <= coarser:
            continue
        yield field


def _loses_digits(before: Statement, after: Statement, unit: int) -> bool:
    """True if several amounts of a statement are whole multiples of a unit, of which the earlier ones were none."""
    round_amounts = {
        after[field] for field in MONEY if after[field] and before[field] is not None and before[field] % unit
    }
    return len(round_amounts) >= _SEVERAL


def is_new_version(before: Statement, after: Statement) -> bool:
    """True if a later statement gives another value. Omitting a figure is no change."""
    return any(after[field] is not None for field in _iter_changed_fields(before, after))


def is_restatement(before: Statement, after: Statement) -> bool:
    """True if a later statement changes a value stated before (restatement)."""
    return any(before[field] is not None and after[field] is not None for field in _iter_changed_fields(before, after))
