"""Stories of the owners of Danish companies, in casting order.

The register of owners states the lower ends of statutory bands, which crossings carry (docs/contract/contract.md
4.6); a new owner comes from 0, one that left goes to 0. Beneficial owners are in the register's answers and must make
nothing. Does not belong here: everything else that happens to a company (`stories`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Final

from sandbox.companies.dk import initial_state
from sandbox.companies.dk.stories import prepare_active_company, record_change
from sandbox.companies.stories import Prepare, Step, Story, StoryDay, crossing_changes
from sandbox.model.company import Change, Company, ThresholdCrossing
from sandbox.model.dk import (
    BENEFICIAL_OWNERS,
    LEGAL_OWNERS,
    WHOLE,
    DanishHolder,
    Stake,
    band_of,
    end_value,
    supersede_value,
)

_ONE_DAY: Final = timedelta(days=1)
_NOTHING: Final = Decimal(0)


def _prepare_owners(*percents: str) -> Prepare:
    """Persons in the register of owners, each with a band, and the first of them as beneficial owner."""

    def prepare(scene: StoryDay, company: Company) -> None:
        prepare_active_company(scene, company)
        since = company.registered
        legal = [
            initial_state.personal_holder(
                scene.rng, company, serial, LEGAL_OWNERS, initial_state.first_stake(Decimal(percent), since)
            )
            for serial, percent in enumerate(percents, start=1)
        ]
        behind = [
            replace(one, register=BENEFICIAL_OWNERS, stakes=initial_state.first_stake(Decimal("41.5"), since))
            for one in legal[:1]
        ]
        company.danish.holders = [*legal, *behind]

    return prepare


def _crossing(holder: DanishHolder, scene: StoryDay, days_ago: int, now: Decimal, before: Decimal) -> list[Change]:
    """The change of a band's lower end as an event, if it crosses a threshold; nothing and the whole are exact."""
    bands = [band_of(share) for share in (before, now) if share]
    basis = "band" if any(low != high for low, high in bands) else "exact"
    day = scene.day - timedelta(days=days_ago)
    return crossing_changes(ThresholdCrossing(replace(holder), day, before, now, basis))


def _add_owner(make: str, percent: str) -> Step:
    """A company inside or outside Denmark becomes an owner."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        stakes = initial_state.first_stake(Decimal(percent), scene.day - _ONE_DAY)
        stakes[0].updated = scene.day
        maker = initial_state.corporate_holder if make == "company" else initial_state.foreign_holder
        holder = maker(company, 6, stakes)
        company.danish.holders.append(holder)
        record_change(scene, company)
        return _crossing(holder, scene, 1, Decimal(percent), _NOTHING)

    return step


def _change_band(percent: str, place: int = 0) -> Step:
    """An owner's holding falls into another band."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        holder, now = company.danish.holders[place], Decimal(percent)
        before = holder.stakes[-1].value.shares or _NOTHING
        supersede_value(holder.stakes, Stake(now, now), scene.day - _ONE_DAY, scene.day)
        record_change(scene, company)
        is_legal = holder.register == LEGAL_OWNERS
        return _crossing(holder, scene, 1, now, before) if is_legal else []

    return step


def _remove_owner(scene: StoryDay, company: Company) -> list[Change]:
    """An owner's last day was the day before yesterday."""
    holder = company.danish.holders[0]
    before = holder.stakes[-1].value.shares or _NOTHING
    end_value(holder.stakes, scene.day - 2 * _ONE_DAY, scene.day)
    record_change(scene, company)
    return _crossing(holder, scene, 2, _NOTHING, before)


STORIES: Final[tuple[Story, ...]] = (
    Story("new_owner", _prepare_owners("50"), (_add_owner("company", "33.33"),)),
    Story("new_foreign_owner", _prepare_owners(), (_add_owner("foreign", "5"),)),
    Story("whole_bought", _prepare_owners(), (_add_owner("company", str(WHOLE)),)),
    Story("sold_in_parts", _prepare_owners("50"), (_change_band("20"), _remove_owner)),
    Story("majority_bought", _prepare_owners("33.33", "15"), (_change_band("50"), _change_band("66.67"))),
    Story("owner_leaves", _prepare_owners("25", "25"), (_remove_owner,)),
    Story("within_thresholds", _prepare_owners("25"), (_change_band("33.33"),)),
    Story("beneficial_owner_grows", _prepare_owners("33.33"), (_change_band("62.3", 1),)),
)
