"""Parses Schedules 13D and 13G XML: two schemas, two versions, matched by local names (docs/formats/us.md 7.1).

Does not belong here: older forms (`parse_text`), or the mapping of a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from lxml import etree

from connectors.contract.pieces import ArchiveMember
from connectors.kit.staging import SignalCounter
from connectors.us.ownership import parse_values as values
from connectors.us.ownership.schedule13.rows import ReportingPerson, StakeStatement, signal_differing_percentages
from connectors.us.ownership.xml import children_named, count_unknown_children, find_path, parse_tree, text_at
from connectors.us.register import central_index_key

_SCHEMAS: Final = frozenset({"X0101", "X0102", "X0201", "X0202"})
_TYPES: Final = frozenset({"BD", "BK", "CO", "CP", "EP", "FI", "HC", "IA", "IC", "IN", "IV", "OO", "PN", "SA"})
_MOST: Final = 100  # persons of one filing
_EXIT: Final = ("items", "item5", "classOwnership5PercentOrLess")
_ALL: Final = Decimal(100)


@dataclass(frozen=True, slots=True)
class _ScheduleSchema:
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


_POWERS: Final = frozenset({"soleVotingPower", "sharedVotingPower", "soleDispositivePower", "sharedDispositivePower"})
_BOTH: Final = frozenset({"reportingPersonName", "citizenshipOrOrganization", "typeOfReportingPerson"})
_D: Final = _ScheduleSchema(
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
_G: Final = _ScheduleSchema(
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


def parse_xml_statement(member: ArchiveMember, body: bytes, tally: SignalCounter) -> StakeStatement:
    """One filing. Raises UnreadableFileError if the cover or the persons are missing."""
    root = parse_tree(member, body, "edgarSubmission", tally)
    header, form_data = find_path(root, "headerData"), find_path(root, "formData")
    form = text_at(header, "submissionType") or ""
    cover = find_path(form_data, "coverPageHeader")
    if not form.startswith("SCHEDULE 13") or form_data is None or cover is None:
        raise member.unreadable_error(f"expected a Schedule 13D or 13G, found form «{form}»")
    version = text_at(root, "schemaVersion")
    if version is not None and version not in _SCHEMAS:
        tally.add("unknown_schema", version, member.name)
    schema = _D if form.startswith("SCHEDULE 13D") else _G
    persons = tuple(_parse_persons(form_data, schema, tally, member.name))
    if not persons:
        raise member.unreadable_error(f"no reporting person at {'/'.join(schema.persons)}")
    signal_differing_percentages(persons, " ".join(" ".join(form_data.itertext("{*}*")).split()), tally, member.name)
    return StakeStatement(
        form=form,
        issuer=values.parse_name(text_at(cover, "issuerInfo", "issuerName")),
        class_title=text_at(cover, "securitiesClassTitle"),
        event_date=_event_day(cover, schema, tally, member.name),
        persons=persons,
        issuer_cik=_issuer_cik(cover, schema, tally, member.name),
        cusips=tuple(_cover_cusips(cover, schema)),
        amendment=text_at(cover, "amendmentNo"),
        previous=text_at(header, "previousAccessionNumber"),
        signed_on=values.last_signature_day(
            (element.text for element in form_data.iter("{*}date")), member.observed_at.date(), tally, member.name
        ),
        filers=tuple(_filer_ciks(header)),
        is_exit=values.read_flag(text_at(form_data, *_EXIT), _EXIT[-1], tally, member.name) is True,
    )


def _issuer_cik(cover: etree._Element, schema: _ScheduleSchema, tally: SignalCounter, example: str) -> str | None:
    found = central_index_key(text_at(cover, "issuerInfo", schema.issuer_cik))
    if found is None:
        tally.add("no_issuer", schema.issuer_cik, example)
    return found


def _event_day(cover: etree._Element, schema: _ScheduleSchema, tally: SignalCounter, example: str) -> date | None:
    found = values.parse_day(text_at(cover, schema.event))
    if found is None:
        tally.add("no_day", schema.event, example)
    return found


def _cover_cusips(cover: etree._Element, schema: _ScheduleSchema) -> Iterator[str]:
    """The single CUSIP of the older version, or the list of X0202."""
    info = find_path(cover, "issuerInfo")
    listed = find_path(info, "issuerCusips")
    given = [text_at(info, schema.cusip), *((child.text for child in listed) if listed is not None else ())]
    yield from filter(None, map(values.parse_cusip, given))


def _filer_ciks(header: etree._Element | None) -> Iterator[str]:
    info = find_path(header, "filerInfo")
    for filer in children_named(info, "filer") if info is not None else ():
        cik = central_index_key(text_at(filer, "filerCredentials", "cik"))
        if cik is not None:
            yield cik


def _parse_persons(
    form_data: etree._Element, schema: _ScheduleSchema, tally: SignalCounter, example: str
) -> Iterator[ReportingPerson]:
    *above, name = schema.persons
    parent = find_path(form_data, *above)
    blocks = list(children_named(parent, name)) if parent is not None else []
    if len(blocks) > _MOST:
        tally.add("too_many_persons", str(len(blocks)), example)
    for block in blocks:
        named = values.parse_name(text_at(block, "reportingPersonName"))
        if named is None:
            tally.add("no_holder", "reportingPersonName", example)
            continue
        count_unknown_children(block, schema.known, tally, example)
        yield _parse_person(block, named, schema, tally, example)


def _parse_person(
    block: etree._Element, name: str, schema: _ScheduleSchema, tally: SignalCounter, example: str
) -> ReportingPerson:
    stated = text_at(block, schema.percent)
    percent = values.parse_percent(stated)
    if percent is None:
        tally.add("unreadable_value" if stated else "no_percent", f"{schema.percent} {stated or ''}".strip(), example)
    elif percent > _ALL:
        tally.add("above_100", schema.percent, example)
    counted = text_at(block, schema.shares)
    shares = values.parse_number(counted)
    if counted is not None and values.parse_shares(counted) is None:
        tally.add("unreadable_value", f"{schema.shares} {counted}", example)
    types = [(child.text or "").strip() for child in children_named(block, "typeOfReportingPerson")]
    for kind in types:
        if kind not in _TYPES:
            tally.add("unknown_code", f"typeOfReportingPerson {kind}", example)
    return ReportingPerson(
        name=name,
        cik=central_index_key(text_at(block, schema.cik)),
        group=text_at(block, schema.group),
        place=text_at(block, "citizenshipOrOrganization"),
        types=tuple(kind for kind in types if kind),
        shares=shares,
        percent=percent,
    )
