"""The one rule by which an event passes a subscription's filters, as SQL, and keys by which subscriptions are found.

The fan-out asks it of new events, the worker before each attempt, replays included; both by `passes_sql`
(docs/contract/contract.md 4.8c). A subscription to all companies is found by its *selectors*: texts of type, country,
industry, listing and detail, `-` where it does not filter. An event has few selectors, whatever the number of
subscriptions. They only narrow down: `passes_sql` decides. Does not belong here: SQL that selects deliveries
(`api.webhooks.delivery.fanout`).
"""

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import product
from typing import Any, Final

from api.webhooks.filters.event_facts import EventFacts, pct_units, to_bits
from api.webhooks.filters.models import CHANGED_FIELDS, TYPES_OF, Filters
from warehouse.ledger.read_index import LedgerEvent
from warehouse.schema.codes import THRESHOLDS

FACT_COLUMNS: Final = (
    "industry_code text, industry_scheme text, is_listed boolean, share_change bigint, thresholds bigint, "
    "changed_fields bigint"
)
"""Columns of `EventFacts`, with PostgreSQL's types."""
FILTER_COLUMNS: Final = (
    *("watchlist_id", "filter_countries", "filter_industries", "filter_scheme", "filter_listed", "filter_change"),
    *("filter_thresholds", "filter_fields"),
)
_FINDS: Final = {"sqlite": "instr", "postgresql": "strpos"}
"""Functions of the engines: the place of one text in another, from 1; 0 if it is not in it."""
_ANY: Final = "-"
_INDUSTRY_DIGITS: Final = 6
_MOST_OF_TYPE: Final = 64
"""Selectors of a subscription for one event type: what would exceed it is left to `passes_sql`."""


def filter_columns(filters: Filters | None) -> dict[str, Any]:
    """The columns of a subscription that `passes_sql` reads, and the filters as they are served."""
    chosen = filters or {}
    ownership = chosen.get("ownership", {})
    thresholds, fields = ownership.get("thresholds"), chosen.get("changed_fields")
    return {
        "filters": filters,
        "watchlist_id": chosen.get("watchlist_id"),
        "filter_countries": _words(chosen.get("countries")),
        "filter_industries": _words(chosen.get("industries")),
        "filter_scheme": chosen.get("industry_scheme"),
        "filter_listed": chosen.get("is_listed"),
        "filter_change": _least_change(chosen),
        "filter_thresholds": None if thresholds is None else to_bits(thresholds, THRESHOLDS),
        "filter_fields": None if fields is None else to_bits(fields, CHANGED_FIELDS),
    }


def passes_sql(engine: str, event: str, subscription: str) -> str:
    """Condition that an event passes a subscription's filters; the names of two tables. What is null does not pass.

    `event` has `event_type`, `company_id` and the columns of `EventFacts`.
    """
    e, s, finds = event, subscription, _FINDS[engine]
    updates = ", ".join(f"'{one}'" for one in sorted(TYPES_OF["changed_fields"]))
    country = f"{finds}({s}.filter_countries, ' ' || substr({e}.company_id, 6, 2) || ' ') > 0"
    prefixes = " OR ".join(
        f"{finds}({s}.filter_industries, ' ' || substr({e}.industry_code, 1, {digits}) || ' ') > 0"
        for digits in range(1, _INDUSTRY_DIGITS + 1)
    )
    is_other = f"{e}.event_type <> 'ownership.changed'"
    conditions = {  # what costs least comes first
        "filter_listed": f"{s}.filter_listed = {e}.is_listed",
        "filter_change": f"{is_other} OR {e}.share_change >= {s}.filter_change",
        "filter_thresholds": f"{is_other} OR ({e}.thresholds & {s}.filter_thresholds) <> 0",
        "filter_fields": f"{e}.event_type NOT IN ({updates}) OR ({e}.changed_fields & {s}.filter_fields) <> 0",
        "filter_scheme": f"{s}.filter_scheme = {e}.industry_scheme",
        "filter_countries": country,
        "filter_industries": prefixes,
        "watchlist_id": f"EXISTS (SELECT 1 FROM watchlist_companies AS listed WHERE listed.watchlist_id = "  # noqa: S608 -- texts above
        f"{s}.watchlist_id AND listed.company_id = {e}.company_id)",
    }
    return " AND ".join(f"({s}.{column} IS NULL OR {passes})" for column, passes in conditions.items())


