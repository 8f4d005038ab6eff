"""Simulates filings.xbrl.org on one day of a world, without HTTP: the index of filings and their xBRL-JSON.

See docs/formats/fi.md 5.

A report repeats the group accounts that an issuer filed with its own register, as IFRS groups' reports do, a day
later. Edge cases: language versions, entries with failed processing, dates that are not year ends, facts with
dimensions or stated twice, errors for invalid filters and pages. Does not belong here: LEI records (`gleif_http`),
routes and HTTP (`http.routes`, `http.server`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from sandbox.model.company import Accounts, Company, Figures
from sandbox.random import random_bool, seeded_random
from sandbox.shared.gleif_http import COUNTRIES, company_lei
from sandbox.shared.response import NOT_FOUND, Query, SandboxResponse, compile_routes, json_response
from sandbox.world import World

_GROUPS: Final = {"NO": "ifrs"}  # market -> flavour of accounts with an IFRS group part
_DAY: Final = timedelta(days=1)
_MEETING: Final = timedelta(days=110)  # after the balance sheet date: the latest date that some reports tag
_TWIN, _FAILED, _MISDATED = 0.3, 0.2, 0.25  # fractions of the issuers
_KNOWN: Final = ("country", "period_end", "id", "fxo_id", "sha256", "entity.identifier")
_BROKEN: Final = ("error_count", "warning_count", "inconsistency_count", "json_url", "package_url", "viewer_url")
_SITE: Final = "https://filings.xbrl.org"


@dataclass(frozen=True, slots=True)
class FilingEntry:
    """One filing of the index; `language` is None if its processing failed."""

    company: Company
    accounts: Accounts
    earlier: Figures | None
    number: int
    language: str | None

    @property
    def lei(self) -> str:
        return company_lei(self.company)

    @property
    def country(self) -> str:
        return COUNTRIES.get(self.company.market, self.company.market)

    @property
    def folder(self) -> str:
        return f"/{self.lei}/{self.accounts.end}/ESEF/{self.country}/{self.number}"

    @property
    def json_url(self) -> str | None:
        return f"{self.folder}/{self.lei}-{self.accounts.end}-{self.language}.json" if self.language else None


@lru_cache(maxsize=4)
def filing_entries(world: World, day: int, market: str) -> tuple[FilingEntry, ...]:
    """Filings in the index on a day, ordered by processing time."""
    if market not in world.markets or market not in _GROUPS:
        return ()
    found = [entry for company in world.all(market, day) for entry in _company_entries(company, world.date(day))]
    return tuple(sorted(found, key=processed_at))


def _company_entries(company: Company, today: date) -> Iterator[FilingEntry]:
    """For each year, the document filed last before today."""
    filed = [
        accounts
        for accounts in company.accounts
        if accounts.group is not None
        and accounts.document_style == _GROUPS[company.market]
        and accounts.published < today
    ]
    newest = {accounts.end: accounts for accounts in filed}
    for accounts in newest.values():
        before = newest.get(accounts.prior_end)
        earlier = before.group if before is not None else None
        yield FilingEntry(company, accounts, earlier, 0, "no")
        if _has_trait("twin", company, _TWIN):
            yield FilingEntry(company, accounts, earlier, 1, "en")
        if _has_trait("failed", company, _FAILED):
            yield FilingEntry(company, accounts, earlier, 2, None)


def _has_trait(what: str, company: Company, share: float) -> bool:
    return random_bool(seeded_random("esef", what, company.number), share)


def processed_at(entry: FilingEntry) -> str:
    """Processing time of the filing, in the index's format."""
    serial = int(hashlib.sha256(entry.folder.encode()).hexdigest()[:5], 16) % 1_000_000
    return f"{entry.accounts.published + _DAY} 02:00:00.{serial:06}"


