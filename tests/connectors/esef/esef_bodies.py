"""Index pages and xBRL-JSON reports by hand, as filings.xbrl.org serves them."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope
from connectors.esef.dataset import esef_dataset
from connectors.esef.mapping import map_filings_and_financials

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
LEI = "9845006BFDJF0375E466"
OTHER = "969500NO030000004573"
YEAR = "2025-01-01T00:00:00/2026-01-01T00:00:00"
BEFORE = "2024-01-01T00:00:00/2025-01-01T00:00:00"
CLOSING, OPENING = "2026-01-01T00:00:00", "2025-01-01T00:00:00"
COMPANY = "firm:FI:1000001-1"
DATASET = esef_dataset("FI")


def fact(concept: str, value: object, period: str = YEAR, unit: str | None = "iso4217:EUR", **more: Any) -> dict:
    """One fact; `decimals` and further dimensions by keyword (`axis__member`)."""
    prefix = "" if ":" in concept else "ifrs-full:"
    dimensions = {"concept": prefix + concept, "entity": f"lei:{LEI}", "period": period}
    dimensions |= {"unit": unit} if unit else {}
    dimensions |= more.pop("dimensions", {})
    return {"value": None if value is None else str(value), "dimensions": dimensions, **more}


def statements(**given: Any) -> list[dict]:
    """Primary statements of 2025 with the year before."""
    said = {"Revenue": 100, "ProfitLossFromOperatingActivities": 20, "ProfitLoss": 15, **given}
    facts = [fact(concept, value) for concept, value in said.items() if value is not None]
    facts += [fact(concept, 9, BEFORE) for concept in ("Revenue", "ProfitLossFromOperatingActivities", "ProfitLoss")]
    facts += [fact("Equity", 40, CLOSING), fact("Assets", 90, CLOSING)]
    return [*facts, fact("Equity", 4, OPENING), fact("Assets", 8, OPENING)]


def report(*facts: dict, **info: Any) -> bytes:
    head = {"documentType": "https://xbrl.org/2021/xbrl-json", **info}
    return json.dumps({"documentInfo": head, "facts": {f"f{n}": made for n, made in enumerate(facts)}}).encode()


def entry(number: int = 0, lei: str = LEI, end: str = "2025-12-31", country: str = "FI", **given: Any) -> dict:
    """One filing of the index; `json_url=None` for one whose processing failed."""
    place = f"/{lei}/{end}/ESEF/{country}/{number}"
    attributes = {
        "fxo_id": f"{lei}-{end}-ESEF-{country}-{number}",
        "country": country,
        "period_end": end,
        "date_added": "2026-03-01 10:00:00.000001",
        "processed": "2026-03-01 10:00:00.000001",
        "sha256": f"{number:064}",
        "error_count": 0,
        "warning_count": 1,
        "inconsistency_count": 0,
        "package_url": f"{place}/{lei}-{end}.zip",
        "report_url": f"{place}/reports/{lei}-{end}.xhtml",
        "json_url": f"{place}/{lei}-{end}-en.json",
        "viewer_url": f"{place}/viewer.html",
    }
    return {
        "type": "filing",
        "id": str(number),
        "attributes": attributes | given,
        "relationships": {"entity": {"links": {"related": f"/api/entities/{lei}"}}},
    }


def index(*entries: dict, **more: Any) -> bytes:
    return json.dumps({"data": list(entries), "links": {}, "meta": {"count": len(entries)}, **more}).encode()


def path(number: int = 0, end: str = "2025-12-31", language: str = "en") -> str:
    """Where a report lies on the site."""
    return f"{LEI}/{end}/ESEF/FI/{number}/{LEI}-{end}-{language}.json"


def read(body: bytes, name: str = "report.json", dataset: Dataset = DATASET) -> Batch:
    piece = ArchiveMember(dataset.key, name, "sha", NOON, Scope.PART, "b", lambda: io.BytesIO(body))
    (batch,) = dataset.read_batches(piece)
    return batch


def row(*facts: dict, **info: Any) -> dict[str, Any]:
    """The staged row of a report of these facts."""
    (found,) = read(report(*facts, **info)).rows.to_dicts()
    return found


def shared(*batches: Batch, market: str = "FI") -> dict[str, pl.DataFrame]:
    """The shared tables of all these, linked to one company."""
    found: dict[str, list[pl.DataFrame]] = {}
    for batch in batches:
        meta = batch.rows.with_columns(
            pl.lit(COMPANY).alias("_company_id"),
            pl.lit(NOON).alias("_observed_at"),
            pl.lit("raw").alias("_raw"),
            pl.lit(None, pl.Datetime("us", "UTC")).alias("_retired_at"),
        )
        found.setdefault(batch.table, []).append(meta)
    present = {name: pl.concat(frames).lazy() for name, frames in found.items()}
    return map_filings_and_financials(market, present)
