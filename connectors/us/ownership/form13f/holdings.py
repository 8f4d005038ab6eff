"""Maps Form 13F to shared holdings: a manager's shares of a company per quarter end (docs/formats/us.md 7.4).

A RESTATEMENT replaces what was reported for its quarter, NEW HOLDINGS adds to it. Rows of one CUSIP are summed;
options and debt are excluded. The percentage is derived from the shares outstanding where known; without it no
holding is published: a manager reports what it manages and owns little of it. Does not belong here: parsing
(`parse`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby, pairwise
from types import MappingProxyType
from typing import Final

import polars as pl

from connectors.us.ownership.form13f.linked_rows import IssuerNames, split_by_issuer
from connectors.us.ownership.form13f.parse import KINDS, OPTIONS
from connectors.us.ownership.form13f.schema import CUSIP, KEY, MANAGER, MANAGER_NAME, SECOND_DEADLINE, SOURCE
from connectors.us.ownership.holder_types import (
    Row,
    accession_order,
    edgar_holder_type,
    filing_page_url,
    holder_fields,
    iter_linked_rows,
    to_holdings_frame,
)
from connectors.us.ownership.parse_values import padded_cusip
from connectors.us.ownership.schedule13.holdings import Identities
from connectors.us.ownership.shares_outstanding import (
    RECEIPTS,
    Outstanding,
    OwnedPercentage,
    Receipts,
    class_letter,
    derived_percentage,
    doubt_rows,
    is_not_common,
    is_receipt,
)
from name_matching.folding import fold_text

RESTATEMENT: Final = "RESTATEMENT"
ADDED: Final = "NEW HOLDINGS"
LEFT_OUT: Final = "left_out_by_restatement"  # signal: a position is gone, unless the filer restated single rows only
REPEATED: Final = "repeated_by_amendment"  # signal: rows called new holdings that the report before has already
_ORIGINALS: Final = ("13F-HR", "13F-NT")
_QUARTER: Final = timedelta(days=92)
_EARLIEST: Final = date.min
_SIGNS: Final = 8  # characters of a CUSIP, without its check digit
_POSITION: Final = (CUSIP, "value", "shares", "kind", "option", "discretion", "others")  # what makes two rows one
_NOTHING: Final = Decimal(0)

Restatements = dict[tuple[str, str | None, date | None], list[Row]]  # by company, manager and quarter


@dataclass(frozen=True, slots=True)
class IssuerEvidence:
    """Receipts: CUSIPs that are receipts, whatever a row's title. names: of each company, as other forms give them."""

    receipts: Receipts = frozenset()
    names: IssuerNames = field(default_factory=dict)


