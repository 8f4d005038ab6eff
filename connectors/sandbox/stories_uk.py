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

from connectors.sandbox import births, figures, names
from connectors.sandbox.model import Accounts, Company, Crossing, FilingChange
from connectors.sandbox.stories import Change, Scene, Story, nothing, turn

_ONE_DAY: Final = timedelta(days=1)


def _filer(flavour: str) -> Callable[[Scene, Company], None]:
    """A company in good standing with newest accounts of one flavour."""

    def prepare(scene: Scene, company: Company) -> None:
        company.registry_status, company.status, company.status_detail = "Active", "active", None
        company.form = "Community Interest Company" if flavour == "cic" else "Private Limited Company"
        company.industry = company.industry or names.BRITISH_INDUSTRIES[0]
        company.accounts = [births.british_accounts(scene.rng, company, scene.first_day, flavour)]

    return prepare


_in_good_standing: Final = _filer("small")


def _held(*bands: str) -> Callable[[Scene, Company], None]:
    """A company with known holders, all of them present."""

    def prepare(scene: Scene, company: Company) -> None:
        _in_good_standing(scene, company)
        company.holders = [
            births.holder(scene.rng, company, serial, band, scene.first_day)
            for serial, band in enumerate(bands)
        ]

    return prepare


def _files(scene: Scene, company: Company) -> list[Change]:
    accounts = figures.following_accounts(
        scene.rng, company.accounts[-1], scene.day, company.accounts[-1].document + 1
    )
    company.publish(accounts)
    return [FilingChange(accounts, None)]


def _again(scene: Scene, changed: Accounts) -> Accounts:
    """A later document of the same period."""
    return replace(changed, published=scene.day, document=changed.document + 1)


def _amends(scene: Scene, company: Company) -> list[Change]:
    last = company.accounts[-1]
    accounts = _again(scene, replace(last, figures=figures.restated(last.figures), amended=True))
    company.publish(accounts)
    return [FilingChange(accounts, last)]


def _rounds(scene: Scene, company: Company) -> list[Change]:
    last = company.accounts[-1]
    company.publish(
        _again(scene, replace(last, figures=figures.in_thousands(last.figures), prior=None, coarse=True))
    )
    return []


def _repeats(scene: Scene, company: Company) -> list[Change]:
    """The same accounts submitted twice: another document with the same figures."""
    company.publish(_again(scene, company.accounts[-1]))
    return []


def _files_old_year(scene: Scene, company: Company) -> list[Change]:
    """Accounts of a year that ended long before the first day: filled in silently."""
    newest = company.accounts[-1]
    start, end = (day.replace(year=day.year - 6) for day in (newest.start, newest.end))
    old = replace(newest, start=start, end=end, published=scene.day, document=newest.document + 1)
    company.accounts.insert(0, old)
    company.fresh_accounts.append(old)
    return []


def _falls_dormant(scene: Scene, company: Company) -> list[Change]:
    last = company.accounts[-1]
    year = figures.following_accounts(scene.rng, last, scene.day, last.document + 1)
    idle = figures.without_profit_and_loss(year.figures, "dormant")
    accounts = replace(year, figures=idle, prior=last.figures, flavour="dormant", dormant=True)
    company.publish(accounts)
    return [FilingChange(accounts, None), *turn(company, "dormant", "no_trading", None, scene.day)]


def _registered_as(word: str, status: str, detail: str | None) -> Callable[[Scene, Company], list[Change]]:
    """The register writes another status; the file has no date for it."""

    def step(scene: Scene, company: Company) -> list[Change]:
        company.registry_status = word
        return turn(company, status, detail, None, scene.day)

    return step


def _dissolves(scene: Scene, company: Company) -> list[Change]:
    return turn(company, "dissolved", None, scene.day, scene.day)


_recovers: Final = _registered_as("Active", "active", None)


def _renames(scene: Scene, company: Company) -> list[Change]:
    company.former_names.insert(0, (scene.day - _ONE_DAY, company.name))
    company.name = f"NEW {company.name}"
    return []


def _moves(scene: Scene, company: Company) -> list[Change]:
    company.place = scene.rng.choice([place for place in names.BRITISH_PLACES if place != company.place])
    company.street = f"{scene.rng.randint(200, 300)} {names.BRITISH_STREETS[0]}"
    return []


def _reclassified(scene: Scene, company: Company) -> list[Change]:
    company.industry = scene.rng.choice(
        [item for item in names.BRITISH_INDUSTRIES if item != company.industry]
    )
    return []