def filings_page(world: World, day: int, query: Query) -> SandboxResponse:
    """A page of the index, as JSON:API."""
    for name in query:
        attribute = name.removeprefix("filter[").removesuffix("]")
        if name.startswith("filter[") and attribute not in _KNOWN:
            return _filter_error(attribute)
    market = {country: code for code, country in COUNTRIES.items()}
    asked = query.get("filter[country]", "NO")
    found = list(filing_entries(world, day, market.get(asked, asked)))
    if query.get("sort", "").startswith("-"):
        found.reverse()
    size, number = int(query.get("page[size]") or 30), int(query.get("page[number]") or 1)
    if number < 1:
        return _api_response({"errors": [{"code": "9h9h", "status": "500", "title": "Unknown error"}]}, 500)
    page = found[(number - 1) * size : number * size]
    links = {"self": _page_url(query, number), "first": _page_url(query, 1)}
    if number * size < len(found):
        links["next"] = _page_url(query, number + 1)
    body: dict[str, Any] = {"data": [_filing_object(item) for item in page], "links": links}
    if "entity" in query.get("include", ""):
        body["included"] = [_entity_object(company) for company in {item.lei: item.company for item in page}.values()]
    return _api_response({**body, "meta": {"count": len(found)}, "jsonapi": {"version": "1.0"}})


def _filter_error(attribute: str) -> SandboxResponse:
    if attribute in _BROKEN:
        detail = "SQL expression object expected, got object of type NotImplementedType instead"
        return _api_response({"errors": [{"detail": detail, "status": "500", "title": "Unknown error"}]}, 500)
    detail = f"FilingSchema has no attribute {attribute}"
    title = "Invalid filters querystring parameter."
    return _api_response({"errors": [{"detail": detail, "status": "400", "title": title}]}, 400)


def _page_url(query: Query, number: int) -> str:
    asked = {**query, "page[number]": str(number)}
    return f"{_SITE}/api/filings?{urlencode(asked)}"


def _filing_object(entry: FilingEntry) -> dict[str, Any]:
    misdated = entry.language is not None and _has_trait("misdated", entry.company, _MISDATED)
    end = entry.accounts.end + _MEETING if misdated else entry.accounts.end
    package = f"{entry.folder}/{entry.lei}-{entry.accounts.end}.zip"
    html = entry.json_url.replace(".json", ".xhtml") if entry.json_url else None
    identity = f"{entry.lei}-{entry.accounts.end}-ESEF-{entry.country}-{entry.number}"
    return {
        "type": "filing",
        "id": str(int(hashlib.sha256(identity.encode()).hexdigest()[:6], 16)),
        "attributes": {
            "fxo_id": identity,
            "country": entry.country,
            "period_end": str(end),
            "date_added": processed_at(entry),
            "processed": processed_at(entry),
            "sha256": hashlib.sha256(f"{identity}/{entry.accounts.document}".encode()).hexdigest(),
            "error_count": 0 if entry.language else 1,
            "warning_count": entry.company.position % 3,
            "inconsistency_count": 0,
            "package_url": package,
            "report_url": html,
            "json_url": entry.json_url,
            "viewer_url": f"{entry.folder}/ixbrlviewer.html" if entry.language else None,
        },
        "relationships": {"entity": {"links": {"related": f"/api/entities/{entry.lei}"}}},
        "links": {"self": f"/api/filings/{identity}"},
    }


def _entity_object(company: Company) -> dict[str, Any]:
    lei = company_lei(company)
    return {"type": "entity", "id": lei, "attributes": {"identifier": lei, "name": company.name}}


def report_document(world: World, day: int, _query: Query, path: str) -> SandboxResponse:
    """The xBRL-JSON at a path of the index."""
    for market in world.markets:
        for entry in filing_entries(world, day, market):
            if entry.json_url == path:
                return json_response(_report_json(entry))
    return NOT_FOUND


def _report_json(entry: FilingEntry) -> dict[str, Any]:
    return {
        "documentInfo": {
            "documentType": "https://xbrl.org/2021/xbrl-json",
            "features": {"xbrl:canonicalValues": True},
            "namespaces": {
                "ifrs-full": "https://xbrl.ifrs.org/taxonomy/2022-03-24/ifrs-full",
                "iso4217": "http://www.xbrl.org/2003/iso4217",
                "scheme": "http://standards.iso.org/iso/17442",
                "own": f"https://issuer.example/{entry.lei}",
            },
        },
        "facts": {f"f-{place}": fact for place, fact in enumerate(_report_facts(entry))},
    }


