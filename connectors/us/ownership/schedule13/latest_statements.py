"""Selects the current statement of each holder and class, and the lead among holders reporting the same shares.

See docs/formats/us.md 7.1.

Belongs here: which rows are one holder in one company, which titles are one class, which filing is newer, which
holders share their shares. Does not belong here: the mapping of a statement (`holdings`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Final

from connectors.kit.disjoint_sets import DisjointSets
from connectors.us.ownership.holder_types import Row, accession_order, event_day
from connectors.us.ownership.parse_values import is_same_class
from connectors.us.ownership.schedule13.schema import CUSIP, HOLDER_KEY, PERSON, SOURCE

_EARLIEST: Final = date.min
_NOTHING: Final = Decimal(0)
_UNKNOWN: Final = Decimal(-1)
_DIGITS: Final = 3  # digits of the number of an amendment
_SIGNS: Final = 8  # characters of a CUSIP, without its check digit
_QUARTER: Final = timedelta(days=92)
_PERSON: Final = "IN"  # type of a reporting person: two individuals may have one name


@dataclass(frozen=True, slots=True)
class StakeHistory:
    """One class of one holder: its statements, oldest first, and the current one."""

    company: str
    native: str
    row: Row
    statements: Sequence[Row]
    cik: str | None


def stake_histories(rows: Iterable[Row], days: Mapping[str, date]) -> list[StakeHistory]:
    """The lines of some companies. `days`: accession to day of filing, for documents without a header."""
    given = _with_predecessors(sorted((_with_days(row, days) for row in rows), key=_filing_order))
    ciks = _cik_by_name(given)
    holders: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in given:
        company = row["_company_id"]
        cik = row["holderCik"] or ciks.get((company, row[HOLDER_KEY]))
        holders[company, cik or row[HOLDER_KEY]].append(row | {"known": cik})
    found = [_stake_history(company, told) for (company, _), own in holders.items() for told in _split_by_class(own)]
    return sorted(found, key=lambda line: (line.company, line.native))


def has_stated_amount(row: Row) -> bool:
    """Whether a statement gives an amount; an amendment may omit it, and then the previous one stays current."""
    return stated_percent(row) is not None or row["percentBelow"] is not None or row["isExit"]


def stated_percent(row: Row) -> Decimal | None:
    """The percentage as stated; zero shares are zero percent even if no percentage is stated."""
    if row["percent"] is None and row["percentBelow"] is None and row["shares"] == "0":
        return _NOTHING
    return row["percent"]


def lead_stakes(stake_histories: Sequence[StakeHistory]) -> set[tuple[str, str]]:
    """Lines that lead among holders reporting the same shares: the largest of those joined by one filing.

    A filing joins its persons as long as it is the newest of one of them: a person who has since filed
    separately may still be counted in the shares of one who has not.
    """
    joined = DisjointSets()
    members: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, line in enumerate(stake_histories):
        for source in dict.fromkeys(row[SOURCE] for row in line.statements):
            members[line.company, source].append(place)
    for place, line in enumerate(stake_histories):
        for other in members[line.company, line.row[SOURCE]]:
            joined.join(place, other)
    groups = ([stake_histories[place] for place in places] for places in joined.groups(len(stake_histories)))
    leads = (max(lines, key=lambda line: lead_weight(line.row)) for lines in groups)
    return {(lead.company, lead.native) for lead in leads}


def superseded_stake_statements(line: StakeHistory) -> list[Row]:
    """Statements with an amount from before the current one's day, the last of each day."""
    told = sorted(
        (row for row in line.statements if has_stated_amount(row) and row["day"] is not None), key=_statement_order_key
    )
    days = {row["day"]: row for row in told}
    end = line.row["day"]
    return [row for day, row in sorted(days.items()) if end is not None and day < end]


def lead_weight(row: Row) -> tuple[Decimal, bool]:
    """Ranking of the persons of a filing: the largest share; on a tie the one who files."""
    stated = stated_percent(row)
    return _UNKNOWN if stated is None else stated, row["isLead"]


def _with_days(row: Row, days: Mapping[str, date]) -> Row:
    """Adds `filed` and `day`, the day of the event, at most the day of filing."""
    filed = row["filedOn"] or days.get(row["accession"] or "") or row["signedOn"]
    return row | {"filed": filed, "day": event_day(row["eventDate"], filed, row["_observed_at"])}


def _filing_order(row: Row) -> tuple[date, int, tuple[int, str], str, int]:
    """Sort key by order of filing; then by the order of persons within one filing."""
    return (
        row["filed"] or _EARLIEST,
        _amendment_number(row) or 0,
        accession_order(row["accession"]),
        row[SOURCE],
        int(row[PERSON]),
    )


