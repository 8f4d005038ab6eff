"""Every declared mutant still fits the code: its line, its file and its test are there. `make mutants` runs them."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.mutants import MUTANTS
from tests.mutants.mutant import Mutant, StaleError, read
from tests.tables import check_cases

ROOT = Path(__file__).resolve().parents[2]
FEWEST = 25


@check_cases("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_a_mutant_fits_the_code(mutant: Mutant) -> None:
    text = read(ROOT, mutant)
    assert mutant.applied(text) != text
    tests = (ROOT / mutant.test_file).read_text(encoding="utf-8")
    assert re.search(rf"^\s*(?:async )?def {mutant.test_function}\(", tests, re.MULTILINE), mutant.test


def test_there_are_enough_and_no_name_stands_twice() -> None:
    assert len(MUTANTS) >= FEWEST
    assert [name for name, count in Counter(one.name for one in MUTANTS).items() if count > 1] == []


@pytest.mark.parametrize(
    ("line", "broken", "why"),
    [
        ("three = 3", "three = 4", "0 lines"),
        ("one = 1", "one = 2", "2 lines"),
        ("two = 2", "two = 2", "the line itself"),
    ],
)
def test_a_declaration_that_no_longer_fits_is_stale(line: str, broken: str, why: str) -> None:
    mutant = Mutant("some break", "some/file.py", line, broken, "tests/test_some.py::test_it[case]")
    with pytest.raises(StaleError, match=why):
        mutant.applied("one = 1\nif two:\n    one = 1\ntwo = 2\n")
    assert mutant.test_function == "test_it"


def test_only_the_named_line_is_broken_and_keeps_its_place() -> None:
    mutant = Mutant("some break", "some/file.py", "return a < b", "return a <= b", "tests/test_some.py::test_it")
    assert mutant.applied("def f():\n    return a < b\n") == "def f():\n    return a <= b\n"


def test_a_file_that_is_gone_is_stale() -> None:
    mutant = Mutant("some break", "no/such.py", "a", "b", "tests/test_some.py::test_it")
    with pytest.raises(StaleError, match="there is no"):
        read(ROOT, mutant)
