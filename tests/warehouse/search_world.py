"""Small worlds of companies and a plain reading of the contract: what a search must find, and in which order.

See docs/contract/contract.md 4.2.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from name_matching.folding import fold_text
from tests.warehouse.world import learn, member, period, publish
from warehouse.reader.company_query import CompanyQuery
from warehouse.reader.reader import PinnedRelease
from warehouse.reader.types import Key
from warehouse.storage.layout import Layout

WORDS = [
    "as",
    "asa",
    "ab",
    "a/s",
    "oy",
    "oyj",
    "ltd",
    "limited",
    "limitd",
    "inc",
    "holding",
    "holdings",
    "holdingselskap",
    "norsk",
    "norske",
    "nord",
    "nordisk",
    "no",
    "bygg",
    "byggeri",
    "byg",
    "byggmester",
    "øst",
    "ost",
    "östra",
    "Åse",
    "aase",
    "æble",
    "straße",
    "strasse",
    "l'oréal",
    "j.p.",
    "morgan",
    "株式会社",
    "株",
    "24/7",
    "bank",
    "banken",
    "fjord",
    "fjordkraft",
    "kraft",
    "kraftlag",
    "invest",
    "investering",
    "investment",
    "se",
    "uk",
    "&",
    "–",
    "🙂",
]
PLACES = {
    "NO": (("Oslo", "0301", "Oslo", "03"), ("ØRSTA", "1520", "Møre og Romsdal", "15"), (None, None, None, None)),
    "SE": (("Göteborg", "1480", "Västra Götalands län", "14"), ("Mora", "2062", None, None)),
    "FI": (("Helsinki", "091", None, None),),
    "UK": ((None, None, "Greater London", "LND"), ("Oslo", None, None, None)),
    "US": ((None, None, "California", "CA"),),
}
SCHEMES = {"NO": "SN2007", "SE": "SNI2007", "FI": "TOL2008", "UK": "UKSIC2007", "US": "SIC"}
CURRENCIES = {"NO": "NOK", "SE": "SEK", "FI": "EUR", "UK": "GBP", "US": "USD"}
ISO = {"UK": "GB"}
STATUSES = ("active", "dormant", "dissolved")


@dataclass(frozen=True)
class Firm:
    """One company as it is given, and its revenue."""

    row: dict[str, Any]
    revenue: int | None
    currency: str | None

    @property
    def company_id(self) -> str:
        return self.row["company_id"]

    def __getitem__(self, name: str) -> Any:
        return self.row.get(name)


def firms(seed: int, count: int) -> list[Firm]:
    draw = random.Random(seed)
    return [_firm(draw, number) for number in range(count)]


def _firm(draw: random.Random, number: int) -> Firm:
    market = draw.choice(list(PLACES))
    name = " ".join(draw.choices(WORDS, k=draw.randint(1, 4)))
    if draw.random() < 0.1:
        name = "Et langt navn som går over alle grenser for hva man kan sortere etter i en nøkkel " + name
    municipality, municipality_code, county, county_code = draw.choice(PLACES[market])
    row = member(
        market,
        number,
        name=draw.choice((str.upper, str.title, str))(name),
        municipality=municipality,
        municipality_code=municipality_code,
        county=county,
        county_code=county_code,
        industry_code=draw.choice((None, "62010", "62020", "620", "06100")),
        status=draw.choice(STATUSES),
        is_listed=draw.random() < 0.2,
        employees=draw.choice((None, 0, 9, 10, 49, 50, 249, 250, 9000)),
        registered_date=draw.choice((None, dt.date(1915, 5, 5), dt.date(2020, 1, 1), dt.date(2021, 2, 3))),
    )
    row["industry_scheme"] = SCHEMES[market] if row["industry_code"] else None
    revenue = draw.choice((None, 0, -5, 7_000_000, 103_774_000_000))
    currency = draw.choice((CURRENCIES[market], "EUR")) if revenue is not None else None
    return Firm(row, revenue, currency)


def publish_firms(layout: Layout, given: list[Firm], at: int = 0) -> None:
    for market in PLACES:
        of_market = [firm for firm in given if firm["country"] == market]
        learn(
            layout,
            market,
            at,
            companies=[firm.row for firm in of_market],
            financials=[
                period(firm.company_id, 2025, revenue=firm.revenue, currency=firm.currency, filing_id=firm.company_id)
                for firm in of_market
                if firm.revenue is not None
            ],
        )
    publish(layout, *PLACES, at=at)


def walk(snapshot: PinnedRelease, query: CompanyQuery, limits: Iterable[int]) -> Iterator[tuple[str, Key]]:
    """Ids and keys of all pages, whose limits go round."""
    after: Key | None = None
    for limit in itertools.cycle(limits):
        page = snapshot.search_companies(query, after, limit)
        assert len(page.rows) == len(page.keys) <= limit
        yield from zip((json.loads(row)["id"] for row in page.rows), page.keys, strict=True)
        if not page.has_more:
            return
        assert len(page.rows) == limit
        after = page.keys[-1]


# The plain reading. It shares with the code how names are folded, and nothing else.


def expected(given: list[Firm], ranks: dict[str, int], query: CompanyQuery) -> list[str]:
    """Ids of the companies that a query must find, in order."""
    left = [firm for firm in given if _passes(firm, query)]
    if query.q is None:
        tiers = dict.fromkeys((firm.company_id for firm in left), 0)
    else:
        tiers = _tiers(left, given, fold_text(query.q))
    found = [firm for firm in left if firm.company_id in tiers]
    sort = query.sort or ("relevance" if query.q is not None else "id")
    keys: dict[str, Callable[[Firm], Any]] = {
        "relevance": lambda firm: (tiers[firm.company_id], ranks[firm.company_id]),
        "id": lambda firm: firm.company_id,
        "name": lambda firm: (fold_text(firm["name"])[:64], firm.company_id),
        "-latest_revenue": lambda firm: (firm.revenue is None, -(firm.revenue or 0), firm.company_id),
        "-registered_date": lambda firm: (
            firm["registered_date"] is None,
            -(firm["registered_date"] or dt.date.min).toordinal(),
            firm.company_id,
        ),
    }
    return [firm.company_id for firm in sorted(found, key=keys[sort])]


def _tiers(left: list[Firm], everybody: list[Firm], text: str) -> dict[str, int]:
    asked = text.split()
    if not asked:
        return {}
    tiers = {firm.company_id: _tier(_words(firm["name"]), asked) for firm in left}
    if any(tier is not None for tier in tiers.values()):
        return {company_id: tier for company_id, tier in tiers.items() if tier is not None}
    known = {word for firm in everybody for word in _words(firm["name"])}
    return {firm.company_id: 5 for firm in left if all(_nearly(word, _words(firm["name"]), known) for word in asked)}


@cache
def _words(name: str) -> list[str]:
    """Nobody changes them."""
    return fold_text(name).split()


def _tier(name: list[str], asked: list[str]) -> int | None:
    *whole, last = asked
    begins = name[: len(whole)] == whole and len(name) > len(whole) and name[len(whole)].startswith(last)
    tests = (
        name == asked,
        name[: len(asked)] == asked,
        set(asked) <= set(name),
        begins,
        all(any(word.startswith(one) for word in name) for one in asked),
    )
    return next((tier for tier, holds in enumerate(tests) if holds), None)


def _nearly(asked: str, name: list[str], known: set[str]) -> bool:
    if any(word.startswith(asked) for word in name):
        return True
    fit = [word for word in name if 4 <= len(word) <= 24 and word.isalpha() and word in known]
    return 4 <= len(asked) <= 24 and asked.isalpha() and any(_distance(asked, word) == 1 for word in fit)


@cache
def _distance(left: str, right: str) -> int:
    """Optimal string alignment: letters added, left out, changed, neighbours swapped."""
    rows = [[max(i, j) if 0 in (i, j) else 0 for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            steps = [rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (left[i - 1] != right[j - 1])]
            if i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]:
                steps.append(rows[i - 2][j - 2] + 1)
            rows[i][j] = min(steps)
    return rows[-1][-1]


def _passes(firm: Firm, query: CompanyQuery) -> bool:
    return all(
        (
            not query.countries or firm["country"] in query.countries,
            not query.industries or _begins(firm["industry_code"], query.industries),
            query.industry_scheme in (None, firm["industry_scheme"]),
            query.region is None or fold_text(query.region) in _places(firm),
            not query.sizes or _size(firm["employees"]) in query.sizes,
            _within(firm["employees"], query.employees_min, query.employees_max),
            _within(firm.revenue, query.revenue_min, query.revenue_max),
            query.currency in (None, firm.currency),
            not query.statuses or firm["status"] in query.statuses,
            query.is_listed in (None, firm["is_listed"]),
            _within(firm["registered_date"], query.registered_from, query.registered_to),
        )
    )


def _begins(code: str | None, prefixes: tuple[str, ...]) -> bool:
    return code is not None and any(code.startswith(prefix.replace(".", "")) for prefix in prefixes)


def _places(firm: Firm) -> set[str]:
    county_code = firm["county_code"]
    iso = f"{ISO.get(firm['country'], firm['country'])}-{county_code}" if county_code else None
    named = (firm["municipality"], firm["municipality_code"], firm["county"], county_code, iso)
    return {fold_text(name) for name in named if name}


def _size(employees: int | None) -> str | None:
    if employees is None:
        return None
    return next(
        size for size, most in (("micro", 9), ("small", 49), ("medium", 249), ("large", 10**9)) if employees <= most
    )


def _within(value: Any, least: Any, most: Any) -> bool:
    if least is None and most is None:
        return True
    return value is not None and (least is None or value >= least) and (most is None or value <= most)


def scanned(query: CompanyQuery) -> CompanyQuery:
    """The same question with a filter that takes nothing away: it goes another way."""
    return replace(query, statuses=query.statuses or STATUSES)
