"""The scenario of a collection: its requests, in the order in which a full run sends them.

Texts, parameters and fields come from the document. This module adds what the document cannot express: values
passed from a response to later requests, and checks beyond the types of fields. Expressions are JavaScript over
`answer` (the parsed body), `value(name)` (a variable) and `header(name)` (of the response).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from warehouse.schema.codes import MARKETS

_VARIABLE: Final = re.compile(r"{{(\w+)}}")
"""Dynamic ones of the formats, as `{{$guid}}`, are always there."""


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """One request of the scenario."""

    operation_id: str
    name: str = ""
    """Empty: the summary of the operation."""
    path_variables: Mapping[str, str] = field(default_factory=dict)
    """Variable of each path parameter."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Parameters that are sent; the operation's other parameters are listed but disabled."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """Sent as JSON."""
    form: Mapping[str, str] = field(default_factory=dict)
    """The fields of a body that is a form."""
    status: int | None = None
    """None: the operation's success status."""
    also_needs: tuple[str, ...] = ()
    """Variables without which the request is skipped, though it does not send them."""
    keeps: Mapping[str, str] = field(default_factory=dict)
    """Variables set from the response, each by an expression."""
    offers: Mapping[str, str] = field(default_factory=dict)
    """The same, for variables that the user has not set."""
    checks: Mapping[str, str] = field(default_factory=dict)
    """Checks by name, each an expression that must be true."""
    note: str = ""
    """Appended to the document's own description."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Variables without which the request is skipped: those that it sends, and `also_needs`."""
        texts = (*self.query.values(), *self.headers.values(), json.dumps(self.body), *self.form.values())
        sent = (name for text in texts for name in _VARIABLE.findall(text))
        return tuple(dict.fromkeys((*self.path_variables.values(), *sent, *self.also_needs)))


_COMPANY: Final = {"org_number": "company_id"}
_SAME_COMPANY: Final = {
    "of the requested company": '[answer.company_id, answer.org_number].includes(value("company_id"))'
}
_AT_INSTANT: Final = {"as it was known then": 'answer.known_at === value("known_at")'}
_NEXT_PAGE: Final = "All parameters except `limit` stay the same; `cursor` is `next_cursor` of the previous page."
_ROWS_BEFORE: Final = 'value("rows_before").split(" ")'
_IS_RISING: Final = "answer.data.every((row, at) => at === 0 || row.sequence > answer.data[at - 1].sequence)"

