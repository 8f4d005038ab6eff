"""Staged tables of stream events and REST responses about companies, and their record types.

Belongs here: profiles, filing history and insolvency (docs/formats/uk.md 5, 7): members of an event or response,
and the staged columns. Does not belong here: converting them (`streaming_api.rows`), or PSC (`psc.schema`).
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct, field

from connectors.uk.stream_events import PUBLISHED, TIMEPOINT, StreamEvent
from warehouse.schema.types import Column, ColumnKind, Table, TurningDay

PROFILES_KEY: Final = "uk.profiles"
FILINGS_KEY: Final = "uk.filings"
INSOLVENCY_KEY: Final = "uk.insolvency"
CHECKED_KEY: Final = "uk.checked"

_T: Final = ColumnKind.TEXT
_NUMBER: Final = Column("company_number", _T, "eight characters; of an event, from resource_uri", nullable=False)
_DELIVERY: Final = (
    Column("deleted", ColumnKind.BOOLEAN, "the stream reports the removal of the resource", nullable=False),
    TIMEPOINT,
    PUBLISHED,
)
ADDRESS: Final = (
    "care_of", "po_box", "premises", "address_line_1", "address_line_2", "locality", "region", "country",
    "postal_code",
)  # fmt: skip

PROFILES: Final = Table(
    "uk_profiles",
    "Company profiles as the companies stream and the REST API give them.",
    ("company_number",),
    (
        _NUMBER,
        *(
            Column(name, _T, "as delivered")
            for name in (
                "company_name", "company_status", "company_status_detail", "type", "subtype",
                "date_of_creation", "date_of_cessation",
            )
        ),
        Column("sic_codes", ColumnKind.TEXTS, "codes without labels", nullable=False),
        *(Column(name, _T, "of registered_office_address") for name in ADDRESS),
        Column("previous_names", ColumnKind.TEXTS, "names, in the order delivered", nullable=False),
        Column("renamed_on", _T, "end of the first of them, as delivered", business=False),
        Column("accounts_type", _T, "of last_accounts; null if not in the response"),
        Column("accounts_made_up_to", _T, "of last_accounts"),
        Column("accounts_period_start", _T, "of last_accounts"),
        *_DELIVERY,
    ),
    sequence=TIMEPOINT.name,
    told=PUBLISHED.name,
    turning_days=(TurningDay("date_of_cessation", after_days=-1),),
)  # fmt: skip
FILED: Final = Table(
    "uk_filing_history",
    "Items of companies' filing histories.",
    ("company_number", "transaction_id"),
    (
        _NUMBER,
        Column("transaction_id", _T, "the register's id of the filing", nullable=False),
        *(Column(name, _T, "as delivered") for name in ("type", "category", "description", "date", "action_date")),
        Column("made_up_date", _T, "of description_values"),
        *_DELIVERY,
    ),
    sequence=TIMEPOINT.name,
    told=PUBLISHED.name,
)
INSOLVENCY: Final = Table(
    "uk_insolvency",
    "Insolvency cases: one row per company with all current and past ones; no practitioners.",
    ("company_number",),
    (_NUMBER, Column("cases", ColumnKind.JSON, "list of {type, number, dates}", nullable=False), *_DELIVERY),
    sequence=TIMEPOINT.name,
    told=PUBLISHED.name,
    turning_days=(TurningDay("cases"),),
)


class _StrictLiveStruct(Struct, forbid_unknown_fields=True, gc=False):
    """Base of records that reject unknown keys, so that these are counted."""


class EventEnvelope(_StrictLiveStruct):
    """Envelope of an event. `deleted_data` (the removed record) is not read."""

    resource_kind: str | None = None
    resource_uri: str | None = None
    resource_id: str | None = None
    context_id: Any = None
    deleted_data: Any = None
    event: StreamEvent | None = None
    unreadable: str | None = None  # from `redact`: why a line was not kept


class ResourceLinks(_StrictLiveStruct):
    """Addresses of a resource; only `self` is used."""

    self_: str | None = field(default=None, name="self")
    filing_history: Any = None
    officers: Any = None
    charges: Any = None
    insolvency: Any = None
    persons_with_significant_control: Any = None
    persons_with_significant_control_statements: Any = None
    registers: Any = None
    exemptions: Any = None
    uk_establishments: Any = None
    uk_establishments_: Any = field(default=None, name="uk-establishments")
    overseas: Any = None
    document_metadata: Any = None
    resource: Any = None


class RegisteredOffice(_StrictLiveStruct):
    """A registered office."""

    care_of: str | None = None
    po_box: str | None = None
    premises: str | None = None
    address_line_1: str | None = None
    address_line_2: str | None = None
    locality: str | None = None
    region: str | None = None
    country: str | None = None
    postal_code: str | None = None
    care_of_name: Any = None


class CompanyProfile(EventEnvelope):
    """A company profile. Members not served are declared, so that they are not unknown, but not decoded.

    See docs/formats/uk.md 5.1.
    """

    company_name: str | None = None
    company_number: str | None = None
    company_status: str | None = None
    company_status_detail: str | None = None
    type: str | None = None
    subtype: str | None = None
    date_of_creation: str | None = None
    date_of_cessation: str | None = None
    sic_codes: list[str] | None = None
    registered_office_address: RegisteredOffice | None = None
    previous_company_names: list[Any] | None = None  # objects, or one list of empty values
    accounts: Any = None
    links: ResourceLinks | None = None
    etag: Any = None
    status: Any = None
    jurisdiction: Any = None
    confirmation_statement: Any = None
    annual_return: Any = None
    has_charges: Any = None
    has_insolvency_history: Any = None
    has_been_liquidated: Any = None
    has_super_secure_pscs: Any = None
    has_mortgage: Any = None
    can_file: Any = None
    undeliverable_registered_office_address: Any = None
    registered_office_is_in_dispute: Any = None
    is_community_interest_company: Any = None
    foreign_company_details: Any = None
    branch_company_details: Any = None
    external_registration_number: Any = None
    partial_data_available: Any = None
    last_full_members_list_date: Any = None
    service_address: Any = None
    corporate_annotation: Any = None
    super_secure_managing_officer_count: Any = None
    officer_summary: Any = None


class ProfileLine(CompanyProfile):
    """An event of the companies stream, or a REST response."""

    data: CompanyProfile | None = None


class FilingItem(EventEnvelope):
    """One item of a filing history (docs/formats/uk.md 5.2). Child items have no id and are not read."""

    transaction_id: str | None = None
    type: str | None = None
    category: str | None = None
    description: str | None = None
    date: str | None = None
    action_date: str | None = None
    description_values: Any = None
    links: ResourceLinks | None = None
    subcategory: Any = None
    barcode: Any = None
    pages: Any = None
    paper_filed: Any = None
    annotations: Any = None
    associated_filings: Any = None
    resolutions: Any = None


class FilingLine(FilingItem):
    """An event of the filings stream, a REST list, or one REST item."""

    data: FilingItem | None = None
    items: list[FilingItem] | None = None
    etag: Any = None
    kind: Any = None
    items_per_page: Any = None
    start_index: Any = None
    total_count: Any = None
    filing_history_status: Any = None


class InsolvencyCase(_StrictLiveStruct):
    """One insolvency case."""

    type: str | None = None
    number: Any = None
    dates: list[dict[str, Any]] | None = None
    practitioners: Any = None
    notes: Any = None
    links: Any = None


class InsolvencyCases(EventEnvelope):
    """All insolvency cases of one company."""

    cases: list[InsolvencyCase] | None = None
    etag: Any = None
    status: Any = None
    links: Any = None


class InsolvencyLine(InsolvencyCases):
    """An event of the insolvency stream, or a REST response (which has no company number)."""

    data: InsolvencyCases | None = None
