"""Tools for agents (Model Context Protocol): company data that can be cited, over the client.

`firm mcp` serves them over standard input and output, the service itself at `/mcp` over HTTP.

Answers are bounded: lists have at most `MOST_ROWS` rows and a cursor to continue, and a page that is longer than
`MOST_CHARACTERS` is asked for again with half the rows, down to one. Every figure comes with its document, version and
source. Nothing is changed by any tool. Needs `pip install firmdata[mcp]`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from firmdata.async_client import AsyncClient
from firmdata.calls import ALL_EVENTS, ApiCall, company_path, get, post, query
from firmdata.errors import ApiError, ConnectionFailedError
from firmdata.settings import own_version

MOST_ROWS = 25
MOST_LOOKED_UP = 10
MOST_CHARACTERS = 20_000
_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_INSTRUCTIONS = """Company data of official registers. A company is named by its id, as firm:SE:5599999991; find it with
search_companies (by name and filters) or lookup_companies (by registration number, VAT number, LEI, ISIN or ticker).
null means unknown: never take it for 0 or for no. Amounts are whole units of `currency`. Cite figures by `filing_id`,
`version` and the `url` of their source. Lists are pages: send `next_cursor` as `cursor` to continue."""
_FOUND = ["org_number", "name", "country", "municipality", "status"]  # of a company that is looked up
_ADVICE = {
    "invalid_api_key": "The API key is not valid: ask the user for a valid key. Do not try again.",
    "expired_api_key": "The API key has expired: ask the user for another. Do not try again.",
    "revoked_api_key": "The API key was revoked: ask the user for another. Do not try again.",
    "quota_exceeded": "The account's requests of this month are used: tell the user. Do not try again.",
    "rate_limited": "Wait for a few seconds, then try once more.",
    "tier_required": "The account's tier does not include this: tell the user which tier does.",
    "company_not_found": "Find the company with search_companies or lookup_companies, and use the id that they give.",
    "invalid_org_number": "Use the id that search_companies or lookup_companies give.",
    "company_not_known_then": "Ask for a later day, or without a day.",
    "invalid_parameter": "Correct the argument that is named, and try again.",
    "invalid_cursor": "Send next_cursor of the page before, with the same other arguments.",
}

Company = Annotated[str, Field(description="Id (firm:SE:5599999991) or registration number of the company.")]
Rows = Annotated[int, Field(ge=1, le=MOST_ROWS, description="Rows of the page.")]
Cursor = Annotated[str | None, Field(description="next_cursor of the page before.")]
Day = Annotated[str | None, Field(description="A day, as 2025-12-31: the state of the world on that day.")]


def build_server(client: AsyncClient) -> MCPServer[None]:
    """The server with its tools and resources; the client is closed when the server ends."""

    @asynccontextmanager
    async def lifespan(_: MCPServer[None]) -> AsyncIterator[None]:
        async with client:
            yield

    server = MCPServer[None](
        "firmdata",
        version=own_version(),
        instructions=_INSTRUCTIONS,
        lifespan=lifespan,
        log_level="WARNING",
        subscriptions=False,
    )
    _add_company_tools(server, client)
    _add_list_tools(server, client)
    _add_resources(server, client)
    return server


def _add_company_tools(server: MCPServer[None], client: AsyncClient) -> None:
    @server.tool(annotations=_READ_ONLY)
    async def search_companies(
        query: Annotated[str | None, Field(description="Name, or its beginning; typos are tolerated.")] = None,
        country: Annotated[str | None, Field(description="Market codes, separated by commas: SE,NO,FI,UK,US.")] = None,
        industry: Annotated[str | None, Field(description="Industry codes or their beginnings, as 62.01.")] = None,
        status: Annotated[str | None, Field(description="active, dormant or dissolved.")] = None,
        is_listed: Annotated[bool | None, Field(description="Only listed companies, or only others.")] = None,
        sort: Annotated[str | None, Field(description="name, -latest_revenue, -registered_date, …")] = None,
        limit: Rows = 10,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Finds companies by name, country, industry, status and listing. Gives ids for the other tools."""
        params = {
            "q": query,
            "country": country,
            "industry": industry,
            "status": status,
            "is_listed": is_listed,
            "sort": sort,
        }
        return await _page(client, "/api/v1/companies", params, limit, cursor)

    @server.tool(annotations=_READ_ONLY)
    async def lookup_companies(
        items: Annotated[
            list[dict[str, str]],
            Field(
                min_length=1,
                max_length=MOST_LOOKED_UP,
                description='Each one of {"id"}, {"number","country"}, {"lei"}, {"isin"}, {"ticker","exchange_mic"}, '
                '{"vat","country"}, {"name","country","municipality"}.',
            ),
        ],
    ) -> dict[str, Any]:
        """Finds companies by identifiers: one answer per item, in order.

        `match`: exact, probable (by name alone), ambiguous (then ask which candidate is meant) or none.
        """
        return await _ask(client, post("/api/v1/companies/lookup", _Anything, {"items": items, "fields": _FOUND}))

    @server.tool(annotations=_READ_ONLY)
    async def get_company(company: Company, as_of: Day = None) -> dict[str, Any]:
        """The profile of a company: name, industry, place, status, identifiers, address; the source of each field."""
        params = query({"include": "detail,identifiers,address,sources", "as_of": as_of})
        return await _ask(client, ApiCall("GET", company_path(company), _Anything, params))

    @server.tool(annotations=_READ_ONLY)
    async def get_group(
        company: Company,
        depth: Annotated[int, Field(ge=1, le=10, description="Levels of children.")] = 1,
        limit: Rows = 10,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Who stands above a company and below it: parents, ultimate parents, children.

        Each with its relation (shareholding, control, accounting consolidation) and its sources.
        """
        return await _page(client, company_path(company, "/group"), {"depth": depth}, limit, cursor)


def _add_list_tools(server: MCPServer[None], client: AsyncClient) -> None:
    @server.tool(annotations=_READ_ONLY)
    async def get_financials(
        company: Company,
        period_type: Annotated[str, Field(description="annual, quarterly or all.")] = "annual",
        years: Annotated[int | None, Field(ge=1, le=30, description="Only the newest fiscal years.")] = 5,
        consolidated: Annotated[
            bool | None,
            Field(description="The group's figures, or the company's own; without it the group's where there are any."),
        ] = None,
        as_of: Day = None,
        limit: Rows = 10,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Revenue, results, equity, total assets and employees by period, newest first.

        Each row with its filing, version and source.
        """
        params = {
            "period_type": period_type,
            "years": years,
            "consolidated": consolidated,
            "as_of": as_of,
            "include": "sources",
        }
        return await _page(client, company_path(company, "/financials"), params, limit, cursor)

    @server.tool(annotations=_READ_ONLY)
    async def get_ownership(
        company: Company, as_of: Day = None, limit: Rows = 10, cursor: Cursor = None
    ) -> dict[str, Any]:
        """The owners of a company on a day, largest first, with the sources that state them.

        pct is exact; where a register states a band, only pct_min and pct_max are known.
        """
        return await _page(client, company_path(company, "/ownership"), {"as_of": as_of}, limit, cursor)

    @server.tool(annotations=_READ_ONLY)
    async def list_filings(
        company: Company,
        filing_type: Annotated[str | None, Field(description="annual_report or interim_report.")] = None,
        limit: Rows = 10,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """The documents that a company has filed, newest first, with the address of each and its versions."""
        return await _page(client, company_path(company, "/filings"), {"filing_type": filing_type}, limit, cursor)

    @server.tool(annotations=_READ_ONLY)
    async def list_events(
        company: Annotated[str | None, Field(description="Id or number; without it, events of all companies.")] = None,
        event_type: Annotated[str | None, Field(description="Types, separated by commas, as status.changed.")] = None,
        since: Annotated[str | None, Field(description="Only events recorded since this time, as 2026-01-31.")] = None,
        limit: Rows = 10,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """What happened: filings, changes of owners, status and profile, news, acts of regulators.

        Of one company newest first; of all companies (tiers Pro and Business) oldest first, from `since`. Of a change
        of owners with `basis` band, previous_pct and current_pct are lower bounds, not shares; 0 is none.
        """
        moment = f"{since}T00:00:00Z" if since is not None and "T" not in since else since
        # of all companies a cursor says where to go on, and stands alone
        begins = company is not None or cursor is None
        params = {"event_type": event_type, "since": moment if begins else None}
        path = ALL_EVENTS if company is None else company_path(company, "/events")
        return await _page(client, path, params, limit, cursor)


def _add_resources(server: MCPServer[None], client: AsyncClient) -> None:
    @server.resource("firmdata://data-dictionary", mime_type="text/markdown")
    async def data_dictionary() -> str:
        """Every field of companies, figures, owners, filings and events, with its meaning."""
        document = await _ask(client, get("/api/openapi.json", _Anything))
        schemas = document["components"]["schemas"]
        names = ("Company", "FinancialPeriod", "Owner", "GroupLine", "Filing", "Event")
        return "\n\n".join(_described(name, schemas[name]) for name in names if name in schemas)

    @server.resource("firmdata://sources", mime_type="application/json")
    async def sources() -> str:
        """The markets with their datasets: which register, how fresh, under which licence."""
        found = await _ask(client, get("/api/v1/markets", _Anything))
        return json.dumps(found, ensure_ascii=False)


class _Anything(BaseModel, extra="allow"):
    """An answer as it is."""


async def _page(
    client: AsyncClient, path: str, params: dict[str, Any], limit: int, cursor: str | None
) -> dict[str, Any]:
    """One page that is short enough; a shorter one is asked for where it is not."""
    while True:
        found = await _ask(client, get(path, _Anything, {**params, "limit": limit, "cursor": cursor}))
        if limit == 1 or _text_length(found) <= MOST_CHARACTERS:
            return found
        limit = max(1, limit // 2)


def _text_length(found: dict[str, Any]) -> int:
    """Characters of an answer as the SDK writes it for a model."""
    return len(json.dumps(found, ensure_ascii=False, indent=2))


async def _ask(client: AsyncClient, call: ApiCall[_Anything]) -> dict[str, Any]:
    return await _told(client.send(call))


async def _told(answer: Awaitable[Any]) -> dict[str, Any]:
    """The answer as plain data; errors as sentences that say what to do."""
    try:
        found = await answer
    except ApiError as error:
        detail = str(error.problem.get("detail") or error)
        fix = _ADVICE.get(error.code, "Correct the arguments; if it happens again, tell the user.")
        reset = f" It may be tried again in {error.retry_after:.0f} seconds." if error.retry_after else ""
        raise ToolError(f"{error.code}: {detail} {fix}{reset}") from error
    except ConnectionFailedError as error:
        raise ToolError(f"The service does not answer: tell the user. ({error})") from error
    plain: dict[str, Any] = found.model_dump(mode="json")
    return plain


def _described(name: str, schema: dict[str, Any]) -> str:
    lines = [f"## {name}", schema.get("description", "")]
    for member, told in schema.get("properties", {}).items():
        lines.append(f"- `{member}`: {told.get('description', '')}")
    return "\n".join(lines)


def main() -> None:
    """Serves over standard input and output; FIRMDATA_API_KEY and FIRMDATA_BASE_URL name the service."""
    build_server(AsyncClient()).run("stdio")
