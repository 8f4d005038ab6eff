"""Accounts that are looked up company by company, through the whole job: a first load that takes days is no news."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, THREE, TWO, Place, accounts, owner


@pytest.fixture
def place(tmp_path: Path) -> Place:
    datasets = tuple(
        replace(dataset, is_per_company=True) if dataset.key == "fi.accounts" else dataset
        for dataset in MARKET.datasets
    )
    return Place(tmp_path, market=replace(MARKET, datasets=datasets))


@pytest.mark.slow
def test_ingest_of_a_first_load_in_parts_is_silent(place: Place) -> None:
    place.register(*((number, f"Yhtio {number} Oy", "open", "") for number in (ONE, TWO, THREE)))
    place.records("accounts/a1.json", accounts("a1", ONE, 2024, 100))
    place.ingest()
    place.records("accounts/b1.json", accounts("b1", TWO, 2024, 50))
    assert dict(place.ingest().events) == {}, "the look-ups went on; nothing was filed"
    place.records("accounts/b2.json", accounts("b2", TWO, 2025, 60))
    assert dict(place.ingest().events) == {"filing.added": 1}, "after its first answer a company's accounts are news"


@pytest.mark.slow
def test_ingest_of_a_first_answer_dated_after_the_baseline_is_an_event(place: Place) -> None:
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""))
    place.records("accounts/a1.json", accounts("a1", ONE, 2024, 100))
    place.ingest()
    late_in_the_year = {"start": "2025-04-01", "end": "2026-03-31"}
    place.records("accounts/b1.json", accounts("b1", TWO, 2024, 50), accounts("b2", TWO, 2025, 60, **late_in_the_year))
    assert dict(place.ingest().events) == {"filing.added": 1}


@pytest.mark.slow
def test_ingest_of_owners_looked_up_company_by_company_is_silent_until_the_companys_first_answer(place: Place) -> None:
    datasets = tuple(
        replace(dataset, is_per_company=True) if dataset.key == "fi.owners" else dataset for dataset in MARKET.datasets
    )
    place.market = replace(MARKET, datasets=datasets)
    place.register(*((number, f"Yhtio {number} Oy", "open", "") for number in (ONE, TWO, THREE)))
    place.records("owners/o1.json", owner("o1", ONE, 50, 75))
    place.ingest()
    place.records("owners/p1.json", owner("p1", TWO, 50, 75), owner("p2", TWO, 5, 10, holder="Ossi", since=None))
    place.records("owners/q1.json", owner("q1", THREE, 50, 75, since="2026-03-03"))
    assert dict(place.ingest().events) == {"ownership.changed": 1}, "of the third, who bought after the baseline"
    place.records("owners/p3.json", owner("p2", TWO, 25, 50, holder="Ossi", since=None))
    assert dict(place.ingest().events) == {"ownership.changed": 1}
