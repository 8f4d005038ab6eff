"""Events, the seven types of `data`, and the bodies of deliveries (docs/contract/contract.md 4.5 and 4.6).

Deliveries contain the same `data` object. Does not belong here: detecting events (`pipelines.transforms`).
"""

from datetime import date, datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, NamedTuple, TypeVar

from pydantic import Field, create_model

from api.companies.schemas.companies import (
    PERIOD,
    Employees,
    Equity,
    HolderCompanyId,
    HolderName,
    HolderType,
    NetResult,
    OperatingResult,
    RegistryStatus,
    Revenue,
    StatusDetail,
    TotalAssets,
)
from api.openapi.examples import DELIVERIES
from api.schemas import declare, shared
from api.schemas.declare import INT64, OMITTED, ResponseModel
from warehouse.schema.codes import (
    BASES,
    CHANGE_FIELDS,
    PERIOD_TYPES,
    PROFILE_FIELDS,
    STATUSES,
    THRESHOLDS,
    UPDATE_REASONS,
)

D = TypeVar("D")
_Sequence = Annotated[int, declare.integer(1, INT64, "Order of recording; strictly increasing.")]
_Headline = Annotated[str, declare.text(300, "Headline.")]
_Summary = Annotated[str | None, declare.text(1000, "Text, if it may be redistributed.")]
_Published = Annotated[datetime, declare.instant("As published.")]
_IsTest = Annotated[bool, declare.boolean("True in webhook test sends; absent otherwise.")]


class EventSource(ResponseModel):
    """Source of the event."""

    register_key: shared.Register = Field(alias="register")
    native_id: str | None = declare.text(300, "Id in the source.")
    url: str | None = declare.url("Public URL.")
    retrieved_at: datetime | None = declare.instant("When it was fetched.")


class ChangedFigure(ResponseModel):
    """One changed value."""

    field: str = declare.open_word(CHANGE_FIELDS, "Name of the field.")
    previous: (
        Annotated[int | None, declare.money("Previous number.")]
        | Annotated[str, declare.text(60, "Previous text or date.")]
    )
    current: Annotated[int | None, declare.money("New number.")] | Annotated[str, declare.text(60, "New text or date.")]


class AddedFiling(ResponseModel):
    """What happened: filing.added."""

    filing_id: str = declare.natural_id("fil", "The document.")
    filing_type: str = declare.open_word(("annual_report", "interim_report"), "Type of filing.")
    period: str | None = declare.text(10, "For example 2025 or 2026-Q3.", pattern=PERIOD)
    period_type: str | None = declare.word(PERIOD_TYPES, "Null for periods not served in v1.")
    fiscal_year: int | None = declare.integer(1900, 2200, "Fiscal year; null if the period is not known.")
    fiscal_quarter: int | None = declare.integer(1, 4, "Quarterly periods only.")
    period_start: date | None = declare.date("First day of the period.")
    period_end: date | None = declare.date("Last day of the period; null if only the document is known.")
    filed_at: date | None = declare.date("Date of filing.")
    version: int = declare.integer(1, 10_000, "Version of the period.")
    currency: shared.Currency
    revenue: Revenue
    operating_result: OperatingResult
    net_result: NetResult
    equity: Equity
    total_assets: TotalAssets
    employees: Employees
    is_consolidated: bool | None = declare.boolean("Whether the figures are consolidated.")
    document_url: str | None = declare.url("The document.")


class UpdatedFiling(AddedFiling):
    """What happened: filing.updated."""

    previous_version: int = declare.integer(1, 10_000, "Number of the previous version.")
    reason: str = declare.open_word(UPDATE_REASONS, "Why.")
    changed_fields: list[ChangedFigure] = declare.array(20, "What changed.")


class OwnershipChange(ResponseModel):
    """What happened: ownership.changed."""

    holder_name: HolderName
    previous_pct: float = declare.percent("Before; of a band its lower bound.")
    current_pct: float = declare.percent("Now; of a band its lower bound.")
    holder_id: str = declare.natural_id("own", "The holder.")
    holder_type: HolderType
    holder_company_id: HolderCompanyId
    direction: str = declare.word(("up", "down"), "Direction of the crossing.")
    thresholds_crossed: list[
        Annotated[int, declare.integer(5, 50, "A threshold.", json_schema_extra={"enum": list(THRESHOLDS)})]
    ] = declare.array(4, "Percent.")
    basis: str | None = declare.word(BASES, "Basis of the shares; `band` where either is one.")
    as_of: date = declare.date("Date of the new share.")


class StatusChange(ResponseModel):
    """What happened: status.changed."""

    previous_status: str = declare.word(STATUSES, "Before.")
    current_status: str = declare.word(STATUSES, "Now.")
    effective_date: date = declare.date("Date from which the status applies.")
    registry_status: RegistryStatus
    reason: StatusDetail


class ChangedAddress(ResponseModel):
    """An address as in a profile's part `address`, without municipality and county, which are fields of their own."""

    lines: list[Annotated[str, declare.text(300, "An address line.")]] = declare.array(20, "Street lines.")
    postal_code: str | None = declare.text(20, "Postal code.")
    post_town: str | None = declare.text(200, "Postal place.")
    country: shared.CountryCode


