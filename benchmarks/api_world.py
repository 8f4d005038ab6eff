"""The rows that the API benchmark serves: invented companies, published by the genuine release builder.

Does not belong here: measuring (`bench_api`).
"""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from warehouse import render
from warehouse.history import History
from warehouse.paths import Layout
from warehouse.release import MarketPart, Releases
from warehouse.schema.tables import COMPANIES, EVENTS

AT = datetime(2026, 11, 20, tzinfo=UTC)
MARKET = "NO"
_FIRST = ("Nordlys", "Fjell", "Havn", "Skog", "Bre", "Elv", "Dal", "Vik", "Strand", "Lund")
_SECOND = ("bygg", "fisk", "kraft", "data", "frakt", "mat", "glass", "papir", "stål", "reise")


def org_number(index: int) -> str:
    return str(800_000_000 + index)


def rows(count: int) -> pl.DataFrame:
    """`count` companies with every column of a profile filled."""
    index = range(count)
    numbers = [org_number(one) for one in index]
    values = {
        "company_id": [f"firm:{MARKET}:{number}" for number in numbers],
        "org_number": numbers,
        "name": [f"{_FIRST[one % 10]} {_SECOND[one // 10 % 10]} {one} AS" for one in index],
        "country": [MARKET] * count,
        "industry_code": ["62010"] * count,
        "industry_label": ["Programmeringstjenester"] * count,
        "municipality": ["Tromsø"] * count,
        "county": ["Troms"] * count,
        "registered_date": [AT.date()] * count,
        "status": ["active"] * count,
        "is_listed": [False] * count,
        "previous_names": [[] for _ in index],
        "address_lines": [["Storgata 1"] for _ in index],
        "sources": ["[]"] * count,
        "observed_at": [AT] * count,
    }
    schema = render.polars_schema(COMPANIES)
    return pl.DataFrame({name: values.get(name, [None] * count) for name in schema}, schema=schema)


def publish(root: Path, companies: pl.DataFrame) -> Layout:
    """A data root with one release of these companies."""
    layout = Layout(root)
    with History(layout, MARKET) as history, history.transaction():
        history.apply(COMPANIES, companies, companies["company_id"], AT)
    part = MarketPart(MARKET, layout.history_file(MARKET), "fresh", AT, {})
    Releases(layout, clock=lambda: AT).publish({MARKET: part}, render.polars_schema(EVENTS).to_frame())
    return layout
