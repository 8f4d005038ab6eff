"""What a case of reconciliation is made of: records in, lines and events out (see `test_reconciliation_table`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from tests.pipelines.frames import COMPANY, holding
from warehouse.schema.decisions import HolderDecision
from warehouse.schema.ids import holder_id

NOTICE, GROUP, YEARLY, ROLES = "no.newsweb", "no.konsern", "no.aksjonaer", "no.roller"
SCHEDULE, INSIDER, MANAGER = "us.schedule13", "us.insiders", "us.form13f"
TR1, PSC, GLEIF = "uk.nsm", "uk.psc", "xx.lei"
PRECEDENCE = (NOTICE, GROUP, YEARLY, SCHEDULE, INSIDER, MANAGER, TR1, PSC)
END_OF_YEAR = date(2025, 12, 31)
PARENT, OTHER = "firm:FI:0000002-0", "firm:FI:0000003-1"


def told(register: str, holder: str | None, share: Any = None, day: str | None = "2025-12-31", **values: Any):
    """One record. `share`: a figure, «25-50» for a band, «=9.9» for one that a joint filer leaves to its lead."""
    given: dict[str, Any] = {"register": register, "holder_name": holder, "holder_type": "company"}
    given |= {"valid_from": None if day is None else date.fromisoformat(day)}
    text = None if share is None else str(share)
    if text is None:
        given |= {"pct_min": None, "basis": None}
    elif text.startswith("="):
        given |= {"pct_min": text[1:], "pct_max": text[1:], "basis": "exact"}
    elif "-" in text:
        low, high = text.split("-")
        given |= {"pct_min": low, "pct_max": high, "basis": "band"}
    else:
        given |= {"pct": text, "pct_min": text, "pct_max": text, "basis": "exact"}
    if "votes" in values:
        votes = values.pop("votes")
        given |= {"votes_pct": votes, "votes_min": votes, "votes_max": votes}
        given["basis"] = given["basis"] or "exact"
    ended = values.pop("ended", None)
    given["ended_on"] = None if ended is None else date.fromisoformat(ended)
    short = {"number": "holder_company_id", "country": "holder_country", "kind": "holder_type", "cls": "share_class"}
    given |= {short.get(name, name): value for name, value in values.items() if name != "id"}
    return holding(values.get("id") or (holder or "secret").casefold(), **given)


def own(register: str, native: str) -> str:
    """A record's own id."""
    return holder_id(COMPANY, register, native.casefold())


def same(one: str, other: str) -> HolderDecision:
    return HolderDecision(COMPANY, one, other, is_same=True)


def different(one: str, other: str) -> HolderDecision:
    return HolderDecision(COMPANY, one, other, is_same=False)


@dataclass(frozen=True)
class Case:
    """Records of one company, and the lines (columns to values) and events they make.

    before: the records of the state known before, where events are told of. events: holder, previous, current,
    thresholds.
    """

    name: str
    records: Sequence[dict[str, Any]]
    lines: Sequence[dict[str, Any]]
    before: Sequence[dict[str, Any]] | None = None
    events: Sequence[tuple[str, float, float, list[int]]] = ()
    verdicts: Sequence[HolderDecision] = ()
    verdicts_before: Sequence[HolderDecision] = field(default=())


def line(name: str | None, share: Any = None, how: str = "single", *registers: str, **values: Any):
    """An expected line: share as in `told`, how its sources agree, its registers with the one that decides first."""
    text = None if share is None else str(share)
    row: dict[str, Any] = {"holder_name": name, "reconciliation": how}
    if text is None or text.startswith("=") or "-" in text:
        row["pct"] = None
    else:
        row["pct"] = float(text)
    if text and text.startswith("="):
        row |= {"pct_min": float(text[1:]), "pct_max": float(text[1:])}
    elif text and "-" in text:
        row |= dict(zip(("pct_min", "pct_max"), map(float, text.split("-")), strict=True))
    if registers:
        row["registers"] = list(registers)
    return row | values
