"""Records that a register gives to another holder under the same id."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl

from pipelines.transforms.ownership.changed_subjects import with_changed_subjects
from tests.pipelines.frames import frame, holding
from warehouse.schema.tables import HOLDER_MARKS, HOLDINGS

DAY, NEXT, LATER = date(2026, 11, 20), date(2026, 11, 21), date(2026, 11, 22)
ONE, TWO = "firm:UK:00722411", "firm:UK:06724211"


def corporate(number: str | None = ONE, **values: Any) -> dict[str, Any]:
    plain = {"holder_type": "company", "holder_company_id": number, "holder_name": f"Holder {number}"}
    return holding("p1", 75, 100, **(plain | values))


def seen(before: pl.DataFrame, today: date, *rows: dict[str, Any], number: int | None = None) -> pl.DataFrame:
    """number: of the record's subject, as history counts them."""
    marks = [] if number is None else [{**key_of(row), "subject_number": number} for row in rows]
    return with_changed_subjects(frame(HOLDINGS, *rows), before, today, marks=frame(HOLDER_MARKS, *marks))


def key_of(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in HOLDINGS.key}


def lines(found: pl.DataFrame) -> list[tuple[Any, ...]]:
    return found.sort("native_id").select("native_id", "holder_company_id", "valid_from", "ended_on").rows()


def test_record_with_another_company_number_is_an_exit_and_an_entry() -> None:
    first = seen(frame(HOLDINGS), DAY, corporate())
    assert lines(first) == [("p1", ONE, date(2020, 5, 1), None)]
    second = seen(first, NEXT, corporate(TWO))
    expected = [("p1", ONE, date(2020, 5, 1), NEXT), (f"p1#{TWO}", TWO, NEXT, None)]
    assert lines(second) == expected
    assert lines(seen(second, LATER, corporate(TWO))) == expected  # days and ids stay
    ended = seen(second, LATER, corporate(TWO, ended_on=LATER))
    assert lines(ended)[1] == (f"p1#{TWO}", TWO, NEXT, LATER)


def test_record_given_back_is_the_first_holder_again() -> None:
    second = seen(seen(frame(HOLDINGS), DAY, corporate()), NEXT, corporate(TWO))
    assert lines(seen(second, LATER, corporate())) == [
        ("p1", ONE, date(2020, 5, 1), None),
        (f"p1#{TWO}", TWO, NEXT, LATER),
    ]


def test_record_of_a_person_given_to_a_company_is_an_exit_and_an_entry() -> None:
    first = seen(frame(HOLDINGS), DAY, holding("p1", 75, 100))
    own_day = date(2026, 11, 1)
    found = seen(first, NEXT, corporate(None, valid_from=own_day))
    assert lines(found) == [("p1", None, date(2020, 5, 1), NEXT), ("p1#company", None, own_day, None)]


def test_record_with_another_name_or_a_number_that_was_unknown_is_the_same_holder() -> None:
    for before, after in (
        (corporate(), corporate(holder_name="Renamed Ltd")),
        (corporate(None), corporate(TWO)),
        (corporate(), corporate(None)),
        (holding("p1", 25, 50), holding("p1", 25, 50, holder_name="Åsa Gift")),
    ):
        found = seen(frame(HOLDINGS, before), NEXT, after)
        assert found["native_id"].to_list() == ["p1"]
        assert found["ended_on"].to_list() == [None]


def test_record_of_another_person_is_an_exit_and_an_entry() -> None:
    first = seen(frame(HOLDINGS), DAY, holding("p1", 75, 100))
    ann = holding("p1", 75, 100, holder_name="Ann Other")
    second = seen(first, NEXT, ann, number=2)
    expected = [("p1", None, date(2020, 5, 1), NEXT), ("p1#person2", None, NEXT, None)]
    assert lines(second) == expected
    assert lines(seen(second, LATER, ann | {"holder_name": "Ann Married"}, number=2)) == expected
    third = seen(second, LATER, holding("p1", 75, 100, holder_name="Cy Third"), number=3)
    assert lines(third) == [expected[0], ("p1#person2", None, NEXT, LATER), ("p1#person3", None, LATER, None)]


def test_record_of_another_foreign_company_is_an_exit_and_an_entry() -> None:
    first = seen(frame(HOLDINGS), DAY, corporate(None))
    found = seen(first, NEXT, corporate(None, holder_name="Other GmbH"), number=2)
    assert lines(found) == [("p1", None, date(2020, 5, 1), NEXT), ("p1#company2", None, NEXT, None)]
    british = seen(first, NEXT, corporate(TWO), number=2)
    assert lines(british)[1] == (f"p1#{TWO}", TWO, NEXT, None), "a company number is the id where there is one"


def test_record_that_is_given_back_by_its_number_is_the_first_holder_whatever_its_place() -> None:
    second = seen(seen(frame(HOLDINGS), DAY, corporate()), NEXT, corporate(TWO), number=2)
    assert lines(seen(second, LATER, corporate(), number=3))[0] == ("p1", ONE, date(2020, 5, 1), None)


def test_record_of_a_dated_register_keeps_its_id() -> None:
    first = frame(HOLDINGS, corporate())
    found = with_changed_subjects(frame(HOLDINGS, corporate(TWO)), first, NEXT, ("xx.owners",))
    assert found["native_id"].to_list() == ["p1"]
