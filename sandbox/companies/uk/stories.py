"""Stories of British companies: one function per step, one `Story` per kind, in casting order.

A step that returns nothing is a change that must make no event. Crossings carry the lower bounds of the bands
(docs/contract/contract.md 4.6); a new holder comes from 0, one that left goes to 0.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from sandbox import vocabulary
from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.stories import (
    Prepare,
    Step,
    Story,
    StoryDay,
    change_form,
    change_profile,
    change_status,
    correct_accounts,
    dissolve_company,
    file_accounts,
    file_old_year,
    move_company,
    no_change,
    publish_first_accounts,
    repeat_accounts,
    round_accounts,
)
from sandbox.companies.uk import initial_state
from sandbox.model.company import Accounts, Change, Company, FilingChange, Holder, ThresholdCrossing

_ONE_DAY: Final = timedelta(days=1)


def _prepare_filer(flavour: str) -> Prepare:
    """A company in good standing with newest accounts of one flavour."""

    def prepare(scene: StoryDay, company: Company) -> None:
        company.registry_status, company.status, company.status_detail = "Active", "active", None
        company.form = "Community Interest Company" if flavour == "cic" else "Private Limited Company"
        company.industry = company.industry or vocabulary.BRITISH_INDUSTRIES[0]
        company.accounts = [initial_state.british_accounts(scene.rng, company, scene.first_day, flavour)]

    return prepare


_prepare_active_company: Final = _prepare_filer("small")


def _prepare_holders(*bands: str) -> Prepare:
    """A company with known holders, all of them present."""

    def prepare(scene: StoryDay, company: Company) -> None:
        _prepare_active_company(scene, company)
        company.holders = [
            initial_state.controlling_holder(scene.rng, company, serial, band, scene.first_day)
            for serial, band in enumerate(bands)
        ]

    return prepare


def _next_accounts(scene: StoryDay, company: Company) -> Accounts:
    last = company.accounts[-1]
    return sandbox_accounts.following_accounts(scene.rng, last, scene.day, last.document + 1)


def _refiled_accounts(scene: StoryDay, _company: Company, changed: Accounts) -> Accounts:
    return replace(changed, published=scene.day, document=changed.document + 1)


def _become_dormant(scene: StoryDay, company: Company) -> list[Change]:
    last, year = company.accounts[-1], _next_accounts(scene, company)
    idle = sandbox_accounts.without_profit_and_loss(year.figures, "dormant")
    accounts = replace(year, figures=idle, prior=last.figures, document_style="dormant", is_dormant=True)
    company.publish(accounts)
    return [FilingChange(accounts, None), *change_status(company, "dormant", "no_trading", None, scene.day)]


def _set_registry_status(word: str, status: str, detail: str | None) -> Step:
    """The register writes another status; the file has no date for it."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        company.registry_status = word
        return change_status(company, status, detail, None, scene.day)

    return step


_restore_active: Final = _set_registry_status("Active", "active", None)


def _rename_company(scene: StoryDay, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day - _ONE_DAY, company.name))
    company.name = f"NEW {company.name}"
    return []


def _reclassify_company(scene: StoryDay, company: Company) -> list[Change]:
    company.industry = scene.rng.choice([item for item in vocabulary.BRITISH_INDUSTRIES if item != company.industry])
    return []


def _band_crossing(holder: Holder, day: date, previous: int, current: int) -> ThresholdCrossing:
    """A crossing from one lower bound to another; a later step may change the holder."""
    return ThresholdCrossing(replace(holder), day, Decimal(previous), Decimal(current), "band")


def _add_holder(band: str) -> Step:
    def step(scene: StoryDay, company: Company) -> list[Change]:
        holder = initial_state.controlling_holder(scene.rng, company, 5, band, scene.first_day)
        holder.notified = scene.day - _ONE_DAY
        company.holders.append(holder)
        return [_band_crossing(holder, holder.notified, 0, holder.lower)]

    return step


def _remove_holder(scene: StoryDay, company: Company) -> list[Change]:
    holder = company.holders[0]
    holder.ceased, holder.revision = scene.day - _ONE_DAY, holder.revision + 1
    return [_band_crossing(holder, holder.ceased, holder.lower, 0)]


