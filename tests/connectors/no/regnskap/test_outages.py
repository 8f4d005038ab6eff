"""A first load of Norwegian accounts through outages: every company in the end, in a time that is told."""

from pathlib import Path

import pytest

from connectors.no.regnskap.fetch import fetch_accounts
from tests.connectors.simulated_outages import CASES, Source, load, outages
from tests.tables import check_cases

RATE = 2.0
COMPANIES = 2_000


def accounts(companies: int) -> Source:
    numbers = [str(910_000_000 + number) for number in range(companies)]
    return Source(
        "data.brreg.no",
        RATE,
        fetch_accounts,
        frozenset(numbers),
        subjects=lambda _: [f"{number}:2025" for number in numbers],
        respond=lambda _: ("application/json", b"[]"),
        item_of=lambda name: name.removesuffix(".json"),
    )


@check_cases(("kind", "share"), CASES)
def test_fetch_accounts_through_outages_fetches_every_company(
    kind: str, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load(accounts(100), outages(kind, share), tmp_path, monkeypatch).fetched == 100


@pytest.mark.slow
@check_cases(("kind", "share"), CASES)
def test_fetch_accounts_through_outages_takes_at_most_twice_the_time_and_its_waits(
    kind: str, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the simulated clock. Half of all requests failing, each answer costs two requests: twice is the least."""
    undisturbed = load(accounts(COMPANIES), lambda _: False, tmp_path, monkeypatch)
    found = load(accounts(COMPANIES), outages(kind, share), tmp_path, monkeypatch)
    print(f"{kind} {share:.0%}: {found}; undisturbed: {undisturbed}")  # noqa: T201 - docs/first-live-load.md has them
    assert (undisturbed.fetched, undisturbed.runs) == (COMPANIES, 1)
    assert found.fetched == COMPANIES
    assert found.seconds - found.waits <= 2 * undisturbed.seconds
