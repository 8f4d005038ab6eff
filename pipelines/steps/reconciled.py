"""Records of one holder in several registers to one line: whose share counts, and how they agree.

Belongs here: precedence of registers, and what an end in one of them says of the others. Does not belong here:
which records speak of one holder (`holders`), or since when the line's share holds (`ownership`).

The register that stands first decides (FORMAT no 13.5): a notice of a crossing before a group's structure, that
before a yearly list, that before roles. A share of votes without one of capital makes an older share of capital
out of date; what has ended in a register has ended in those behind it, unless they speak of a later day.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

Record = Mapping[str, Any]

AGREED: Final = "agreed"
CONFLICT: Final = "conflict"
LATEST: Final = "latest_wins"
APART: Final = Decimal("0.5")  # points by which two sources may differ and still agree (CONTRACT 4.4)
CAPITAL: Final = ("pct", "pct_min", "pct_max")
VOTES: Final = ("votes_pct", "votes_min", "votes_max")


def reconciled(records: Sequence[Record], precedence: Sequence[str]) -> tuple[dict[str, Any], list[Record]]:
    """One row of several records of one holder, and the records in order of their word."""
    ordered = sorted(records, key=lambda record: _rank(record, precedence))
    live = [record for record in ordered if _is_live(record, ordered)]
    heard = live or ordered
    capital = _capital(heard)
    votes = next((record for record in heard if _states(record, VOTES)), None)
    decides = capital or votes or heard[0]
    row = dict(decides)
    row |= {name: capital[name] if capital else None for name in CAPITAL}
    row |= {name: votes[name] if votes else None for name in VOTES}
    for name in ("holder_name", "holder_company_id", "holder_country"):
        row[name] = next((record[name] for record in heard if record[name] is not None), None)
    kinds = [record["holder_type"] for record in heard]
    row["holder_type"] = next((kind for kind in kinds if kind != "unknown"), "unknown")
    row["ended_on"] = None if live else max(day for record in ordered if (day := record["ended_on"]))
    row["observed_at"] = max(record["observed_at"] for record in ordered)
    row["reconciliation"] = _agreement(heard, decides)
    return row, [decides, *(record for record in ordered if record is not decides)]


def dated(record: Record) -> date:
    """The day a record speaks of."""
    return record["valid_from"] or record["observed_at"].date()


def _rank(record: Record, precedence: Sequence[str]) -> tuple[int, int, str]:
    register = record["register"]
    place = precedence.index(register) if register in precedence else len(precedence)
    return place, -dated(record).toordinal(), register


def _is_live(record: Record, ordered: Sequence[Record]) -> bool:
    if record["ended_on"] is not None:
        return False
    before = ordered[: ordered.index(record)]
    return not any(other["ended_on"] is not None and other["ended_on"] >= dated(record) for other in before)


def _states(record: Record, names: tuple[str, ...]) -> bool:
    return any(record[name] is not None for name in names)


def _capital(heard: Sequence[Record]) -> Record | None:
    """Whose share of capital counts: not one that is older than a share of votes of somebody before."""
    newest = date.min
    for record in heard:
        if _states(record, CAPITAL):
            return record if dated(record) >= newest else None
        if _states(record, VOTES):
            newest = max(newest, dated(record))
    return None


def _agreement(heard: Sequence[Record], decides: Record) -> str:
    """How those agree that state a share of capital; of other days they were overtaken, of one they conflict."""
    stated = [record for record in heard if record["pct"] is not None and record is not decides]
    share = decides["pct"]
    apart = [] if share is None else [record for record in stated if abs(record["pct"] - share) > APART]
    if not apart:
        return AGREED
    return CONFLICT if any(dated(record) == dated(decides) for record in apart) else LATEST
