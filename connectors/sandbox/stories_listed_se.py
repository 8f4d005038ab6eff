"""Stories of holders of listed Swedish companies: notices of holdings (docs/formats/se.md 8.3, 10).

A crossing carries the share of capital before and after; a notice that names only a limit is a band. There are
also releases that only look like notices: a comment, a holding of the issuer's own in another company, a
correction. Does not belong here: changes in the registers (`stories_se`), or the wording of notices
(`flagging_se`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Final

from connectors.sandbox import names_se
from connectors.sandbox.model import Company
from connectors.sandbox.model_fi import FlaggedChange
from connectors.sandbox.model_se import Door, Notice, Stake, Wording
from connectors.sandbox.stories import Change, Scene, Step, Story
from connectors.sandbox.stories_se import in_good_standing
from warehouse.schema.codes import THRESHOLDS

_RELEASED: Final = time(2, 30, tzinfo=UTC)  # before the daily fetch
_DAY: Final = timedelta(days=1)
_SWEDISH, _ENGLISH, _BOTH = ("sv",), ("en",), ("sv", "en")
_MFN: Final[tuple[Door, ...]] = ("mfn",)
_NASDAQ: Final[tuple[Door, ...]] = ("nasdaq",)
_BOTH_DOORS: Final[tuple[Door, ...]] = ("mfn", "nasdaq")
_NO_NOTICES: Final = ("comment", "elsewhere")
_OF_A_COMPANY: Final = 100  # serials of a company
_FIRST_SERIAL: Final = 500_000


@dataclass(frozen=True, slots=True)
class _How:
    """How a notice is published: wording, languages, channels; the serial of the one that it corrects."""

    wording: Wording
    languages: tuple[str, ...] = _BOTH
    doors: tuple[Door, ...] = _MFN
    corrects: int | None = None


def stake(shares: str, votes: str) -> Stake:
    return Stake(Decimal(shares), Decimal(votes))


def _listed(*stakes: Stake) -> Callable[[Scene, Company], None]:
    """A public company with holders who notified before the first day, through the exchange."""

    def prepare(scene: Scene, company: Company) -> None:
        in_good_standing(scene, company)
        company.name = f"{company.name} (publ)"
        for place, one in enumerate(stakes):
            crossed = scene.first_day - (20 - 2 * place) * _DAY
            _notified(company, place, one, (crossed, crossed + _DAY), _How("prose", _BOTH, _NASDAQ))

    return prepare


def _holder(company: Company, place: int) -> str:
    return names_se.HOLDERS[(company.position + place) % len(names_se.HOLDERS)]


def _notified(company: Company, place: int, now: Stake, days: tuple[date, date], how: _How) -> Notice:
    """Adds the company's next release, and the holder's position. `days`: of the crossing, of the release."""
    holder = _holder(company, place)
    known = company.swedish.stakes.get(holder)
    number = len(company.swedish.notices)
    notice = Notice(
        serial=_FIRST_SERIAL + company.position * _OF_A_COMPANY + number,
        holder=holder,
        crossed_on=days[0],
        at=datetime.combine(days[1], _RELEASED) + number * timedelta(minutes=11),
        now=now,
        before=known.now if known else None,
        wording=how.wording,
        languages=how.languages,
        doors=how.doors,
        corrects=how.corrects,
    )
    company.swedish.notices.append(notice)
    if how.wording not in _NO_NOTICES:
        company.swedish.stakes[holder] = notice
    return notice


def _moves_to(now: Stake, how: _How, place: int = 0) -> Step:
    """A holder notifies a new position; an event is made if its shares cross a threshold."""

    def step(scene: Scene, company: Company) -> list[Change]:
        holder, crossed = _holder(company, place), scene.day - _DAY
        known = company.swedish.stakes.get(holder)
        _notified(company, place, now, (crossed, scene.day), how)
        previous, current = known.now.least if known else Decimal(0), now.least
        low, high = sorted((previous, current))
        if not any(low < limit <= high for limit in THRESHOLDS):
            return []
        basis = "band" if now.shares is None else "exact"
        return [FlaggedChange(holder, crossed, previous, current, basis)]

    return step


def _says(wording: Wording) -> Step:
    """A release that only looks like a notice of a holding in its company, in both languages on both channels."""

    def step(scene: Scene, company: Company) -> list[Change]:
        told, days = stake("12.30", "11.10"), (scene.day - _DAY, scene.day)
        _notified(company, 0, told, days, _How(wording, _BOTH, _BOTH_DOORS))
        return []

    return step


def _corrects(shares: str, votes: str) -> Step:
    """Corrects a wrong figure of the newest notice: of the same day, on the same side of every threshold."""

    def step(scene: Scene, company: Company) -> list[Change]:
        wrong = company.swedish.stakes[_holder(company, 0)]
        how = _How("prose", wrong.languages, _MFN, wrong.serial)
        _notified(company, 0, stake(shares, votes), (wrong.crossed_on, scene.day), how)
        return []

    return step


def _all(*steps: Step) -> Step:
    """Several things on one day."""

    def step(scene: Scene, company: Company) -> list[Change]:
        return [change for one in steps for change in one(scene, company)]

    return step


_LIMIT: Final = Decimal(10)
STORIES: Final[tuple[Story, ...]] = (
    Story(
        "flags_upwards",
        _listed(),
        (
            _all(_moves_to(stake("5.02", "4.10"), _How("prose")), _says("comment")),
            _all(
                _moves_to(Stake(above=_LIMIT), _How("bound", _ENGLISH, _BOTH_DOORS), place=1),
                _moves_to(stake("6.50", "5.40"), _How("from_to", _SWEDISH)),
            ),
        ),
    ),
    Story(
        "flags_downwards",
        _listed(stake("10.40", "12.00"), stake("5.40", "5.10")),
        (
            _moves_to(stake("9.80", "11.35"), _How("from_to", _BOTH, _BOTH_DOORS)),
            _moves_to(Stake(below=Decimal(5)), _How("bound", _BOTH, _BOTH_DOORS), place=1),
        ),
    ),
    Story(
        "flags_in_tables",
        _listed(stake("19.50", "22.10")),
        (
            _moves_to(stake("21.30", "24.05"), _How("table", _BOTH, _NASDAQ)),
            _moves_to(stake("52.00", "60.25"), _How("form", _ENGLISH), place=1),
        ),
    ),
    Story(
        "flags_wrongly",
        _listed(stake("8.75", "7.90")),
        (
            _all(_moves_to(stake("12.40", "11.60"), _How("table", _SWEDISH)), _says("elsewhere")),
            _corrects("12.90", "11.60"),
        ),
    ),
)
