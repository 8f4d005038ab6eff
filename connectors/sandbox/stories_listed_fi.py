"""Stories of listed Finnish companies at the exchange: flaggings and interim reports (docs/formats/fi.md 6).

A crossing carries the share of capital before and after; «below 5 %» is a band that begins at zero. Does not
belong here: changes in the registers (`stories_fi`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Final

from connectors.sandbox import births_fi, names_fi
from connectors.sandbox.model import Company
from connectors.sandbox.model_fi import Announced, DocumentFiled, FlaggedChange, Flagging, Position, Release
from connectors.sandbox.stories import Change, Scene, Story
from connectors.sandbox.stories_fi import in_good_standing

_RELEASED: Final = time(2, 30, tzinfo=UTC)  # before the daily fetch
_TWO_DAYS: Final = timedelta(days=2)
_INSTRUMENTS: Final = Decimal("0.30")
_BELOW: Final = Position(None, None, None)


def held(shares: str, votes: str | None = None, *, indirect: bool = False) -> Position:
    """A position in percent of shares and, if different, of votes; some more through financial instruments."""
    share = Decimal(shares)
    return Position(share, Decimal(votes) if votes else share, share + _INSTRUMENTS, indirect)


def _listed(*positions: Position, style: str = "table") -> Callable[[Scene, Company], None]:
    """A public company with holders who notified before the first day, each in its own release."""

    def prepare(scene: Scene, company: Company) -> None:
        in_good_standing(scene, company)
        company.name = births_fi.named(births_fi.stem(company), names_fi.PUBLIC)
        company.form = names_fi.PUBLIC
        company.finnish.first_north = company.position % 4 == 0
        first = _release(company, scene.first_day - 9 * _TWO_DAYS, names_fi.INSIDE, _plain(company))
        company.finnish.releases.append(first)
        for place, position in enumerate(positions):
            crossed = scene.first_day - (6 + place) * _TWO_DAYS
            flagging = Flagging(*_holder(company, place), crossed, position, None, style)
            _notified(company, flagging, crossed + _TWO_DAYS)

    return prepare


def _plain(company: Company) -> tuple[tuple[str, str], ...]:
    return (("fi", f"{company.name}: tiedote"), ("en", f"{company.name}: announcement"))


def _holder(company: Company, place: int) -> tuple[str, str]:
    """A different holder for each place, the same on every day."""
    return names_fi.HOLDERS[(company.position + place) % len(names_fi.HOLDERS)]


def _release(company: Company, day: date, category: int, headlines: tuple[tuple[str, str], ...]) -> Release:
    """The company's next release."""
    serial = len(company.finnish.releases)
    at = datetime.combine(day, _RELEASED) + timedelta(minutes=serial)
    return Release(serial, category, at, headlines)


def _notified(company: Company, flagging: Flagging, day: date) -> None:
    """Adds a release in both languages: one record, or twins; the Finnish style in Finnish only."""
    company.finnish.positions[flagging.holder] = flagging
    finnish = ("fi", f"{company.name}: arvopaperimarkkinalain 9 luvun 5 §:n mukainen liputusilmoitus")
    act = "Notification in accordance with the Finnish Securities Market Act Chapter 9 § 5"
    english = ("en", f"{act}: {flagging.holder}'s holding in {company.name}")
    headlines = (finnish,) if flagging.style == "finnish" else (finnish, english)
    apart = company.position % 2 == 1
    release = _release(company, day, names_fi.FLAGGING, headlines)
    company.finnish.releases.append(replace(release, apart=apart, flagging=flagging))


def _moves_to(
    position: Position, style: str = "table", place: int = 0
) -> Callable[[Scene, Company], list[Change]]:
    """A holder notifies a new position; an event is made if its shares cross a threshold."""

    def step(scene: Scene, company: Company) -> list[Change]:
        name, kind = _holder(company, place)
        known = company.finnish.positions.get(name)
        before = known.now if known else None
        crossed = scene.day - timedelta(days=1)
        _notified(company, Flagging(name, kind, crossed, position, before or _BELOW, style), scene.day)
        return _crossing(name, crossed, before, position)

    return step


def _crossing(holder: str, day: date, before: Position | None, now: Position) -> list[Change]:
    previous, current = _level(before), _level(now)
    low, high = sorted((previous, current))
    if not any(low < limit <= high for limit in THRESHOLDS):
        return []
    return [FlaggedChange(holder, day, previous, current, "band" if now.shares is None else "exact")]


def _level(position: Position | None) -> Decimal:
    return Decimal(0) if position is None or position.shares is None else position.shares


def _reports(category: int, months: int) -> Callable[[Scene, Company], list[Change]]:
    """A report of the first months of the year, as a document."""

    def step(scene: Scene, company: Company) -> list[Change]:
        start = date(scene.day.year, 1, 1)
        end = date(scene.day.year, months + 1, 1) - timedelta(days=1)
        release = _release(company, scene.day, category, _report_headlines(company, start, end))
        company.finnish.releases.append(replace(release, attachment="report.pdf"))
        return [DocumentFiled("interim_report", start, end, scene.day), Announced(release)]

    return step


def _report_headlines(company: Company, start: date, end: date) -> tuple[tuple[str, str], ...]:
    month = {6: "June", 9: "September"}[end.month]
    kind = {6: ("Puolivuosikatsaus", "Half-year report"), 9: ("Osavuosikatsaus", "Interim report")}[end.month]
    return (
        ("fi", f"{company.name}: {kind[0]} {start.day}.{start.month}.–{end.day}.{end.month}.{end.year}"),
        ("en", f"{company.name}: {kind[1]} 1 January – {end.day} {month} {end.year}"),
    )


def _announces(scene: Scene, company: Company) -> list[Change]:
    release = _release(company, scene.day, names_fi.INSIDE, _plain(company))
    company.finnish.releases.append(replace(release, apart=True))
    return [Announced(release)]


THRESHOLDS: Final = (5, 10, 20, 50)
_OVER_TWO_LIMITS: Final = _moves_to(held("24.99", "31.10"), "flat")
_WITHOUT_CROSSING: Final = _moves_to(held("30.20"))
STORIES: Final[tuple[Story, ...]] = (
    Story("flags_above_five", _listed(), (_moves_to(held("5.04")), _moves_to(held("6.50")))),
    Story("flags_reaching_ten", _listed(held("9.80")), (_moves_to(held("10.00"), "flat"),)),
    Story("flags_over_two_limits", _listed(held("7.25", "9.00")), (_OVER_TWO_LIMITS, _WITHOUT_CROSSING)),
    Story("flags_below_five", _listed(held("5.04")), (_moves_to(_BELOW, "ascii"),)),
    Story("flags_in_finnish", _listed(held("21.30")), (_moves_to(held("19.95", indirect=True), "finnish"),)),
    Story("second_holder", _listed(held("15.00")), (_moves_to(held("8.75"), "ascii", place=1),)),
    Story("reports_interim", _listed(), (_reports(names_fi.INTERIM, 9), _announces)),
)