def _crossing(company: Company, place: int, previous: int, scene: Scene) -> list[Change]:
    holder = company.holders[place]
    return [Crossing(replace(holder), scene.day, Decimal(previous), Decimal(holder.lower))]


def _new_holder(band: str) -> Callable[[Scene, Company], list[Change]]:
    def step(scene: Scene, company: Company) -> list[Change]:
        holder = births.holder(scene.rng, company, 5, band, scene.first_day)
        holder.notified = scene.day - _ONE_DAY
        company.holders.append(holder)
        return [Crossing(replace(holder), holder.notified, Decimal(0), Decimal(holder.lower))]

    return step


def _leaves(scene: Scene, company: Company) -> list[Change]:
    holder = company.holders[0]
    holder.ceased, holder.revision = scene.day - _ONE_DAY, holder.revision + 1
    return [Crossing(replace(holder), holder.ceased, Decimal(holder.lower), Decimal(0))]


def _moves_to(band: str, *, crosses: bool) -> Callable[[Scene, Company], list[Change]]:
    """Moves a holder's record to another band."""

    def step(scene: Scene, company: Company) -> list[Change]:
        holder = company.holders[0]
        previous = holder.lower
        holder.shares, holder.revision = band, holder.revision + 1
        holder.votes = band if holder.votes else None
        return _crossing(company, 0, previous, scene) if crosses else []

    return step


def _becomes_trust(_scene: Scene, company: Company) -> list[Change]:
    """The same band held in another capacity."""
    company.holders[0].trust, company.holders[0].revision = True, company.holders[0].revision + 1
    return []


def _flickers(scene: Scene, company: Company) -> list[Change]:
    """A new etag and the date of an identity check: the holding is unchanged."""
    company.holders[0].revision += 1
    company.holders[0].verified = scene.day
    return []


def _overseas(scene: Scene, company: Company) -> None:
    company.holders = [births.holder(scene.rng, company, 0, "more-than-25", scene.first_day)]


def _founded(scene: Scene, company: Company) -> None:
    _held("75-to-100")(scene, company)
    company.registered = scene.day - 3 * _ONE_DAY
    company.holders[0].notified = company.registered
    company.accounts = [replace(company.accounts[-1], published=scene.day)]


def _appears(_scene: Scene, company: Company) -> list[Change]:
    company.fresh_accounts.extend(company.accounts)
    return []


STORIES: Final[tuple[Story, ...]] = (
    Story("files_micro", _filer("micro"), (_files,)),
    Story("files_small", _filer("small"), (_files, _amends)),
    Story("files_full", _filer("full"), (_files,)),
    Story("files_group", _filer("group"), (_files,)),
    Story("files_nested", _filer("cic"), (_files,)),
    Story("files_plain_xml", _filer("xml"), (_files,)),
    Story("amends", _filer("full"), (_amends,)),
    Story("rounds", _filer("small"), (_rounds,)),
    Story("repeats", _filer("micro"), (_repeats,)),
    Story("files_old_year", _filer("micro"), (_files_old_year,)),
    Story("falls_dormant", _filer("micro"), (_falls_dormant,)),
    Story("liquidated", _in_good_standing, (_registered_as("Liquidation", "dormant", "liquidation"),)),
    Story(
        "strike_off_proposed_then_stopped",
        _in_good_standing,
        (_registered_as("Active - Proposal to Strike off", "active", "struck_off_pending"), _recovers),
    ),
    Story(
        "administration",
        _in_good_standing,
        (_registered_as("In Administration", "active", "reorganisation"),),
    ),
    Story("dissolved_then_restored", _in_good_standing, (_dissolves, _recovers)),
    Story("new_holder", _held("25-to-50"), (_new_holder("25-to-50"), _flickers)),
    Story("new_majority", _held(), (_new_holder("75-to-100"), nothing, _flickers)),
    Story("sold_in_parts", _held("50-to-75"), (_moves_to("25-to-50", crosses=True), _leaves)),
    Story("majority_bought", _held("25-to-50"), (_moves_to("50-to-75", crosses=True),)),
    Story("holder_leaves", _held("75-to-100", "25-to-50"), (_leaves,)),
    Story("majority_grows", _held("50-to-75"), (_moves_to("75-to-100", crosses=False),)),
    Story("trust", _held("25-to-50", "25-to-50"), (_becomes_trust, _flickers)),
    Story("overlap", _overseas, (_moves_to("75-to-100", crosses=False),), overseas=True),
    Story("renamed_then_moves", _in_good_standing, (_renames, _moves)),
    Story("reclassified", _in_good_standing, (_reclassified,)),
    Story("founded", _founded, (_appears, _files), founded=True),
)
