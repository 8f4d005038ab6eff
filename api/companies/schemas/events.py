"""Schemas of events and of the six types of `data` (docs/contract/contract.md 4.5 and 4.6).

Deliveries contain the same `data` object. Does not belong here: detecting events (`pipelines.transforms`).
"""

from typing import Any, Final

from api.companies.schemas.companies import FIGURE_SCHEMAS, PERIOD, source_members
from api.openapi.examples.events import DELIVERIES
from api.openapi.schema_types import (
    COMPANY_ID,
    COUNTRY,
    COUNTRY_CODE,
    CURRENCY,
    HEAD,
    INT64,
    NAME,
    ORG_NUMBER,
    Schema,
    array_schema,
    boolean_schema,
    date_schema,
    enum_schema,
    instant_schema,
    integer_schema,
    money_schema,
    natural_id_schema,
    object_schema,
    page_schema,
    percent_schema,
    schema_reference,
    text_schema,
    url_schema,
)
from warehouse.schema.codes import (
    BASES,
    CHANGE_FIELDS,
    EVENT_TYPES,
    HOLDER_TYPES,
    PERIOD_TYPES,
    STATUS_DETAILS,
    STATUSES,
    THRESHOLDS,
    UPDATE_REASONS,
)

_SEQUENCE: Final = integer_schema(1, INT64, "Order of recording; strictly increasing.")
_SOURCE: Final = object_schema("Source of the event.", source_members(300, "Id in the source.", "Public URL."))
_COMMON: Final = {
    "company_id": COMPANY_ID,
    "org_nr": ORG_NUMBER,
    "name": NAME,
    "country": COUNTRY,
    "occurred_at": instant_schema("When it happened."),
    "sequence": _SEQUENCE,
    "source": schema_reference("EventSource"),
}
_FILING: Final = {
    "filing_id": natural_id_schema("fil", "The document."),
    "filing_type": enum_schema(("annual_report", "interim_report"), "Type of filing.", open_ended=True),
    "period": PERIOD | {"type": ["string", "null"]},
    "period_type": enum_schema(PERIOD_TYPES, "Null for periods not served in v1.", null=True),
    "fiscal_year": integer_schema(1900, 2200, "Fiscal year; null if the period is not known.", null=True),
    "fiscal_quarter": integer_schema(1, 4, "Quarterly periods only.", null=True),
    "period_start": date_schema("First day of the period.", null=True),
    "period_end": date_schema("Last day of the period; null if only the document is known.", null=True),
    "filed_at": date_schema("Date of filing.", null=True),
    "version": integer_schema(1, 10_000, "Version of the period."),
    "currency": CURRENCY,
    **FIGURE_SCHEMAS,
    "is_consolidated": boolean_schema("Whether the figures are consolidated.", null=True),
    "document_url": url_schema("The document."),
}
_CHANGED: Final = {
    "field": enum_schema(CHANGE_FIELDS, "Name of the field.", open_ended=True),
    "previous": {"anyOf": [money_schema("Previous number."), text_schema(60, "Previous text or date.")]},
    "current": {"anyOf": [money_schema("New number."), text_schema(60, "New text or date.")]},
}
_UPDATE: Final = _FILING | {
    "previous_version": integer_schema(1, 10_000, "Number of the previous version."),
    "reason": enum_schema(UPDATE_REASONS, "Why.", open_ended=True),
    "changed_fields": array_schema(schema_reference("ChangedFigure"), 20, "What changed."),
}
_CROSSING: Final = {
    "holder_name": text_schema(1000, "Null if protected by law.", null=True),
    "previous_pct": percent_schema("Before.", null=False),
    "current_pct": percent_schema("Now.", null=False),
    "holder_id": natural_id_schema("own", "The holder."),
    "holder_type": enum_schema(HOLDER_TYPES, "Type of holder.", open_ended=True),
    "holder_company_id": text_schema(60, "Given if the holder is a company with a known number.", null=True),
    "direction": enum_schema(("up", "down"), "Direction of the crossing."),
    "thresholds_crossed": array_schema(
        integer_schema(5, 50, "A threshold.") | {"enum": list(THRESHOLDS)}, 4, "Percent."
    ),
    "basis": enum_schema(BASES, "Basis of the shares.", null=True),
    "as_of": date_schema("Date of the new share."),
}
_FLIP: Final = {
    "previous_status": enum_schema(STATUSES, "Before."),
    "current_status": enum_schema(STATUSES, "Now."),
    "effective_date": date_schema("Date from which the status applies."),
    "registry_status": text_schema(500, "The status in the register's own terms.", null=True),
    "reason": enum_schema(STATUS_DETAILS, "The reason, if the register gives one.", null=True, open_ended=True),
}
_NEWS: Final = {
    "news_id": natural_id_schema("nws", "The item."),
    "title": text_schema(300, "Headline."),
    "summary": text_schema(1000, "Text, if it may be redistributed.", null=True),
    "url": url_schema("The item."),
    "publisher": text_schema(200, "The publisher.", null=True),
    "language": text_schema(8, "ISO 639-1 language code.", pattern="^[a-z]{2}$", null=True),
    "published_at": instant_schema("As published."),
    "categories": array_schema(
        enum_schema(("earnings",), "A category.", open_ended=True), 20, "Categories assigned by the service."
    ),
}
_NOTICE: Final = {
    "notice_id": natural_id_schema("ntc", "The notice."),
    "authority": text_schema(200, "The regulator."),
    "authority_country": COUNTRY_CODE,
    "action_type": enum_schema(
        ("enforcement", "sanction", "announcement", "other"), "Type of action.", open_ended=True
    ),
    "title": text_schema(300, "Headline."),
    "summary": text_schema(1000, "Text, if it may be redistributed.", null=True),
    "url": url_schema("The notice."),
    "published_at": instant_schema("As published."),
    "amount": money_schema("Amount of a fine or similar."),
    "currency": CURRENCY,
}
# event type: (name of its components, key of its object, name of that object's component, its members)
KINDS: Final = {
    "filing.added": ("FilingAdded", "filing", "AddedFiling", _FILING),
    "filing.updated": ("FilingUpdated", "filing", "UpdatedFiling", _UPDATE),
    "ownership.changed": ("OwnershipChanged", "change", "OwnershipChange", _CROSSING),
    "status.changed": ("StatusChanged", "change", "StatusChange", _FLIP),
    "news.published": ("NewsPublished", "news", "NewsItem", _NEWS),
    "event.regulatory": ("RegulatoryEvent", "notice", "RegulatoryNotice", _NOTICE),
}


