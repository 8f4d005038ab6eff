"""Chains of ownership filings through the real command: thresholds are told exactly as the contract says.

See docs/contract/contract.md 4.6.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from tests.connectors.us.fact_files import body as facts
from tests.connectors.us.holder_files import CUSIP, ISSUER
from tests.firm.inside import Inside
from tests.firm.us_chains import CHAINS, DAYS
from tests.tables import check_cases
from warehouse.ledger.ledger import Ledger
from warehouse.ledger.read_index import LedgerEvent
from warehouse.reader.reader import ReleaseReader

pytestmark = pytest.mark.slow
COUNTED = (
    "a manager's quarters",
    "a restatement leaves the company out",
    "an insider is spelled otherwise",
)  # whose shares outstanding are known
ISSUERS = {chain: f"{number:010}" for number, chain in enumerate(CHAINS, start=101)}


def files(day: int) -> Iterator[tuple[str, str]]:
    """What lies in the folder of a day: names and texts."""
    for chain, (filings, _) in CHAINS.items():
        issuer = ISSUERS[chain]
        for place, (comes, folder, text) in enumerate(filings):
            if comes == day:
                told = text.replace(ISSUER, issuer).replace(CUSIP, f"{issuer[-6:]}AB7")
                yield f"{folder}/{issuer}-{place}.txt", _apart(told, issuer)


def _apart(text: str, issuer: str) -> str:
    """Each filing with an accession number of its own."""
    number = text.split("ACCESSION NUMBER:\t\t", 1)[1][:20]
    return text.replace(number, f"{issuer[-4:]}{number[4:]}")


@dataclass(frozen=True)
class Lived:
    """What each day made: its report, its events by company, and the percent known of each chain's issuer."""

    reports: list[dict[str, Any]]
    seen: list[list[tuple[str, tuple[int, str, float, float, list[int], str]]]]
    known: list[dict[str, float]]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """The days of all chains, taken in one after the other."""
    folder = tmp_path_factory.mktemp("chains")
    firm = Inside(folder / "data")
    cover = ("dei:EntityCommonStockSharesOutstanding", "", "2026-07-31", 1_000_000.0, "26900", "10-Q", "2026-08-05")
    found = Lived([], [], [])
    for place, day in enumerate(DAYS):
        for name, text in files(place):
            target = folder / day / "us" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        if place == 0:
            for issuer in map(ISSUERS.__getitem__, COUNTED):
                target = folder / day / "us" / "companyfacts" / f"CIK{issuer}.json"
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(facts([cover], unit="shares", cik=int(issuer)))
        before = len(firm.events())
        found.reports.append(firm.ingest(folder / day, "us", "--at", f"{day}T12:00:00").report)
        found.seen.append([_told(place, event) for event in Ledger(firm.layout).after(before, 1_000)])
        found.known.append(_known(firm, date.fromisoformat(day)))
    return found


def _known(firm: Inside, on: date) -> dict[str, float]:
    reader = ReleaseReader(firm.layout)
    try:
        with reader.pin_release() as snapshot:
            told = {
                chain: snapshot.company_owners(f"firm:US:US{issuer}", on, None, None, 100)[1]
                for chain, issuer in ISSUERS.items()
            }
    finally:
        reader.close()
    return {chain: float(percent) for chain, percent in told.items() if percent is not None}


def _told(place: int, event: LedgerEvent) -> tuple[str, tuple[int, str, float, float, list[int], str]]:
    assert event.event_type == "ownership.changed"
    change = json.loads(event.data)["change"]
    assert (change["direction"] == "up") == (change["previous_pct"] < change["current_pct"])
    names = ("holder_name", "previous_pct", "current_pct", "thresholds_crossed", "as_of")
    return event.company_id, (place, *(change[name] for name in names))


def test_the_baseline_is_silent(lived: Lived) -> None:
    assert lived.seen[0] == []


@check_cases("chain", CHAINS)
def test_each_chain_makes_exactly_its_events(lived: Lived, chain: str) -> None:
    company = f"firm:US:US{ISSUERS[chain]}"
    found = [told for day in lived.seen for issuer, told in day if issuer == company]
    assert sorted(found) == sorted(CHAINS[chain][1])


def test_no_chain_is_refused_or_makes_another_event(lived: Lived) -> None:
    assert all(file["reason"] is None for report in lived.reports for file in report["files"])
    assert {event for report in lived.reports for event in report["events"]} == {"ownership.changed"}


@pytest.mark.parametrize(
    ("chain", "day", "known"),
    [
        ("joint filers, one of whom is left out later", 1, 18.0),  # 6 of the other holder
        ("joint filers, one of whom is left out later", 2, 18.0),
        ("a member of the group ceases and the others go on", 3, 12.0),
        ("an insider is spelled otherwise", 1, 15.0),
        ("a manager's quarters", 3, 16.5),
    ],
)
def test_shares_are_never_counted_twice(lived: Lived, chain: str, day: int, known: float) -> None:
    assert lived.known[day][chain] == known
