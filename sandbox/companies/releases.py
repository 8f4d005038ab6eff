"""News and acts published about the companies of a world, with look-alikes that must be ignored.

Companies without a story have press. Each day brings a release with its twin in another language, one on two
wires, one that is corrected the day after, and an act of the supervisor; in addition items that must have no
effect: alerts of law firms, clones of a company, a subsidiary with nearly its name, a company of the same name
abroad, persons. Items of the first day exist before the first run and make no events.

Does not belong here: formats (`sandbox.news`), or ids (`expected`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sandbox.model.company import Company, PlannedEvent
from sandbox.model.news import PressRelease, SupervisorAct, Wire

if TYPE_CHECKING:
    from sandbox.world import World

STORY: Final = "press"
# By market: languages of its releases, the leading one first, and the wires that carry them.
LANGUAGES: Final = {"SE": ("en", "sv"), "NO": ("en", "no"), "FI": ("en", "fi"), "UK": ("en",), "DK": ("en", "da")}
WIRES: Final[dict[str, tuple[Wire, ...]]] = {
    "SE": ("mfn", "globenewswire"),
    "NO": ("mfn", "globenewswire"),
    "FI": ("mfn", "globenewswire"),
    "UK": ("nsm", "globenewswire"),
    "DK": ("mfn", "globenewswire"),
}
SUPERVISED: Final = ("SE", "NO", "FI", "UK", "US", "DK")  # markets with acts of a supervisor
# A new market at the end: its place gives the serials of releases.
SUBSIDIARIES: Final = {"SE": "Försäljning", "NO": "Salg", "FI": "Myynti", "UK": "Sales", "US": "Sales", "DK": "Salg"}
FOREIGN: Final = {"SE": "A/S", "NO": "AB", "FI": "AS", "UK": "GmbH", "US": "plc", "DK": "AB"}  # foreign legal forms
PERSON: Final = "Robin Q. Example"
FIRM: Final = "Example & Sample LLP"
_HEADLINES: Final = {
    "sv": "{name} tecknar avtal nummer {serial} om leveranser",
    "no": "{name} inngår avtale nummer {serial} om leveranser",
    "fi": "{name} solmii sopimuksen numero {serial} toimituksista",
    "da": "{name} indgår aftale nummer {serial} om leverancer",
    "en": "{name} signs agreement number {serial} on deliveries",
}
_MORNING: Final = time(6, 30, tzinfo=UTC)
_APART: Final = timedelta(minutes=20)
_NEW_OF_A_DAY: Final = 8
_SERIALS: Final = 10_000  # serials per market
_AMOUNT: Final = 1_500_000


def releases_until(world: World, market: str, day: int) -> list[PressRelease]:
    """Every release by the end of a day, oldest first."""
    return [one for number in range(day + 1) for one in _day_releases(world, market, number)]


def regulatory_acts_until(world: World, market: str, day: int) -> list[SupervisorAct]:
    """Every act by the end of a day, oldest first."""
    return [one for number in range(day + 1) for one in _day_acts(world, market, number)]


def planned_events(world: World, day: int) -> Iterator[PlannedEvent]:
    """The expected events of a day's press; none for the first day."""
    if day == 0:
        return
    for market in world.markets:
        for release in _day_releases(world, market, day):
            if release.is_expected:
                yield PlannedEvent(world.date(day), release.company, release, STORY)
        for act in _day_acts(world, market, day):
            if act.is_expected:
                yield PlannedEvent(world.date(day), act.company, act, STORY)


@lru_cache(maxsize=256)
def _day_releases(world: World, market: str, day: int) -> tuple[PressRelease, ...]:
    if market not in WIRES or market not in world.press:
        return ()
    plain, twice, mended, imitated = _press_companies(world, market, day)[:4]
    first, at, one = _first_serial(market, day), _publication_time(world, day), WIRES[market][:1]
    made = [
        PressRelease(plain, first, at, _release_titles(plain, first, LANGUAGES[market]), one),
        PressRelease(twice, first + 1, at + _APART, _release_titles(twice, first + 1), WIRES[market]),
        PressRelease(mended, first + 2, at + 2 * _APART, _release_titles(mended, first + 2), one),
        _law_firm_alert(imitated, first + 3, at + 3 * _APART),
    ]
    return (*made, *_correction_release(world, market, day))


