"""Maps Forms 3, 4 and 5 to shared holdings: per owner, class and day the sum of all lines, each counted once.

A percentage is derived only if the shares outstanding are known and the owner reports ten percent ownership or
is known from a Schedule 13D or 13G (docs/formats/us.md 7.3). Other holdings are published with the insider's
role only. Does not belong here: parsing (`parse`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final

import polars as pl

from connectors.us.firm_names import is_firm_name
from connectors.us.form_types import AMENDED
from connectors.us.ownership.forms345.schema import ISSUER, KEY, LINE, OWNER, OWNER_KEY, SOURCE
from connectors.us.ownership.holder_types import (
    Row,
    accession_order,
    edgar_holder_type,
    event_day,
    filing_days,
    filing_page_url,
    holder_fields,
    iter_linked_rows,
    to_holdings_frame,
)
from connectors.us.ownership.schedule13.holdings import Identities
from connectors.us.ownership.shares_outstanding import (
    COUNTS_DIFFER,
    Outstanding,
    OwnedPercentage,
    derived_percentage,
    doubt_rows,
    has_one_basis,
)
from name_matching.folding import fold_text

INSIDER_CODES: Final = {
    "isDirector": "director",
    "isOfficer": "officer",
    "isTenPercentOwner": "ten_percent_owner",
    "isOther": "other",
}
_SAID: Final = ("pct", "pct_min", "ended_on")
_EARLIEST: Final = date.min
_MARK: Final = re.compile(r"[(\[]\s*\d{1,2}\s*[)\]]|\bfootnotes?\s+\d{1,2}\b", re.IGNORECASE)
_SMALL: Final = frozenset(("a", "an", "as", "by", "footnote", "footnotes", "held", "in", "of", "see", "the", "through"))


def map_holdings(
    lines: pl.LazyFrame,
    filed: pl.LazyFrame,
    identities: Identities = MappingProxyType({}),
    outstanding: Outstanding = MappingProxyType({}),
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Shared holdings of the touched companies after each day covered by forms, oldest first per record; signals.

    `identities`: holders as Schedules 13D and 13G name them.
    """
    days = filing_days(filed)
    owners: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in iter_linked_rows(lines):
        if row["classKey"] is not None:
            owner = row["ownerCik"] or row[OWNER_KEY]
            owners[row["_company_id"], owner, row["classKey"]].append(_with_days(row, days))
    found: list[Row] = []
    doubts: list[tuple[str, str]] = []
    for (company, owner, kind), told in sorted(owners.items()):
        # «Musk Elon» here is «Elon Musk» there: without this, one holder would become two
        who = identities.get((company, owner)) or identities.get((company, max(told, key=_row_order_key)[OWNER_KEY]))
        made: list[Row] = []
        for row, newest in _newest_lines(_without_amended(with_ways_of_owning(told))):
            total, owned = _owned_shares(row, newest, who, outstanding)
            doubts += [(company, owned.doubt)] if owned.doubt is not None else []
            made.append(_holding_row(row, f"{owner}/{kind}", total, owned.level))
        found += [row | (who or {}) for row in _changed_rows(made)]
    return to_holdings_frame(found), doubt_rows(KEY, doubts)


def _with_days(row: Row, days: Mapping[str, date]) -> Row:
    """Adds `filed` and `at`: the end of the fiscal year for Form 5, the transaction day for the others."""
    filed = row["filedOn"] or days.get(row["accession"] or "") or row["signedOn"]
    own, period = row["day"], row["period"]
    day = period or own if row["form"].startswith("5") else own or period
    return row | {"filed": filed, "at": event_day(day, filed, row["_observed_at"])}


