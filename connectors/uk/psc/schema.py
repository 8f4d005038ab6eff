"""Staged tables of `uk.psc` and their record types (docs/formats/uk.md 4, 5.3, 7, 10.1).

Belongs here: members of a snapshot line, REST response and stream event, in one type, and the staged columns.
Does not belong here: converting them (`parse_bodies`).
"""

from __future__ import annotations

from typing import Annotated, Any, Final

import polars as pl
from msgspec import Meta, Struct, field

from connectors.uk.stream_events import PUBLISHED, TIMEPOINT, StreamEvent
from warehouse.schema.types import LARGEST_INTEGER, Column, ColumnKind, Subject, Table, TurningDay

KEY: Final = "uk.psc"

_T: Final = ColumnKind.TEXT
_Count = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
_DELIVERY: Final = (
    Column("etag", _T, "changes with every change of the record"),
    Column("deleted", ColumnKind.BOOLEAN, "the stream reports the removal of the record", nullable=False),
    TIMEPOINT,
    PUBLISHED,
)
_KEY: Final = (
    Column("company_number", _T, "eight characters; of a stream event, from resource_uri", nullable=False),
    Column("id", _T, "last segment of links.self: stable id of the notification", nullable=False),
)

PSC: Final = Table(
    "uk_psc",
    "Persons with significant control and beneficial owners; no birth data, no addresses.",
    ("company_number", "id"),
    (
        *_KEY,
        Column("kind", _T, "individual-…, corporate-entity-…, legal-person-…, super-secure-…"),
        Column("name", _T, "as delivered"),
        Column("title", _T, "of name_elements"),
        Column("forename", _T, "of name_elements"),
        Column("middle_name", _T, "of name_elements; other_forenames if given there"),
        Column("surname", _T, "of name_elements"),
        Column("nationality", _T, "free text"),
        Column("country_of_residence", _T, "free text"),
        Column("legal_authority", _T, "of identification"),
        Column("legal_form", _T, "of identification"),
        Column("country_registered", _T, "of identification, free text"),
        Column("place_registered", _T, "of identification, free text"),
        Column("registration_number", _T, "of identification; may be unpadded or foreign"),
        Column("natures_of_control", ColumnKind.TEXTS, "codes (docs/formats/uk.md 4.1)", nullable=False),
        Column("notified_on", _T, "as delivered"),
        Column("ceased_on", _T, "as delivered"),
        Column("ceased", ColumnKind.BOOLEAN, "only on super-secure records and in the REST list"),
        Column("description", _T, "of super-secure records"),
        Column("is_sanctioned", ColumnKind.BOOLEAN, "of overseas entities' owners"),
        Column("person_mark", _T, "keyed mark of company, month and year of birth; null: none stated, or before 1.4.0"),
        *_DELIVERY,
    ),
    sequence=TIMEPOINT.name,
    told=PUBLISHED.name,
    subjects=(Subject(("registration_number",), ("name", "surname"), ("person_mark",)),),
)
STATEMENTS: Final = Table(
    "uk_psc_statements",
    "Statements of a company about missing or unknown persons with significant control.",
    ("company_number", "id"),
    (
        *_KEY,
        Column("statement", _T, "code; «signficant» is the registry's own spelling"),
        Column("linked_psc_name", _T, "the person the statement is about"),
        Column("restrictions_notice_withdrawal_reason", _T, "code"),
        Column("notified_on", _T, "as delivered"),
        Column("ceased_on", _T, "as delivered"),
        *_DELIVERY,
    ),
    sequence=TIMEPOINT.name,
    told=PUBLISHED.name,
    subjects=(Subject(names=("linked_psc_name",)),),
)
# columns by which an erased holder is found; a statement may be about a person
NAMING_HOLDERS: Final = {PSC.name: ("id", "name"), STATEMENTS.name: ("linked_psc_name",)}
EXEMPTIONS: Final = Table(
    "uk_exemptions",
    "Exemptions from the PSC regime: one row per company with all current and past ones.",
    ("company_number",),
    (
        _KEY[0],
        Column("exemptions", ColumnKind.JSON, "list of {key, exempt_from, exempt_to}", nullable=False),
        *_DELIVERY,
    ),
    sequence=TIMEPOINT.name,
    told=PUBLISHED.name,
    turning_days=(TurningDay("exemptions"),),
)
TOTALS: Final = Table(
    "uk_psc_totals",
    "The trailer of a snapshot: how many records it should hold.",
    ("generated_at",),
    (
        Column("generated_at", _T, "as delivered; empty if not in the trailer", nullable=False),
        Column("persons_of_significant_control_count", ColumnKind.INTEGER, "records of people and entities"),
        Column("statements_count", ColumnKind.INTEGER, "statements"),
        Column("exemptions_count", ColumnKind.INTEGER, "exemptions"),
    ),
)
OTHERS: Final = Table(
    "uk_psc_others",
    "Records of unmapped kinds; their bytes are in RAW.",
    ("company_number", "id"),
    (*_KEY, Column("kind", _T, "as delivered"), *_DELIVERY),
)
HOLDERS: Final = {
    "individual-person-with-significant-control": "person",
    "individual-beneficial-owner": "person",
    "corporate-entity-person-with-significant-control": "company",
    "corporate-entity-beneficial-owner": "company",
    "legal-person-person-with-significant-control": "legal",
    "legal-person-with-significant-control": "legal",
    "legal-person-beneficial-owner": "legal",
    "super-secure-person-with-significant-control": "secret",
    "super-secure-beneficial-owner": "secret",
}
STATEMENT: Final = "persons-with-significant-control-statement"
# segments of addresses that name no record, only a place for records
KIND_PLACES: Final = frozenset(
    f"{kind}{owner}"
    for kind in ("individual", "corporate-entity", "legal-person", "super-secure")
    for owner in ("", "-beneficial-owner")
)
NO_IDS: Final = KIND_PLACES | {"", "persons-with-significant-control", "persons-with-significant-control-statements"}
# members of a record that are columns of the same name and order
STATEMENT_FIELDS: Final = STATEMENTS.names[2 : -len(_DELIVERY)]
COUNT_FIELDS: Final = TOTALS.names[1:]
PERIODS: Final = pl.List(pl.Struct({"key": pl.String, "exempt_from": pl.String, "exempt_to": pl.String}))
TABLES: Final = (PSC, STATEMENTS, EXEMPTIONS, TOTALS, OTHERS)


