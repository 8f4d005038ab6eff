"""Rows of a Schedule 13D or 13G of any format: one per reporting person.

Joint filers report the same shares, so nothing is summed: the filing's stake is the largest, and one person
leads (docs/formats/us.md 7.1). Percentages far from the shares outstanding in the same document are signalled, and
stay as stated (7.1, 12.5). Does not belong here: parsing a format (`parse_xml`, `parse_text`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final

from connectors.kit.staging import SignalCounter
from connectors.us.ownership import parse_values as values
from connectors.us.ownership.files import OwnershipFile
from connectors.us.ownership.full_submission import FullSubmission
from connectors.us.ownership.parse_values import class_key, format_number
from connectors.us.ownership.schedule13.schema import CUSIP, HOLDER, HOLDER_KEY, ISSUER, PERSON
from name_matching.folding import fold_text

_UNKNOWN: Final = Decimal(-1)


@dataclass(frozen=True, slots=True)
class ReportingPerson:
    """One reporting person's cover page."""

    name: str
    cik: str | None = None
    group: str | None = None
    place: str | None = None
    types: tuple[str, ...] = ()
    shares: Decimal | None = None
    percent: Decimal | None = None
    below: Decimal | None = None


@dataclass(frozen=True, slots=True)
class StakeStatement:
    """One filing: its cover and its persons."""

    form: str | None
    issuer: str | None
    class_title: str | None
    event_date: date | None
    persons: tuple[ReportingPerson, ...]
    issuer_cik: str | None = None
    cusips: tuple[str, ...] = ()
    amendment: str | None = None
    previous: str | None = None
    signed_on: date | None = None
    filers: tuple[str, ...] = ()
    is_exit: bool = False
    is_text: bool = False


def statement_rows(statement: StakeStatement, file: OwnershipFile) -> list[dict[str, Any]]:
    """The rows of one filing."""
    filers = _filer_ciks(statement, file.submission)
    persons = _with_filer_ciks(statement, file.submission, filers)
    lead = _lead_position(persons, filers)
    largest = max((person.percent for person in persons if person.percent is not None), default=None)
    common = _common_fields(statement, file) | {"filingPercent": largest}
    return [
        common | _person_fields(person) | {PERSON: str(place), "isLead": place - 1 == lead}
        for place, person in enumerate(persons, start=1)
    ]


def issuer_cik_of(statement: StakeStatement, submission: FullSubmission | None) -> str | None:
    """The issuer's CIK: the document's own, else the only subject in the header."""
    if statement.issuer_cik is not None or submission is None:
        return statement.issuer_cik
    subjects = submission.ciks("SUBJECT-COMPANY")
    return subjects[0] if len(subjects) == 1 else None


def cusip_rows(statement: StakeStatement, issuer: str | None) -> list[dict[str, Any]]:
    """Rows linking CUSIPs to their issuer; none if the issuer's CIK is unknown."""
    if issuer is None:
        return []
    return [
        {CUSIP: cusip, ISSUER: issuer, "classTitle": statement.class_title, "issuer": statement.issuer}
        for cusip in dict.fromkeys(statement.cusips)
    ]


def _filer_ciks(statement: StakeStatement, submission: FullSubmission | None) -> tuple[str, ...]:
    """CIKs of the filers: from the document, else from the header."""
    if statement.filers or submission is None:
        return statement.filers
    return submission.ciks("FILED-BY")


def _with_filer_ciks(
    statement: StakeStatement, submission: FullSubmission | None, filers: tuple[str, ...]
) -> tuple[ReportingPerson, ...]:
    """Adds CIKs missing in the form: a filing's only person is its only filer; of several the header names some."""
    if len(statement.persons) == 1 and len(filers) == 1:
        (person,) = statement.persons
        return (_with_cik(person, filers[0]),)
    if submission is None:
        return statement.persons
    named = submission.header_values
    return tuple(_with_cik(person, named.get(fold_text(person.name))) for person in statement.persons)


def _with_cik(person: ReportingPerson, cik: str | None) -> ReportingPerson:
    if person.cik is not None or cik is None:
        return person
    return replace(person, cik=cik)


def _lead_position(persons: tuple[ReportingPerson, ...], filers: tuple[str, ...]) -> int:
    """Index of the lead: largest percentage, then shares; on a tie the filer of the header, else the first.

    See docs/formats/us.md 7.1.
    """

    def weight(place: int) -> tuple[Decimal, Decimal, bool, int]:
        person = persons[place]
        percent = _UNKNOWN if person.percent is None else person.percent
        shares = _UNKNOWN if person.shares is None else person.shares
        return percent, shares, person.cik is not None and person.cik in filers, -place

    return max(range(len(persons)), key=weight)


def _common_fields(statement: StakeStatement, file: OwnershipFile) -> dict[str, Any]:
    submission = file.submission
    form = (submission.form if submission is not None else None) or statement.form
    return {
        **file.origin(),
        "form": form,
        "isAmendment": (form or "").endswith("/A"),
        "amendmentNo": statement.amendment,
        "previousAccession": statement.previous,
        "signedOn": statement.signed_on,
        ISSUER: issuer_cik_of(statement, submission),
        "issuer": statement.issuer,
        "classTitle": statement.class_title,
        "classKey": class_key(statement.class_title),
        CUSIP: statement.cusips[0] if statement.cusips else None,
        "eventDate": statement.event_date,
        "isExit": statement.is_exit,
        "isText": statement.is_text,
    }


def _person_fields(person: ReportingPerson) -> dict[str, Any]:
    return {
        "holderCik": person.cik,
        HOLDER: person.name,
        HOLDER_KEY: fold_text(person.name),
        "group": person.group,
        "place": person.place,
        "types": list(person.types),
        "shares": format_number(person.shares),
        "percent": person.percent,
        "percentBelow": person.below,
    }


_APART: Final = Decimal(1)  # percentage points (docs/formats/us.md 7.1)
_COUNT: Final = r"(?<![\d.,$])(\d{1,3}(?:,\d{3})+)(?![\d,]|\.\d{3})"
_WORDS: Final = r"(?:[^\s\d;]+\s+){0,12}?"
_BEFORE: Final = re.compile(rf"{_COUNT}\s+{_WORDS}outstanding\b", re.IGNORECASE)
_BEHIND: Final = re.compile(rf"\boutstanding\s+{_WORDS}{_COUNT}", re.IGNORECASE)
_REACH: Final = 400_000  # characters: agreements follow after them


def signal_differing_percentages(
    persons: Iterable[ReportingPerson], text: str, tally: SignalCounter, example: str
) -> None:
    """Emits signals for persons with a percentage that fits none of the shares outstanding named in the text."""
    named = {
        number
        for pattern in (_BEFORE, _BEHIND)
        for found in pattern.findall(text[:_REACH])
        if (number := values.parse_number(found)) is not None
    }
    for person in persons:
        totals = [total for total in named if person.shares is not None and total * 10 > person.shares]
        if person.percent is None or person.shares is None or not totals:
            continue
        if not any(_is_within_tolerance(person.percent, person.shares, total) for total in totals):
            tally.add("percent_differs", "shares of those outstanding", example)


def _is_within_tolerance(percent: Decimal, shares: Decimal, total: Decimal) -> bool:
    """Whether a percentage fits, with rights within sixty days counted in both numerator and denominator."""
    lowest, highest = shares * 100 / (total + shares), shares * 100 / total
    return lowest - _APART <= percent <= highest + _APART
