"""Stories of stakes in US companies, bought and sold: one `Story` per kind.

See docs/formats/us.md 7.

Filings of a day were accepted on the evening before. A step that returns nothing crosses no threshold.
Percentages of Forms 4 and 13F follow from the shares on the cover of the company's last report. Does not belong
here: the documents (`holders_us`), or the company's own filings (`stories_us`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Final

from connectors.sandbox import births_us, holders_us
from connectors.sandbox.filings_us import SHARES
from connectors.sandbox.holders_us import ADVISER, GERMAN, MANAGER, PARTNERS, PENSIONS, PERSON
from connectors.sandbox.model import Company
from connectors.sandbox.model_us import Insider, Managed, Party, Stake
from connectors.sandbox.stories import Change, Scene, Story
from connectors.sandbox.stories_us import in_good_standing, with_quarters

_DAY: Final = timedelta(days=1)
_LONG_AGO: Final = timedelta(days=30)
Step = Callable[[Scene, Company], list[Change]]


def _held(percent: str, *persons: Party, is_active: bool = False) -> Callable[[Scene, Company], None]:
    """A company with a schedule filed last week."""

    def prepare(scene: Scene, company: Company) -> None:
        in_good_standing(scene, company)
        births_us.stakes(company, percent, persons, is_active=is_active)

    return prepare


def _amended(percent: str, *persons: Party, is_active: bool = False, is_exit: bool = False) -> Step:
    """An amendment of the schedule."""

    def step(scene: Scene, company: Company) -> list[Change]:
        before = holders_us.paper_before(company)
        assert isinstance(before.ownership, Stake)
        event = scene.day - 2 * _DAY
        told = Stake(
            persons,
            Decimal(percent),
            event,
            before.ownership.amendment + 1,
            before.accession,
            is_exit,
            is_active,
        )
        return [*holders_us.stake(company, scene.day - _DAY, told)]

    return step


def _reported(percent: str, *persons: Party, is_active: bool = False, days: timedelta = 2 * _DAY) -> Step:
    """A first schedule of these persons, of an event some days ago."""

    def step(scene: Scene, company: Company) -> list[Change]:
        told = Stake(persons, Decimal(percent), scene.day - days, is_active=is_active)
        return [*holders_us.stake(company, scene.day - _DAY, told)]

    return step


def _insider(shares: int, relation: str) -> Callable[[Scene, Company], None]:
    """A company with an insider who reported last week."""

    def prepare(scene: Scene, company: Company) -> None:
        with_quarters(scene, company)
        event = births_us.LAST_WEEK - _DAY
        told = Insider(PERSON, event, shares, relation=relation)
        holders_us.insider(company, "3", births_us.LAST_WEEK, told)

    return prepare


def _trades(shares: int, change: int, relation: str) -> Step:
    """A transaction of the insider, and the shares left afterwards."""

    def step(scene: Scene, company: Company) -> list[Change]:
        told = Insider(PERSON, scene.day - 2 * _DAY, shares, change, relation)
        return [*holders_us.insider(company, "4", scene.day - _DAY, told)]

    return step


def _managed(scene: Scene, company: Company) -> None:
    """A manager of four percent, and a schedule that links the CUSIP to its issuer."""
    with_quarters(scene, company)
    births_us.stakes(company, "7.48", (ADVISER,))
    births_us.managed(company, "4")


def _manages(percent: str, amends: str) -> Step:
    """An amendment of the manager's report."""

    def step(scene: Scene, company: Company) -> list[Change]:
        shares = int(SHARES * Decimal(percent) / 100)
        told = Managed(MANAGER, births_us.QUARTER, shares, amends)
        return [*holders_us.managed(company, scene.day - _DAY, scene.day, told)]

    return step


_TEN: Final = "isTenPercentOwner"
_OFFICER: Final = "isOfficer"
_JOINT: Final = (PARTNERS, PERSON, GERMAN)
STORIES: Final[tuple[Story, ...]] = (
    Story("reaches_ten", _held("7.5", ADVISER), (_amended("10.00", ADVISER), _amended("6.2", ADVISER))),
    Story(
        "joint_filers",
        in_good_standing,
        (_reported("24.99", *_JOINT, is_active=True), _amended("19.9", *_JOINT, is_active=True)),
    ),
    Story("turns_active", _held("9.9", PARTNERS), (_reported("50.1", PARTNERS, is_active=True),)),
    Story("sells_all", _held("8.1", PENSIONS), (_amended("0", PENSIONS),)),
    Story("falls_below_five", _held("6.4", ADVISER), (_amended("4.2", ADVISER, is_exit=True),)),
    Story("tells_late", _held("12.3", ADVISER), (_reported("9.4", ADVISER, days=_LONG_AGO),)),
    Story(
        "moves_within", _held("11.2", PARTNERS, is_active=True), (_amended("14.8", PARTNERS, is_active=True),)
    ),
    Story(
        "insider_sells",
        _insider(40_000, _OFFICER),
        (_trades(25_000, -15_000, _OFFICER), _trades(0, -25_000, _OFFICER)),
    ),
    Story("insider_reaches_ten", _insider(4_800_000, _TEN), (_trades(5_100_000, 300_000, _TEN),)),
    Story("manager_amends", _managed, (_manages("2.5", "NEW HOLDINGS"), _manages("3", "RESTATEMENT"))),
)
