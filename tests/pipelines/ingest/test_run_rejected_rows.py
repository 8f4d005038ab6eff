"""A row that cannot be read is not a row that is missing: its record stays as it was, and the run says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.reporting.report import DONE, IngestReport
from tests.pipelines.places import ONE, THREE, TWO, Place
from warehouse.ledger.ledger import Ledger

_FIRST = (ONE, "Yksi Oy", "open", "")
_UNREADABLE = (ONE, "Yksi, Oy", "open", "")  # five cells
_SECOND = (TWO, "Kaksi Oy", "open", "")
_THIRD = (THREE, "Kolme Oy", "open", "")
_OTHERS = tuple((f"100000{number}-{number}", "Muu Oy", "open", "") for number in range(4, 8))
_KEPT = "record of fi_register stays as it was: the complete file has it in a row that was rejected"

pytestmark = pytest.mark.slow


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    taken_in(place, "2026-01-01", _FIRST, _SECOND, _THIRD)
    return place


def taken_in(place: Place, day: str, *rows: tuple[str, str, str, str], name: str = "register.csv") -> IngestReport:
    place.day(day, "fi.register")
    place.register(*rows, *_OTHERS, day=day, name=name)
    return place.ingest()


def dissolved(place: Place) -> list[str]:
    """The numbers in the ledger's events, in their order."""
    return [event.company_id.removeprefix("firm:FI:") for event in Ledger(place.settings.layout).after(0, 10)]


def test_company_whose_row_was_rejected_stays_and_one_that_is_missing_ends(place: Place) -> None:
    report = taken_in(place, "2026-01-02", _UNREADABLE, _SECOND)
    assert (report.exit_code, dict(report.events), dissolved(place)) == (DONE, {"status.changed": 1}, [THREE])
    assert any(_KEPT in line for line in place.lines)


def test_company_whose_row_was_rejected_ends_when_a_file_lacks_it(place: Place) -> None:
    taken_in(place, "2026-01-02", _UNREADABLE, _SECOND, _THIRD)
    assert dissolved(place) == []
    taken_in(place, "2026-01-03", _SECOND, _THIRD)
    assert dissolved(place) == [ONE]


def test_company_whose_row_was_rejected_stays_while_its_part_of_the_register_is_unchanged(place: Place) -> None:
    for day, name in (("2026-01-02", "Kolme Oy"), ("2026-01-03", "Uusi Oy")):
        place.register((THREE, name, "open", ""), day=day, name="other.csv")
        taken_in(place, day, _UNREADABLE, _SECOND)
    assert dissolved(place) == []