def subscription_selectors(filters: Filters | None, event_types: Collection[str]) -> list[tuple[str, int]]:
    """Selectors of a subscription to all companies, each with the least change of a share that it wants.

    None without filters, or with a watchlist, by whose companies it is found.
    """
    if not filters or "watchlist_id" in filters:
        return []
    listing = _listing(filters.get("is_listed"))
    found: list[tuple[str, int]] = []
    for event_type in event_types:
        least = (_least_change(filters) or 0) if event_type in TYPES_OF["ownership"] else 0
        countries, industries, details = _limited(
            filters.get("countries"), _shortest(filters.get("industries")), _filtered_details(filters, event_type)
        )
        found += [
            (f"{event_type} {country} {industry} {listing} {detail}", least)
            for country, industry, detail in product(countries, industries, details)
        ]
    return found


def event_selectors(event: LedgerEvent, facts: EventFacts) -> list[str]:
    """The selectors of all subscriptions to all companies whose filters an event may pass."""
    code, listing = facts.industry_code or "", _listing(facts.is_listed)
    industries = [_ANY, *(code[:digits] for digits in range(1, min(len(code), _INDUSTRY_DIGITS) + 1))]
    details = [_ANY, *_bit_names(THRESHOLDS, facts.thresholds), *_bit_names(CHANGED_FIELDS, facts.changed_fields)]
    listings = [_ANY] if listing == _ANY else [_ANY, listing]
    parts = product((_ANY, event.country), industries, listings, details)
    return [" ".join((event.event_type, *part)) for part in parts]


def _limited(
    countries: Sequence[str] | None, industries: Sequence[str] | None, details: Sequence[str] | None
) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """What selectors are made of, the narrowest first, as long as their number stays within its limit."""
    industries, details, countries = industries or [_ANY], details or [_ANY], countries or [_ANY]
    if len(industries) * len(details) > _MOST_OF_TYPE:
        details = [_ANY]
    if len(industries) * len(details) * len(countries) > _MOST_OF_TYPE:
        countries = [_ANY]
    return countries, industries, details


def _filtered_details(filters: Filters, event_type: str) -> Sequence[str] | None:
    """What a subscription wants of the change itself, for this type."""
    if event_type in TYPES_OF["ownership"]:
        thresholds = filters.get("ownership", {}).get("thresholds")
        return None if thresholds is None else [str(one) for one in thresholds]
    return filters.get("changed_fields") if event_type in TYPES_OF["changed_fields"] else None


def _shortest(industries: Sequence[str] | None) -> list[str] | None:
    """Prefixes without those that another one begins."""
    if industries is None:
        return None
    return [one for one in industries if not any(one != other and one.startswith(other) for other in industries)]


def _bit_names(names: Sequence[str | int], bits: int | None) -> Iterator[str]:
    return (str(name) for place, name in enumerate(names) if (bits or 0) >> place & 1)


def _listing(is_listed: bool | None) -> str:
    return _ANY if is_listed is None else ("unlisted", "listed")[is_listed]


def _least_change(filters: Filters) -> int | None:
    least = filters.get("ownership", {}).get("min_change_pct")
    return None if least is None else pct_units(Decimal(repr(least)))


def _words(values: Sequence[str] | None) -> str | None:
    """Values as one text, a blank around each, as `passes_sql` searches them."""
    return None if values is None else f" {' '.join(values)} "
