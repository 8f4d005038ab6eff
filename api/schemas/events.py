"""Schemas of events and of the six types of `data` (docs/contract/contract.md 4.5 and 4.6).

Deliveries contain the same `data` object. Does not belong here: detecting events (`pipelines.steps`).
"""

from typing import Any, Final

from api.schemas.event_examples import DELIVERIES
from api.schemas.financials import FIGURE_SCHEMAS, PERIOD
from api.schemas.kinds import (
    COMPANY_ID,
    COUNTRY,
    COUNTRY_CODE,
    CURRENCY,
    HEAD,
    INT64,
    NAME,
    ORG_NUMBER,
    REGISTER,
    Schema,
    address,
    array,
    day,
    flag,
    instant,
    integer,
    money,
    natural_id,
    page,
    percent,
    record,
    ref,
    text,
    word,
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

_SEQUENCE: Final = integer(1, INT64, "Order of recording; strictly increasing.")
_SOURCE: Final = record(
    "Source of the event.",
    {
        "register": REGISTER,
        "native_id": text(300, "Id in the source.", null=True),
        "url": address("Public URL."),
        "retrieved_at": instant("When it was fetched.", null=True),
    },
)
_COMMON: Final = {
    "company_id": COMPANY_ID,
    "org_nr": ORG_NUMBER,
    "name": NAME,
    "country": COUNTRY,
    "occurred_at": instant("When it happened."),
    "sequence": _SEQUENCE,
    "source": ref("EventSource"),
}
_FILING: Final = {
    "filing_id": natural_id("fil", "The document."),
    "filing_type": word(("annual_report", "interim_report"), "Type of filing.", open_ended=True),
    "period": PERIOD | {"type": ["string", "null"]},
    "period_type": word(PERIOD_TYPES, "Null for periods not served in v1.", null=True),
    "fiscal_year": integer(1900, 2200, "Fiscal year; null if the period is not known.", null=True),
    "fiscal_quarter": integer(1, 4, "Quarterly periods only.", null=True),
    "period_start": day("First day of the period.", null=True),
    "period_end": day("Last day of the period; null if only the document is known.", null=True),
    "filed_at": day("Date of filing.", null=True),
    "version": integer(1, 10_000, "Version of the period."),
    "currency": CURRENCY,
    **FIGURE_SCHEMAS,
    "is_consolidated": flag("Whether the figures are consolidated.", null=True),
    "document_url": address("The document."),
}
_CHANGED: Final = {
    "field": word(CHANGE_FIELDS, "Name of the field.", open_ended=True),
    "previous": {"anyOf": [money("Previous number."), text(60, "Previous text or date.")]},
    "current": {"anyOf": [money("New number."), text(60, "New text or date.")]},
}
_UPDATE: Final = _FILING | {
    "previous_version": integer(1, 10_000, "Number of the previous version."),
    "reason": word(UPDATE_REASONS, "Why.", open_ended=True),
    "changed_fields": array(ref("ChangedFigure"), 20, "What changed."),
}
_CROSSING: Final = {
    "holder_name": text(1000, "Null if protected by law.", null=True),
    "previous_pct": percent("Before.", null=False),
    "current_pct": percent("Now.", null=False),
    "holder_id": natural_id("own", "The holder."),
    "holder_type": word(HOLDER_TYPES, "Type of holder.", open_ended=True),
    "holder_company_id": text(60, "Given if the holder is a company with a known number.", null=True),
    "direction": word(("up", "down"), "Direction of the crossing."),
    "thresholds_crossed": array(integer(5, 50, "A threshold.") | {"enum": list(THRESHOLDS)}, 4, "Percent."),
    "basis": word(BASES, "Basis of the shares.", null=True),
    "as_of": day("Date of the new share."),
}
_FLIP: Final = {
    "previous_status": word(STATUSES, "Before."),
    "current_status": word(STATUSES, "Now."),
    "effective_date": day("Date from which the status applies."),
    "registry_status": text(500, "The status in the register's own terms.", null=True),
    "reason": word(STATUS_DETAILS, "The reason, if the register gives one.", null=True, open_ended=True),
}
_NEWS: Final = {
    "news_id": natural_id("nws", "The item."),
    "title": text(300, "Headline."),
    "summary": text(1000, "Text, if it may be redistributed.", null=True),
    "url": address("The item."),
    "publisher": text(200, "The publisher.", null=True),
    "language": text(8, "ISO 639-1 language code.", pattern="^[a-z]{2}$", null=True),
    "published_at": instant("As published."),
    "categories": array(
        word(("earnings",), "A category.", open_ended=True), 20, "Categories assigned by the service."
    ),
}
_NOTICE: Final = {
    "notice_id": natural_id("ntc", "The notice."),
    "authority": text(200, "The regulator."),
    "authority_country": COUNTRY_CODE,
    "action_type": word(
        ("enforcement", "sanction", "announcement", "other"), "Type of action.", open_ended=True
    ),
    "title": text(300, "Headline."),
    "summary": text(1000, "Text, if it may be redistributed.", null=True),
    "url": address("The notice."),
    "published_at": instant("As published."),
    "amount": money("Amount of a fine or similar."),
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


def _data(event_type: str) -> Schema:
    _, key, component, _ = KINDS[event_type]
    test = flag("True in webhook test sends; absent otherwise.")
    members = _COMMON | {key: ref(component), "test": test}
    return record(f"`data` of {event_type}.", members, "test")


def _delivery(event_type: str) -> Schema:
    name = KINDS[event_type][0]
    body = {
        "event_id": natural_id("evt", "The same for every attempt and replay: use it to deduplicate."),
        "event_type": word((event_type,), "Event type."),
        "delivered_at": instant("Start time of this attempt, in milliseconds."),
        "data": ref(f"{name}Data"),
    }
    return record(f"Body of a {event_type} delivery.", body) | {"examples": [DELIVERIES[event_type]]}


def components() -> dict[str, Any]:
    """Named schemas of this resource."""
    event = {
        "event_id": natural_id("evt", "Always the same for the same fact: use it to deduplicate."),
        "event_type": word(EVENT_TYPES, "Event type.", open_ended=True),
        "company_id": COMPANY_ID,
        "occurred_at": instant("When it happened."),
        "recorded_at": instant("When the service recorded it."),
        "sequence": _SEQUENCE,
        # event types are open-ended, so their objects are too
        "data": {"anyOf": [ref(f"{name}Data") for name, *_ in KINDS.values()], "x-extensible": True},
    }
    named: dict[str, Any] = {
        "EventSource": _SOURCE,
        "ChangedFigure": record("One changed value.", _CHANGED),
    }
    for event_type, (name, _, component, properties) in KINDS.items():
        named[component] = record(f"What happened: {event_type}.", properties)
        named[f"{name}Data"] = _data(event_type)
        named[f"{name}Webhook"] = _delivery(event_type)
    return named | {
        "Event": record("One event.", event),
        "EventList": page("Events of a company.", ref("Event"), HEAD),
    }
