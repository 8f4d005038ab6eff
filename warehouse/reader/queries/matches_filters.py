"""Checks if one company matches the filters of a search, regardless of its name.

Used for a company looked up by its number (docs/contract/contract.md 4.2: different parameters AND). Does not
belong here: what the filters are (`filters`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from warehouse.reader.queries import filters
from warehouse.reader.types import CompanyQuery

Scan = Callable[[str, dict[str, Any]], list[tuple[Any, ...]]]


def matches_filters(connection: sqlite3.Connection, scan: Scan, query: CompanyQuery, company_id: str) -> bool:
    """True if the company matches the filters; False if there is no such company."""
    asked = replace(query, q=None, sort=None)
    found = connection.execute("SELECT rank FROM companies WHERE company_id = ?", (company_id,)).fetchone()
    if found is None or (asked.countries and company_id.split(":")[1] not in asked.countries):
        return False
    if asked == CompanyQuery(countries=asked.countries):  # without filters no scan is needed
        return True
    made = filters.SearchStatement(asked, None)
    made.add(f"rank = {made.value(found[0])}")
    return bool(scan(made.by_relevance(None, 1), made.values))
