"""A small released world to hand over, and reading back what was handed over."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from tests.once import copy_made
from tests.warehouse.helpers import day, event, rows
from tests.warehouse.world import learn, member, owner, period, publish
from warehouse.exports import schemas
from warehouse.exports.exports import ExportStore, MarketExport
from warehouse.reader.reader import FinancialsQuery, PinnedRelease, ReleaseReader, ResultPage
from warehouse.reader.types import EventQuery, FilingsQuery
from warehouse.schema.tables import EVENTS
from warehouse.storage.atomic_files import ignore_step
from warehouse.storage.layout import Layout

ONE, TWO, THREE = (f"firm:NO:90000000{number}" for number in (1, 2, 3))
HOSTILE = [
    'Quotes " and \\ back',
    "line\nbreak\r\ttab",
    '{"id":"firm:NO:1"},"data":{',
    "\u2028\u202eevil\u0000nul",
    "Ærøskøbing «Ő» 公司 🦊",
    "'; DROP TABLE companies; --",
    '</script>,,"',
]
KEYS = {table.name: table.sorted_by[0] for table in schemas.TABLES}
TABLES = ("companies", "details", "financials", "filings", "ownership", "events")


def hostile_world(layout: Layout) -> None:
    """Two markets: one with all kinds of rows, one small."""
    copy_made(_make_hostile_world, layout.root)


def _make_hostile_world(root: Path) -> None:
    layout = Layout(root)
    companies = [member("NO", number, name=name) for number, name in enumerate(HOSTILE, 1)]
    companies[0] |= {
        "sources": '[\n {"register": "no.x", "native_id": "1", "url": null,\n "retrieved_at": '
        '"2026-01-01T00:00:00Z", "licence": "NLOD-2.0", "fields": ["name"]}]',
        "employees": 0,
        "address_lines": ["Gate 1", HOSTILE[0]],
        "previous_names": [HOSTILE[1]],
        "registered_date": dt.date(1815, 5, 5),
        "dissolved_date": dt.date(2025, 3, 1),
    }
    quarter = {
        "period_type": "quarterly",
        "fiscal_quarter": 4,
        "period_start": dt.date(2025, 10, 1),
        "period_end": dt.date(2025, 12, 31),
    }
    financials = [
        period(ONE, 2023, revenue=0, equity=None, net_result=-(2**62), filed_at=dt.date(2024, 5, 1)),
        period(ONE, 2024, is_current=False),
        period(ONE, 2024, version=2, is_restated=True, filing_id="fil_2", revenue=None, derived=["equity"]),
        period(ONE, 2024, is_consolidated=True, filing_id="fil_3"),
        period(ONE, 2025, **quarter),
        period(ONE, 2025, period_type=None, period_end=dt.date(2025, 6, 30)),
        period(TWO, 2024, currency=None, revenue=None),
    ]
    owners = [
        owner(ONE, "own_b", "10.7", holder_name=HOSTILE[2]),
        owner(ONE, "own_a", "0.0001", sources='[{"register":"no.x","native_id":"1","url":null,'
              '"as_of":"2025-01-01","pct":0.0001}]'),
        owner(ONE, "own_c", basis="band", pct_min=25, pct_max=50, holder_type="person", holder_country="NO"),
        owner(ONE, "own_d", "5", ended_on=dt.date(2025, 9, 1)),
        owner(ONE, "own_e", "5", as_of=dt.date(2030, 1, 1)),
    ]  # fmt: skip
    filed = {"filing_type": "annual_report", "filed_at": dt.date(2025, 5, 1), "document_url": "https://a.example/1"}
    filings = [
        {"company_id": ONE, "filing_id": "fil_2", **filed},
        {"company_id": ONE, "filing_id": "fil_3", **filed, "native_id": HOSTILE[0]},
        {"company_id": ONE, "filing_id": "fil_9", "filing_type": "interim_report", "period_end": dt.date(2026, 1, 1)},
        {"company_id": TWO, "filing_id": "fil_0", **filed},
    ]
    learn(layout, "NO", 0, companies=companies, financials=financials, filings=filings, owners=owners)
    learn(layout, "SE", 0, companies=[member("SE", 1, is_listed=True)])
    publish(layout, "NO", "SE")
    for at in (1, 2):
        sent = [event(f"{at}{number}", f"firm:NO:90000000{3 - number}", day(at)) for number in (0, 1, 2)]
        publish(layout, "NO", "SE", at=at, events=rows(EVENTS, *sent))


def write(layout: Layout, *markets: str, to: Path | None = None, at: int = 5, **options: Any) -> list[MarketExport]:
    return list(ExportStore(layout, clock=lambda: day(at), folder=to).write(markets, **options))


def export_all(root: Path, on_step: Callable[[str], None] = ignore_step) -> None:
    """For a process of its own."""
    list(ExportStore(Layout(root), clock=lambda: day(6), on_step=on_step).write(formats=("parquet",)))


def lines(export: MarketExport, table: str) -> list[bytes]:
    content = gzip.decompress((export.folder / f"{table}.ndjson.gz").read_bytes())
    assert not content or content.endswith(b"\n")
    return content.split(b"\n")[:-1]


def objects(export: MarketExport, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(export, table)]


def parquet(export: MarketExport, table: str) -> pl.DataFrame:
    return pl.read_parquet(export.folder / f"{table}.parquet")


def served(layout: Layout, market: str, on: dt.date) -> dict[str, list[bytes]]:
    """What the reader gives the API of every company, page by page, in the contract's order."""
    found: dict[str, list[bytes]] = {table: [] for table in TABLES}
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        for number in range(1, 10):
            company = f"firm:{market}:90000000{number}"
            document = snapshot.profile(company)
            if document is not None:
                found["companies"].append(document.body)
                parts = b",".join(part[1:-1] for part in snapshot.profile_parts(company).values())
                found["details"].append(b'{"id":"%b",%b}' % (company.encode(), parts))
                for table, page in _pages(snapshot, company, on):
                    assert not page.has_more
                    found[table] += page.rows if table == "events" else _under(company, page)
    reader.close()
    return {table: [line.replace(b"\n", b" ") for line in lines] for table, lines in found.items()}


def _pages(snapshot: PinnedRelease, company: str, on: dt.date) -> list[tuple[str, ResultPage]]:
    scopes = [
        snapshot.company_financials(company, FinancialsQuery(is_consolidated=scope), None, 100)
        for scope in (True, False)
    ]
    return [
        *(("financials", page) for page in scopes),
        ("filings", snapshot.company_filings(company, FilingsQuery(), None, 100)),
        ("ownership", snapshot.company_owners(company, on, None, None, 100)[0]),
        ("events", snapshot.company_events(company, EventQuery(is_descending=False), None, 100)),
    ]


def _under(company: str, page: ResultPage) -> list[bytes]:
    return [b'{"company_id":"%b",%b' % (company.encode(), row[1:]) for row in page.rows]


def delta_lines(folder: Path, table: str, part: str) -> list[dict[str, Any]]:
    content = gzip.decompress((folder / f"{table}.{part}.ndjson.gz").read_bytes())
    return [json.loads(line) for line in content.split(b"\n")[:-1]]


def applied(base: list[dict[str, Any]], folder: Path, table: str) -> list[dict[str, Any]]:
    """What a consumer has after a delta: sorted by company, in the order in which rows came."""
    gone = {row["company_id"] for row in delta_lines(folder, table, "deletes")}
    kept = [row for row in base if row[KEYS[table]] not in gone]
    return sorted([*kept, *delta_lines(folder, table, "upserts")], key=lambda row: row[KEYS[table]])
