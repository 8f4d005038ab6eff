"""Expected output for Norwegian owners by role.

See docs/contract/contract.md 4.4 and 4.6, docs/formats/no.md 4 and 13.5.

A partner's share is the one stated; a proprietor and a head office own the whole. A person is identified by
name alone. Does not belong here: code shared by all markets (`sandbox.expected`, `sandbox.expected_events`).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from sandbox.model.company import Company
from sandbox.model.no import PartnerChange, RoleOwner
from warehouse.schema import codes, identifiers, ids

REGISTER: Final = "no.roller"
Row = dict[str, Any]


def expected_owners(company: Company) -> list[Row]:
    """Owners by role, largest share first."""
    ordered = sorted(company.norwegian.owners, key=lambda owner: (-(owner.percent or 0), _native_id(owner)))
    return [_owner_row(company, owner) for owner in ordered]


def _owner_row(company: Company, owner: RoleOwner) -> Row:
    percent = _json_number(owner.percent)
    ours = owner.number is not None and owner.form != "UTLA"
    return {
        "native_id": _native_id(owner),
        "holder_id": _holder_id(company, owner),
        "holder_name": _owner_name(owner),
        "holder_type": "person" if owner.number is None else "company",
        "holder_country": "NO" if ours else None,
        "holder_company_id": identifiers.company_id("NO", owner.number) if ours and owner.number else None,
        "pct": percent,
        "pct_min": percent,
        "pct_max": percent,
        "votes_pct": None,
        "basis": "exact",
    }


def _owner_name(owner: RoleOwner) -> str:
    return " ".join(part for part in owner.name if part)


def _native_id(owner: RoleOwner) -> str:
    return f"{owner.role}:{owner.number or _owner_name(owner).casefold()}"


def _holder_id(company: Company, owner: RoleOwner) -> str:
    return ids.holder_id(company.company_id, REGISTER, _native_id(owner))


def _json_number(percent: Decimal | None) -> int | float | None:
    if percent is None:
        return None
    return int(percent) if percent == percent.to_integral_value() else float(percent)


def event_parts(company: Company, change: PartnerChange) -> tuple[str, str, Row, Row]:
    """One crossing: id, type, key and core."""
    low, high = sorted((change.previous, change.current))
    holder = _holder_id(company, change.owner)
    core: Row = {
        "holder_name": _owner_name(change.owner),
        "previous_pct": _json_number(change.previous),
        "current_pct": _json_number(change.current),
        "holder_id": holder,
        "holder_type": "company",
        "direction": "up" if change.current > change.previous else "down",
        "thresholds_crossed": [limit for limit in codes.THRESHOLDS if low < limit <= high],
        "basis": "exact",
        "as_of": change.as_of.isoformat(),
    }
    event_id = ids.ownership_changed_id(company.company_id, holder, change.as_of, change.previous, change.current)
    key = {
        "register": REGISTER,
        "holder": _native_id(change.owner),
        "as_of": core["as_of"],
        "previous": str(change.previous),
        "current": str(change.current),
    }
    return event_id, "ownership.changed", key, {"change": core}
