"""Stories of British companies: one function per step, one `Story` per kind, in casting order.

A step that returns nothing is a change that must make no event. Crossings carry the lower bounds of the bands
(docs/contract/contract.md 4.6); a new holder comes from 0, one that left goes to 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Final

from sandbox import vocabulary
from sandbox.companies import accounts as sandbox_accounts
from sandbox.companies.stories import Change, Story, StoryDay, change_status, no_change
from sandbox.companies.uk import initial_state
from sandbox.model.company import Accounts, Company, FilingChange, ThresholdCrossing

_ONE_DAY: Final = timedelta(days=1)


def _prepare_filer(flavour: str) -> Callable[[StoryDay, Company], None]:
    """A company in good standing with newest accounts of one flavour."""

    def prepare(scene: StoryDay, company: Company) -> None:
        company.registry_status, company.status, company.status_detail = "Active", "active", None
        company.form = "Community Interest Company" if flavour == "cic" else "Private Limited Company"
        company.industry = company.industry or vocabulary.BRITISH_INDUSTRIES[0]
        company.accounts = [initial_state.british_accounts(scene.rng, company, scene.first_day, flavour)]

    return prepare


_prepare_active_company: Final = _prepare_filer("small")


def _prepare_holders(*bands: str) -> Callable[[StoryDay, Company], None]:
    """A company with known holders, all of them present."""

    def prepare(scene: StoryDay, company: Company) -> None:
        _prepare_active_company(scene, company)
        company.holders = [
            initial_state.controlling_holder(scene.rng, company, serial, band, scene.first_day)
            for serial, band in enumerate(bands)
        ]

    return prepare


def _file_accounts(scene: StoryDay, company: Company) -> list[Change]:
    accounts = sandbox_accounts.following_accounts(
        scene.rng, company.accounts[-1], scene.day, company.accounts[-1].document + 1
    )
    company.publish(accounts)
    return [FilingChange(accounts, None)]


def _refiled_accounts(scene: StoryDay, changed: Accounts) -> Accounts:
    """A later document of the same period."""
    return replace(changed, published=scene.day, document=changed.document + 1)


def _amend_accounts(scene: StoryDay, company: Company) -> list[Change]:
    last = company.accounts[-1]
    accounts = _refiled_accounts(
        scene, replace(last, figures=sandbox_accounts.restated_figures(last.figures), is_amended=True)
    )
    company.publish(accounts)
    return [FilingChange(accounts, last)]


def _round_accounts(scene: StoryDay, company: Company) -> list[Change]:
    last = company.accounts[-1]
    company.publish(
        _refiled_accounts(
            scene,
            replace(
                last,
                figures=sandbox_accounts.figures_in_thousands(last.figures),
                prior=None,
                is_rounded_to_thousands=True,
            ),
        )
    )
    return []


def _repeat_accounts(scene: StoryDay, company: Company) -> list[Change]:
    """The same accounts submitted twice: another document with the same figures."""
    company.publish(_refiled_accounts(scene, company.accounts[-1]))
    return []


def _file_old_year(scene: StoryDay, company: Company) -> list[Change]:
    """Accounts of a year that ended long before the first day: filled in silently."""
    newest = company.accounts[-1]
    start, end = (day.replace(year=day.year - 6) for day in (newest.start, newest.end))
    old = replace(newest, start=start, end=end, published=scene.day, document=newest.document + 1)
    company.accounts.insert(0, old)
    company.new_accounts.append(old)
    return []


def _become_dormant(scene: StoryDay, company: Company) -> list[Change]:
    last = company.accounts[-1]
    year = sandbox_accounts.following_accounts(scene.rng, last, scene.day, last.document + 1)
    idle = sandbox_accounts.without_profit_and_loss(year.figures, "dormant")
    accounts = replace(year, figures=idle, prior=last.figures, document_style="dormant", is_dormant=True)
    company.publish(accounts)
    return [FilingChange(accounts, None), *change_status(company, "dormant", "no_trading", None, scene.day)]


def _set_registry_status(word: str, status: str, detail: str | None) -> Callable[[StoryDay, Company], list[Change]]:
    """The register writes another status; the file has no date for it."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        company.registry_status = word
        return change_status(company, status, detail, None, scene.day)

    return step


def _dissolve_company(scene: StoryDay, company: Company) -> list[Change]:
    return change_status(company, "dissolved", None, scene.day, scene.day)


