"""Keyed marks tell persons of one name apart, and say nothing else."""

from connectors.kit.redact.person_marks import PersonMarker
from tests.tables import check_cases

ONE, OTHER = PersonMarker(b"1" * 32), PersonMarker(b"2" * 32)


def test_mark_differs_by_month_year_and_company_and_repeats_for_one_person() -> None:
    marks = [
        ONE.mark(company, year, month)
        for company in ("01234567", "07654321")
        for year in (1948, 1979)
        for month in (3, 9, 11)
    ]
    assert len(set(marks)) == len(marks)
    assert ONE.mark("01234567", 1948, 3) == ONE.mark("01234567", "1948", "03")


def test_mark_begins_with_the_id_of_its_key_and_has_no_part_of_the_birth() -> None:
    one, other = ONE.mark("01234567", 1948, 3), OTHER.mark("01234567", 1948, 3)
    assert one is not None
    assert other is not None
    assert (one.partition("-")[0], other.partition("-")[0]) == (ONE.key_id, OTHER.key_id)
    assert one.partition("-")[2] != other.partition("-")[2]
    assert ONE.key_id != OTHER.key_id
    assert "1948" not in one


@check_cases(
    ("year", "month"),
    [
        (None, 3),
        (1948, None),
        (1948, 0),
        (1948, 13),
        (48, 3),
        (1948.0, 3),
        (True, True),
        ("19x8", 3),
        (1948, "3 "),
        (9999, 3),
    ],
)
def test_mark_of_a_missing_or_impossible_birth_is_none(year: object, month: object) -> None:
    assert ONE.mark("01234567", year, month) is None


def test_key_is_not_shown() -> None:
    assert "1111" not in repr(ONE)