def _with_predecessors(given: Sequence[Row]) -> list[Row]:
    """Rows under the CIK that began their series; `filedAs` is their own.

    A group that is reorganised under a new parent files under a new CIK: the same name in the same company goes on
    with an amendment as its first paper, and the CIK before files no more; or a firm ends under the one CIK as it
    begins under the other, and that end is none.
    """
    series: dict[tuple[str, str], dict[str, list[Row]]] = defaultdict(dict)
    for row in given:
        if row["holderCik"] is not None:
            series[row["_company_id"], row[HOLDER_KEY]].setdefault(row["holderCik"], []).append(row)
    began: dict[tuple[str, str, str], str] = {}
    ends: set[tuple[str, str]] = set()
    for (company, name), filers in series.items():
        for (before, told), (cik, then) in pairwise(filers.items()):  # in the order of their first papers
            is_handed_over = _is_handed_over(told, then)
            if is_handed_over or _is_continued(told, then):
                began[company, name, cik] = began.get((company, name, before), before)
            if is_handed_over:
                ends.add((told[-1][SOURCE], told[-1][PERSON]))
    return [
        row | {"holderCik": began.get((row["_company_id"], row[HOLDER_KEY], cik), cik), "filedAs": cik}
        for row in given
        if (row[SOURCE], row[PERSON]) not in ends
        for cik in (row["holderCik"],)
    ]


def _is_continued(told: Sequence[Row], then: Sequence[Row]) -> bool:
    """Whether a filer's first paper goes on with the series of another one, which ends before it."""
    last, first = told[-1], then[0]
    is_series = any(_is_same_class(first, row) for row in told)
    return first["isAmendment"] and is_series and _filing_order(last) < _filing_order(first)


def _is_handed_over(told: Sequence[Row], then: Sequence[Row]) -> bool:
    """Whether a firm's last paper under one CIK ends its stake, about when its first one under another begins it."""
    last, first = told[-1], then[0]
    is_end = len(told) > 1 and (stated_percent(last) == _NOTHING or last["isExit"])
    is_firm = _PERSON not in (*last["types"], *first["types"])
    filed = (last["filed"], first["filed"])
    is_near = None not in filed and abs(filed[1] - filed[0]) <= _QUARTER
    return is_end and is_firm and is_near and not first["isExit"] and _is_same_class(first, last)


def _cik_by_name(rows: Iterable[Row]) -> dict[tuple[str, str], str]:
    """The CIK of a name in one company, if its filings give exactly one."""
    known: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if row["holderCik"] is not None:
            known[row["_company_id"], row[HOLDER_KEY]].add(row["holderCik"])
    return {name: next(iter(ciks)) for name, ciks in known.items() if len(ciks) == 1}


def _split_by_class(told: Iterable[Row]) -> Iterator[list[Row]]:
    """Groups a holder's statements by class: equal title, or equal CUSIP if the titles do not name two classes."""
    found: list[list[Row]] = []
    for row in told:
        same = next((rows for rows in found if any(_is_same_class(row, one) for one in rows)), None)
        if same is None:
            found.append([row])
        else:
            same.append(row)
    yield from found


def _is_same_class(row: Row, other: Row) -> bool:
    if row["classKey"] == other["classKey"]:
        return True
    cusips = [(one[CUSIP] or "")[:_SIGNS] for one in (row, other)]
    return bool(cusips[0]) and cusips[0] == cusips[1] and is_same_class(row["classKey"], other["classKey"])


def _stake_history(company: str, told: list[Row]) -> StakeHistory:
    """Builds a line. Its id is the oldest statement's: a CIK or title added later does not make a new holding."""
    first = told[0]
    native = f"{first['holderCik'] or first[HOLDER_KEY]}/{first['classKey']}"
    dated = _with_amendment_days(told)
    newest = sorted(dated, key=_statement_order_key, reverse=True)
    row = next((one for one in newest if has_stated_amount(one)), newest[0])
    return StakeHistory(company, native, row, dated, first["known"])


def _with_amendment_days(told: Iterable[Row]) -> list[Row]:
    """Moves an amendment's day up to the amended one's if earlier: many repeat the day of an older event."""
    found: list[Row] = []
    for row in told:
        amended = [one["day"] for one in found if one["day"] is not None and _is_amendment_of(row, one)]
        day = max([*amended, row["day"] or _EARLIEST])
        found.append(row if day == _EARLIEST else row | {"day": day})
    return found


def _is_amendment_of(row: Row, other: Row) -> bool:
    if not row["isAmendment"] or row[SOURCE] == other[SOURCE]:
        return False
    if row["previousAccession"] is not None and row["previousAccession"] == other["accession"]:
        return True
    mine, theirs = _amendment_number(row), _amendment_number(other)
    mine = 1 if mine is None else mine  # whatever its number, it amends the original
    is_series = (row["form"] or "").removesuffix("/A")[-1:] == (other["form"] or "").removesuffix("/A")[-1:]
    return is_series and theirs is not None and theirs < mine


def _amendment_number(row: Row) -> int | None:
    """The number of an amendment; zero for the original statement."""
    if not row["isAmendment"]:
        return 0
    told = (row["amendmentNo"] or "").strip()
    return int(told) if told.isascii() and told.isdigit() and len(told) <= _DIGITS else None


def _statement_order_key(row: Row) -> tuple[date, tuple[date, int, tuple[int, str], str], Decimal, int]:
    filed, number, accession, source, place = _filing_order(row)
    stated = stated_percent(row)
    largest = _UNKNOWN if stated is None else stated  # a person may have two cover pages
    return row["day"] or _EARLIEST, (filed, number, accession, source), largest, -place
