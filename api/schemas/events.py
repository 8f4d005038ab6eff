"""Schemas of events and of the six kinds of `data` (CONTRACT 4.5 and 4.6).

The same `data` object goes out in deliveries. Does not belong here: when an event is made
(`pipelines.steps`).
"""

from typing import Any, Final

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
from warehouse.schema.codes import BASES, EVENT_TYPES, HOLDER_TYPES, PERIOD_TYPES, STATUSES, UPDATE_REASONS

_SEQUENCE: Final = integer(1, INT64, "Order of recording; rises without end.")
_SOURCE: Final = record(
    "Where it was learned.",
    {
        "register": text(60, "Key of the dataset."),
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
    "source": _SOURCE,
}
_FILING: Final = {
    "filing_id": natural_id("fil", "The document."),
    "filing_type": text(60, "annual_report and the like."),
    "period": PERIOD | {"type": ["string", "null"]},
    "period_type": word(PERIOD_TYPES, "Null for periods that v1 does not serve.", null=True),
    "fiscal_year": integer(1900, 2200, "Fiscal year."),
    "fiscal_quarter": integer(1, 4, "Quarterly periods only.", null=True),
    "period_start": day("First day.", null=True),
    "period_end": day("Last day."),
    "filed_at": day("Day of filing.", null=True),
    "version": integer(1, 10_000, "Version of the period."),
    "currency": CURRENCY,
    **FIGURE_SCHEMAS,
    "is_consolidated": flag("Group figures.", null=True),
    "document_url": address("The document."),
}
_CHANGED: Final = {
    "field": text(30, "Name of the field."),
    "previous": {"type": ["integer", "string", "null"], "description": "Before.", "maxLength": 60},
    "current": {"type": ["integer", "string", "null"], "description": "Now.", "maxLength": 60},
}
_UPDATE: Final = _FILING | {
    "previous_version": integer(1, 10_000, "The version before."),
    "reason": word(UPDATE_REASONS, "Why.", open_ended=True),
    "changed_fields": array(record("One figure that changed.", _CHANGED), 20, "What changed."),
}
_CROSSING: Final = {
    "holder_name": text(1000, "Null when protected by law.", null=True),
    "previous_pct": percent("Before.", null=False),
    "current_pct": percent("Now.", null=False),
    "holder_id": natural_id("own", "The holder."),
    "holder_type": word(HOLDER_TYPES, "Kind of holder.", open_ended=True),
    "holder_company_id": text(60, "Where the holder is a company known by number.", null=True),
    "direction": word(("up", "down"), "Which way."),
    "thresholds_crossed": array(
        {"type": "integer", "format": "int32", "enum": [5, 10, 20, 50]}, 4, "Percent."
    ),
    "basis": word(BASES, "What the shares rest on.", null=True),
    "as_of": day("Day of the new share."),
}
_FLIP: Final = {
    "previous_status": word(STATUSES, "Before."),
    "current_status": word(STATUSES, "Now."),
    "effective_date": day("Since when in the world."),
    "registry_status": text(500, "The register's own word.", null=True),
    "reason": text(60, "Lower snake case; an open list.", null=True),
}
_NEWS: Final = {
    "news_id": natural_id("nws", "The item."),
    "title": text(300, "Headline."),
    "summary": text(1000, "Where it may be passed on.", null=True),
    "url": address("The item."),
    "publisher": text(200, "Who published it.", null=True),
    "language": text(8, "ISO 639-1.", null=True),
    "published_at": instant("As published."),
    "categories": array(text(60, "A category."), 20, "Our categories; an open list."),
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
# event type: (name of its component, key of its object, that object)
KINDS: Final = {
    "filing.added": ("FilingAdded", "filing", _FILING),
    "filing.updated": ("FilingUpdated", "filing", _UPDATE),
    "ownership.changed": ("OwnershipChanged", "change", _CROSSING),
    "status.changed": ("StatusChanged", "change", _FLIP),
    "news.published": ("NewsPublished", "news", _NEWS),
    "event.regulatory": ("RegulatoryEvent", "notice", _NOTICE),
}


def _data(event_type: str) -> Schema:
    _, key, properties = KINDS[event_type]
    return record(f"`data` of {event_type}.", _COMMON | {key: record("What happened.", properties)})


def components() -> dict[str, Any]:
    """Named schemas of this resource."""
    event = {
        "event_id": natural_id("evt", "The same for the same fact, always: deduplicate by it."),
        "event_type": word(EVENT_TYPES, "Kind of event."),
        "company_id": COMPANY_ID,
        "occurred_at": instant("When in the world."),
        "recorded_at": instant("When the service learned it."),
        "sequence": _SEQUENCE,
        "data": {"anyOf": [ref(f"{name}Data") for name, _, _ in KINDS.values()]},
    }
    return {f"{name}Data": _data(event_type) for event_type, (name, _, _) in KINDS.items()} | {
        "Event": record("One event.", event),
        "EventList": page("Events of a company.", ref("Event"), HEAD),
    }
