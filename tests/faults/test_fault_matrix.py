"""The table of faults has no hole, names tests that there are, and says what they assert."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

from tests.faults.declared import GAP, Cell, Fault
from tests.faults.matrix import CELLS, UNTOUCHED
from tests.faults.steps import every_step
from tests.firm.conftest import ROOT
from tests.tables import check_cases

OURS = Path("tests/faults")


@cache
def functions_of(path: Path) -> dict[str, str]:
    """The test functions of a module, also of its classes, and their source."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return {
        node.name: ast.get_source_segment(text, node) or ""
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_every_fault_at_every_step_is_told_once() -> None:
    told = Counter([(cell.fault, cell.step) for cell in CELLS])
    told.update((one.fault, step) for one in UNTOUCHED for step in one.steps)
    due = set(product(Fault, every_step()))
    assert (due - told.keys(), told.keys() - due) == (set(), set())
    assert [place for place, times in told.items() if times > 1] == []


def test_every_reason_says_something() -> None:
    assert all(one.because and one.steps for one in UNTOUCHED)
    for cell in CELLS:
        assert all((cell.provoked, cell.stays, cell.heals, cell.shown_by)), cell


SHOWING = sorted({test for cell in CELLS for test in cell.shown_by})


@check_cases("test", SHOWING, ids=SHOWING)
def test_what_shows_a_cell_is_there(test: str) -> None:
    path, _, name = test.partition("::")
    assert name in functions_of(Path(path))


@check_cases("cell", CELLS, ids=[f"{cell.fault}-{cell.step}" for cell in CELLS])
def test_what_is_said_stands_in_a_test(cell: Cell) -> None:
    """Tests of ours compare it with what was written (`Cell.is_said_in`); others have it word for word."""
    shown = [(Path(path), name) for path, _, name in (test.partition("::") for test in cell.shown_by)]
    if any(path.parent == OURS for path, _ in shown):
        return
    sources = [functions_of(path)[name].replace("\\", "") for path, name in shown]
    missing = [part for part in cell.says.split(GAP) if not any(part in source for source in sources)]
    assert missing == []
