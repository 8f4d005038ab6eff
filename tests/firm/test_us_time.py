"""Time alone through the real command: a filer that falls silent, and a removal from listing that comes into effect."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.connectors.us.filer_bodies import filer, filing
from tests.firm.inside import Inside
from warehouse.ledger.ledger import Ledger

pytestmark = pytest.mark.slow
SILENT, MERGED = "0000999011", "0000999012"
REMOVAL = """<?xml version="1.0"?><notificationOfRemoval><exchange><cik>0000876661</cik></exchange>
<issuer><cik>0000999012</cik></issuer><descriptionClassSecurity>Common Stock</descriptionClassSecurity>
<ruleProvision>17 CFR 240.12d2-2(a)(3)</ruleProvision>
<signatureData><signatureDate>2026-11-10</signatureDate></signatureData></notificationOfRemoval>"""
NUMBER = "0000876661-26-000777"


def bodies(size: int) -> dict[str, Any]:
    """The same filings of both, as one day and the next give them: what flickers has flickered."""
    report = filing("10-Q", "2025-05-20", reportDate="2025-03-31", size=size)
    closed = filing("8-K", "2026-11-09", items="2.01,3.01,5.01", size=size)
    removed = {**filing("25-NSE", "2026-11-10", size=size), "accessionNumber": NUMBER}
    listed = [removed, closed, filing("10-Q", "2026-10-30", size=size)]
    return {SILENT: filer([report], cik=SILENT), MERGED: filer(listed, cik=MERGED, tickers=[], exchanges=[])}


def test_what_a_day_alone_changes_is_an_event(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    for number, day in enumerate(("2026-11-19", "2026-11-21"), 1):
        folder = tmp_path / day / "us"
        (folder / "submissions").mkdir(parents=True)
        (folder / "form25_15").mkdir()
        (folder / "form25_15" / f"{NUMBER}.xml").write_text(REMOVAL)
        for cik, body in bodies(number).items():
            (folder / "submissions" / f"CIK{cik}.json").write_text(json.dumps(body))
        firm.ingest(tmp_path / day, "us", "--at", f"{day}T12:00:00")
    events = [event.data for event in Ledger(firm.layout).after(0, 100) if event.event_type == "status.changed"]
    told = [json.loads(data) for data in events]
    assert {
        (one["org_nr"], one["change"]["current_status"], one["change"]["reason"], one["change"]["effective_date"])
        for one in told
    } == {
        (f"US{MERGED}", "dissolved", "merged", "2026-11-10"),
        (f"US{SILENT}", "dormant", "not_reporting", "2026-11-20"),
    }