class _StrictPscStruct(Struct, forbid_unknown_fields=True, gc=False):
    """Base of records that reject unknown keys, so that these are counted."""


class NameElements(_StrictPscStruct):
    """Parts of a person's name."""

    title: str | None = None
    forename: str | None = None
    middle_name: str | None = None
    other_forenames: str | None = None
    surname: str | None = None


class HolderIdentification(_StrictPscStruct):
    """Where a corporate holder is registered: columns of the same names and order."""

    legal_authority: str | None = None
    legal_form: str | None = None
    country_registered: str | None = None
    place_registered: str | None = None
    registration_number: str | None = None


class PscLinks(_StrictPscStruct):
    """Addresses of the record; only `self` is used."""

    self_: str | None = field(default=None, name="self")
    statement: str | None = None
    person_with_significant_control: str | None = None
    persons_with_significant_control: Any = None
    persons_with_significant_control_list: str | None = None
    persons_with_significant_control_statements: str | None = None
    persons_with_significant_control_statements_list: str | None = None
    exemptions: str | None = None
    company: str | None = None


class ExemptionPeriod(_StrictPscStruct):
    """First and last day of an exemption."""

    exempt_from: str | None = None
    exempt_to: str | None = None


class PscExemption(_StrictPscStruct):
    """One kind of exemption and its periods."""

    exemption_type: str | None = None
    items: list[ExemptionPeriod] | None = None


class PscRecord(_StrictPscStruct):
    """A record from any channel. Private facts are declared, so that they are not unknown, but not decoded."""

    kind: str | None = None
    etag: str | None = None
    links: PscLinks | None = None
    name: str | None = None
    name_elements: NameElements | None = None
    nationality: str | None = None
    country_of_residence: str | None = None
    identification: HolderIdentification | None = None
    natures_of_control: list[str] | None = None
    notified_on: str | None = None
    ceased_on: str | None = None
    ceased: bool | int | str | None = None
    description: str | None = None
    is_sanctioned: bool | None = None
    person_mark: str | None = None  # from `redact`
    statement: str | None = None
    linked_psc_name: str | None = None
    restrictions_notice_withdrawal_reason: str | None = None
    exemptions: dict[str, PscExemption] | None = None
    persons_of_significant_control_count: _Count | None = None
    statements_count: _Count | None = None
    exemptions_count: _Count | None = None
    generated_at: str | None = None
    service_address_is_same_as_registered_office_address: Any = None
    residential_address_same_as_service_address: Any = None
    date_of_birth: Any = None
    address: Any = None
    service_address: Any = None
    usual_residential_address: Any = None
    principal_office_address: Any = None
    identity_verification_details: Any = None


class PscLine(PscRecord):
    """A snapshot line, stream event, REST list or REST record, distinguished by the fields present."""

    company_number: str | None = None
    data: PscRecord | None = None
    resource_kind: str | None = None
    resource_uri: str | None = None
    resource_id: str | None = None
    event: StreamEvent | None = None
    items: list[PscRecord] | None = None
    items_per_page: _Count | None = None
    start_index: _Count | None = None
    total_results: _Count | None = None
    active_count: _Count | None = None
    ceased_count: _Count | None = None
    unreadable: str | None = None  # from `redact`: why the body was not kept
    withheld: str | None = None  # from erasure: the table of an erased record
