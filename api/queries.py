"""Which query parameters each operation has (docs/contract/contract.md 4.1 to 4.5, 4.8).

The declarations read queries (`api.parameters`) and document them (`api.openapi`): one place for both. Does
not belong here: what is done with the values (`api.routes`).
"""

from typing import Final

from api.db.delivery_records import DELIVERY_STATUSES
from api.parameters import Parameter, Query
from api.problems import InputError, problem
from api.values import code, codes, day, flag, instant, integer, percent, text, word, words
from warehouse.schema.codes import EVENT_TYPES, INDUSTRY_SCHEMES, SERVED, STATUSES
from warehouse.schema.types import LARGEST_INTEGER, LEAST_INTEGER

PROFILE_FIELDS: Final = (
    "id",
    "org_number",
    "name",
    "country",
    "sni_code",
    "sni_label",
    "municipality",
    "county",
    "registered_date",
    "status",
    "is_listed",
    "latest_revenue",
    "latest_currency",
    "latest_year",
)  # docs/contract/contract.md 4.1, in its order
PROFILE_PARTS: Final = ("detail", "identifiers", "address", "sources")
YEARS: Final = (1900, 2200)
SIZES: Final = ("micro", "small", "medium", "large")  # of the EU
SORTS: Final = ("relevance", "id", "name", "-latest_revenue", "-registered_date")
_MOST_EMPLOYEES: Final = 10_000_000
_INTEGERS: Final = (LEAST_INTEGER, LARGEST_INTEGER)

LIMIT: Final = integer("limit", 1, 100, 25, "Rows of one page.")


def _cursor(given: str) -> str:
    return given  # checked whole by `api.pagination`, which tells its errors apart


CURSOR: Final[Parameter[str | None]] = Parameter(
    "cursor",
    _cursor,
    None,
    "Where to go on: `next_cursor` of the page before. Only `limit` may change between pages.",
    {"type": "string", "minLength": 1, "maxLength": 512, "pattern": "^[A-Za-z0-9_-]+$"},
)
INCLUDE: Final = words("include", PROFILE_PARTS, "Further keys at top level.")
FIELDS: Final = words(
    "fields", PROFILE_FIELDS, "Only these keys (and what `include` adds); `id` always stays."
)
PROFILE: Final = Query(INCLUDE, FIELDS)

_COUNTRIES: Final = (*SERVED, "GB")


def _country(given: str) -> tuple[str, ...]:
    """As other word lists, but the announced market has its own answer."""
    if "DK" in given.split(","):
        raise problem(
            "market_not_available",
            "Denmark (DK) is announced but not served yet.",
            InputError("market_not_available", "DK is not served yet", parameter="country"),
        )
    return _countries.read(given)