def map_holdings(
    positions: pl.LazyFrame,
    today: date,
    outstanding: Outstanding = MappingProxyType({}),
    identities: Identities = MappingProxyType({}),
    issuers: IssuerEvidence | None = None,
    covers: pl.LazyFrame | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Shared holdings of the touched companies at every quarter end, oldest first within each record; signals.

    A holding ends with the quarter of the manager's next report that leaves it out; if no report comes, once two are
    missing `today`. `identities`: holders as Schedules 13D and 13G name them; a manager among those is not a second
    holder.
    `issuers`: what other forms tell of the companies. `covers`: of all reports of these managers; without
    them no report is known that leaves a company out.
    """
    issuers = issuers or IssuerEvidence()
    restated = {} if covers is None else _whole_restatements(covers)
    reports = {} if covers is None else _whole_reports(covers)
    rows = [
        row | {CUSIP: padded_cusip(row[CUSIP]) or row[CUSIP]}
        for row in iter_linked_rows(positions)
        if row[MANAGER] is not None and row["period"] is not None and row[CUSIP] is not None
    ]
    managers: dict[tuple[str, str], list[Row]] = defaultdict(list)
    ours, doubts = split_by_issuer(rows, issuers.names)
    for row in with_predecessors(ours):
        managers[row["_company_id"], row[MANAGER]].append(row)
    found: list[Row] = []
    for (company, manager), reported in sorted(managers.items()):
        told = with_earlier_cusips(reported)
        who = _identity(identities, company, told)
        quarters = {day for row in told for day in reports.get((company, row["filedAs"]), ())}
        effective = _effective_by_quarter(told, restated)
        doubts += [(company, REPEATED) for rows in effective.values() if any(row["repeats"] for row in rows)]
        for cusip in sorted({row[CUSIP] for row in told}):
            is_known = False
            left = sorted(quarters - {row["period"] for row in told if row[CUSIP] == cusip})
            for row, owned in _quarterly_levels(company, cusip, told, effective, outstanding):
                if (company, cusip[:_SIGNS]) in issuers.receipts and row["total"]:
                    owned = OwnedPercentage(doubt=RECEIPTS)  # noqa: PLW2901 - whatever the title of its row
                doubts += [(company, owned.doubt)] if owned.doubt is not None else []
                is_known |= bool(row["total"]) and owned.level is not None
                if is_known:  # from the first quarter with a known percentage on
                    end = _end_of_holding(row, left, today)
                    found.append(_holding_row(row, f"{manager}/{cusip}", owned.level, end) | who)
    return to_holdings_frame(found), doubt_rows(KEY, doubts)


def with_predecessors(rows: Sequence[Row]) -> list[Row]:
    """Rows under the CIK of the manager that reported before; `filedAs` is their own.

    A group that is reorganised under a new parent reports under a new CIK: of two managers of one name the one begins
    with the quarter after the other's last.
    """
    quarters: dict[tuple[str, str], dict[str, set[date]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        quarters[row["_company_id"], fold_text(row[MANAGER_NAME] or "")][row[MANAGER]].add(row["period"])
    began: dict[tuple[str, str], str] = {}
    for (company, name), managers in quarters.items():
        in_order = sorted(managers.items(), key=lambda one: (min(one[1]), one[0]))
        for (before, told), (cik, then) in pairwise(in_order if name else ()):
            if timedelta(0) < min(then) - max(told) <= _QUARTER:
                began[company, cik] = began.get((company, before), before)
    return [
        row | {MANAGER: began.get((row["_company_id"], row[MANAGER]), row[MANAGER]), "filedAs": row[MANAGER]}
        for row in rows
    ]


def with_earlier_cusips(told: Sequence[Row]) -> list[Row]:
    """Rows of one manager and company under the CUSIP that its shares had before.

    A reverse split or another country of incorporation gives the same shares a new CUSIP: a manager reports the one,
    and from the next quarter on the other alone.
    """
    quarters: dict[str, set[date]] = defaultdict(set)
    titles: dict[str, str | None] = {}
    for row in told:
        if row["kind"] == "SH" and row["option"] is None:
            quarters[row[CUSIP]].add(row["period"])
            titles.setdefault(row[CUSIP], row["classTitle"])
    earlier: dict[str, str] = {}
    for cusip, then in sorted(quarters.items(), key=lambda one: (min(one[1]), one[0])):
        ended = [
            other
            for other, before in quarters.items()
            if timedelta(0) < min(then) - max(before) <= _QUARTER and _is_one_class(titles[other], titles[cusip])
        ]
        begun = [
            other
            for other, days in quarters.items()
            if min(days) == min(then) and _is_one_class(titles[other], titles[cusip])
        ]
        if len(ended) == 1 and len(begun) == 1:
            earlier[cusip] = earlier.get(ended[0], ended[0])
    return [row | {CUSIP: earlier.get(row[CUSIP], row[CUSIP])} for row in told]


def _is_one_class(title: str | None, other: str | None) -> bool:
    """Whether two titles may be of one class: both of shares, or both of receipts, and of no two letters."""
    same = all(told(title) == told(other) for told in (is_receipt, is_not_common))
    return same and class_letter(title) == class_letter(other)


def _identity(identities: Identities, company: str, told: Sequence[Row]) -> Row:
    """The holder that schedules name: by a CIK under which the manager filed, else by its name."""
    ciks = [cik for row in told for cik in (row[MANAGER], row["filedAs"])]
    names = [fold_text(row[MANAGER_NAME]) for row in told if row[MANAGER_NAME]]
    return next((who for key in (*ciks, *names) if (who := identities.get((company, key)))), {})


def _whole_restatements(covers: pl.LazyFrame) -> Restatements:
    """Covers of restatements of which every row was read, by company, manager and quarter.

    A restatement without a row of a company proves that it leaves the company out only if none of its rows is missing.
    """
    is_whole = (pl.col("rowsRead") > 0) & (pl.col("rowsRead") == pl.col("entries"))
    is_restatement = (pl.col("amendment") == RESTATEMENT) & pl.col("form").str.starts_with("13F-HR")
    found: Restatements = defaultdict(list)
    for row in iter_linked_rows(covers.filter(is_restatement, is_whole)):
        found[row["_company_id"], row[MANAGER], row["period"]].append(row)
    return found


def _whole_reports(covers: pl.LazyFrame) -> dict[tuple[str, str | None], set[date]]:
    """Quarters of reports by company and manager of which every row was read, and of notices, which have none."""
    is_read = (pl.col("rowsRead") > 0) & (pl.col("rowsRead") == pl.col("entries"))
    is_report = pl.col("form").str.starts_with("13F-HR") & (
        pl.col("amendment").is_null() | (pl.col("amendment") == RESTATEMENT)
    )
    is_notice = pl.col("form").str.starts_with("13F-NT")
    told = covers.filter((is_report & is_read) | is_notice).select("_company_id", MANAGER, "period")
    found: dict[tuple[str, str | None], set[date]] = defaultdict(set)
    for company, manager, period in told.drop_nulls(("_company_id", "period")).unique().collect().iter_rows():
        found[company, manager].add(period)
    return found


def _effective_by_quarter(told: list[Row], restated: Restatements) -> dict[date, list[Row]]:
    """The rows of one manager that remain in effect, by quarter: of all CUSIPs, as a report is replaced whole."""
    quarters: dict[date, list[Row]] = defaultdict(list)
    for row in told:
        quarters[row["period"]].append(row)
    effective: dict[date, list[Row]] = {}
    for period, rows in sorted(quarters.items()):
        reports = {(row["_company_id"], row["filedAs"], period) for row in rows}
        effective[period] = effective_rows(rows, [cover for key in reports for cover in restated.get(key, ())])
    return effective


def _quarterly_levels(
    company: str, cusip: str, told: list[Row], effective: dict[date, list[Row]], outstanding: Outstanding
) -> Iterator[tuple[Row, OwnedPercentage]]:
    """The last row and the percentage of each quarter; the total is null where a row's shares or kind are unknown.

    A row that a restatement leaves out is gone, by the form's instructions: no shares at that quarter's end. Some
    filers restate single rows, so it is signalled.
    """
    for period, rows in effective.items():
        reported = [row for row in rows if row[CUSIP] == cusip]
        gone = [row for row in told if row["period"] == period and row[CUSIP] == cusip and _is_known_amendment(row)]
        if not reported and gone:
            yield max(gone, key=_filing_order_key) | {"total": _NOTHING}, OwnedPercentage(_NOTHING, LEFT_OUT)
        counted = _share_rows(reported)
        total = None if any(map(_is_of_unknown_kind, reported)) else _total_shares(counted)
        last = (counted or reported)[-1:]
        for row in last:
            owned = OwnedPercentage(_NOTHING)
            if total != _NOTHING:
                owned = derived_percentage(total, company, period, row["classTitle"], outstanding)
            yield row | {"total": total}, owned


def _total_shares(counted: list[Row]) -> Decimal | None:
    if any(row["shares"] is None for row in counted):
        return None
    return sum((Decimal(row["shares"]) for row in counted), _NOTHING)


def effective_rows(rows: Iterable[Row], restatements: Iterable[Row] = ()) -> list[Row]:
    """The rows of one manager and quarter that remain in effect after all its reports.

    restatements: covers of those that were read whole; one without a row among `rows` leaves nothing of what was held.
    """
    told = [row for row in rows if _is_known_amendment(row)]
    sources = {row[SOURCE] for row in told}
    told += [cover | {CUSIP: None} for cover in restatements if cover[SOURCE] not in sources]
    held: list[Row] = []
    for _, group in groupby(sorted(told, key=_filing_order_key), key=_filing_order_key):
        filing = [row | {"repeats": False} for row in group if row[CUSIP] is not None]
        is_added = bool(filing) and filing[0]["amendment"] == ADDED
        held = _with_new_holdings(held, filing) if is_added else filing
    return held


def _with_new_holdings(held: list[Row], filing: list[Row]) -> list[Row]:
    """Rows with those that an amendment adds: a row that it only repeats is not held twice.

    Some managers file the whole table again as new holdings.
    """
    known = {_position_key(row) for row in held}
    new = [row for row in filing if _position_key(row) not in known]
    return [*held, *new] if len(new) == len(filing) else [*(row | {"repeats": True} for row in held), *new]


def _position_key(row: Row) -> tuple[str | None, ...]:
    return tuple(row[name] for name in _POSITION)


def _is_known_amendment(row: Row) -> bool:
    """Whether the kind of amendment is known. Others are signalled and left out: neither kind is assumed."""
    return row["form"] in _ORIGINALS or row["amendment"] in (RESTATEMENT, ADDED)


def _filing_order_key(row: Row) -> tuple[date, bool, tuple[int, str], str]:
    return (row["filedOn"] or _EARLIEST, row["amendment"] is not None, accession_order(row["accession"]), row[SOURCE])


def _is_of_unknown_kind(row: Row) -> bool:
    """Whether a row is neither known as shares nor as options or debt: it may be either."""
    return row["kind"] not in KINDS or (row["option"] is not None and row["option"].upper() not in OPTIONS)


def _share_rows(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["kind"] == "SH" and row["option"] is None]


def _end_of_holding(last: Row, left: Sequence[date], today: date) -> date | None:
    """The day a position ended. left: quarters that reports of the manager leave it out of, oldest first.

    A report that is late says nothing of a sale: until two are missing the position is as it was.
    """
    silent = last["period"] + SECOND_DEADLINE
    if last["total"] == _NOTHING:
        return last["period"]
    return next((day for day in left if day > last["period"]), silent if silent < today else None)


def _holding_row(last: Row, native: str, level: Decimal | None, end: date | None) -> Row:
    kind = edgar_holder_type(("IA",), last[MANAGER_NAME] or "")
    return {
        "company_id": last["_company_id"],
        "register": KEY,
        "native_id": native,
        **holder_fields(last[MANAGER_NAME], kind, last[MANAGER], last["place"]),
        "share_class": last["classTitle"],
        "pct": level,
        "pct_min": level,
        "pct_max": level,
        "basis": None if level is None else "derived",
        "valid_from": last["period"],
        "ended_on": end,
        "url": filing_page_url(last["filedAs"], last["accession"]),
        "raw": last["_raw"],
        "observed_at": last["_observed_at"],
    }
