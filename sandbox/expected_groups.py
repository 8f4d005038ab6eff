"""Expected relations of the world's groups, and the owners that they are (docs/contract/contract.md 4.4, 4.4a).

Does not belong here: the plan itself, or the registers' files (`groups`).
"""

from __future__ import annotations

from sandbox.groups import HALF, SINCE, ULTIMATE, Consolidation, GroupPlan, HalfShare
from sandbox.model.company import Company
from sandbox.shared.expected_rows import Row
from sandbox.shared.gleif_http import company_lei
from warehouse.schema import ids


def expected_relations(plan: GroupPlan) -> list[Row]:
    """Every relation: held company, holder, kind, share. `is_line` false: an ultimate parent over a direct one."""
    consolidated = [
        {
            "held": one.held.company_id,
            "holder": one.holder.company_id,
            "holder_id": _holder_id(one.held, "lei_parents", company_lei(one.holder)),
            "relation": "accounting_consolidation",
            "pct": None,
            "is_line": one.kinds != (ULTIMATE,),
        }
        for one in plan.consolidations
    ]
    shares = [
        {
            "held": one.held.company_id,
            "holder": one.holder.company_id,
            "holder_id": _holder_id(one.held, "konsern", one.holder.number),
            "relation": "shareholding",
            "pct": HALF,
            "is_line": True,
        }
        for one in plan.half_shares
    ]
    return [*consolidated, *shares]


def expected_owners(plan: GroupPlan, company: Company) -> list[Row]:
    """Owners of a company by its groups."""
    rows = [_consolidating_owner(one) for one in plan.consolidations if one.held.company_id == company.company_id]
    return rows + [_half_owner(one) for one in plan.half_shares if one.held.company_id == company.company_id]


def _holder_id(held: Company, dataset: str, native_id: str) -> str:
    return ids.holder_id(held.company_id, f"{held.market.lower()}.{dataset}", native_id)


def _consolidating_owner(one: Consolidation) -> Row:
    lei = company_lei(one.holder)
    return {
        "native_id": lei,
        "holder_id": _holder_id(one.held, "lei_parents", lei),
        **dict.fromkeys(("holder_name", "holder_country", "holder_company_id")),
        "holder_type": "unknown",
        **dict.fromkeys(("pct", "pct_min", "pct_max", "votes_pct", "basis")),
        "first_seen": SINCE,
    }


def _half_owner(one: HalfShare) -> Row:
    return {
        "native_id": one.holder.number,
        "holder_id": _holder_id(one.held, "konsern", one.holder.number),
        "holder_name": one.holder.name,
        "holder_type": "company",
        "holder_country": "NO",
        "holder_company_id": one.holder.company_id,
        **dict.fromkeys(("pct", "pct_min", "pct_max"), HALF),
        "votes_pct": None,
        "basis": "exact",
        "first_seen": SINCE,
    }
