"""Maps Schedules 13D and 13G to shared holdings: the newest statement per holder and class.

See docs/formats/us.md 7.1.

Joint filers report the same shares: the lead's row carries the percentage, the others carry it as both bounds,
so that each holder's level is known and a sum over holders counts the shares once. An amendment that leaves the
filing less than five percent closes its holders; so does a percentage of zero. Does not belong here: which
statement is current, and who leads (`latest_statements`), other forms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

import polars as pl

from connectors.us.ownership.holder_types import (
    Row,
    edgar_holder_type,
    filing_days,
    filing_page_url,
    holder_fields,
    iter_linked_rows,
    to_holdings_frame,
)
from connectors.us.ownership.schedule13.contradicted_percentages import with_sound_percentages
from connectors.us.ownership.schedule13.latest_statements import (
    StakeHistory,
    lead_stakes,
    lead_weight,
    stake_histories,
    stated_percent,
    superseded_stake_statements,
)
from connectors.us.ownership.schedule13.rows import PERCENT_DIFFERS, is_within_tolerance
from connectors.us.ownership.schedule13.schema import HOLDER, HOLDER_KEY, ISSUER, KEY, SOURCE
from connectors.us.ownership.shares_outstanding import (
    ABOVE_ALL,
    Outstanding,
    OwnedPercentage,
    count_near,
    derived_percentage,
    doubt_rows,
)

SHARED_NAME: Final = "holders_share_name"  # signal: two firms of one name, or one that was reorganised
_DUTY: Final = Decimal(5)  # percent above which filing is mandatory
_ALL: Final = Decimal(100)
_NOTHING: Final = Decimal(0)

Identities = Mapping[tuple[str, str], Row]  # company and CIK or name -> latest row naming the holder


def linked_stake_histories(
    stakes: pl.LazyFrame,
    cover_pages: pl.LazyFrame,
    filed: pl.LazyFrame,
    outstanding: Outstanding = MappingProxyType({}),
) -> list[StakeHistory]:
    """The lines of the touched companies.

    filed: the filings of their lists, for the days of filing. outstanding: what a stated percentage may contradict.
    """
    rows = chain(iter_linked_rows(stakes), iter_linked_rows(cover_pages))
    return stake_histories(with_sound_percentages(rows, outstanding), filing_days(filed))


def map_holdings(
    stake_histories: Sequence[StakeHistory], outstanding: Outstanding = MappingProxyType({})
) -> pl.DataFrame:
    """Shared holdings of lines. `outstanding`: used for lines without a stated percentage."""
    live = [line for line in stake_histories if not _is_exit(line.row)]
    leading = lead_stakes(live)
    return to_holdings_frame([_holding_row(line, leading, outstanding) for line in stake_histories])


def map_superseded_holdings(
    stake_histories: Sequence[StakeHistory], outstanding: Outstanding = MappingProxyType({})
) -> pl.DataFrame:
    """Superseded holdings of lines: statements before the current one, the last of each day.

    Of several persons of one filing the largest represents its shares.
    """
    leading = _lead_by_filing(stake_histories)
    told = [
        _holding_row(replace(line, row=row), {(line.company, line.native)} if is_lead else set(), outstanding)
        for line in stake_histories
        for row in superseded_stake_statements(line)
        for is_lead in (leading[line.company, row[SOURCE]] is row,)
    ]
    return to_holdings_frame(told)


def _lead_by_filing(found: Sequence[StakeHistory]) -> dict[tuple[str, str], Row]:
    filings: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for line in found:
        for row in line.statements:
            filings[line.company, row[SOURCE]].append(row)
    return {filing: max(rows, key=lead_weight) for filing, rows in filings.items()}


def holder_identities(stake_histories: Sequence[StakeHistory]) -> Identities:
    """Holder identities by CIK and by every name, for forms that spell them differently."""
    known: dict[tuple[str, str], Row] = {}
    for line in stake_histories:
        who = _holder_fields(line)
        for key in (line.cik, *(row[name] for row in line.statements for name in ("filedAs", HOLDER_KEY))):
            if key is not None:
                known.setdefault((line.company, key), who)
    return known


def _holder_fields(line: StakeHistory) -> Row:
    row = line.row
    kind = edgar_holder_type(row["types"], row[HOLDER])
    return holder_fields(row[HOLDER], kind, line.cik, row["place"])


def _holding_row(line: StakeHistory, leading: set[tuple[str, str]], outstanding: Outstanding) -> Row:
    row = line.row
    is_exit = _is_exit(row)
    is_lead = row["isLead"] if is_exit else (line.company, line.native) in leading
    return {
        "company_id": line.company,
        "register": KEY,
        "native_id": line.native,
        **_holder_fields(line),
        "share_class": row["classTitle"],
        "valid_from": row["day"],
        "ended_on": (row["day"] or row["_observed_at"].date()) if is_exit else None,
        "url": filing_page_url(row[ISSUER] or line.company[-10:], row["accession"]),
        "raw": row["_raw"],
        "observed_at": row["_observed_at"],
        **_percentage_fields(line, outstanding, is_lead=is_lead),
    }


def _is_exit(row: Row) -> bool:
    """Whether the duty to report has ended, so that the sale of the rest will not be reported.

    The mark of item 5 applies to the whole filing: a person who states more than five percent despite it has
    not ceased.
    """
    stated = stated_percent(row)
    if stated == _NOTHING or (row["isExit"] and (stated is None or stated <= _DUTY)):
        return True
    stake = row["filingPercent"] if row["filingPercent"] is not None else row["percentBelow"]
    return row["isAmendment"] and stake is not None and (stake < _DUTY or stake == row["percentBelow"] == _DUTY)


def _percentage_fields(line: StakeHistory, outstanding: Outstanding, *, is_lead: bool) -> dict[str, Any]:
    row = line.row
    below = row["percentBelow"]
    basis = "exact" if stated_percent(row) is not None and row["doubt"] is None else "derived"
    level = _stake_percentage(line, row, outstanding).level
    if level is None:
        limit = below if below is not None else _DUTY if row["isExit"] else None
        bounds = {"pct_min": _NOTHING if limit is not None else None, "pct_max": limit}
        return {"pct": None, **bounds, "basis": "band" if limit is not None else None}
    return {"pct": level if is_lead else None, "pct_min": level, "pct_max": level, "basis": basis}


def _stake_percentage(line: StakeHistory, row: Row, outstanding: Outstanding) -> OwnedPercentage:
    """The percentage of a statement: as stated, else derived.

    More than all, as of rights to shares that do not exist yet, is a share of nothing: null.
    """
    stated = stated_percent(row)
    if stated is not None:
        return OwnedPercentage(doubt=ABOVE_ALL) if stated > _ALL else OwnedPercentage(stated)
    if row["percentBelow"] is not None or row["isExit"]:
        return OwnedPercentage()
    if row["doubt"] is not None:
        return OwnedPercentage(doubt=row["doubt"])
    shares = None if row["shares"] is None else Decimal(row["shares"])
    return derived_percentage(shares, line.company, row["day"], row["classTitle"], outstanding)


def percentage_signals(
    stake_histories: Sequence[StakeHistory], outstanding: Outstanding = MappingProxyType({})
) -> pl.DataFrame:
    """Signals of current statements that give no percentage although their numbers are known, or another one.

    Also of firms of one name under several CIKs: one that was reorganised would be counted twice.
    """
    found = ((line.company, _percentage_doubt(line, outstanding)) for line in stake_histories)
    doubts = [(company, doubt) for company, doubt in found if doubt is not None]
    return doubt_rows(KEY, [*doubts, *_shared_names(stake_histories)])


def _shared_names(stake_histories: Sequence[StakeHistory]) -> list[tuple[str, str]]:
    ciks: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for line in stake_histories:
        row = line.row
        if line.cik is not None and "IN" not in row["types"] and not _is_exit(row):
            ciks[line.company, row[HOLDER_KEY], row["classKey"]].add(line.cik)
    return [(company, SHARED_NAME) for (company, _, _), told in sorted(ciks.items()) if len(told) > 1]


def _percentage_doubt(line: StakeHistory, outstanding: Outstanding) -> str | None:
    """Why a current statement has no percentage; or that the stated one, which is served, is not that of its shares."""
    row = line.row
    stated, shares = stated_percent(row), Decimal(row["shares"] or 0)
    doubt = row["doubt"] or _stake_percentage(line, row, outstanding).doubt
    if doubt is not None or stated is None or shares <= 0:
        return doubt
    owned = derived_percentage(shares, line.company, row["day"], row["classTitle"], outstanding)
    if owned.level is None and owned.doubt != ABOVE_ALL:
        return None  # no count to compare with
    count = count_near(outstanding[line.company], row["day"])
    return None if count is None or is_within_tolerance(stated, shares, count[0]) else PERCENT_DIFFERS
