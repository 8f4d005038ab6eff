"""Rows of a Schedule 13D or 13G of any format: one per reporting person.

Joint filers report the same shares, so nothing is summed: the filing's stake is the largest, and one person
leads (docs/formats/us.md 7.1). Does not belong here: parsing a format (`parse_xml`, `parse_text`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Final

from connectors.us.ownership.full_submission import FullSubmission
from connectors.us.ownership.parse_values import class_key, format_number
from connectors.us.ownership.schedule13.schema import CUSIP, HOLDER, HOLDER_KEY, ISSUER, PERSON, SOURCE
from name_matching.folding import fold_text

_AMENDED: Final = "/A"
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


@dataclass(frozen=True, slots=True)
class FilingEnvelope:
    """Facts about a filing known from outside its document."""

    source: str
    accession: str | None = None
    submission: FullSubmission | None = field(default=None)


def statement_rows(statement: StakeStatement, envelope: FilingEnvelope) -> list[dict[str, Any]]:
    """The rows of one filing."""
    filers = _filer_ciks(statement, envelope)
    persons = _with_filer_ciks(statement, envelope, filers)
    lead = _lead_position(persons, filers)
    largest = max((person.percent for person in persons if person.percent is not None), default=None)
    common = _common_fields(statement, envelope) | {"filingPercent": largest}
    return [
        common | _person_fields(person) | {PERSON: str(place), "isLead": place - 1 == lead}
        for place, person in enumerate(persons, start=1)
    ]


def issuer_cik_of(statement: StakeStatement, envelope: FilingEnvelope) -> str | None:
    """The issuer's CIK: the document's own, else the only subject in the header."""
    if statement.issuer_cik is not None or envelope.submission is None:
        return statement.issuer_cik
    subjects = envelope.submission.ciks("SUBJECT-COMPANY")
    return subjects[0] if len(subjects) == 1 else None


def cusip_rows(statement: StakeStatement, issuer: str | None) -> list[dict[str, Any]]:
    """Rows linking CUSIPs to their issuer; none if the issuer's CIK is unknown."""
    if issuer is None:
        return []
    return [
        {CUSIP: cusip, ISSUER: issuer, "classTitle": statement.class_title} for cusip in dict.fromkeys(statement.cusips)
    ]


def _filer_ciks(statement: StakeStatement, envelope: FilingEnvelope) -> tuple[str, ...]:
    """CIKs of the filers: from the document, else from the header."""
    if statement.filers or envelope.submission is None:
        return statement.filers
    return envelope.submission.ciks("FILED-BY")


def _with_filer_ciks(
    statement: StakeStatement, envelope: FilingEnvelope, filers: tuple[str, ...]
) -> tuple[ReportingPerson, ...]:
    """Adds CIKs missing in the form: a filing's only person is its only filer; of several the header names some."""
    if len(statement.persons) == 1 and len(filers) == 1:
        (person,) = statement.persons
        return (_with_cik(person, filers[0]),)
    if envelope.submission is None:
        return statement.persons
    named = envelope.submission.header_values
    return tuple(_with_cik(person, named.get(fold_text(person.name))) for person in statement.persons)


def _with_cik(person: ReportingPerson, cik: str | None) -> ReportingPerson:
    if person.cik is not None or cik is None:
        return person
    return ReportingPerson(
        person.name, cik, person.group, person.place, person.types, person.shares, person.percent, person.below
    )


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


def _common_fields(statement: StakeStatement, envelope: FilingEnvelope) -> dict[str, Any]:
    submission = envelope.submission
    form = (submission.form if submission is not None else None) or statement.form
    return {
        SOURCE: envelope.source,
        "accession": envelope.accession,
        "form": form,
        "isAmendment": (form or "").endswith(_AMENDED),
        "amendmentNo": statement.amendment,
        "previousAccession": statement.previous,
        "filedOn": submission.filed_on if submission is not None else None,
        "signedOn": statement.signed_on,
        ISSUER: issuer_cik_of(statement, envelope),
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