def _event_data_schema(event_type: str) -> Schema:
    _, key, component, _ = KINDS[event_type]
    test = boolean_schema("True in webhook test sends; absent otherwise.")
    members = _COMMON | {key: schema_reference(component), "test": test}
    return object_schema(f"`data` of {event_type}.", members, "test")


def _delivery_schema(event_type: str) -> Schema:
    name = KINDS[event_type][0]
    body = {
        "event_id": natural_id_schema("evt", "The same for every attempt and replay: use it to deduplicate."),
        "event_type": enum_schema((event_type,), "Event type."),
        "delivered_at": instant_schema("Start time of this attempt, in milliseconds."),
        "data": schema_reference(f"{name}Data"),
    }
    return object_schema(f"Body of a {event_type} delivery.", body) | {"examples": [DELIVERIES[event_type]]}


def schema_components() -> dict[str, Any]:
    """Named schemas of this resource."""
    event = {
        "event_id": natural_id_schema("evt", "Always the same for the same fact: use it to deduplicate."),
        "event_type": enum_schema(EVENT_TYPES, "Event type.", open_ended=True),
        "company_id": COMPANY_ID,
        "occurred_at": instant_schema("When it happened."),
        "recorded_at": instant_schema("When the service recorded it."),
        "sequence": _SEQUENCE,
        # event types are open-ended, so their objects are too
        "data": {"anyOf": [schema_reference(f"{name}Data") for name, *_ in KINDS.values()], "x-extensible": True},
    }
    named: dict[str, Any] = {"EventSource": _SOURCE, "ChangedFigure": object_schema("One changed value.", _CHANGED)}
    for event_type, (name, _, component, properties) in KINDS.items():
        named[component] = object_schema(f"What happened: {event_type}.", properties)
        named[f"{name}Data"] = _event_data_schema(event_type)
        named[f"{name}Webhook"] = _delivery_schema(event_type)
    return named | {
        "Event": object_schema("One event.", event),
        "EventList": page_schema("Events of a company.", schema_reference("Event"), HEAD),
    }
