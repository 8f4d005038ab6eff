"""Expected owners of Danish companies, and crossings of thresholds (docs/contract/contract.md 4.4 and 4.6).

Only the register of legal owners counts: its shares are the lower ends of statutory bands, of which the whole alone is
exact. Beneficial owners are not served. Does not belong here: code shared by all markets (`sandbox.expected`,
`sandbox.expected_events`).
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

from sandbox.model.company import Company
from sandbox.model.dk import LEGAL_OWNERS, DanishHolder, DatedValue, Stake, band_of
from sandbox.shared.expected_rows import HolderIdentity, Row, json_number
from warehouse.schema.identifiers import company_id

REGISTER: Final = "dk.virksomhed"
# By style of a report: the class of the Danish act on annual accounts that the report states
STANDARDS: Final = {
    **dict.fromkeys(("b", "b_revenue"), "ÅRL B"),
    **dict.fromkeys(("c", "c_group", "c_inline"), "ÅRL C"),
    "d_ifrs": "IFRS",
}
_TYPES: Final = {"PERSON": "person", "VIRKSOMHED": "company", "ANDEN_DELTAGER": "unknown"}


def holder_identity(holder: DanishHolder) -> HolderIdentity:
    """A participant as the register identifies it: by its internal number."""
    return HolderIdentity(REGISTER, str(holder.unit), holder.name, _TYPES[holder.kind])


def expected_owners(company: Company, day: date) -> list[Row]:
    """Present legal owners, largest lower bound first."""
    present = [
        (holder, stake)
        for holder in company.danish.holders
        if holder.register == LEGAL_OWNERS and (stake := holder.stake_on(day)) is not None
    ]
    return [_owner_row(company, *one) for one in sorted(present, key=_largest_first)]


def _largest_first(one: tuple[DanishHolder, DatedValue[Stake]]) -> tuple[Decimal, int]:
    holder, stake = one
    return -(stake.value.shares or Decimal(0)), holder.unit


def _owner_row(company: Company, holder: DanishHolder, stake: DatedValue[Stake]) -> Row:
    identity, percent = holder_identity(holder), stake.value.shares or Decimal(0)
    low, high = band_of(percent)
    is_exact = low == high
    return {
        "native_id": identity.native_id,
        "holder_id": identity.holder_id(company),
        "holder_name": identity.name,
        "holder_type": identity.holder_type,
        "holder_country": None if holder.is_hidden else holder.country,
        "holder_company_id": company_id(company.market, holder.number) if holder.number else None,
        "pct": json_number(percent) if is_exact else None,
        "pct_min": json_number(low),
        "pct_max": json_number(high),
        "basis": "exact" if is_exact else "band",
    }
