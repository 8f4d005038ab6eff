"""Stories of holders of listed Swedish companies: notices of holdings (docs/formats/se.md 8.3, 10).

A crossing carries the share of capital before and after; a notice that names only a limit is a band. There are
also releases that only look like notices: a comment, a holding of the issuer's own in another company, a
correction. Does not belong here: changes in the registers (`stories`), or the wording of notices
(`nasdaq.se_major_holdings`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Final

from sandbox.companies.se import vocabulary
from sandbox.companies.se.stories import prepare_active_company
from sandbox.companies.stories import Prepare, Step, Story, StoryDay, crossing_changes
from sandbox.model.company import Change, Company, ThresholdCrossing
from sandbox.model.se import HoldingNotice, ReleaseChannel, VotingStake, Wording

_RELEASED: Final = time(2, 30, tzinfo=UTC)  # before the daily fetch
_DAY: Final = timedelta(days=1)
_SWEDISH, _ENGLISH, _BOTH = ("sv",), ("en",), ("sv", "en")
_MFN: Final[tuple[ReleaseChannel, ...]] = ("mfn",)
_NASDAQ: Final[tuple[ReleaseChannel, ...]] = ("nasdaq",)
_BOTH_CHANNELS: Final[tuple[ReleaseChannel, ...]] = ("mfn", "nasdaq")
_NO_NOTICES: Final = ("comment", "elsewhere")
_OF_A_COMPANY: Final = 100  # serials of a company
_FIRST_SERIAL: Final = 500_000


@dataclass(frozen=True, slots=True)
class _NoticeStyle:
    """How a notice is published: wording, languages, channels; the serial of the one that it corrects."""

    wording: Wording
    languages: tuple[str, ...] = _BOTH
    doors: tuple[ReleaseChannel, ...] = _MFN
    corrects: int | None = None


def voting_stake(shares: str, votes: str) -> VotingStake:
    return VotingStake(Decimal(shares), Decimal(votes))


def _prepare_listed(*stakes: VotingStake) -> Prepare:
    """A public company with holders who notified before the first day, through the exchange."""

    def prepare(scene: StoryDay, company: Company) -> None:
        prepare_active_company(scene, company)
        company.name = f"{company.name} (publ)"
        for place, one in enumerate(stakes):
            crossed = scene.first_day - (20 - 2 * place) * _DAY
            _publish_notice(company, place, one, (crossed, crossed + _DAY), _NoticeStyle("prose", _BOTH, _NASDAQ))

    return prepare


def _nth_holder(company: Company, place: int) -> str:
    return vocabulary.HOLDERS[(company.position + place) % len(vocabulary.HOLDERS)]


def _publish_notice(
    company: Company, place: int, now: VotingStake, days: tuple[date, date], how: _NoticeStyle
) -> HoldingNotice:
    """Adds the company's next release, and the holder's position. `days`: of the crossing, of the release."""
    holder = _nth_holder(company, place)
    known = company.swedish.stakes.get(holder)
    number = len(company.swedish.notices)
    notice = HoldingNotice(
        serial=_FIRST_SERIAL + company.position * _OF_A_COMPANY + number,
        holder=holder,
        crossed_on=days[0],
        at=datetime.combine(days[1], _RELEASED) + number * timedelta(minutes=11),
        now=now,
        before=known.now if known else None,
        wording=how.wording,
        languages=how.languages,
        release_channels=how.doors,
        corrects=how.corrects,
    )
    company.swedish.notices.append(notice)
    if how.wording not in _NO_NOTICES:
        company.swedish.stakes[holder] = notice
    return notice


def _notify_position(now: VotingStake, how: _NoticeStyle, place: int = 0) -> Step:
    """A holder notifies a new position; an event is made if its shares cross a threshold."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        holder, crossed = _nth_holder(company, place), scene.day - _DAY
        known = company.swedish.stakes.get(holder)
        _publish_notice(company, place, now, (crossed, scene.day), how)
        previous = known.now.least if known else Decimal(0)
        basis = "band" if now.shares is None or (known and known.now.shares is None) else "exact"
        return crossing_changes(ThresholdCrossing(holder, crossed, previous, now.least, basis))

    return step


def _publish_lookalike(wording: Wording) -> Step:
    """A release that only looks like a notice of a holding in its company, in both languages on both channels."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        told, days = voting_stake("12.30", "11.10"), (scene.day - _DAY, scene.day)
        _publish_notice(company, 0, told, days, _NoticeStyle(wording, _BOTH, _BOTH_CHANNELS))
        return []

    return step


def _correct_notice(shares: str, votes: str) -> Step:
    """Corrects a wrong figure of the newest notice: of the same day, on the same side of every threshold."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        wrong = company.swedish.stakes[_nth_holder(company, 0)]
        how = _NoticeStyle("prose", wrong.languages, _MFN, wrong.serial)
        _publish_notice(company, 0, voting_stake(shares, votes), (wrong.crossed_on, scene.day), how)
        return []

    return step


def _combine_steps(*steps: Step) -> Step:
    """Several things on one day."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        return [change for one in steps for change in one(scene, company)]

    return step


_LIMIT: Final = Decimal(10)
STORIES: Final[tuple[Story, ...]] = (
    Story(
        "flags_upwards",
        _prepare_listed(),
        (
            _combine_steps(
                _notify_position(voting_stake("5.02", "4.10"), _NoticeStyle("prose")), _publish_lookalike("comment")
            ),
            _combine_steps(
                _notify_position(VotingStake(above=_LIMIT), _NoticeStyle("bound", _ENGLISH, _BOTH_CHANNELS), place=1),
                _notify_position(voting_stake("6.50", "5.40"), _NoticeStyle("from_to", _SWEDISH)),
            ),
        ),
    ),
    Story(
        "flags_downwards",
        _prepare_listed(voting_stake("10.40", "12.00"), voting_stake("5.40", "5.10")),
        (
            _notify_position(voting_stake("9.80", "11.35"), _NoticeStyle("from_to", _BOTH, _BOTH_CHANNELS)),
            _notify_position(VotingStake(below=Decimal(5)), _NoticeStyle("bound", _BOTH, _BOTH_CHANNELS), place=1),
        ),
    ),
    Story(
        "flags_in_tables",
        _prepare_listed(voting_stake("19.50", "22.10")),
        (
            _notify_position(voting_stake("21.30", "24.05"), _NoticeStyle("table", _BOTH, _NASDAQ)),
            _notify_position(voting_stake("52.00", "60.25"), _NoticeStyle("form", _ENGLISH), place=1),
        ),
    ),
    Story(
        "flags_wrongly",
        _prepare_listed(voting_stake("8.75", "7.90")),
        (
            _combine_steps(
                _notify_position(voting_stake("12.40", "11.60"), _NoticeStyle("table", _SWEDISH)),
                _publish_lookalike("elsewhere"),
            ),
            _correct_notice("12.90", "11.60"),
        ),
    ),
)
