"""Expected service output for the world, derived from the contract alone.

Profiles, financial rows, owners and events: the oracle of the tests. It uses the stories and
docs/contract/contract.md 4.1 and 4.3 to 4.6; it never reads the writers' files and never imports a country's
connector, so that an error there cannot be hidden here. A key that a row leaves out is not determined by the
contract and the source (the day of a filing without a date, for example): do not compare it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from sandbox import expected_events, expected_groups
from sandbox.dk import expected as dk_expected
from sandbox.fi import expected as fi_expected
from sandbox.groups import GroupPlan, plan_groups
from sandbox.model.company import BANDS, Accounts, Company, Figures, Holder
from sandbox.no import expected as no_expected
from sandbox.shared.expected_rows import Row, expected_swedish_owners
from sandbox.us import expected as us_expected
from sandbox.world import World
from warehouse.schema import codes, ids

_STANDARDS: Final = {
    "ifrs": "NGAAP",
    "micro": "FRS105",
    "xml": None,
    **dk_expected.STANDARDS,
    **dict.fromkeys(("k2", "k2_2017", "k2_short"), "K2"),
    **dict.fromkeys(("k3", "k3k"), "K3"),
}
_GROUP_STANDARDS: Final = {**dk_expected.STANDARDS, "ifrs": "IFRS", "group": "FRS102", "k3k": "K3"}
_MARKET_STANDARDS: Final = {"NO": "NGAAP", "UK": "FRS102", "FI": "FAS", "SE": "K2", "US": us_expected.STANDARD}
_TWO_YEARS: Final = timedelta(days=730)
_COUNTRIES: Final = {
    "England": "GB",
    "United Kingdom": "GB",
    "Scotland": "GB",
    "England And Wales": "GB",
    "France": "FR",
}
_HOLDER_TYPES: Final = {"individual": "person", "corporate": "company", "super_secure": "unknown"}


def expected_profile(company: Company) -> Row:
    """The 14 fields of a profile, in their order."""
    stated = company.industry if company.industry and company.industry.bare != "00000" else None
    place = company.swedish.seat or company.place
    latest = _latest_annual_row(company)
    return {
        "id": company.company_id,
        "org_number": company.number,
        "name": company.name,
        "country": company.market,
        "sni_code": stated.bare if stated else None,
        "sni_label": (stated.label or None) if stated else None,
        "municipality": (place.municipality or place.town) if place else None,
        "county": place.county if place else None,
        "registered_date": company.registered.isoformat(),
        "status": company.status,
        "is_listed": company.is_listed and company.status != "dissolved",  # a dissolved company is not listed
        "latest_revenue": latest["revenue"] if latest else None,
        "latest_currency": latest["currency"] if latest else None,
        "latest_year": latest["fiscal_year"] if latest else None,
    }


def _latest_annual_row(company: Company) -> Row | None:
    """The newest annual row with a revenue: of the consolidated series unless that ended long before."""
    rows = [
        row for row in expected_financials(company) if row["period_type"] == "annual" and row["revenue"] is not None
    ]
    newest = {scope: next((row for row in rows if row["is_consolidated"] is scope), None) for scope in (True, False)}
    group, own = newest[True], newest[False]
    if group is None or own is None:
        return group or own
    fresh = date.fromisoformat(group["period_end"]) >= date.fromisoformat(own["period_end"]) - _TWO_YEARS
    return group if fresh else own


def expected_financials(company: Company) -> list[Row]:
    """Every known period and scope in its newest version: newest first, the group's before the company's."""
    rows = [row for documents in _period_versions(company.accounts) for row in _own_rows(company, documents)]
    known = {(row["period_start"], row["period_end"]) for row in rows}
    for accounts in company.accounts:
        key = (accounts.prior_start.isoformat(), accounts.prior_end.isoformat())
        if accounts.prior is not None and key not in known and _states_comparative_start(company, accounts):
            rows.append(_financial_row(company, accounts, accounts.prior, comparative=True))
            known.add(key)
    rows += _overview_rows(company, known)
    if company.market == "US":
        rows = [*us_expected.consolidated_rows(rows), *us_expected.quarter_rows(company)]
    return sorted(rows, key=_newest_first, reverse=True)


def _states_comparative_start(company: Company, accounts: Accounts) -> bool:
    """Whether a document states when the year before began.

    Finnish statements do not; British inline ones do where they have a figure of its course, as employees.
    """
    if company.market == "FI" or accounts.prior is None:
        return False
    prior = accounts.prior
    course = (prior.revenue, prior.operating_result, prior.net_result, prior.employees)
    is_inline = company.market == "UK" and accounts.document_style != "xml"
    return not is_inline or any(amount is not None for amount in course)


def _newest_first(row: Row) -> tuple[str, bool, bool]:
    return row["period_end"], row["period_type"] == "annual", row["is_consolidated"]


def _overview_rows(company: Company, known: set[tuple[str, str]]) -> Iterator[Row]:
    """Years known only from a later report's overview: revenue alone, rounded."""
    for accounts in company.accounts:
        for said in accounts.overview_years:
            key = (said.start.isoformat(), said.end.isoformat())
            if key not in known:
                known.add(key)
                row = _financial_row(company, accounts, accounts.figures, comparative=True)
                nothing = dict.fromkeys(codes.FIGURES)
                yield row | nothing | {"revenue": said.revenue} | _period_fields(said.start, said.end)


