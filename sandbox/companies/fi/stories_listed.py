"""Stories of listed Finnish companies at the exchange: flaggings and interim reports (docs/formats/fi.md 6).

A crossing carries the share of capital before and after; «below 5 %» is a band that begins at zero. Does not
belong here: changes in the registers (`stories`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Final

from sandbox.companies.fi import initial_state, vocabulary
from sandbox.companies.fi.stories import prepare_active_company
from sandbox.companies.stories import Prepare, Step, Story, StoryDay, crossing_changes
from sandbox.model.company import Change, Company, ThresholdCrossing
from sandbox.model.fi import DocumentFiled, ExchangeRelease, HoldingPosition, PlannedFlagging

_RELEASED: Final = time(2, 30, tzinfo=UTC)  # before the daily fetch
_TWO_DAYS: Final = timedelta(days=2)
_INSTRUMENTS: Final = Decimal("0.30")
_BELOW: Final = HoldingPosition(None, None, None)


def holding_position(shares: str, votes: str | None = None, *, indirect: bool = False) -> HoldingPosition:
    """A position in percent of shares and, if different, of votes; some more through financial instruments."""
    share = Decimal(shares)
    return HoldingPosition(share, Decimal(votes) if votes else share, share + _INSTRUMENTS, indirect)


def _prepare_listed(*positions: HoldingPosition, style: str = "table") -> Prepare:
    """A public company with holders who notified before the first day, each in its own release."""

    def prepare(scene: StoryDay, company: Company) -> None:
        prepare_active_company(scene, company)
        company.name = initial_state.name_with_form(initial_state.name_without_form(company), vocabulary.PUBLIC)
        company.form = vocabulary.PUBLIC
        company.finnish.is_first_north = company.position % 4 == 0
        first = _next_release(company, scene.first_day - 9 * _TWO_DAYS, vocabulary.INSIDE, _plain_headlines(company))
        company.finnish.releases.append(first)
        for place, position in enumerate(positions):
            crossed = scene.first_day - (6 + place) * _TWO_DAYS
            flagging = PlannedFlagging(*_nth_holder(company, place), crossed, position, None, style)
            _publish_flagging(company, flagging, crossed + _TWO_DAYS)

    return prepare


def _plain_headlines(company: Company) -> tuple[tuple[str, str], ...]:
    return (("fi", f"{company.name}: tiedote"), ("en", f"{company.name}: announcement"))


def _nth_holder(company: Company, place: int) -> tuple[str, str]:
    """A different holder for each place, the same on every day."""
    return vocabulary.HOLDERS[(company.position + place) % len(vocabulary.HOLDERS)]


def _next_release(
    company: Company, day: date, category: int, headlines: tuple[tuple[str, str], ...]
) -> ExchangeRelease:
    """The company's next release."""
    serial = len(company.finnish.releases)
    at = datetime.combine(day, _RELEASED) + timedelta(minutes=serial)
    return ExchangeRelease(serial, category, at, headlines)


def _publish_flagging(company: Company, flagging: PlannedFlagging, day: date) -> None:
    """Adds a release in both languages: one record, or twins; the Finnish style in Finnish only."""
    company.finnish.positions[flagging.holder] = flagging
    finnish = ("fi", f"{company.name}: arvopaperimarkkinalain 9 luvun 5 §:n mukainen liputusilmoitus")
    act = "Notification in accordance with the Finnish Securities Market Act Chapter 9 § 5"
    english = ("en", f"{act}: {flagging.holder}'s holding in {company.name}")
    headlines = (finnish,) if flagging.style == "finnish" else (finnish, english)
    apart = company.position % 2 == 1
    release = _next_release(company, day, vocabulary.FLAGGING, headlines)
    company.finnish.releases.append(replace(release, apart=apart, flagging=flagging))


def _notify_position(position: HoldingPosition, style: str = "table", place: int = 0) -> Step:
    """A holder notifies a new position; an event is made if its shares cross a threshold."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        name, kind = _nth_holder(company, place)
        known = company.finnish.positions.get(name)
        before = known.now if known else None
        crossed = scene.day - timedelta(days=1)
        _publish_flagging(company, PlannedFlagging(name, kind, crossed, position, before or _BELOW, style), scene.day)
        is_band = position.shares is None or (before is not None and before.shares is None)
        basis = "band" if is_band else "exact"
        change = ThresholdCrossing(name, crossed, _share_pct(before), _share_pct(position), basis)
        return crossing_changes(change)

    return step


def _share_pct(position: HoldingPosition | None) -> Decimal:
    return Decimal(0) if position is None or position.shares is None else position.shares


def _publish_report(category: int, months: int) -> Step:
    """A report of the first months of the year, as a document."""

    def step(scene: StoryDay, company: Company) -> list[Change]:
        start = date(scene.day.year, 1, 1)
        end = date(scene.day.year, months + 1, 1) - timedelta(days=1)
        release = _next_release(company, scene.day, category, _report_headlines(company, start, end))
        company.finnish.releases.append(replace(release, attachment="report.pdf"))
        return [DocumentFiled("interim_report", start, end, scene.day), release]

    return step


def _report_headlines(company: Company, start: date, end: date) -> tuple[tuple[str, str], ...]:
    month = {6: "June", 9: "September"}[end.month]
    kind = {6: ("Puolivuosikatsaus", "Half-year report"), 9: ("Osavuosikatsaus", "Interim report")}[end.month]
    return (
        ("fi", f"{company.name}: {kind[0]} {start.day}.{start.month}.–{end.day}.{end.month}.{end.year}"),
        ("en", f"{company.name}: {kind[1]} 1 January – {end.day} {month} {end.year}"),
    )


def _publish_announcement(scene: StoryDay, company: Company) -> list[Change]:
    release = _next_release(company, scene.day, vocabulary.INSIDE, _plain_headlines(company))
    company.finnish.releases.append(replace(release, apart=True))
    return [release]


_OVER_TWO_LIMITS: Final = _notify_position(holding_position("24.99", "31.10"), "flat")
_WITHOUT_CROSSING: Final = _notify_position(holding_position("30.20"))
STORIES: Final[tuple[Story, ...]] = (
    Story(
        "flags_above_five",
        _prepare_listed(),
        (_notify_position(holding_position("5.04")), _notify_position(holding_position("6.50"))),
    ),
    Story(
        "flags_reaching_ten",
        _prepare_listed(holding_position("9.80")),
        (_notify_position(holding_position("10.00"), "flat"),),
    ),
    Story(
        "flags_over_two_limits",
        _prepare_listed(holding_position("7.25", "9.00")),
        (_OVER_TWO_LIMITS, _WITHOUT_CROSSING),
    ),
    Story("flags_below_five", _prepare_listed(holding_position("5.04")), (_notify_position(_BELOW, "ascii"),)),
    Story(
        "flags_in_finnish",
        _prepare_listed(holding_position("21.30")),
        (_notify_position(holding_position("19.95", indirect=True), "finnish"),),
    ),
    Story(
        "second_holder",
        _prepare_listed(holding_position("15.00")),
        (_notify_position(holding_position("8.75"), "ascii", place=1),),
    ),
    Story("reports_interim", _prepare_listed(), (_publish_report(vocabulary.INTERIM, 9), _publish_announcement)),
)
