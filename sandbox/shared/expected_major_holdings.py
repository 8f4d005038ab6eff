"""Expected output for notices of holdings in all markets (docs/contract/contract.md 4.4 to 4.6).

A holder is identified by name: notices have no other key. Belongs here: crossings, ids, owners of Swedish
companies. Does not belong here: the holdings counted in a Finnish notice (`fi.expected`).
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Final

from sandbox.model.company import Company
from sandbox.model.fi import FlaggedChange
from sandbox.model.se import HoldingNotice
from warehouse.schema import codes, ids

REGISTERS: Final = {"FI": "fi.flagging", "SE": "se.flagging"}
Row = dict[str, Any]


def crossing_event_parts(company: Company, change: FlaggedChange) -> tuple[str, str, Row, Row]:
    """One crossing: id, type, key and core."""
    low, high = sorted((change.previous, change.current))
    holder = holder_id(company, change.holder)
    core: Row = {
        "holder_name": change.holder,
        "previous_pct": json_number(change.previous),
        "current_pct": json_number(change.current),
        "holder_id": holder,
        "direction": "up" if change.current > change.previous else "down",
        "thresholds_crossed": [limit for limit in codes.THRESHOLDS if low < limit <= high],
        "basis": change.basis,
        "as_of": change.as_of.isoformat(),
    }
    event_id = ids.ownership_changed_id(company.company_id, holder, change.as_of, change.previous, change.current)
    key = {
        "register": REGISTERS[company.market],
        "holder": holder_key(change.holder),
        "as_of": core["as_of"],
        "previous": str(change.previous),
        "current": str(change.current),
    }
    return event_id, "ownership.changed", key, {"change": core}


def holder_key(name: str) -> str:
    """The name in letters a to z, as holders are compared; our names have no sign but these."""
    return " ".join(name.casefold().translate(str.maketrans("åäö", "aao")).split())


def holder_id(company: Company, name: str) -> str:
    return ids.holder_id(company.company_id, REGISTERS[company.market], holder_key(name))


def json_number(percent: Decimal | None) -> int | float | None:
    """The shortest JSON spelling of a percentage."""
    if percent is None:
        return None
    return int(percent) if percent == percent.to_integral_value() else float(percent)


def expected_swedish_owners(company: Company, day: date) -> list[Row]:
    """Holders by their current notice, largest first."""
    known = [one for one in company.swedish.stakes.values() if one.crossed_on <= day]
    return [_owner_row(company, one) for one in sorted(known, key=lambda one: (-one.now.least, one.holder))]


def _owner_row(company: Company, notice: HoldingNotice) -> Row:
    """An owner row; a limit alone is a band: from it to the whole, or from zero to it."""
    now = notice.now
    return {
        "native_id": holder_key(notice.holder),
        "holder_id": holder_id(company, notice.holder),
        "holder_name": notice.holder,
        "holder_country": None,
        "pct": json_number(now.shares),
        "pct_min": json_number(now.least),
        "pct_max": json_number(now.shares or now.below or Decimal(100)),
        "votes_pct": json_number(now.votes),
        "basis": "band" if now.shares is None else "exact",
        "holder_company_id": None,
    }