def _correction_release(world: World, market: str, day: int) -> Iterator[PressRelease]:
    """Corrections of the release that was wrong the day before."""
    if day and WIRES[market][0] == "mfn":  # corrections elsewhere do not name the original
        before, wrong = _press_companies(world, market, day - 1)[2], _first_serial(market, day - 1) + 2
        titles = {"en": f"Correction: {_release_headline('en', before, wrong)}"}
        at = _publication_time(world, day) + 4 * _APART
        wires = WIRES[market][:1]
        yield PressRelease(before, _first_serial(market, day) + 4, at, titles, wires, is_expected=False, corrects=wrong)


def _law_firm_alert(company: Company, serial: int, at: datetime) -> PressRelease:
    title = f"INVESTOR ALERT: {FIRM} reminds shareholders of {company.name} of a class action deadline"
    return PressRelease(company, serial, at, {"en": title}, ("globenewswire",), is_expected=False, publisher_name=FIRM)


@lru_cache(maxsize=256)
def _day_acts(world: World, market: str, day: int) -> tuple[SupervisorAct, ...]:
    if market not in SUPERVISED or market not in world.press:
        return ()
    fined, imitated, parent, namesake = _press_companies(world, market, day)[4:8]
    first, at = _first_serial(market, day), _publication_time(world, day)
    subsidiary = _subsidiary_name(market, parent)
    return (
        SupervisorAct(fined, first + 5, at, "sanction", (official_name(fined), PERSON), amount=_AMOUNT),
        SupervisorAct(imitated, first + 6, at + _APART, "clone", (official_name(imitated),), is_expected=False),
        SupervisorAct(parent, first + 7, at + 2 * _APART, "sanction", (subsidiary,), is_expected=False, amount=_AMOUNT),
        SupervisorAct(parent, first + 8, at + 3 * _APART, "sanction", (PERSON,), is_expected=False),
        SupervisorAct(
            namesake, first + 9, at + 4 * _APART, "sanction", (_foreign_namesake(market, namesake),), is_expected=False
        ),
    )


def official_name(company: Company) -> str:
    """A company's name as a supervisor writes it: US filers store their legal form separately."""
    return f"{company.name}{company.form}" if company.market == "US" else company.name


def _subsidiary_name(market: str, parent: Company) -> str:
    """A company in no register: the parent's name with a word inserted before its legal form."""
    stem, _, form = official_name(parent).rpartition(" ")
    comma = "," if stem.endswith(",") else ""
    return f"{stem.removesuffix(',')} {SUBSIDIARIES[market]}{comma} {form}"


def _foreign_namesake(market: str, namesake: Company) -> str:
    """A foreign company with the name of one of this market, except for the legal form."""
    stem, _, _ = official_name(namesake).rpartition(" ")
    return f"{stem.removesuffix(',')} {FOREIGN[market]}"


def _release_titles(company: Company, serial: int, languages: tuple[str, ...] = ("en",)) -> dict[str, str]:
    return {language: _release_headline(language, company, serial) for language in languages}


def _release_headline(language: str, company: Company, serial: int) -> str:
    return _HEADLINES[language].format(name=company.name, serial=serial)


def _first_serial(market: str, day: int) -> int:
    return _SERIALS * (1 + tuple(SUBSIDIARIES).index(market)) + day * 100


def _publication_time(world: World, day: int) -> datetime:
    return datetime.combine(world.date(day) - timedelta(days=1), _MORNING)


@lru_cache(maxsize=256)
def _press_companies(world: World, market: str, day: int) -> tuple[Company, ...]:
    """Companies with press on a day, different ones each day, from those that no story involves."""
    quiet = [company for company in world.quiet(market) if _is_firm(company)]
    first = day * _NEW_OF_A_DAY
    return tuple(quiet[(first + place) % len(quiet)] for place in range(_NEW_OF_A_DAY))


def _is_firm(company: Company) -> bool:
    others = _NO_DANISH_FIRMS if company.market == "DK" else _NO_FIRMS
    return company.status == "active" and company.is_in_register and company.form not in others


# Norway's sole traders, associations and foundations, Sweden's associations.
_NO_FIRMS: Final = ("ENK", "FLI", "STI", "NUF", "I", "BRF", "EK")
_NO_DANISH_FIRMS: Final = ("10", "90")  # sole traders and foundations, by codes that are others elsewhere
