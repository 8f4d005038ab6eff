"""Schemas of events and of the six kinds of `data` (docs/contract/contract.md 4.5 and 4.6).

The same `data` object goes out in deliveries. Does not belong here: when an event is made
(`pipelines.steps`).
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

_SEQUENCE: Final = integer(1, INT64, "Order of recording; rises without end.")
_SOURCE: Final = record(
    "Where it was learned.",
    {
        "register": REGISTER,
        "native_id": text(300, "The source's own id.", null=True),
        "url": address("Public address."),
        "retrieved_at": instant("When it was fetched.", null=True),
    },
)
_COMMON: Final = {
    "company_id": COMPANY_ID,
    "org_nr": ORG_NUMBER,
    "name": NAME,
    "country": COUNTRY,
    "occurred_at": instant("When in the world."),
    "sequence": _SEQUENCE,
    "source": ref("EventSource"),
}
_FILING: Final = {
    "filing_id": natural_id("fil", "The document."),
    "filing_type": word(("annual_report", "interim_report"), "Kind of filing.", open_ended=True),
    "period": PERIOD | {"type": ["string", "null"]},
    "period_type": word(PERIOD_TYPES, "Null for periods that v1 does not serve.", null=True),
    "fiscal_year": integer(1900, 2200, "Fiscal year; null where the period is not known.", null=True),
    "fiscal_quarter": integer(1, 4, "Quarterly periods only.", null=True),
    "period_start": day("First day.", null=True),
    "period_end": day("Last day; null where only the document is known.", null=True),
    "filed_at": day("Day of filing.", null=True),
    "version": integer(1, 10_000, "Version of the period."),
    "currency": CURRENCY,
    **FIGURE_SCHEMAS,
    "is_consolidated": flag("Group figures.", null=True),
    "document_url": address("The document."),
}
_CHANGED: Final = {
    "field": word(CHANGE_FIELDS, "Name of the field.", open_ended=True),
    "previous": {"anyOf": [money("A figure, before."), text(60, "A word or day, before.")]},
    "current": {"anyOf": [money("A figure, now."), text(60, "A word or day, now.")]},
}
_UPDATE: Final = _FILING | {
    "previous_version": integer(1, 10_000, "The version before."),
    "reason": word(UPDATE_REASONS, "Why.", open_ended=True),
    "changed_fields": array(ref("ChangedFigure"), 20, "What changed."),
}
_CROSSING: Final = {
    "holder_name": text(1000, "Null when protected by law.", null=True),
    "previous_pct": percent("Before.", null=False),
    "current_pct": percent("Now.", null=False),
    "holder_id": natural_id("own", "The holder."),
    "holder_type": word(HOLDER_TYPES, "Kind of holder.", open_ended=True),
    "holder_company_id": text(60, "Where the holder is a company known by number.", null=True),
    "direction": word(("up", "down"), "Which way."),
    "thresholds_crossed": array(integer(5, 50, "A threshold.") | {"enum": list(THRESHOLDS)}, 4, "Percent."),
    "basis": word(BASES, "What the shares rest on.", null=True),
    "as_of": day("Day of the new share."),
}
_FLIP: Final = {
    "previous_status": word(STATUSES, "Before."),
    "current_status": word(STATUSES, "Now."),
    "effective_date": day("Since when in the world."),
    "registry_status": text(500, "The register's own word.", null=True),
    "reason": word(STATUS_DETAILS, "Why, where a register says.", null=True, open_ended=True),
}
_NEWS: Final = {
    "news_id": natural_id("nws", "The item."),
    "title": text(300, "Headline."),
    "summary": text(1000, "Where it may be passed on.", null=True),
    "url": address("The item."),
    "publisher": text(200, "Who published it.", null=True),
    "language": text(8, "ISO 639-1.", pattern="^[a-z]{2}$", null=True),
    "published_at": instant("As published."),
    "categories": array(word(("earnings",), "A category.", open_ended=True), 20, "Our categories."),
}
_NOTICE: Final = {
    "notice_id": natural_id("ntc", "The notice."),
    "authority": text(200, "The regulator."),
    "authority_country": COUNTRY_CODE,
    "action_type": word(
        ("enforcement", "sanction", "announcement", "other"), "Kind of act.", open_ended=True
    ),
    "title": text(300, "Headline."),
    "summary": text(1000, "Where it may be passed on.", null=True),
    "url": address("The notice."),
    "published_at": instant("As published."),
    "amount": money("Fine or the like."),
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
    test = flag("True in test sends of webhooks; else not there.")
    members = _COMMON | {key: ref(component), "test": test}
    return record(f"`data` of {event_type}.", members, "test")


def _delivery(event_type: str) -> Schema:
    name = KINDS[event_type][0]
    body = {
        "event_id": natural_id("evt", "The same for every attempt and replay: deduplicate by it."),
        "event_type": word((event_type,), "Kind of event."),
        "delivered_at": instant("Start of this attempt, to the millisecond."),
        "data": ref(f"{name}Data"),
    }
    return record(f"Body of a {event_type} delivery.", body) | {"examples": [DELIVERIES[event_type]]}


def components() -> dict[str, Any]:
    """Named schemas of this resource."""
    event = {
        "event_id": natural_id("evt", "The same for the same fact, always: deduplicate by it."),
        "event_type": word(EVENT_TYPES, "Kind of event.", open_ended=True),
        "company_id": COMPANY_ID,
        "occurred_at": instant("When in the world."),
        "recorded_at": instant("When the service learned it."),
        "sequence": _SEQUENCE,
        # as event types are open-ended, so are the objects that come with them
        "data": {"anyOf": [ref(f"{name}Data") for name, *_ in KINDS.values()], "x-extensible": True},
    }
    named: dict[str, Any] = {
        "EventSource": _SOURCE,
        "ChangedFigure": record("One figure that changed.", _CHANGED),
    }
    for event_type, (name, _, component, properties) in KINDS.items():
        named[component] = record(f"What happened: {event_type}.", properties)
        named[f"{name}Data"] = _data(event_type)
        named[f"{name}Webhook"] = _delivery(event_type)
    return named | {
        "Event": record("One event.", event),
        "EventList": page("Events of a company.", ref("Event"), HEAD),
    }
