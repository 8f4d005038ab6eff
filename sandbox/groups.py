"""Groups of companies of a world: which company holds which, by which register, and the registers' files of it.

Members are companies of Norway and Sweden without a story. They are held by accounting consolidation (GLEIF level 2),
but for the half shares, which the Norwegian group structure states:

    parent -> child -> grandchild, of whom the parent is the ultimate one
    parent -> a Swedish child
    parent -50 %-> joint <-50 %- partner
    one -> other -> one

Does not belong here: what the service answers (`expected_groups`), or LEIs (`shared.gleif_http`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sandbox.model.company import Company
from sandbox.shared.files import write_file, write_json
from sandbox.shared.gleif_http import company_lei, lei_record
from sandbox.world import World

DIRECT, ULTIMATE = "IS_DIRECTLY_CONSOLIDATED_BY", "IS_ULTIMATELY_CONSOLIDATED_BY"
HALF: Final = 50
SINCE: Final = "2021-05-03"
MARKETS: Final = ("NO", "SE")
_NORWEGIAN: Final = 7
_FORMS: Final = {"NO": ("AS", "ASA"), "SE": ("AB",)}
_COLUMNS: Final = (
    *("Relationship.StartNode.NodeID", "Relationship.EndNode.NodeID", "Relationship.RelationshipType"),
    *("Relationship.RelationshipStatus", "Registration.RegistrationStatus", "Registration.LastUpdateDate"),
    *(f"Relationship.Period.1.{part}" for part in ("startDate", "endDate", "periodType")),
)


@dataclass(frozen=True, slots=True)
class Consolidation:
    """A company whose accounts are part of those of a parent, by LEI. kinds: directly, ultimately, or both."""

    held: Company
    holder: Company
    kinds: tuple[str, ...] = (DIRECT,)


@dataclass(frozen=True, slots=True)
class HalfShare:
    """A stake of 50 % in the Norwegian group structure."""

    held: Company
    holder: Company


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """All relations of a world's groups."""

    consolidations: tuple[Consolidation, ...] = ()
    half_shares: tuple[HalfShare, ...] = ()

    @property
    def with_leis(self) -> list[Company]:
        """Companies that have an LEI, each once."""
        both = [company for one in self.consolidations for company in (one.holder, one.held)]
        return list({company.company_id: company for company in both}.values())


def plan_groups(world: World) -> GroupPlan:
    """The groups of a world; none without `groups`. Raises ValueError if it has too few companies without a story."""
    if not world.groups:
        return GroupPlan()
    norwegian, swedish = list(islice(_members(world, "NO"), _NORWEGIAN)), next(_members(world, "SE"), None)
    joint = next((company for company in norwegian if any(one.group for one in company.accounts)), None)
    if swedish is None or joint is None or len(norwegian) < _NORWEGIAN:
        raise ValueError("groups need more companies without a story: of Norway and Sweden")
    parent, child, grandchild, partner, one, other = (company for company in norwegian if company is not joint)
    return GroupPlan(
        (
            Consolidation(child, parent, (DIRECT, ULTIMATE)),
            Consolidation(grandchild, child),
            Consolidation(grandchild, parent, (ULTIMATE,)),
            Consolidation(swedish, parent, (DIRECT, ULTIMATE)),
            Consolidation(one, other),
            Consolidation(other, one),
        ),
        (HalfShare(joint, parent), HalfShare(joint, partner)),
    )


def _members(world: World, market: str) -> Iterator[Company]:
    """Companies that a group may have. One with group accounts says that it is in a group, which `joint` must."""
    if market not in world.markets:
        return
    found = [
        company
        for company in world.quiet(market)
        if company.status == "active" and company.form in _FORMS[market] and not company.holders
    ]
    is_in_group = [any(accounts.group for accounts in company.accounts) for company in found]
    yield from (company for company, inside in zip(found, is_in_group, strict=True) if inside)
    yield from (company for company, inside in zip(found, is_in_group, strict=True) if not inside)


def write_day(world: World, day: int, folder: Path) -> None:
    """The files of the first day, below the folders of the markets."""
    plan = plan_groups(world)
    if day or not plan.consolidations:
        return
    records = json.dumps(
        {
            "meta": {"goldenCopy": {"publishDate": f"{world.date(day)}T00:00:00Z"}},
            "data": [lei_record(company) for company in plan.with_leis],
        }
    ).encode()
    for market in MARKETS:
        write_file(folder / market.lower() / "gleif" / "lei-records.json", records)
        write_file(folder / market.lower() / "gleif" / "gleif-rr-groups.csv", relations_csv(plan))
    for share in plan.half_shares:
        name = f"konsernstruktur-{share.holder.number}.json"
        write_json(folder / "no" / "konsernstruktur" / name, group_structure(share), indent=2)


def relations_csv(plan: GroupPlan) -> bytes:
    """Relationships of GLEIF as CSV, with the columns that are read."""
    since = f"{SINCE}T00:00:00Z"
    state = ("ACTIVE", "PUBLISHED", since, since, "", "RELATIONSHIP_PERIOD")
    rows = [
        (company_lei(one.held), company_lei(one.holder), kind, *state)
        for one in plan.consolidations
        for kind in one.kinds
    ]
    return "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in (_COLUMNS, *rows)).encode()


def group_structure(share: HalfShare) -> dict[str, Any]:
    """The Norwegian register's answer for a holder: its group, of one member."""
    holder, held = share.holder, share.held
    return {
        **_node(holder),
        "children": [
            {
                "nivaa": 1,
                "knytningsform": {"kode": "KGRL", "beskrivelse": "Konsern grunnlag"},
                **_node(held),
                "parentNavn": holder.name,
                "parentOrganisasjonsnummer": holder.number,
                "grunnlag": f"{HALF}%",
                "dato": SINCE,
                "children": [],
            }
        ],
    }


def _node(company: Company) -> dict[str, Any]:
    form = {"kode": company.form, "beskrivelse": company.form}
    return {"organisasjonsnummer": company.number, "navn": company.name, "organisasjonsform": form}
