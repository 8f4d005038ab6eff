"""Stories of stakes in US companies, bought and sold: one `Story` per kind.

See docs/formats/us.md 7.

Filings of a day were accepted on the evening before. A step that returns nothing crosses no threshold.
Percentages of Forms 4 and 13F follow from the shares on the cover of the company's last report. Does not belong
here: the documents (`holders`), or the company's own filings (`stories`).
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Final

from sandbox.companies.stories import Prepare, Step, Story, StoryDay
from sandbox.companies.us import holders, initial_state
from sandbox.companies.us.filings import SHARES
from sandbox.companies.us.holders import ADVISER, GERMAN, PARTNERS, PENSIONS, PERSON
from sandbox.companies.us.stories import prepare_active_company, prepare_with_quarters
from sandbox.model.company import Change, Company
from sandbox.model.us import InsiderReport, ManagerReport, OwnershipParty, Schedule13Filing

_DAY: Final = timedelta(days=1)
_LONG_AGO: Final = timedelta(days=30)


def _prepare_stake(percent: str, *persons: OwnershipParty, is_active: bool = False) -> Prepare:
    """A company with a schedule filed last week."""

    def prepare(scene: StoryDay, company: Company) -> None:
        prepare_active_company(scene, company)
        initial_state.add_recent_schedule13(company, percent, persons, is_active=is_active)

    return prepare


def _amend_schedule(percent: str, *persons: OwnershipParty, is_active: bool = False, is_exit: bool = False) -> Step:
    """An amendment of the schedule."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        before = holders.latest_schedule13(company)
        assert isinstance(before.ownership, Schedule13Filing)
        event = scene.day - 2 * _DAY
        told = Schedule13Filing(
            persons, Decimal(percent), event, before.ownership.amendment + 1, before.accession, is_exit, is_active
        )
        return holders.add_schedule13(company, scene.day - _DAY, told)

    return step


def _file_schedule(percent: str, *persons: OwnershipParty, is_active: bool = False, days: timedelta = 2 * _DAY) -> Step:
    """A first schedule of these persons, of an event some days ago."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        told = Schedule13Filing(persons, Decimal(percent), scene.day - days, is_active=is_active)
        return holders.add_schedule13(company, scene.day - _DAY, told)

    return step


def _prepare_insider(shares: int, relation: str) -> Prepare:
    """A company with an insider who reported last week."""

    def prepare(scene: StoryDay, company: Company) -> None:
        prepare_with_quarters(scene, company)
        event = initial_state.LAST_WEEK - _DAY
        told = InsiderReport(PERSON, event, shares, relation=relation)
        holders.add_insider_form(company, "3", initial_state.LAST_WEEK, told)

    return prepare


def _trade_shares(shares: int, change: int, relation: str) -> Step:
    """A transaction of the insider, and the shares left afterwards."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        told = InsiderReport(PERSON, scene.day - 2 * _DAY, shares, change, relation)
        return holders.add_insider_form(company, "4", scene.day - _DAY, told)

    return step


def _prepare_manager(scene: StoryDay, company: Company) -> None:
    """A manager of four percent, and a schedule that links the CUSIP to its issuer."""
    prepare_with_quarters(scene, company)
    initial_state.add_recent_schedule13(company, "7.48", (ADVISER,))
    initial_state.add_recent_form13f(company, "4")


def _amend_13f(percent: str, amends: str) -> Step:
    """An amendment of the manager's report."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        shares = int(SHARES * Decimal(percent) / 100)
        told = ManagerReport(holders.company_manager(company), initial_state.QUARTER, shares, amends)
        return holders.add_form13f(company, scene.day - _DAY, scene.day, told)

    return step


_TEN: Final = "isTenPercentOwner"
_OFFICER: Final = "isOfficer"
_JOINT: Final = (PARTNERS, PERSON, GERMAN)
STORIES: Final[tuple[Story, ...]] = (
    Story(
        "reaches_ten",
        _prepare_stake("7.5", ADVISER),
        (_amend_schedule("10.00", ADVISER), _amend_schedule("6.2", ADVISER)),
    ),
    Story(
        "joint_filers",
        prepare_active_company,
        (_file_schedule("24.99", *_JOINT, is_active=True), _amend_schedule("19.9", *_JOINT, is_active=True)),
    ),
    Story("turns_active", _prepare_stake("9.9", PARTNERS), (_file_schedule("50.1", PARTNERS, is_active=True),)),
    Story("sells_all", _prepare_stake("8.1", PENSIONS), (_amend_schedule("0", PENSIONS),)),
    Story("falls_below_five", _prepare_stake("6.4", ADVISER), (_amend_schedule("4.2", ADVISER, is_exit=True),)),
    Story("tells_late", _prepare_stake("12.3", ADVISER), (_file_schedule("9.4", ADVISER, days=_LONG_AGO),)),
    Story(
        "moves_within",
        _prepare_stake("11.2", PARTNERS, is_active=True),
        (_amend_schedule("14.8", PARTNERS, is_active=True),),
    ),
    Story(
        "insider_sells",
        _prepare_insider(40_000, _OFFICER),
        (_trade_shares(25_000, -15_000, _OFFICER), _trade_shares(0, -25_000, _OFFICER)),
    ),
    Story("insider_reaches_ten", _prepare_insider(4_800_000, _TEN), (_trade_shares(5_100_000, 300_000, _TEN),)),
    Story("manager_amends", _prepare_manager, (_amend_13f("2.5", "NEW HOLDINGS"), _amend_13f("3", "RESTATEMENT"))),
)