_countries: Final = words(
    "country",
    _COUNTRIES,
    "Market codes; GB is read as UK.",
    canonical=lambda code: "UK" if code == "GB" else code,
)
COUNTRY: Final = Parameter("country", _country, (), _countries.description, _countries.schema, listed=True)
_PRINTABLE: Final = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
Q: Final = text(
    "q",
    200,
    "Name, or any word's beginning: case and accents do not matter, a slip is forgiven. An exact number, id, LEI, "
    "ISIN, symbol (`AAPL` or `XNAS:AAPL`), VAT number, EUID or CIK comes first.",
    _PRINTABLE,
)
INDUSTRY: Final = codes(
    code(
        "industry",
        r"[0-9]{1,2}(\.?[0-9]{1,4})?",
        7,
        "1 to 6 digits of an industry code, as 62 or 62.01",
        "Beginnings of industry codes: 62 finds 62.010. Countries whose classifications differ (the US, and the "
        "others) need `industry_scheme` too; no `country` means all countries.",
    ),
    most=50,
    canonical=lambda given: given.replace(".", ""),
)
INDUSTRY_SCHEME: Final = word(
    "industry_scheme", INDUSTRY_SCHEMES, None, "Only codes of this edition of a classification."
)
REGION: Final = text(
    "region",
    100,
    "Municipality or county, by name or by the code of the country or of ISO 3166-2; case and accents do not "
    "matter.",
    _PRINTABLE,
)
SIZE: Final = words(
    "size", SIZES, "By employees: micro below 10, small below 50, medium below 250, large from there on."
)
EMPLOYEES_MIN: Final = integer("employees_min", 0, _MOST_EMPLOYEES, None, "At least so many employees.")
EMPLOYEES_MAX: Final = integer("employees_max", 0, _MOST_EMPLOYEES, None, "At most so many employees.")
REVENUE_MIN: Final = integer(
    "revenue_min", *_INTEGERS, None, "`latest_revenue` is at least this; needs `currency`."
)
REVENUE_MAX: Final = integer(
    "revenue_max", *_INTEGERS, None, "`latest_revenue` is at most this; needs `currency`."
)
CURRENCY: Final = code(
    "currency",
    "[A-Z]{3}",
    3,
    "an ISO 4217 code, as SEK",
    "`latest_currency` is this one; figures are never converted.",
)
STATUS: Final = words("status", STATUSES, "Only companies in one of these states.")
IS_LISTED: Final = flag("is_listed", "Only listed companies, or only those without evidence of a listing.")
REGISTERED_FROM: Final = day("registered_from", "Registered on this day or later.")
REGISTERED_TO: Final = day("registered_to", "Registered on this day or before.")
SORT: Final = word(
    "sort",
    SORTS,
    None,
    "Default: relevance with `q`, else id. A minus sorts downwards; what lacks the value comes last, equals by id.",
)
SEARCH: Final = Query(
    Q,
    COUNTRY,
    INDUSTRY,
    INDUSTRY_SCHEME,
    REGION,
    SIZE,
    EMPLOYEES_MIN,
    EMPLOYEES_MAX,
    REVENUE_MIN,
    REVENUE_MAX,
    CURRENCY,
    STATUS,
    IS_LISTED,
    REGISTERED_FROM,
    REGISTERED_TO,
    SORT,
    FIELDS,
    LIMIT,
    CURSOR,
)

PERIOD_TYPE: Final = word("period_type", ("annual", "quarterly", "all"), "all", "Kind of period.")
NEWEST_YEARS: Final = integer("years", 1, 30, None, "The newest fiscal years, this many.")
FROM_YEAR: Final = integer("from_year", *YEARS, None, "First fiscal year.")
TO_YEAR: Final = integer("to_year", *YEARS, None, "Last fiscal year.")
CONSOLIDATED: Final = flag(
    "consolidated", "Group figures or the company's own; default: group where there are any."
)
PERIOD_INCLUDE: Final = words(
    "include",
    ("sources", "history"),
    "`history`: superseded versions too; `sources`: where figures come from.",
)
FINANCIALS: Final = Query(
    PERIOD_TYPE, NEWEST_YEARS, FROM_YEAR, TO_YEAR, CONSOLIDATED, PERIOD_INCLUDE, LIMIT, CURSOR
)

AS_OF: Final = day("as_of", "Owners on this day; default today.")
MIN_PCT: Final = percent("min_pct", "Only holders with at least this share.")
OWNERSHIP: Final = Query(AS_OF, MIN_PCT, LIMIT, CURSOR)

EVENT_TYPE: Final = words("event_type", EVENT_TYPES, "Only these types.")
SINCE: Final = instant("since", "Recorded at this instant or later.")
UNTIL: Final = instant("until", "Recorded before this instant.")
ORDER: Final = word(
    "order",
    ("desc", "asc"),
    "desc",
    "`asc` is a tail: `next_cursor` is never null; keep it and call again later.",
)
EVENTS: Final = Query(EVENT_TYPE, SINCE, UNTIL, ORDER, LIMIT, CURSOR)

SUBSCRIPTION_STATUS: Final = word("status", ("active", "paused"), None, "Only those in this state.")
SUBSCRIPTIONS: Final = Query(SUBSCRIPTION_STATUS, LIMIT, CURSOR)

DELIVERY_STATUS: Final = words("status", DELIVERY_STATUSES, "Only deliveries in these states.")
EVENT_ID: Final = code(
    "event_id", "evt_[0-9a-z]{26}", 30, "the id of an event, evt_ and 26 characters", "Only this event."
)
MATCHED_SINCE: Final = instant("since", "Created at this instant or later.")
MATCHED_UNTIL: Final = instant("until", "Created before this instant.")
DELIVERIES: Final = Query(DELIVERY_STATUS, EVENT_TYPE, EVENT_ID, MATCHED_SINCE, MATCHED_UNTIL, LIMIT, CURSOR)
