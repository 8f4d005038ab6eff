"""Schedules 13D and 13G to shared holdings: of each holder and class the newest statement (FORMAT us 7.1).

Joint filers report the same shares: the lead's row carries the percentage, the others carry it as both bounds, so
that each holder's level is known and a sum over holders counts the shares once. An amendment that leaves the filing
less than five percent closes its holders; so does a percentage of nothing. Does not belong here: other forms.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from itertools import chain
from typing import Any, Final

import polars as pl

from connectors.us.holders_kinds import (
    Row,
    as_holdings,
    company_of,
    country,
    filed_days,
    happened,
    holder_type,
    order,
    page,
    present,
)
from connectors.us.schedule13_fields import HOLDER, HOLDER_KEY, ISSUER, KEY, SOURCE

_DUTY: Final = Decimal(5)  # percent above which there is a duty to report
_ALL: Final = Decimal(100)
_NOTHING: Final = Decimal(0)
_EARLIEST: Final = date.min


def holdings(stakes: pl.LazyFrame, bare: pl.LazyFrame, filed: pl.LazyFrame) -> pl.DataFrame:
    """Shared holdings of the touched companies; `filed`: the filings of their lists, for the days of filing."""
    days = filed_days(filed)
    rows = [_dated(row, days) for row in chain(present(stakes), present(bare))]
    ciks = _ciks(rows)
    lines: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        row["holderCik"] = row["holderCik"] or ciks.get((row["_company_id"], row[HOLDER_KEY]))
        lines[row["_company_id"], row["holderCik"] or row[HOLDER_KEY], row["classKey"]].append(row)
    found = [
        _holding(company, f"{holder}/{kind}", told) for (company, holder, kind), told in sorted(lines.items())
    ]
    return as_holdings(found)


def holder_keys(frame: pl.DataFrame) -> set[tuple[str, str]]:
    """Companies and their holders, as these holdings know them: by CIK, else by name."""
    return {
        (company, native.partition("/")[0])
        for company, native in frame.select("company_id", "native_id").iter_rows()
    }


def _dated(row: Row, days: Mapping[str, date]) -> Row:
    """With `filed` and `day`: of the event, which is none ahead of the filing."""
    filed = row["filedOn"] or days.get(row["accession"] or "") or row["signedOn"]
    return row | {"filed": filed, "day": happened(row["eventDate"], filed, row["_observed_at"])}


def _ciks(rows: Iterable[Row]) -> dict[tuple[str, str], str]:
    """The CIK of a name in one company, where its other filings give it exactly one."""
    known: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row["holderCik"] is not None:
            known[row["_company_id"], row[HOLDER_KEY]].add(row["holderCik"])
    return {name: next(iter(ciks)) for name, ciks in known.items() if len(ciks) == 1}


def _age(row: Row) -> tuple[date, date, tuple[int, str], str]:
    return row["day"] or _EARLIEST, row["filed"] or _EARLIEST, order(row["accession"]), row[SOURCE]


def _holding(company: str, native: str, told: list[Row]) -> Row:
    """The newest that states a percentage: an amendment may leave it out, and the one before holds."""
    newest_first = sorted(told, key=_age, reverse=True)
    row = next((one for one in newest_first if _states(one)), newest_first[0])
    kind = holder_type(row["types"], row[HOLDER])
    return {
        "company_id": company,
        "register": KEY,
        "native_id": native,
        "holder_name": row[HOLDER],
        "holder_type": kind,
        "holder_company_id": company_of(row["holderCik"], kind),
        "holder_country": country(row["place"]),
        "share_class": row["classTitle"],
        "valid_from": row["day"],
        "ended_on": (row["day"] or row["_observed_at"].date()) if _is_exit(row) else None,
        "url": page(row[ISSUER] or company[-10:], row["accession"]),
        "raw": row["_raw"],
        "observed_at": row["_observed_at"],
        **_share(row),
    }


def _states(row: Row) -> bool:
    return row["percent"] is not None or row["percentBelow"] is not None or row["isExit"]


def _is_exit(row: Row) -> bool:
    """Whether the duty to report has ended: nobody will tell when what is left goes."""
    if row["isExit"] or row["percent"] == _NOTHING:
        return True
    stake = row["filingPercent"] if row["filingPercent"] is not None else row["percentBelow"]
    return (
        row["isAmendment"] and stake is not None and (stake < _DUTY or stake == row["percentBelow"] == _DUTY)
    )


def _share(row: Row) -> dict[str, Any]:
    percent, below = row["percent"], row["percentBelow"]
    if percent is None:
        limit = below if below is not None else _DUTY if row["isExit"] else None
        bounds = {"pct_min": _NOTHING if limit is not None else None, "pct_max": limit}
        return {"pct": None, **bounds, "basis": "band" if limit is not None else None}
    level = min(percent, _ALL)  # rights within sixty days count, so more than all may be stated
    return {
        "pct": level if row["isLead"] else None,
        "pct_min": level,
        "pct_max": level,
        "basis": "exact" if level == percent else "derived",
    }