def _period_fields(start: date, end: date) -> Row:
    return {
        "period": str(end.year),
        "fiscal_year": end.year,
        "period_start": start.isoformat(),
        "period_end": end.isoformat(),
    }


def _period_versions(documents: Iterable[Accounts]) -> Iterator[list[Accounts]]:
    """Documents of one period together, in filing order; those that only round or repeat left out."""

    def period(accounts: Accounts) -> tuple[date, date]:
        return accounts.start, accounts.end

    for _, group in groupby(sorted(documents, key=period), key=period):
        versions: list[Accounts] = []
        for accounts in group:
            said_before = versions and accounts.figures == versions[-1].figures and accounts.group == versions[-1].group
            if not accounts.is_rounded_to_thousands and not said_before:
                versions.append(accounts)
        yield versions


def _own_rows(company: Company, versions: list[Accounts]) -> Iterator[Row]:
    newest = versions[-1]
    yield _financial_row(company, newest, newest.figures, version=len(versions))
    if newest.group is not None:
        yield _financial_row(company, newest, newest.group, version=len(versions), group=True)


def _financial_row(
    company: Company,
    accounts: Accounts,
    figures: Figures,
    *,
    version: int = 1,
    group: bool = False,
    comparative: bool = False,
) -> Row:
    start, end = (accounts.prior_start, accounts.prior_end) if comparative else (accounts.start, accounts.end)
    row: Row = {
        "period": str(end.year),
        "period_type": "annual",
        "fiscal_year": end.year,
        "fiscal_quarter": None,
        "period_start": start.isoformat(),
        "period_end": end.isoformat(),
        "currency": accounts.currency,
        "revenue": figures.revenue,
        "operating_result": figures.operating_result,
        "net_result": figures.net_result,
        "equity": figures.equity,
        "total_assets": figures.total_assets,
        "employees": figures.employees,
        "is_consolidated": group,
        "version": version,
        "is_restated": version > 1,
        "derived": ["total_assets"] if company.market == "UK" else [],
        "is_comparative": comparative,
    }
    standard = (_GROUP_STANDARDS if group else _STANDARDS).get(
        accounts.document_style, _MARKET_STANDARDS.get(company.market)
    )
    if standard:
        row["accounting_standard"] = standard
    if company.market == "UK" and not comparative:
        row["filed_at"] = (accounts.published - timedelta(days=1)).isoformat()
    if company.market in {"FI", "DK"} and not comparative:
        row |= fi_expected.filing_date_field(company, accounts)
    return row