_restore_active: Final = _set_registry_status("Active", "active", None)


def _rename_company(scene: StoryDay, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day - _ONE_DAY, company.name))
    company.name = f"NEW {company.name}"
    return []


def _move_company(scene: StoryDay, company: Company) -> list[Change]:
    company.place = scene.rng.choice([place for place in vocabulary.BRITISH_PLACES if place != company.place])
    company.street = f"{scene.rng.randint(200, 300)} {vocabulary.BRITISH_STREETS[0]}"
    return []


def _reclassify_company(scene: StoryDay, company: Company) -> list[Change]:
    company.industry = scene.rng.choice([item for item in vocabulary.BRITISH_INDUSTRIES if item != company.industry])
    return []


def _crossing_changes(company: Company, place: int, previous: int, scene: StoryDay) -> list[Change]:
    holder = company.holders[place]
    return [ThresholdCrossing(replace(holder), scene.day, Decimal(previous), Decimal(holder.lower))]


def _add_holder(band: str) -> Callable[[StoryDay, Company], list[Change]]:
    def step(scene: StoryDay, company: Company) -> list[Change]:
        holder = initial_state.controlling_holder(scene.rng, company, 5, band, scene.first_day)
        holder.notified = scene.day - _ONE_DAY
        company.holders.append(holder)
        return [ThresholdCrossing(replace(holder), holder.notified, Decimal(0), Decimal(holder.lower))]

    return step


def _remove_holder(scene: StoryDay, company: Company) -> list[Change]:
    holder = company.holders[0]
    holder.ceased, holder.revision = scene.day - _ONE_DAY, holder.revision + 1
    return [ThresholdCrossing(replace(holder), holder.ceased, Decimal(holder.lower), Decimal(0))]


def _change_band(band: str, *, crosses: bool) -> Callable[[StoryDay, Company], list[Change]]:
    """Moves a holder's record to another band."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        holder = company.holders[0]
        previous = holder.lower
        holder.shares, holder.revision = band, holder.revision + 1
        holder.votes = band if holder.votes else None
        return _crossing_changes(company, 0, previous, scene) if crosses else []

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


def _publish_first_accounts(_scene: StoryDay, company: Company) -> list[Change]:
    company.new_accounts.extend(company.accounts)
    return []


STORIES: Final[tuple[Story, ...]] = (
    Story("files_micro", _prepare_filer("micro"), (_file_accounts,)),
    Story("files_small", _prepare_filer("small"), (_file_accounts, _amend_accounts)),
    Story("files_full", _prepare_filer("full"), (_file_accounts,)),
    Story("files_group", _prepare_filer("group"), (_file_accounts,)),
    Story("files_nested", _prepare_filer("cic"), (_file_accounts,)),
    Story("files_plain_xml", _prepare_filer("xml"), (_file_accounts,)),
    Story("amends", _prepare_filer("full"), (_amend_accounts,)),
    Story("rounds", _prepare_filer("small"), (_round_accounts,)),
    Story("repeats", _prepare_filer("micro"), (_repeat_accounts,)),
    Story("files_old_year", _prepare_filer("micro"), (_file_old_year,)),
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
    Story("dissolved_then_restored", _prepare_active_company, (_dissolve_company, _restore_active)),
    Story("new_holder", _prepare_holders("25-to-50"), (_add_holder("25-to-50"), _flicker_etag)),
    Story("new_majority", _prepare_holders(), (_add_holder("75-to-100"), no_change, _flicker_etag)),
    Story("sold_in_parts", _prepare_holders("50-to-75"), (_change_band("25-to-50", crosses=True), _remove_holder)),
    Story("majority_bought", _prepare_holders("25-to-50"), (_change_band("50-to-75", crosses=True),)),
    Story("holder_leaves", _prepare_holders("75-to-100", "25-to-50"), (_remove_holder,)),
    Story("majority_grows", _prepare_holders("50-to-75"), (_change_band("75-to-100", crosses=False),)),
    Story("trust", _prepare_holders("25-to-50", "25-to-50"), (_change_to_trust, _flicker_etag)),
    Story("overlap", _prepare_overseas, (_change_band("75-to-100", crosses=False),), is_overseas=True),
    Story("renamed_then_moves", _prepare_active_company, (_rename_company, _move_company)),
    Story("reclassified", _prepare_active_company, (_reclassify_company,)),
    Story("founded", _prepare_founded, (_publish_first_accounts, _file_accounts), founded=True),
)
