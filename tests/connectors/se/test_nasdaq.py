"""Releases of the Stockholm markets: issuers by name alone, interim reports as filings without figures."""

import io
import json
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, Batch, Scope
from connectors.se import SWEDEN
from connectors.se.issuer_links import core_names

RELEASES = SWEDEN.dataset("se.nasdaq")
COMPANY = "firm:SE:5560000001"
INSTANT = datetime(2026, 11, 16, tzinfo=UTC)


def release(number: int, headline: str, **values: object) -> dict[str, object]:
    return {
        "disclosureId": number,
        "categoryId": 153,
        "headline": headline,
        "language": "sv",
        "languages": ["sv"],
        "cnsCategory": "Interim report (Q1 and Q3)",
        "messageUrl": f"https://view.news.eu.nasdaq.com/view?id=b{number}&lang=sv",
        "releaseTime": "2026-10-23 06:30:00",
        "market": "Main Market, Stockholm",
        "company": "Exempel Holding AB",
    } | values


def read(body: bytes) -> list[Batch]:
    piece = ArchiveMember(RELEASES.key, "x", "0" * 64, INSTANT, Scope.PART, "b", lambda: io.BytesIO(body))
    return [batch for part in RELEASES.split_members(piece) for batch in RELEASES.read_batches(part)]


def test_an_interim_report_in_two_languages_is_one_filing_of_its_period() -> None:
    english = release(2, "Interim report January-September 2026", language="en")
    items = [release(1, "Delårsrapport januari-september 2026"), english]
    (batch,) = read(json.dumps({"results": {"item": items}}).encode())
    instant = pl.Datetime("us", "UTC")
    rows = batch.rows.with_columns(
        pl.lit(COMPANY).alias("_company_id"),
        pl.lit(INSTANT, instant).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
        pl.lit(None, instant).alias("_retired_at"),
    )
    (filing,) = SWEDEN.to_shared_tables({"se_release": rows.lazy()}, INSTANT.date())["filings"].to_dicts()
    assert (filing["register"], filing["filing_type"]) == ("se.nasdaq", "interim_report")
    assert (filing["period_start"], filing["period_end"]) == (date(2026, 1, 1), date(2026, 9, 30))
    assert (filing["filed_at"], filing["native_id"]) == (date(2026, 10, 23), "2")


def test_an_issuer_is_known_by_the_name_of_its_company() -> None:
    (link,) = (link for link in SWEDEN.links if link.table == "se_release")
    (batch,) = read(json.dumps({"results": {"item": [release(1, "x")]}}).encode())
    assert SWEDEN.company_ids_of_rows("se_release", batch.rows).to_list() == [None]
    assert not isinstance(link.key, str)
    assert link.key.of(batch.rows).to_list() == core_names(pl.Series(["Exempel Holding Aktiebolag (publ)"])).to_list()
    assert link.through == "se_bolagsverket"


@pytest.mark.sources
def test_the_stockholm_releases_of_the_genuine_list(sources: Path) -> None:
    (path,) = (sources / "fi" / "nasdaq_cns").glob("*items*")
    (batch,) = read(path.read_bytes())
    assert batch.rows["company"].to_list() == ["Conapto Holding AB", "Enad Global 7 AB"]
