"""Events planned beside events made, by market and type, as a table.

Does not belong here: living the world (`test_matrix`), or what an event says (`test_world`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from warehouse.schema.codes import EVENT_TYPES, SERVED

BEGIN = "<!-- matrix of events: tests/firm/test_matrix.py -->"
END = "<!-- end of the matrix -->"
Cell = tuple[str, str]  # market, type of event
Events = Mapping[str, Cell]  # by id


@dataclass(frozen=True, slots=True)
class Count:
    """One cell."""

    planned: int
    made: int
    missing: int
    extra: int

    @property
    def is_exact(self) -> bool:
        return self.missing == self.extra == 0


def counted(planned: Events, made: Events) -> dict[Cell, Count]:
    """Every cell, also those where nothing was planned or made."""
    due, found = Counter(planned.values()), Counter(made.values())
    missing = Counter(planned[key] for key in planned.keys() - made.keys())
    extra = Counter(made[key] for key in made.keys() - planned.keys())
    cells = ((market, kind) for market in SERVED for kind in EVENT_TYPES)
    return {cell: Count(due[cell], found[cell], missing[cell], extra[cell]) for cell in cells}


def table(counts: Mapping[Cell, Count], without: Mapping[Cell, str], markets: Iterable[str] = SERVED) -> str:
    """As Markdown, of all markets that are served or of some: made of planned; a dash and a number where a market has no source, and the reasons below."""
    reasons = list(dict.fromkeys(without.values()))
    head = ["| market |", *(f" `{kind}` |" for kind in EVENT_TYPES)]
    lines = ["".join(head), "|---|" + "--:|" * len(EVENT_TYPES)]
    for market in markets:
        cells = (_cell(counts[market, kind], without.get((market, kind)), reasons) for kind in EVENT_TYPES)
        lines.append("".join([f"| {market} |", *(f" {cell} |" for cell in cells)]))
    notes = [f"{place}. {reason}" for place, reason in enumerate(reasons, start=1)]
    return "\n".join([*lines, *(["", *notes] if notes else [])])


def _cell(count: Count, reason: str | None, reasons: list[str]) -> str:
    if reason is not None:
        return f"— ({reasons.index(reason) + 1})"
    wrong = "" if count.is_exact else f" ({count.missing} missing, {count.extra} extra)"
    return f"{count.made} of {count.planned}{wrong}"


def block(text: str) -> str:
    """What stands between the marks in a document; empty where there are none."""
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def of(rows: Iterable[tuple[str, str, str]]) -> dict[str, Cell]:
    """Events by id from (id, company id, type)."""
    return {event_id: (company.split(":")[1], kind) for event_id, company, kind in rows}
