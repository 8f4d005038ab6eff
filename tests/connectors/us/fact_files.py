"""Answers of companyfacts written by hand, and what the connector makes of them."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Scope
from connectors.us import financials_mapping
from connectors.us.companyfacts import dataset as companyfacts_dataset
from connectors.us.companyfacts.parse import parse_companyfacts
from connectors.us.financials.latest_values import FinancialStatement
from connectors.us.financials.versions import build_statements
from connectors.us.register import company_ids

SEEN = datetime(2026, 6, 1, tzinfo=UTC)
Fact = tuple[str, str, str, float | None, str, str, str]  # tag, start, end, value, number of filing, form, filed


def accession(number: str) -> str:
    return f"0000999999-{number[:2]}-{number[2:]:0>6}"


def answer(facts: Iterable[Fact], unit: str = "USD", cik: object = 999999, **more: Any) -> dict[str, Any]:
    """An answer; tags without a taxonomy are us-gaap's."""
    taxonomies: dict[str, Any] = {}
    for tag, start, end, value, number, form, filed in facts:
        taxonomy, _, name = tag.rpartition(":")
        units = taxonomies.setdefault(taxonomy or "us-gaap", {}).setdefault(
            name, {"label": None, "description": None, "units": {}}
        )["units"]
        entry = {
            "end": end,
            "val": value,
            "accn": accession(number),
            "fy": int(filed[:4]) - (filed[5:] < "07"),
            "fp": "FY",
        }
        entry |= {"form": form, "filed": filed} | ({"start": start} if start else {}) | more
        units.setdefault(unit, []).append(entry)
    return {"cik": cik, "entityName": "Example  Corp", "facts": taxonomies}


def body(facts: Iterable[Fact], **more: Any) -> bytes:
    return json.dumps(answer(facts, **more)).encode()


def statements(facts: Iterable[Fact], **more: Any) -> list[FinancialStatement]:
    return build_statements(parse_companyfacts(body(facts, **more)).filings.values()).statements


def amounts(facts: Iterable[Fact], figure: str = "revenue") -> dict[tuple[str, str], int | None]:
    """The last word on each period."""
    return {statement.span: statement.amounts[figure] for statement in statements(facts)}


def archive(members: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in members.items():
            written.writestr(name, content)
    return packed.getvalue()


def piece(
    content: bytes, name: str = "companyfacts/CIK0000999999.json", dataset: str = companyfacts_dataset.KEY
) -> ArchiveMember:
    return ArchiveMember(dataset, name, "ab" * 32, SEEN, Scope.PART, "one", partial(io.BytesIO, content))


def read(content: bytes, name: str = "companyfacts/CIK0000999999.json", seen: datetime = SEEN) -> list[Batch]:
    whole = replace(piece(content, name), observed_at=seen)
    return [
        batch for part in companyfacts_dataset.split_members(whole) for batch in companyfacts_dataset.read_batches(part)
    ]


def signals(batches: Iterable[Batch]) -> dict[str, set[str]]:
    told: dict[str, set[str]] = {}
    for batch in batches:
        for signal in batch.signals:
            told.setdefault(signal.code, set()).add(signal.subject)
    return told


def present(batches: Iterable[Batch]) -> dict[str, pl.LazyFrame]:
    """Staged rows as the pipeline hands them to a mapping."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for batch in batches:
        frames.setdefault(batch.table, []).append(batch.rows)
    instant = pl.Datetime("us", "UTC")
    return {
        table: pl.concat(rows)
        .with_columns(
            company_ids(pl.col("cik")).alias("_company_id"),
            pl.lit(SEEN).cast(instant).alias("_observed_at"),
            pl.lit("ab").alias("_raw"),
            pl.lit(None, instant).alias("_retired_at"),
        )
        .lazy()
        for table, rows in frames.items()
    }


def shared(batches: Iterable[Batch]) -> dict[str, pl.DataFrame]:
    return financials_mapping.to_shared_tables(present(batches), date(2026, 6, 1))


def merged_covers(covers: Iterable[tuple[int, str]], company: str) -> dict[str, pl.LazyFrame]:
    """Present rows of the shares outstanding of some covers, and nothing else."""
    rows = [(shares, date.fromisoformat(day), date.fromisoformat(day)) for shares, day in covers]
    schema = {"dei_EntityCommonStockSharesOutstanding": pl.Int64, "period_end": pl.Date, "filed": pl.Date}
    found = pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        _company_id=pl.lit(company), _retired_at=pl.lit(None, pl.Datetime(time_zone="UTC"))
    )
    return {"us_facts": found.lazy()}