def _report_facts(entry: FilingEntry) -> Iterator[dict[str, Any]]:
    accounts = entry.accounts
    yield _text_fact(entry, "DisclosureOfAccountingPoliciesExplanatory", "<p>Regnskapsprinsipper</p>" * 40)
    if accounts.group is not None:
        yield from _statement_facts(entry, accounts.group, accounts.start, accounts.end)
    if entry.earlier is not None:
        yield from _statement_facts(entry, entry.earlier, accounts.prior_start, accounts.prior_end)
    # a dividend decided later, and an issuer-specific line
    later = accounts.end + _MEETING
    yield _numeric_fact(
        entry, "ifrs-full:DividendsProposed", 1000, f"{_midnight_stamp(accounts.end + _DAY)}/{_midnight_stamp(later)}"
    )
    own = f"{_midnight_stamp(accounts.start)}/{_midnight_stamp(accounts.end + _DAY)}"
    yield _numeric_fact(entry, "own:AdjustedOperatingResult", 12345, own)


def _statement_facts(entry: FilingEntry, figures: Figures, start: date, end: date) -> Iterator[dict[str, Any]]:
    """Facts of the statements: flows of the year, and balances at the midnight after its last day."""
    year = f"{_midnight_stamp(start)}/{_midnight_stamp(end + _DAY)}"
    closing = _midnight_stamp(end + _DAY)
    flows = {
        "Revenue": figures.revenue,
        "ProfitLossFromOperatingActivities": figures.operating_result,
        "ProfitLoss": figures.net_result,
        "ComprehensiveIncome": figures.net_result,
    }
    for concept, value in flows.items():
        yield _numeric_fact(entry, f"ifrs-full:{concept}", value, year)
    # repeated in the notes, rounded
    if figures.revenue is not None:
        rounded = round(figures.revenue, -6)
        yield _numeric_fact(entry, "ifrs-full:Revenue", rounded, year) | {"decimals": -6}
    for concept in ("Assets", "EquityAndLiabilities"):
        yield _numeric_fact(entry, f"ifrs-full:{concept}", figures.total_assets, closing)
    yield _numeric_fact(entry, "ifrs-full:Equity", figures.equity, closing)
    part = _numeric_fact(entry, "ifrs-full:Equity", 1, closing)
    axis = {"ifrs-full:ComponentsOfEquityAxis": "ifrs-full:RetainedEarningsMember"}
    yield part | {"dimensions": {**part["dimensions"], **axis}}


def _numeric_fact(entry: FilingEntry, concept: str, value: int | None, period: str) -> dict[str, Any]:
    return {
        "value": None if value is None else str(value),
        "decimals": 0,
        "dimensions": {
            "concept": concept,
            "entity": f"scheme:{entry.lei}",
            "period": period,
            "unit": f"iso4217:{entry.accounts.currency}",
        },
    }


def _text_fact(entry: FilingEntry, concept: str, text: str) -> dict[str, Any]:
    year = f"{_midnight_stamp(entry.accounts.start)}/{_midnight_stamp(entry.accounts.end + _DAY)}"
    dimensions = {"concept": f"ifrs-full:{concept}", "entity": f"scheme:{entry.lei}", "period": year}
    return {"value": text, "dimensions": {**dimensions, "language": entry.language}}


def _midnight_stamp(day: date) -> str:
    return f"{day}T00:00:00"


def _api_response(value: object, status: int = 200) -> SandboxResponse:
    return json_response(value, status, "application/vnd.api+json")


ROUTES: Final = compile_routes(
    {r"/api/filings": filings_page, r"(/[0-9A-Z]{20}/\d{4}-\d{2}-\d{2}/ESEF/[A-Z]{2}/\d+/[^/]+\.json)": report_document}
)
