"""Which requests a collection has, in the order in which a run of the whole sends them.

Texts, parameters and fields come from the document; here stands what it cannot say: what an earlier answer gives to
a later request, and what must hold of an answer beyond its fields. Expressions are JavaScript over `answer` (the
parsed body), `value(name)` (a variable) and `header(name)` (of the answer). Those on webhooks stand in
`api.collections.walk_webhooks`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Step:
    """One request."""

    operation_id: str
    name: str = ""
    """Empty: the summary of the operation."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Path parameters, by the variable that stands there."""
    query: Mapping[str, str] = field(default_factory=dict)
    """What is sent; the operation's other parameters are listed, switched off."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    status: int | None = None
    """None: the operation's success."""
    needs: tuple[str, ...] = ()
    """Variables without which the request is skipped."""
    keeps: Mapping[str, str] = field(default_factory=dict)
    """Variables that the answer gives, each an expression."""
    offers: Mapping[str, str] = field(default_factory=dict)
    """The same, where the caller has not set the variable."""
    checks: Mapping[str, str] = field(default_factory=dict)
    """What must hold: its name, and an expression that is true then."""
    note: str = ""
    """Said after the document's own description."""


_COMPANY: Final = {"org_number": "company_id"}
_OF_COMPANY: Final = ("company_id",)
_SAME_COMPANY: Final = {
    "of the company asked for": '[answer.company_id, answer.org_number].includes(value("company_id"))'
}
_NEXT_PAGE: Final = "Everything but `limit` stays as it was; `cursor` is `next_cursor` of the page before."
_ROWS_BEFORE: Final = 'value("rows_before").split(" ")'
_IS_RISING: Final = "answer.data.every((row, at) => at === 0 || row.sequence > answer.data[at - 1].sequence)"

COMPANIES: Final = (
    Step(
        "searchCompanies",
        query={"limit": "2"},
        keeps={
            "search_cursor": "answer.next_cursor",
            "rows_before": 'answer.data.map((row) => row.id).join(" ")',
        },
        offers={"company_id": "answer.data[0]?.id"},
        note="The first company found is the one that later requests ask about, unless `company_id` is set.",
    ),
    Step(
        "searchCompanies",
        "Search companies, next page",
        query={"limit": "2", "cursor": "{{search_cursor}}"},
        needs=("search_cursor",),
        checks={
            "no row of the page before": f"answer.data.every((row) => !{_ROWS_BEFORE}.includes(row.id))",
        },
        note=_NEXT_PAGE,
    ),
    Step(
        "getCompany",
        places=_COMPANY,
        needs=_OF_COMPANY,
        keeps={
            "market": "answer.country.toLowerCase()",
            "org_number": "answer.org_number",
            "profile_etag": 'header("ETag")',
        },
        checks={"the company asked for": '[answer.id, answer.org_number].includes(value("company_id"))'},
    ),
    Step(
        "getCompany",
        "Profile of a company, unchanged",
        places=_COMPANY,
        headers={"If-None-Match": "{{profile_etag}}"},
        status=304,
        needs=("company_id", "profile_etag"),
        note="An answer that did not change is a 304 without a body, which is not counted.",
    ),
    Step(
        "getCompanyInMarket",
        places={"market": "market", "org_number": "org_number"},
        needs=("market", "org_number"),
        checks={"the number asked for": 'answer.org_number === value("org_number")'},
    ),
)
EVENTS: Final = (
    Step(
        "listCompanyEvents",
        "Events of a company, oldest first",
        places={"company_id": "company_id"},
        query={"order": "asc", "limit": "2"},
        needs=_OF_COMPANY,
        keeps={
            "events_cursor": "answer.next_cursor",
            "last_sequence": "answer.data.slice(-1)[0]?.sequence",
        },
        checks=_SAME_COMPANY
        | {"sequence rises": _IS_RISING, "a cursor to go on from": "answer.next_cursor !== null"},
    ),
    Step(
        "listCompanyEvents",
        "Events of a company, what came since",
        places={"company_id": "company_id"},
        query={"order": "asc", "limit": "2", "cursor": "{{events_cursor}}"},
        needs=("company_id", "events_cursor"),
        checks={
            "sequence rises": _IS_RISING,
            "only later events": 'answer.data.every((row) => row.sequence > Number(value("last_sequence")))',
        },
        note="Keep `next_cursor` and ask again whenever you like: what happened in between follows.",
    ),
)
FINANCIALS: Final = (
    Step(
        "listFinancials",
        places=_COMPANY,
        query={"limit": "2"},
        needs=_OF_COMPANY,
        keeps={
            "financials_cursor": "answer.next_cursor",
            "rows_before": 'answer.data.map((row) => row.period).join(" ")',
        },
        checks=_SAME_COMPANY
        | {
            "newest first": "answer.data.every((row, at) => at === 0 "
            "|| row.period_end <= answer.data[at - 1].period_end)"
        },
    ),
    Step(
        "listFinancials",
        "Financials of a company, next page",
        places=_COMPANY,
        query={"limit": "2", "cursor": "{{financials_cursor}}"},
        needs=("company_id", "financials_cursor"),
        checks={
            "no row of the page before": f"answer.data.every((row) => !{_ROWS_BEFORE}.includes(row.period))",
        },
        note=_NEXT_PAGE,
    ),
)
OWNERSHIP: Final = (
    Step(
        "listOwnership",
        places=_COMPANY,
        needs=_OF_COMPANY,
        checks=_SAME_COMPANY
        | {
            "largest exact share first": "answer.data.map((row) => row.pct).filter((pct) => pct !== null)"
            ".every((pct, at, all) => at === 0 || pct <= all[at - 1])"
        },
    ),
)
SERVICE: Final = (
    Step(
        "listMarkets",
        checks={
            "all markets": '["US", "SE", "NO", "FI", "UK", "DK"].every((market) => '
            "answer.data.some((row) => row.market === market))"
        },
    ),
    Step(
        "getUsage",
        keeps={"webhooks": 'answer.webhooks_enabled ? "in this tier" : "not in this tier"'},
        checks={
            "what remains is what is not used": "answer.requests_remaining "
            "=== Math.max(answer.requests_limit - answer.requests_used, 0)"
        },
        note="Run it once: where the tier has no webhooks, the requests on them are skipped from then on.",
    ),
    Step("getOpenApi", "OpenAPI document", checks={"version 1": 'answer.info.version.split(".")[0] === "1"'}),
)
