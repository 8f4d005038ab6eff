"""Parses Schedules 13D and 13G XML: two schemas, two versions, matched by local names (docs/formats/us.md 7.1).

Does not belong here: older forms (`schedule13_text`), or the mapping of a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from lxml import etree

from connectors.declare import Piece, Unreadable
from connectors.kit.staged import Tally
from connectors.us import holders_values as values
from connectors.us.holders_xml import at, children, count_unknown, text, tree
from connectors.us.register import central_index_key
from connectors.us.schedule13_check import differing
from connectors.us.schedule13_rows import Person, Statement

_SCHEMAS: Final = frozenset({"X0101", "X0102", "X0201", "X0202"})
_TYPES: Final = frozenset(
    {"BD", "BK", "CO", "CP", "EP", "FI", "HC", "IA", "IC", "IN", "IV", "OO", "PN", "SA"}
)
_MOST: Final = 100  # persons of one filing
_ALL: Final = Decimal(100)


@dataclass(frozen=True, slots=True)
class _Schema:
    """The element names of one of the two schedules."""

    event: str
    issuer_cik: str
    cusip: str
    persons: tuple[str, ...]
    cik: str
    no_cik: str
    group: str
    shares: str
    percent: str
    known: frozenset[str]


_POWERS: Final = frozenset(
    {"soleVotingPower", "sharedVotingPower", "soleDispositivePower", "sharedDispositivePower"}
)
_BOTH: Final = frozenset({"reportingPersonName", "citizenshipOrOrganization", "typeOfReportingPerson"})
_D: Final = _Schema(
    event="dateOfEvent",
    issuer_cik="issuerCIK",
    cusip="issuerCUSIP",
    persons=("reportingPersons", "reportingPersonInfo"),
    cik="reportingPersonCIK",
    no_cik="reportingPersonNoCIK",
    group="memberOfGroup",
    shares="aggregateAmountOwned",
    percent="percentOfClass",
    known=_BOTH
    | _POWERS
    | {"reportingPersonCIK", "reportingPersonNoCIK", "memberOfGroup", "fundType", "legalProceedings"}
    | {"aggregateAmountOwned", "isAggregateExcludeShares", "percentOfClass", "commentContent"},
)
_G: Final = _Schema(
    event="eventDateRequiresFilingThisStatement",
    issuer_cik="issuerCik",
    cusip="issuerCusip",
    persons=("coverPageHeaderReportingPersonDetails",),
    cik="reportingCik",
    no_cik="reportingCikNotPresentInEdgarFlag",
    group="memberGroup",
    shares="reportingPersonBeneficiallyOwnedAggregateNumberOfShares",
    percent="classPercent",
    known=_BOTH
    | {"reportingCik", "reportingCikNotPresentInEdgarFlag", "memberGroup", "classPercent", "comments"}
    | {"reportingPersonBeneficiallyOwnedNumberOfShares", "aggregateAmountExcludesCertainSharesFlag"}
    | {"reportingPersonBeneficiallyOwnedAggregateNumberOfShares"},
)


def statement(piece: Piece, body: bytes, tally: Tally) -> Statement:
    """One filing. Raises Unreadable if the cover or the persons are missing."""
    root = tree(piece, body, "edgarSubmission", tally)
    header, form_data = at(root, "headerData"), at(root, "formData")
    form = text(header, "submissionType") or ""
    cover = at(form_data, "coverPageHeader")
    if not form.startswith("SCHEDULE 13") or form_data is None or cover is None:
        raise Unreadable(piece.dataset, piece.name, f"expected a Schedule 13D or 13G, found form «{form}»")
    version = text(root, "schemaVersion")
    if version is not None and version not in _SCHEMAS:
        tally.add("unknown_schema", version, piece.name)
    schema = _D if form.startswith("SCHEDULE 13D") else _G
    persons = tuple(_persons(form_data, schema, tally, piece.name))
    if not persons:
        raise Unreadable(piece.dataset, piece.name, f"no reporting person at {'/'.join(schema.persons)}")
    differing(persons, " ".join(" ".join(form_data.itertext("{*}*")).split()), tally, piece.name)
    return Statement(
        form=form,
        issuer=text(cover, "issuerInfo", "issuerName"),
        class_title=text(cover, "securitiesClassTitle"),
        event_date=_event(cover, schema, tally, piece.name),
        persons=persons,
        issuer_cik=_issuer(cover, schema, tally, piece.name),
        cusips=tuple(_cusips(cover, schema)),
        amendment=text(cover, "amendmentNo"),
        previous=text(header, "previousAccessionNumber"),
        signed_on=max(filter(None, map(values.day, _signed(form_data))), default=None),
        filers=tuple(_filers(header)),
        is_exit=values.flag(text(form_data, "items", "item5", "classOwnership5PercentOrLess")) is True,
    )


def _issuer(cover: etree._Element, schema: _Schema, tally: Tally, example: str) -> str | None:
    found = central_index_key(text(cover, "issuerInfo", schema.issuer_cik))
    if found is None:
        tally.add("no_issuer", schema.issuer_cik, example)
    return found


def _event(cover: etree._Element, schema: _Schema, tally: Tally, example: str) -> date | None:
    found = values.day(text(cover, schema.event))
    if found is None:
        tally.add("no_day", schema.event, example)
    return found


def _cusips(cover: etree._Element, schema: _Schema) -> Iterator[str]:
    """The single CUSIP of the older version, or the list of X0202."""
    info = at(cover, "issuerInfo")
    listed = at(info, "issuerCusips")
    given = [text(info, schema.cusip), *((child.text for child in listed) if listed is not None else ())]
    yield from filter(None, map(values.cusip, given))


def _filers(header: etree._Element | None) -> Iterator[str]:
    info = at(header, "filerInfo")
    for filer in children(info, "filer") if info is not None else ():
        cik = central_index_key(text(filer, "filerCredentials", "cik"))
        if cik is not None:
            yield cik


def _signed(form_data: etree._Element) -> Iterator[str | None]:
    return (element.text for element in form_data.iter("{*}date"))


def _persons(form_data: etree._Element, schema: _Schema, tally: Tally, example: str) -> Iterator[Person]:
    *above, name = schema.persons
    parent = at(form_data, *above)
    blocks = list(children(parent, name)) if parent is not None else []
    if len(blocks) > _MOST:
        tally.add("too_many_persons", str(len(blocks)), example)
    for block in blocks:
        named = text(block, "reportingPersonName")
        if named is None:
            tally.add("no_holder", "reportingPersonName", example)
            continue
        count_unknown(block, schema.known, tally, example)
        yield _person(block, named, schema, tally, example)


def _person(block: etree._Element, name: str, schema: _Schema, tally: Tally, example: str) -> Person:
    stated = text(block, schema.percent)
    percent = values.percent(stated)
    if percent is None:
        tally.add(
            "unreadable_value" if stated else "no_percent",
            f"{schema.percent} {stated or ''}".strip(),
            example,
        )
    elif percent > _ALL:
        tally.add("above_100", schema.percent, example)
    counted = text(block, schema.shares)
    shares = values.number(counted)
    if counted is not None and shares is None:
        tally.add("unreadable_value", f"{schema.shares} {counted}", example)
    types = [(child.text or "").strip() for child in children(block, "typeOfReportingPerson")]
    for kind in types:
        if kind not in _TYPES:
            tally.add("unknown_code", f"typeOfReportingPerson {kind}", example)
    return Person(
        name=name,
        cik=central_index_key(text(block, schema.cik)),
        group=text(block, schema.group),
        place=text(block, "citizenshipOrOrganization"),
        types=tuple(kind for kind in types if kind),
        shares=shares,
        percent=percent,
    )