def with_ways_of_owning(told: list[Row]) -> list[Row]:
    """The lines of one owner and class with their `way`: owned directly, or by the nature stated.

    A nature is the same in other words («By Trust», «by the trust (1)»), unless one form has a line of each.
    """
    words: dict[str, dict[tuple[Any, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in told:
        words[row[SOURCE]][row["isDirect"], _plain_nature(row)].add(fold_text(row["nature"] or ""))
    several = {way for ways in words.values() for way, natures in ways.items() if len(natures) > 1}
    found: list[Row] = []
    for row in told:
        way = (row["isDirect"], _plain_nature(row))
        found.append(row | {"way": (way[0], fold_text(row["nature"] or "")) if way in several else way})
    return found


def _plain_nature(row: Row) -> str:
    """A nature of ownership without marks of footnotes and small words; what is owned directly needs none."""
    if row["isDirect"]:
        return ""
    return " ".join(word for word in fold_text(_MARK.sub(" ", row["nature"] or "")).split() if word not in _SMALL)


def _without_amended(told: list[Row]) -> list[Row]:
    """Lines without those of forms that an amendment states again, perhaps for another day.

    It does if it has as many lines of the same way of owning; one that has fewer mends single lines. Of two forms of
    one day nothing says which is amended.
    """
    forms: dict[tuple[str, date | None, tuple[Any, str]], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in told:
        filed = row["originalOn"] if row["form"].endswith(AMENDED) else row["filed"]
        forms[row["form"].removesuffix(AMENDED), filed, row["way"]][row[SOURCE]].append(row)
    amended: set[tuple[str, str]] = set()
    for (_, filed, _), versions in forms.items():
        in_order = sorted(versions.values(), key=_version_order_key)
        first = next((place for place, rows in enumerate(in_order) if rows[0]["form"].endswith(AMENDED)), len(in_order))
        for place, rows in enumerate(in_order if filed is not None and first <= 1 else ()):
            if any(len(later) >= len(rows) for later in in_order[max(place + 1, first) :]):
                amended.update((row[SOURCE], row[LINE]) for row in rows)
    return [row for row in told if (row[SOURCE], row[LINE]) not in amended]


def _version_order_key(rows: list[Row]) -> tuple[bool, date, tuple[int, str]]:
    """Order of a form and its amendments."""
    row = rows[0]
    return row["form"].endswith(AMENDED), row["filed"] or _EARLIEST, accession_order(row["accession"])


def _row_order_key(row: Row) -> tuple[date, date, tuple[int, str], str, int]:
    place = int(row[LINE].rpartition("/")[2])
    return (row["at"] or _EARLIEST, row["filed"] or _EARLIEST, accession_order(row["accession"]), row[SOURCE], place)


def _newest_lines(told: list[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """Yields per day covered by forms the last row, and the lines of the shares owned then.

    These are the latest lines of each way of owning, directly or by the nature stated: from the newest form
    that has it. Within one form, a transaction continues the previous one with the same footnotes, while
    holdings without transactions are separate: two trusts may be described with the same words.
    """
    ways: dict[tuple[Any, str], dict[str, dict[Any, Row]]] = defaultdict(dict)
    for _, group in groupby(sorted(told, key=_row_order_key), key=itemgetter("at")):
        rows = list(group)
        for row in rows:
            forms = ways[row["way"]]
            form = forms.pop(row[SOURCE], {})
            form[row["notes"] if row["isTransaction"] else row[LINE]] = row
            forms[row[SOURCE]] = form  # the newest comes last
        newest = [one for forms in ways.values() for one in list(forms.values())[-1].values()]
        yield rows[-1], newest


def _changed_rows(made: list[Row]) -> list[Row]:
    """Removes rows that repeat the row before them for an earlier day; the last row is always kept."""
    pairs = zip([None, *made], made, strict=False)
    told = [row for before, row in pairs if before is None or any(before[name] != row[name] for name in _SAID)]
    return told if not made or told[-1] is made[-1] else [*told, made[-1]]


def _owned_shares(
    row: Row, newest: list[Row], who: Row | None, outstanding: Outstanding
) -> tuple[Decimal | None, OwnedPercentage]:
    """The total of some lines, and its percentage. Lines of both sides of a split are never added."""
    company, days = (
        row["_company_id"],
        [line["at"] for line in newest if line["at"] is not None and line["shares"] != "0"],
    )
    total = _total_shares(newest)
    if total is not None and len(set(days)) > 1 and not has_one_basis(outstanding, company, min(days), max(days)):
        return None, OwnedPercentage(doubt=COUNTS_DIFFER)
    may = bool(row["isTenPercentOwner"]) or who is not None
    if not may:
        return total, OwnedPercentage()
    return total, derived_percentage(total, company, row["at"], row["classTitle"], outstanding)


def _total_shares(newest: list[Row]) -> Decimal | None:
    """Sum of all lines; null if one of them has its shares only in a footnote."""
    if any(row["shares"] is None for row in newest):
        return None
    return sum((Decimal(row["shares"]) for row in newest), Decimal(0))


def _holding_row(row: Row, native: str, total: Decimal | None, level: Decimal | None) -> Row:
    kind = edgar_holder_type(("IN",) if _is_person(row) else (), row[OWNER])
    return {
        "company_id": row["_company_id"],
        "register": KEY,
        "native_id": native,
        **holder_fields(row[OWNER], kind, row["ownerCik"], row["place"]),
        "share_class": row["classTitle"],
        "is_direct": row["isDirect"],
        "controls": [name for flag, name in INSIDER_CODES.items() if row[flag]],
        "valid_from": row["at"],
        "ended_on": (row["at"] or row["_observed_at"].date()) if total == 0 else None,
        "url": filing_page_url(row[ISSUER], row["accession"]),
        "raw": row["_raw"],
        "observed_at": row["_observed_at"],
        **_percentage_fields(row, level),
    }


def _is_person(row: Row) -> bool:
    """Whether an insider is a person: officers always, directors unless the name has a company's mark (funds)."""
    return bool(row["isOfficer"]) or (bool(row["isDirector"]) and not is_firm_name(row[OWNER]))


def _percentage_fields(row: Row, level: Decimal | None) -> dict[str, Any]:
    basis = None if level is None else "derived"
    return {"pct": level if row["isLead"] else None, "pct_min": level, "pct_max": level, "basis": basis}
