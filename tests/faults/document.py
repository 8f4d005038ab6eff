"""docs/faults.md: what each fault does at each step, as the tests show it (`python -m tests.faults`).

Belongs here: writing declarations down for people. Does not belong here: the declarations (`matrix`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tests.faults.declared import Cell, Fault, Untouched, cells_of

_INTRODUCTION: Final = """# What goes wrong, and what comes of it

Every fault that this product must live with, at every step of its way: how the tests provoke it, what the operator
reads, what is not lost, and what the next run does. Of an ingest, the next run is the same command again, or the one of
the schedule; nothing has to be cleaned up by hand, but for what the message names. `firm doctor` looks at disk, clock,
database and keys; [deploy/alerts.yml](../deploy/alerts.yml) has the alerts.

Made of the declarations that the tests assert (`tests/faults`) by `make docs`: «…» stands for what differs from run to
run. Steps are those of the declarations: assets of a market's job, parts of a process that delivers, serving.
"""
_HEAD: Final = "| step | provoked by | the operator sees | not lost | the next run | shown by |\n|---|---|---|---|---|---|"
_SHOWN, _UNTOUCHED = "●", "–"
Row = tuple[str, ...]


def document(steps: Iterable[str], cells: Iterable[Cell], untouched: Iterable[Untouched]) -> str:
    """The page, as Markdown."""
    steps, cells, untouched = tuple(steps), tuple(cells), tuple(untouched)
    return "\n".join(
        [
            _INTRODUCTION,
            *_overview(steps, cells),
            *(line for fault in Fault for line in _section(fault, cells, untouched)),
        ]
    )


def _overview(steps: tuple[str, ...], cells: tuple[Cell, ...]) -> Iterator[str]:
    yield f"{_SHOWN}: a test shows it; {_UNTOUCHED}: the fault cannot meet the step, for the reason given below.\n"
    yield _row(("", *steps))
    yield _row(("---", *(":-:" for _ in steps)))
    met = {(cell.fault, cell.step) for cell in cells}
    for fault in Fault:
        yield _row((fault, *(_SHOWN if (fault, step) in met else _UNTOUCHED for step in steps)))
    yield ""


def _section(fault: Fault, cells: tuple[Cell, ...], untouched: tuple[Untouched, ...]) -> Iterator[str]:
    yield f"## {fault[0].upper()}{fault[1:]}\n"
    yield _HEAD
    groups: dict[Row, list[str]] = {}
    for cell in cells_of(fault, cells):
        groups.setdefault(_cells(cell), []).append(cell.step)
    for row, steps in groups.items():
        yield _row((", ".join(steps), *row))
    yield ""
    yield from (f"- {', '.join(one.steps)}: {one.because}." for one in untouched if one.fault is fault)
    yield ""


def _cells(cell: Cell) -> Row:
    says = f"`{cell.says}`" if cell.says else ""
    code = "" if cell.exit_code is None else f"exit code {cell.exit_code}"
    seen = "; ".join(filter(None, (code, says))) or "nothing"
    return cell.provoked, seen, cell.stays, cell.heals, "<br>".join(f"`{test}`" for test in cell.shown_by)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
