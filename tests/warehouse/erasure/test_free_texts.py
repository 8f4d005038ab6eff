"""Free texts: a subject is found by the hashes of its tombstone alone, however the text spells it."""

from datetime import UTC, datetime

from tests.tables import check_cases
from warehouse.erasure.free_texts import TextRedactor
from warehouse.erasure.tombstones import Tombstone

_BARE = Tombstone("own_1", "NO", "firm:NO:1", datetime(2026, 1, 1, tzinfo=UTC), "request", salt="salt")
STONE = Tombstone(
    "own_1",
    "NO",
    "firm:NO:1",
    datetime(2026, 1, 1, tzinfo=UTC),
    "request",
    salt="salt",
    traces=tuple(map(_BARE.trace, ("Ådne Ærlig-Jones", "DTPR:kari værsten", "HANSENBYGG"))),
)
REDACTOR = TextRedactor((STONE,))


@check_cases(
    ("text", "names"),
    [
        ("owners/Ådne Ærlig-Jones.json", 1),
        ("owners/adne_aerlig_jones-2026.json", 1),
        ("owners/A\u030adne Ærlig Jones.json", 1),
        ("https://register.example/persons/%C3%85dne-%C3%86rlig-Jones?page=2", 1),
        ("DTPR:kari værsten and ÅDNE ÆRLIG JONES", 2),
        ("Hansenbygg", 1),
        ("Ådne Ærlig", 0),
        ("Jones Ådne Ærlig", 0),
        ("Ådne 7 Ærlig-Jones", 0),
        ("kari værsten", 0),
        ("810005912.json", 0),
        ("", 0),
    ],
)
def test_redact_text_replaces_each_name(text: str, names: int) -> None:
    redacted = REDACTOR.redact_text(text)
    assert redacted.count("erased-") == names
    assert (redacted == text) == (names == 0)
    assert REDACTOR.mentions(text) == bool(names)
    assert len(REDACTOR.phrases(text)) == names
    assert REDACTOR.redact_text(redacted) == redacted


def test_redact_text_keeps_the_rest_of_a_name_and_two_names_apart() -> None:
    one, two = (REDACTOR.redact_text(f"no/810005912-{name}.json") for name in ("Ådne Ærlig-Jones", "HANSENBYGG"))
    assert one != two
    assert all(name.startswith("no/810005912-erased-") and name.endswith(".json") for name in (one, two))


def test_redact_json_leaves_cursors_and_values_that_are_no_texts() -> None:
    value = {"name": "Hansenbygg", "cursor": "Hansenbygg", "rows": 3, "files": [{"reason": None}, "Hansenbygg"]}
    redacted = REDACTOR.redact_json(value)
    assert redacted == {
        "name": redacted["name"],
        "cursor": "Hansenbygg",
        "rows": 3,
        "files": [{"reason": None}, redacted["name"]],
    }
    assert redacted["name"].startswith("erased-")
    assert TextRedactor(()).redact_json(value) == value
