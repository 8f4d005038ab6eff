"""Rows of a Schedule 13D or 13G of any format: one per reporting person.

Joint filers report the same shares, so nothing is summed: the filing's stake is the largest, and one person
leads (docs/formats/us.md 7.1). Percentages far from the shares outstanding in the same document are signalled, and
stay as stated (7.1, 12.5). Does not belong here: parsing a format (`parse_xml`, `parse_text`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Any, Final

from connectors.kit.staging import SignalCounter
from connectors.us.ownership import parse_values as values
from connectors.us.ownership.files import OwnershipFile
from connectors.us.ownership.full_submission import FullSubmission
from connectors.us.ownership.parse_values import class_key, format_number
from connectors.us.ownership.schedule13.schema import CUSIP, HOLDER, HOLDER_KEY, ISSUER, PERSON
from connectors.us.ownership.similar_names import is_similar
from connectors.us.register import MARKET
from name_matching.core_name import core_name
from name_matching.folding import fold_text

PERCENT_DIFFERS: Final = "percent_differs"  # signal: the percentage is not that of the shares
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


def with_sound_ciks(statement: StakeStatement, tally: SignalCounter, example: str) -> StakeStatement:
    """A statement in which no CIK is that of two parties."""
    return _without_issuer_as_holder(_without_shared_ciks(statement, tally, example), tally, example)


def _without_shared_ciks(statement: StakeStatement, tally: SignalCounter, example: str) -> StakeStatement:
    """A statement without a CIK of persons whose names have nothing in common: the header may tell whose it is.

    One person may be named in several ways («John Smith, as trustee»), which is signalled alone.
    """
    names: dict[str | None, set[str]] = defaultdict(set)
    for person in statement.persons:
        names[person.cik].add(person.name)
    several = {cik: found for cik, found in names.items() if cik and len({_comparable_name(one) for one in found}) > 1}
    if several:
        tally.add("holders_share_cik", "one CIK for several", example)
    shared = {cik for cik, found in several.items() if any(not is_similar(*pair) for pair in combinations(found, 2))}
    if not shared:
        return statement
    persons = (replace(person, cik=None) if person.cik in shared else person for person in statement.persons)
    return replace(statement, persons=tuple(persons))


def _comparable_name(name: str) -> str:
    return core_name(name, MARKET) or fold_text(name)


def _without_issuer_as_holder(statement: StakeStatement, tally: SignalCounter, example: str) -> StakeStatement:
    """A statement that gives no CIK to the issuer and to a person: holders fill in their own one as the issuer's.

    A CIK under which the filing came is the person's, as EDGAR has checked it; any other is the issuer's.
    """
    cik = statement.issuer_cik
    if cik is None or all(person.cik != cik for person in statement.persons):
        return statement
    tally.add("issuer_is_holder", "one CIK for both", example)
    if not statement.filers or cik in statement.filers:
        return replace(statement, issuer_cik=None)
    persons = (replace(person, cik=None) if person.cik == cik else person for person in statement.persons)
    return replace(statement, persons=tuple(persons))


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
    """The issuer's CIK: the document's own, else the only subject in the header, unless that is a holder."""
    if statement.issuer_cik is not None or submission is None:
        return statement.issuer_cik
    subjects = submission.ciks("SUBJECT-COMPANY")
    is_holder = any(person.cik in subjects for person in statement.persons)
    return subjects[0] if len(subjects) == 1 and not is_holder else None


def cusip_rows(statement: StakeStatement, issuer: str | None) -> list[dict[str, Any]]:
    """Rows linking CUSIPs to their issuer, with the zeros in front that they lost too; none of an unknown issuer."""
    if issuer is None:
        return []
    padded = (values.padded_cusip(cusip) for cusip in statement.cusips)
    return [
        {CUSIP: cusip, ISSUER: issuer, "classTitle": statement.class_title, "issuer": statement.issuer}
        for cusip in dict.fromkeys((*statement.cusips, *filter(None, padded)))
    ]


def _filer_ciks(statement: StakeStatement, submission: FullSubmission | None) -> tuple[str, ...]:
    """CIKs of the filers: from the document, else from the header; an issuer may file for a holder."""
    filers = statement.filers
    if not filers and submission is not None:
        filers = submission.ciks("FILED-BY")
    return tuple(cik for cik in filers if cik != issuer_cik_of(statement, submission))


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
        if not any(is_within_tolerance(person.percent, person.shares, total) for total in totals):
            tally.add(PERCENT_DIFFERS, "shares of those outstanding", example)


def is_within_tolerance(percent: Decimal, shares: Decimal, total: Decimal) -> bool:
    """Whether a percentage fits, with rights within sixty days counted in both numerator and denominator."""
    lowest, highest = shares * 100 / (total + shares), shares * 100 / total
    return lowest - _APART <= percent <= highest + _APART
