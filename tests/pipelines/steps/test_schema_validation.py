"""A day that nobody can know yet, as 9999-12-31, is unknown, and what one record says stops nobody else."""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from pipelines.ingest.run import ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from pipelines.steps import schema_validation
from sandbox import World, write_days
from tests.warehouse.helpers import rows
from warehouse import schema_render
from warehouse.history.history import MarketHistory
from warehouse.schema.tables import COMPANIES, FILINGS, NORMALISED, PASSING

TODAY = date(2026, 11, 24)
FOREVER = "31/12/9999"


def _until_forever(day: Path, companies: int) -> list[str]:
    """Lets the first companies of the register be incorporated at the end of time; their numbers."""
    (archive,) = (day / "uk").rglob("BasicCompanyData*.zip")
    with zipfile.ZipFile(archive) as packed:
        (name,) = packed.namelist()
        header, *register = csv.reader(io.StringIO(packed.read(name).decode()))
    incorporated = header.index("IncorporationDate")
    for company in register[:companies]:
        company[incorporated] = FOREVER
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows(register)
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr(name, ",".join(header) + "\r\n" + written.getvalue())
    return [company[header.index(" CompanyNumber")] for company in register[:companies]]


@pytest.mark.slow
def test_companies_registered_at_the_end_of_time_are_told_and_served_without_the_day(tmp_path: Path) -> None:
    (day,) = write_days(World(seed=3, companies=60, days=1, markets=("UK",)), tmp_path / "days")
    numbers = _until_forever(day, 2)
    settings, told = (IngestSettings.read({"FIRM_DATA": str(tmp_path / "data"), "FIRM_WORKERS": "1"}), list[str]())
    assert ingest(settings, ("UK",), FolderSource(day), progress=told.append).exit_code == 0
    assert "UK: companies.registered_date: 2 dates more than a year ahead, treated as unknown" in told
    with MarketHistory(settings.layout, "UK") as history:
        companies = history.current_rows(COMPANIES)
    without = companies.filter(pl.col("registered_date").is_null())["org_number"]
    assert sorted(numbers) == without.to_list()
    assert len(companies) > len(without)


def test_only_days_too_far_ahead_are_unknown() -> None:
    last = schema_render.latest_plausible_day(TODAY)
    days = [last, date(9999, 12, 31), None, date(1083, 1, 1)]
    ends = [TODAY, TODAY, date(9999, 12, 31), None]
    told = rows(
        FILINGS,
        *(
            {"filing_id": f"fil_{place}", "company_id": "firm:FI:5000000-9", "filed_at": day, "period_end": end}
            for place, (day, end) in enumerate(zip(days, ends, strict=True))
        ),
    )
    tables = {table.name: schema_render.empty_frame(table) for table in (*NORMALISED, *PASSING)}
    known, far = schema_validation.without_far_future_days({**tables, "filings": told}, TODAY)
    assert known["filings"]["filed_at"].to_list() == [last, None, None, date(1083, 1, 1)]
    assert known["filings"]["period_end"].to_list() == [TODAY, TODAY, None, None]
    assert known["filings"].drop("filed_at", "period_end").equals(told.drop("filed_at", "period_end"))
    assert far == Counter({"filings.filed_at": 1, "filings.period_end": 1})
    assert all(known[name] is tables[name] for name in tables if name != "filings")