COMPANIES: Final = (
    ScenarioStep(
        "searchCompanies",
        query={"limit": "2"},
        keeps={"search_cursor": "answer.next_cursor", "rows_before": 'answer.data.map((row) => row.id).join(" ")'},
        offers={"company_id": "answer.data[0]?.id"},
        note="Later requests use the first company found, unless `company_id` is set.",
    ),
    ScenarioStep(
        "searchCompanies",
        "Search companies, next page",
        query={"limit": "2", "cursor": "{{search_cursor}}"},
        checks={"no row of the previous page": f"answer.data.every((row) => !{_ROWS_BEFORE}.includes(row.id))"},
        note=_NEXT_PAGE,
    ),
    ScenarioStep(
        "getCompany",
        path_variables=_COMPANY,
        keeps={
            "market": "answer.country.toLowerCase()",
            "org_number": "answer.org_number",
            "profile_etag": 'header("ETag")',
            "known_at": 'new Date(header("Last-Modified")).toISOString().replace(".000Z", "Z")',
            "as_of": 'new Date(header("Last-Modified")).toISOString().slice(0, 10)',
        },
        checks={"the requested company": '[answer.id, answer.org_number].includes(value("company_id"))'},
    ),
    ScenarioStep(
        "getCompany",
        "Get a company profile, unchanged",
        path_variables=_COMPANY,
        headers={"If-None-Match": "{{profile_etag}}"},
        status=304,
        note="If nothing has changed, the response is a 304 without a body, which is not counted.",
    ),
    ScenarioStep(
        "getCompany",
        "Get a company profile, as it was served",
        path_variables=_COMPANY,
        query={"known_at": "{{known_at}}"},
        checks=_AT_INSTANT | {"the requested company": '[answer.id, answer.org_number].includes(value("company_id"))'},
        note="Financials, owners and groups take `known_at` too; here it is the `Last-Modified` of the profile.",
    ),
    ScenarioStep(
        "getCompanyInMarket",
        path_variables={"market": "market", "org_number": "org_number"},
        checks={"the requested number": 'answer.org_number === value("org_number")'},
    ),
)
LOOKUPS: Final = (
    ScenarioStep(
        "lookupCompanies",
        body={"items": [{"id": "{{company_id}}"}, {"lei": "969500NO030000004574"}], "fields": ["org_number", "name"]},
        checks={
            "the requested company": 'answer.data[0].match === "exact" && '
            '[answer.data[0].company.id, answer.data[0].company.org_number].includes(value("company_id"))',
            "the wrong LEI is an error of its item": 'answer.data[1].errors[0].pointer === "/items/1/lei"',
        },
    ),
    ScenarioStep(
        "suggestCompanies",
        query={"q": "{{company_id}}", "limit": "5"},
        checks={
            "the requested company first": "[answer.data[0].id, answer.data[0].org_number]"
            '.includes(value("company_id"))'
        },
    ),
)
RECONCILIATION: Final = (
    ScenarioStep("getReconciliation"),
    ScenarioStep(
        "reconcile",
        form={"queries": '{"q0":{"query":"{{company_id}}","type":"company","limit":3}}'},
        checks={
            "one company is meant": "answer.q0.result.length === 1 && answer.q0.result[0].match",
            "the requested company": 'answer.q0.result[0].id.endsWith(value("company_id").split(":").slice(-1)[0])',
        },
        note="`extend` instead of `queries` returns values of properties.",
    ),
    ScenarioStep(
        "suggestReconciliationEntities",
        query={"prefix": "{{company_id}}"},
        checks={"one company": "answer.result.length === 1"},
    ),
    ScenarioStep(
        "suggestReconciliationTypes",
        query={"prefix": "company"},
        checks={"companies": 'answer.result[0].id === "company"'},
    ),
    ScenarioStep(
        "suggestReconciliationProperties", query={"prefix": "lei"}, checks={"the LEI": 'answer.result[0].id === "lei"'}
    ),
    ScenarioStep(
        "proposeReconciliationProperties",
        query={"type": "company", "limit": "5"},
        checks={"as many as asked for": "answer.properties.length === 5"},
    ),
    ScenarioStep("previewReconciliationEntity", query={"id": "{{company_id}}"}),
)
EVENTS: Final = (
    ScenarioStep(
        "listCompanyEvents",
        "List events of a company, oldest first",
        path_variables={"company_id": "company_id"},
        query={"order": "asc", "limit": "2"},
        keeps={"events_cursor": "answer.next_cursor", "last_sequence": "answer.data.slice(-1)[0]?.sequence"},
        checks=_SAME_COMPANY
        | {"sequence rises": _IS_RISING, "a cursor to continue from": "answer.next_cursor !== null"},
    ),
    ScenarioStep(
        "listCompanyEvents",
        "List events of a company, new ones only",
        path_variables={"company_id": "company_id"},
        query={"order": "asc", "limit": "2", "cursor": "{{events_cursor}}"},
        checks={
            "sequence rises": _IS_RISING,
            "only later events": 'answer.data.every((row) => row.sequence > Number(value("last_sequence")))',
        },
        note="Store `next_cursor` and repeat the request at any time to get the events since then.",
    ),
    ScenarioStep(
        "listEvents",
        query={"limit": "2"},
        keeps={"all_events_cursor": "answer.next_cursor", "last_of_all": "answer.data.slice(-1)[0]?.sequence"},
        checks={"sequence rises": _IS_RISING, "a cursor to continue from": "answer.next_cursor !== null"},
    ),
    ScenarioStep(
        "listEvents",
        "List events of all companies, next page",
        query={"limit": "2", "cursor": "{{all_events_cursor}}"},
        checks={
            "sequence rises": _IS_RISING,
            "only later events": 'answer.data.every((row) => row.sequence > Number(value("last_of_all")))',
        },
        note="Store `next_cursor` and repeat the request at any time to get the events since then.",
    ),
)
FINANCIALS: Final = (
    ScenarioStep(
        "listFinancials",
        path_variables=_COMPANY,
        query={"limit": "2"},
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
    ScenarioStep(
        "listFinancials",
        "List financials of a company, next page",
        path_variables=_COMPANY,
        query={"limit": "2", "cursor": "{{financials_cursor}}"},
        checks={"no row of the previous page": f"answer.data.every((row) => !{_ROWS_BEFORE}.includes(row.period))"},
        note=_NEXT_PAGE,
    ),
)
FILINGS: Final = (ScenarioStep("listFilings", path_variables=_COMPANY, query={"limit": "2"}, checks=_SAME_COMPANY),)
OWNERSHIP: Final = (
    ScenarioStep(
        "listOwnership",
        path_variables=_COMPANY,
        checks=_SAME_COMPANY
        | {
            "largest exact share first": "answer.data.map((row) => row.pct).filter((pct) => pct !== null)"
            ".every((pct, at, all) => at === 0 || pct <= all[at - 1])"
        },
    ),
    ScenarioStep(
        "listOwnership",
        "List owners of a company, on a day",
        path_variables=_COMPANY,
        query={"as_of": "{{as_of}}"},
        checks=_SAME_COMPANY | {"of that day": 'answer.as_of === value("as_of")'},
        note="`as_of` is a day of the world, `known_at` an instant of what was served; both may be given.",
    ),
)
GROUP: Final = (
    ScenarioStep(
        "getGroup",
        path_variables=_COMPANY,
        query={"depth": "3", "limit": "2"},
        checks=_SAME_COMPANY
        | {
            "parents are one level away": "answer.parents.every((row) => row.level === 1)",
            "children are at most 3 levels away": "answer.children.data.every((row) => row.level <= 3)",
        },
    ),
    ScenarioStep(
        "getGroup",
        "Get the group of a company, as it was served",
        path_variables=_COMPANY,
        query={"known_at": "{{known_at}}"},
        checks=_SAME_COMPANY | _AT_INSTANT,
    ),
    ScenarioStep(
        "listHoldings",
        path_variables=_COMPANY,
        query={"limit": "2"},
        checks=_SAME_COMPANY
        | {"held by the company": "answer.data.every((row) => row.holder_company_id === answer.company_id)"},
    ),
)
SERVICE: Final = (
    ScenarioStep(
        "listMarkets",
        checks={
            "all markets": f"{json.dumps(MARKETS)}.every((market) => answer.data.some((row) => row.market === market))"
        },
    ),
    ScenarioStep(
        "getUsage",
        keeps={
            "webhooks": 'answer.webhooks_enabled ? "in this tier" : "not in this tier"',
            "exports": 'answer.tier === "business" ? "in this tier" : ""',
        },
        checks={
            "remaining equals limit minus used": "answer.requests_remaining "
            "=== Math.max(answer.requests_limit - answer.requests_used, 0)"
        },
        note="Run this first: if the tier has no webhooks, requests on webhooks are skipped afterwards.",
    ),
    ScenarioStep(
        "getOpenApi", "Get the OpenAPI document", checks={"version 1": 'answer.info.version.split(".")[0] === "1"'}
    ),
)
