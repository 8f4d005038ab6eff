"""Which query parameters each operation has (CONTRACT 4.1 to 4.5).

The declarations read queries (`api.parameters`) and document them (`api.openapi`): one place for both. Does
not belong here: what is done with the values (`api.routes`).
"""

from typing import Final

from api.parameters import Parameter, Query
from api.problems import InputError, problem
from api.values import day, flag, instant, integer, percent, text, word, words
from warehouse.schema.codes import EVENT_TYPES, SERVED

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
)  # product.md 2.1, in its order
PROFILE_PARTS: Final = ("detail", "identifiers", "address", "sources")
YEARS: Final = (1900, 2200)

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
Q: Final = text(
    "q",
    200,
    "Name, or any word's beginning: case and accents do not matter. An exact number or id comes first.",
    r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$",
)
SEARCH: Final = Query(Q, COUNTRY, FIELDS, LIMIT, CURSOR)

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
