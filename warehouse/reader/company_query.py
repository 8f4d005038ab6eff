"""What a search asks for, and which rows of the table `search` its filters let pass: a new filter is added here.

Does not belong here: names, orders and pages (`warehouse.reader.queries.filters`), or the table
(`warehouse.serving.search_table`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from name_matching.folding import fold_text

_SIZES: Final = {
    "micro": "employees < 10",
    "small": "employees BETWEEN 10 AND 49",
    "medium": "employees BETWEEN 50 AND 249",
    "large": "employees >= 250",
}  # the size classes of the European Union


@dataclass(frozen=True, slots=True)
class CompanyQuery:
    """Search parameters of docs/contract/contract.md 4.2. None and empty tuples do not filter.

    `sort` is `relevance` or `id` (None: whichever applies), `name`, `-latest_revenue` or `-registered_date`.
    """

    q: str | None = None
    countries: tuple[str, ...] = ()
    industries: tuple[str, ...] = ()
    industry_scheme: str | None = None
    region: str | None = None
    sizes: tuple[str, ...] = ()
    employees_min: int | None = None
    employees_max: int | None = None
    revenue_min: int | None = None
    revenue_max: int | None = None
    currency: str | None = None
    statuses: tuple[str, ...] = ()
    is_listed: bool | None = None
    registered_from: date | None = None
    registered_to: date | None = None
    sort: str | None = None


Bind = Callable[[object], str]
"""Takes a value of a statement and gives its placeholder."""


def filter_conditions(query: CompanyQuery, bind: Bind) -> Iterator[str]:
    """A condition in SQL for each filter that is given."""
    yield from _equal_values(query, bind)
    yield from _ranges(query, bind)
    if query.industries:
        prefixes = (bind(prefix.replace(".", "")) for prefix in query.industries)
        yield " OR ".join(f"starts_with(industry_code, {prefix})" for prefix in prefixes)
    if query.region is not None:
        named = bind(f"|{fold_text(query.region)}|")
        yield f"place IN (SELECT place FROM release.places WHERE contains(names, {named}))"
    if query.sizes:
        yield " OR ".join(_SIZES[size] for size in query.sizes)


def _equal_values(query: CompanyQuery, bind: Bind) -> Iterator[str]:
    for column, values in (("country", query.countries), ("status", query.statuses)):
        if values:
            yield f"{column} IN ({', '.join(map(bind, values))})"
    for column, value in (
        ("industry_scheme", query.industry_scheme),
        ("latest_currency", query.currency),
        ("is_listed", query.is_listed),
    ):
        if value is not None:
            yield f"{column} = {bind(value)}"


def _ranges(query: CompanyQuery, bind: Bind) -> Iterator[str]:
    for column, least, most in (
        ("employees", query.employees_min, query.employees_max),
        ("latest_revenue", query.revenue_min, query.revenue_max),
        ("registered_date", query.registered_from, query.registered_to),
    ):
        if least is not None:
            yield f"{column} >= {bind(least)}"
        if most is not None:
            yield f"{column} <= {bind(most)}"