_FieldValue = Annotated[str, declare.text(1000, "Text.")] | Annotated[bool, declare.boolean("Whether listed.")]


class ChangedField(ResponseModel):
    """One changed field of a profile; both values are known."""

    field: str = declare.open_word(PROFILE_FIELDS, "Name of the field in the profile.")
    previous: _FieldValue | ChangedAddress
    current: _FieldValue | ChangedAddress


class CompanyChange(ResponseModel):
    """What happened: company.changed."""

    changes: list[ChangedField] = declare.array(len(PROFILE_FIELDS), "What changed; none where the subject was erased.")
    effective_date: date | None = declare.date("The register's own date of the change; null if it gives none.")


class NewsItem(ResponseModel):
    """What happened: news.published."""

    news_id: str = declare.natural_id("nws", "The item.")
    title: _Headline
    summary: _Summary
    url: str | None = declare.url("The item.")
    publisher: str | None = declare.text(200, "The publisher.")
    language: str | None = declare.text(8, "ISO 639-1 language code.", pattern="^[a-z]{2}$")
    published_at: _Published
    categories: list[Annotated[str, declare.open_word(("earnings",), "A category.")]] = declare.array(
        20, "Categories assigned by the service."
    )


class RegulatoryNotice(ResponseModel):
    """What happened: event.regulatory."""

    notice_id: str = declare.natural_id("ntc", "The notice.")
    authority: str = declare.text(200, "The regulator.")
    authority_country: shared.CountryCode
    action_type: str = declare.open_word(("enforcement", "sanction", "announcement", "other"), "Type of action.")
    title: _Headline
    summary: _Summary
    url: str | None = declare.url("The notice.")
    published_at: _Published
    amount: int | None = declare.money("Amount of a fine or similar.")
    currency: shared.Currency


class _Data(ResponseModel):
    """The members of every event's `data`."""

    company_id: shared.CompanyId
    org_nr: shared.OrgNumber
    name: shared.CompanyName
    country: shared.Country
    occurred_at: datetime = declare.instant("When it happened.")
    sequence: _Sequence
    source: EventSource


class _Delivery(ResponseModel, Generic[D]):
    """The body of every delivery."""

    event_id: str = declare.natural_id("evt", "The same for every attempt and replay: use it to deduplicate.")
    event_type: str
    delivered_at: datetime = declare.instant("Start time of this attempt, in milliseconds.")
    data: D


class EventKind(NamedTuple):
    """What is documented of an event type: its name in components, the key of its object in `data`, its models."""

    name: str
    key: str
    happened: type[ResponseModel]
    data: type[ResponseModel]
    webhook: type[ResponseModel]


def _event_kind(event_type: str, name: str, key: str, happened: type[ResponseModel]) -> EventKind:
    members: dict[str, Any] = {key: happened, "test": (_IsTest, OMITTED)}
    data = create_model(f"{name}Data", __base__=_Data, __doc__=f"`data` of {event_type}.", **members)
    webhook = create_model(
        f"{name}Webhook",
        __base__=_Delivery[data],
        __doc__=f"Body of a {event_type} delivery.",
        __cls_kwargs__={"json_schema_extra": {"examples": [DELIVERIES[event_type]]}},
        event_type=(str, declare.word((event_type,), "Event type.")),
    )
    return EventKind(name, key, happened, data, webhook)


KINDS: Final = {
    "filing.added": _event_kind("filing.added", "FilingAdded", "filing", AddedFiling),
    "filing.updated": _event_kind("filing.updated", "FilingUpdated", "filing", UpdatedFiling),
    "ownership.changed": _event_kind("ownership.changed", "OwnershipChanged", "change", OwnershipChange),
    "status.changed": _event_kind("status.changed", "StatusChanged", "change", StatusChange),
    "news.published": _event_kind("news.published", "NewsPublished", "news", NewsItem),
    "event.regulatory": _event_kind("event.regulatory", "RegulatoryEvent", "notice", RegulatoryNotice),
    "company.changed": _event_kind("company.changed", "CompanyChanged", "change", CompanyChange),
}
if TYPE_CHECKING:
    _AnyData = _Data
else:
    _AnyData = reduce(or_, (kind.data for kind in KINDS.values()))


class Event(ResponseModel):
    """One event."""

    event_id: str = declare.natural_id("evt", "Always the same for the same fact: use it to deduplicate.")
    event_type: shared.EventTypeName
    company_id: shared.CompanyId
    occurred_at: datetime = declare.instant("When it happened.")
    recorded_at: datetime = declare.instant("When the service recorded it.")
    sequence: _Sequence
    # event types are open-ended, so their objects are too
    data: _AnyData = Field(json_schema_extra={"x-extensible": True})


class EventFeed(ResponseModel):
    """Events of all companies, ascending."""

    data: list[Event] = declare.array(500, "The rows of this page; with filters there may be none.")
    next_cursor: str = declare.text(
        512, "Cursor to continue after this page, now or later; it does not expire.", pattern="^[A-Za-z0-9_-]+$"
    )
    has_more: bool = declare.boolean("Whether the ledger goes on after this page.")


class EventList(shared.Page[Event], shared.CompanyHead):
    """Events of a company."""