def _change_band(band: str, *, crosses: bool) -> Step:
    """Moves a holder's record to another band."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        holder = company.holders[0]
        previous = holder.lower
        holder.shares, holder.revision = band, holder.revision + 1
        holder.votes = band if holder.votes else None
        return [_band_crossing(holder, scene.day, previous, holder.lower)] if crosses else []

    return step


def _change_to_trust(_scene: StoryDay, company: Company) -> list[Change]:
    """The same band held in another capacity."""
    company.holders[0].is_trust, company.holders[0].revision = True, company.holders[0].revision + 1
    return []


def _flicker_etag(scene: StoryDay, company: Company) -> list[Change]:
    """A new etag and the date of an identity check: the holding is unchanged."""
    company.holders[0].revision += 1
    company.holders[0].verified = scene.day
    return []


def _prepare_overseas(scene: StoryDay, company: Company) -> None:
    company.holders = [initial_state.controlling_holder(scene.rng, company, 0, "more-than-25", scene.first_day)]


def _prepare_founded(scene: StoryDay, company: Company) -> None:
    _prepare_holders("75-to-100")(scene, company)
    company.registered = scene.day - 3 * _ONE_DAY
    company.holders[0].notified = company.registered
    company.accounts = [replace(company.accounts[-1], published=scene.day)]


_file_accounts: Final = file_accounts(_next_accounts)
_amend_accounts: Final = correct_accounts(_refiled_accounts)
_move_company: Final = move_company(vocabulary.BRITISH_PLACES, f"{{}} {vocabulary.BRITISH_STREETS[0]}")
STORIES: Final[tuple[Story, ...]] = (
    Story("files_micro", _prepare_filer("micro"), (_file_accounts,)),
    Story("files_small", _prepare_filer("small"), (_file_accounts, _amend_accounts)),
    Story("files_full", _prepare_filer("full"), (_file_accounts,)),
    Story("files_group", _prepare_filer("group"), (_file_accounts,)),
    Story("files_nested", _prepare_filer("cic"), (_file_accounts,)),
    Story("files_plain_xml", _prepare_filer("xml"), (_file_accounts,)),
    Story("amends", _prepare_filer("full"), (_amend_accounts,)),
    Story("rounds", _prepare_filer("small"), (round_accounts(_refiled_accounts),)),
    Story("repeats", _prepare_filer("micro"), (repeat_accounts(_refiled_accounts),)),
    Story("files_old_year", _prepare_filer("micro"), (file_old_year(_refiled_accounts, 6),)),
    Story("falls_dormant", _prepare_filer("micro"), (_become_dormant,)),
    Story("liquidated", _prepare_active_company, (_set_registry_status("Liquidation", "dormant", "liquidation"),)),
    Story(
        "strike_off_proposed_then_stopped",
        _prepare_active_company,
        (_set_registry_status("Active - Proposal to Strike off", "active", "struck_off_pending"), _restore_active),
    ),
    Story(
        "administration",
        _prepare_active_company,
        (_set_registry_status("In Administration", "active", "reorganisation"),),
    ),
    Story("dissolved_then_restored", _prepare_active_company, (dissolve_company, _restore_active)),
    Story("new_holder", _prepare_holders("25-to-50"), (_add_holder("25-to-50"), _flicker_etag)),
    Story("new_majority", _prepare_holders(), (_add_holder("75-to-100"), no_change, _flicker_etag)),
    Story("sold_in_parts", _prepare_holders("50-to-75"), (_change_band("25-to-50", crosses=True), _remove_holder)),
    Story("majority_bought", _prepare_holders("25-to-50"), (_change_band("50-to-75", crosses=True),)),
    Story("holder_leaves", _prepare_holders("75-to-100", "25-to-50"), (_remove_holder,)),
    Story("majority_grows", _prepare_holders("50-to-75"), (_change_band("75-to-100", crosses=False),)),
    Story("trust", _prepare_holders("25-to-50", "25-to-50"), (_change_to_trust, _flicker_etag)),
    Story("overlap", _prepare_overseas, (_change_band("75-to-100", crosses=False),), is_overseas=True),
    Story("renamed_then_moves", _prepare_active_company, (change_profile(_rename_company, "name", 1), _move_company)),
    Story(
        "reclassified",
        _prepare_active_company,
        (change_profile(_reclassify_company, "sni_code"), change_form("Public Limited Company")),
    ),
    Story("founded", _prepare_founded, (publish_first_accounts, _file_accounts), founded=True),
)
