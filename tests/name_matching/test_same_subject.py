"""Whether two versions of one record are about the same subject."""

from name_matching.same_subject import is_same_name, is_same_subject
from tests.tables import check_cases


@check_cases(
    ("before", "after"),
    [
        ("Mr John Smithson", "Mr Jon Smithson"),
        ("ANN EXAMPLE", "Ann Example"),
        ("Håkon Å. Berg", "Hakon A Berg"),
        ("Smith, John", "John Smith"),
        ("John Smith", "Mr John Andrew Smith"),
        ("John R Smithson", "J John R Smithson"),
        ("John A Smith", "John Smith"),
        ("Exempel Förvaltning AB (publ)", "Exempel Forvaltning AB"),
        ("Länsförsäkringar Fondförvaltning", "Länsforsäkringar Fondförvaltnig"),
    ],
)
def test_is_same_name_of_another_spelling_is_true(before: str, after: str) -> None:
    assert is_same_name(before, after)
    assert is_same_name(after, before)


@check_cases(
    ("before", "after"),
    [
        ("Mrs Ann Example", "Mr Peter Stranger"),
        ("Alpha Fund 1 LP", "Alpha Fund 2 LP"),
        ("Alpha Fund I", "Alpha Fund II"),
        ("Alpha Fund", "Alpha Fund II"),
        ("Alpha Trust Series A", "Alpha Trust Series B"),
        ("Mr John A Smithson", "Mr John B Smithson"),
        ("Bo", "Bo Ek"),
        ("Ann", "Anna Lind"),
        ("ABB", "ABC"),
    ],
)
def test_is_same_name_of_another_name_is_false(before: str, after: str) -> None:
    assert not is_same_name(before, after)
    assert not is_same_name(after, before)


def test_is_same_subject_with_numbers_ignores_names() -> None:
    assert is_same_subject([("0012-345", "12345")], [("Old Name AB", "Quite Other AB")])
    assert not is_same_subject([("12345", "54321")], [("Same AB", "Same AB")])


def test_is_same_subject_with_a_number_in_one_version_only_compares_names() -> None:
    assert not is_same_subject([("12345", None)], [("Ann Example", "Peter Stranger")])
    assert is_same_subject([("12345", None)], [("Ann Example", "Ann Exampel")])


def test_is_same_subject_with_nothing_stated_twice_is_true() -> None:
    assert is_same_subject([(None, "12345")], [("Ann Example", None)])
    assert is_same_subject([], [])