def expected_owners(company: Company, day: date) -> list[Row]:
    """Present holders, largest lower bound first."""
    if company.market == "FI":
        return fi_expected.expected_owners(company, day)
    if company.market == "SE":
        return expected_swedish_owners(company, day)
    if company.market == "NO":
        return no_expected.expected_owners(company)
    if company.market == "US":
        return us_expected.expected_owners(company)
    if company.market == "DK":
        return dk_expected.expected_owners(company, day)
    present = [holder for holder in company.holders if holder.ceased is None or holder.ceased > day]
    return [_owner_row(company, holder) for holder in sorted(present, key=lambda holder: (-holder.lower, holder.key))]


def _owner_row(company: Company, holder: Holder) -> Row:
    secret = holder.kind == "super_secure"
    low, high = BANDS[holder.shares] if holder.shares else (None, None)
    row: Row = {
        "native_id": holder.key,
        "holder_id": ids.holder_id(company.company_id, expected_events.OWNERSHIP_REGISTER, holder.key),
        "holder_name": None if secret else holder.name,
        "holder_type": _HOLDER_TYPES[holder.kind],
        "holder_country": None if secret else _COUNTRIES[holder.country],
        "pct": None,
        "pct_min": low,
        "pct_max": high,
        "votes_pct": None,
        "basis": "band" if holder.shares else None,
    }
    if not secret:
        row["first_seen"] = holder.notified.isoformat()
        row["holder_company_id"] = f"firm:UK:{holder.number}" if holder.number else None
    return row


def expected_state(company: Company, day: date, groups: GroupPlan | None = None) -> Row:
    """The expected state of one company on one day; `groups`: of its world."""
    return {
        "profile": expected_profile(company),
        "financials": expected_financials(company),
        "owners": [*expected_owners(company, day), *expected_groups.expected_owners(groups or GroupPlan(), company)],
    }


def expected_states(world: World, market: str, position: int, groups: GroupPlan | None = None) -> list[Row]:
    """One company's states, each with the day `from` on which it begins; only days with a difference."""
    found: list[Row] = []
    last: Row | None = None
    for number in world.change_days(market, position):
        day = world.date(number)
        now = expected_state(world.company(market, position, number), day, groups)
        if now != last:
            found.append({"from": day.isoformat(), **now})
            last = now
    return found


def write_truth(world: World, path: Path, document_of: expected_events.DocumentOf) -> None:
    """Writes truth.json: one line per company and per event, so that memory use stays small."""
    head = {
        "seed": world.seed,
        "companies": world.companies,
        "markets": list(world.markets),
        "days": [day.isoformat() for day in world.dates],
        "relations": expected_groups.expected_relations(plan_groups(world)),
    }
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(head)[:-1] + ',\n"events": [\n')
        _write_lines(file.write, (_json_text(event) for event in expected_events.all_events(world, document_of)))
        file.write('],\n"companies": {\n')
        _write_lines(file.write, _company_lines(world))
        file.write("}}\n")


def _company_lines(world: World) -> Iterator[str]:
    plan = plan_groups(world)
    for market in world.markets:
        for position in range(world.count(market, world.days - 1)):
            found = expected_states(world, market, position, plan)
            yield f"{_json_text(found[0]['profile']['id'])}: {_json_text(found)}"


def _write_lines(put: Callable[[str], object], lines: Iterable[str]) -> None:
    separator = ""
    for line in lines:
        put(separator + line)
        separator = ",\n"
    put("\n")


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def expected_on_day(truth: Mapping[str, Any], day: str) -> dict[str, Row]:
    """From a loaded truth.json: company id -> the state that holds on `day`; later companies are left out."""
    found: dict[str, Row] = {}
    for company_id, versions in truth["companies"].items():
        for version in versions:
            if version["from"] <= day:
                found[company_id] = version
    return found


def truth_events(truth: Mapping[str, Any], day: str | None = None) -> list[Row]:
    """From a loaded truth.json: the planned events of one day, or of all."""
    return [event for event in truth["events"] if day is None or event["day"] == day]
