"""Supervisors' feeds on one day of a world, as RSS (docs/formats/news.md 1.1, 1.3 to 1.5).

SEC: litigation releases; all respondents are in one title, persons and companies mixed; the release number is in
`dc:creator`, with or without its dash; clone warnings are on a page without a feed. FCA: `pubDate` is not an RSS
date, but a weekday, a month's name and London local time; a clone warning bears the name of the firm imitated.
Finansinspektionen: the type of an act is a word of its title. Finanstilsynet: news and circulars, which overlap.
Does not belong here: which acts there are (`releases`), routes and HTTP.
"""

from __future__ import annotations

import uuid
from email.utils import format_datetime
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from sandbox.companies import releases
from sandbox.model.news import SupervisorAct
from sandbox.news.rss import ItemElement, RssChannel, feed_item
from sandbox.world import World

SEC: Final = "U.S. Securities and Exchange Commission"
_SEC_SITE: Final = "https://www.sec.gov"
_EASTERN: Final = ZoneInfo("America/New_York")
_SEC_CHANNEL: Final = RssChannel(
    "Litigation Releases",
    f"{_SEC_SITE}/",
    "The latest Litigation Releases from the Securities and Exchange Commission",
    "en",
    {"xmlns:dc": "http://purl.org/dc/elements/1.1/", "xml:base": f"{_SEC_SITE}/"},
)
_SEC_MOST: Final = 25
_FCA_SITE: Final = "https://www.fca.org.uk"
_LONDON: Final = ZoneInfo("Europe/London")
_FCA_CHANNEL: Final = RssChannel("FCA news", _FCA_SITE, "News from the Financial Conduct Authority", "en")
_FCA_MOST: Final = 20
_SANCTIONS: Final = "https://www.fi.se/sv/publicerat/sanktioner/finansiella-foretag"
_SANCTIONS_CHANNEL: Final = RssChannel("Sanktioner mot finansiella företag", _SANCTIONS, "Finansinspektionen", "sv")
_FINANSTILSYNET_SITE: Final = "https://www.finanstilsynet.no"
_FINANSTILSYNET_FEEDS: Final = {"nyhetsfeed": 1, "rundskriv": 2}  # one in this many acts is in the feed


def _newest_acts(world: World, market: str, day: int) -> list[SupervisorAct]:
    """Acts by the end of a day, newest first."""
    return sorted(releases.regulatory_acts_until(world, market, day), key=lambda act: act.at, reverse=True)


def litigation_feed(world: World, day: int) -> bytes:
    """The SEC's newest releases; the oldest is about a person."""
    found = [act for act in _newest_acts(world, "US", day) if act.kind == "sanction"][:_SEC_MOST]
    published = f"{world.date(0):%a, %d %b %Y} 01:00:00 -0500"
    person = _release_item(releases.PERSON, "00001", published, ("LR-10001", "LR-10001"))
    return _SEC_CHANNEL.feed([*map(_litigation_item, found), person])


def sec_release_number(act: SupervisorAct) -> str:
    """The number of a litigation release, as it is cited."""
    return f"LR-{act.serial}"


def _litigation_item(act: SupervisorAct) -> list[ItemElement]:
    number = sec_release_number(act)
    published = f"{act.at.astimezone(_EASTERN):%a, %d %b %Y %H:%M:%S %z}"
    shown = number if act.serial % 2 else number.replace("-", "")
    return _release_item(_respondents_title(act.parties), str(act.serial), published, (number, shown))


def _release_item(title: str, node: str, published: str, numbers: tuple[str, str]) -> list[ItemElement]:
    number, shown = numbers
    creator = ItemElement("dc:creator", shown)
    guid = f"{_SEC_SITE}/{uuid.uuid5(uuid.NAMESPACE_URL, number)}"
    return feed_item(title, f"{_SEC_SITE}/node/9{node}\n", title, published, creator, guid=guid)


def _respondents_title(parties: tuple[str, ...]) -> str:
    """Respondents as the releases list them: occasionally with a doubled or trailing blank."""
    *others, last = parties
    return f"{', '.join(others)} and  {last} " if others else last


def fca_feed(world: World, day: int) -> bytes:
    """The FCA's newest items; the speeches of each day among them."""
    acts = map(_fca_item, _newest_acts(world, "UK", day)[:_FCA_MOST])
    speeches = (_speech_item(world, one) for one in range(day, -1, -1))
    return _FCA_CHANNEL.feed([*acts, *islice(speeches, _FCA_MOST)])


def _speech_item(world: World, day: int) -> list[ItemElement]:
    return feed_item(
        "A speech on outcomes",
        f"{_FCA_SITE}/news/speeches/outcomes-{day}",
        "Speech delivered at a conference.",
        f"{world.date(day):%A, %B %d, %Y} - 03:30",
        ItemElement("category", "Speeches"),
    )


def fca_act_url(act: SupervisorAct) -> str:
    """URL of an item's page."""
    kind = "warnings" if act.kind == "clone" else "news/press-releases"
    return f"{_FCA_SITE}/{kind}/item-{act.serial}"


def _fca_item(act: SupervisorAct) -> list[ItemElement]:
    [first, *_] = act.parties
    title = f"FCA fines {first} £{act.amount:,}" if act.amount else f"FCA bans {first}"
    text = f"The Financial Conduct Authority has fined {' and '.join(act.parties)} for failings."
    if act.kind == "clone":
        title = f"{first} (clone of FCA authorised firm)"
        text = f"Fraudsters are using the details of {first} to convince people that they are genuine."
    published = f"{act.at.astimezone(_LONDON):%A, %B %d, %Y - %H:%M}"
    category = ItemElement("category", "Press Releases" if act.kind == "sanction" else "Statements")
    return feed_item(title, fca_act_url(act), text, published, category)


def sanctions_feed(world: World, day: int) -> bytes:
    """Finansinspektionen's acts, newest first; the oldest is of a person, with no name in the title."""
    person = feed_item(
        "Sanktionsavgift för sen anmälan av insynshandel",
        f"{_SANCTIONS}/2026/akt-1/",
        "En person ska betala en sanktionsavgift på 20 000 kronor.",
        f"{world.date(0):%a, %d %b %Y} 01:00:00 GMT",
    )
    return _SANCTIONS_CHANNEL.feed([*map(_sanction_item, _newest_acts(world, "SE", day)), person])


def finansinspektionen_act_url(act: SupervisorAct) -> str:
    """URL of an act's page."""
    return f"{_SANCTIONS}/{act.at:%Y}/akt-{act.serial}/"


def _sanction_item(act: SupervisorAct) -> list[ItemElement]:
    [first, *_] = act.parties
    title = f"Sanktionsavgift för {first}"
    millions = f"{(act.amount or 0) / 1_000_000:.1f}".replace(".", ",")
    text = f"{first} ska betala en sanktionsavgift på {millions} miljoner kronor."
    if act.amount is None:
        text = f"{first} får en anmärkning."
    if act.kind == "clone":
        title = f"Varning för bedragare som utger sig för att vara {first}"
        text = f"Någon utger sig för att vara {first}. Det riktiga bolaget har inget med det att göra."
    return feed_item(title, finansinspektionen_act_url(act), text, format_datetime(act.at, usegmt=True))


def finanstilsynet_feed(world: World, day: int, name: str) -> bytes:
    """One of Finanstilsynet's two feeds, newest first; the oldest item is about no company in particular."""
    site = _FINANSTILSYNET_SITE
    channel = RssChannel("Finanstilsynet", f"{site}/rss/{name}/", "Nyheter fra Finanstilsynet", "no")
    kept = [act for act in _newest_acts(world, "NO", day) if act.serial % _FINANSTILSYNET_FEEDS[name] == 0]
    circular = feed_item(
        "Rundskriv om rapportering",
        f"{site}/nyhetsarkiv/rundskriv/2026/rapportering/",
        "Nye frister for rapportering.",
        f"{world.date(0):%a, %d %b %Y} 01:00:00 GMT",
    )
    return channel.feed([*map(_finanstilsynet_item, kept), circular])


def finanstilsynet_act_url(act: SupervisorAct) -> str:
    """URL of an act's page."""
    return f"{_FINANSTILSYNET_SITE}/nyhetsarkiv/nyheter/{act.at:%Y}/sak-{act.serial}/"


def _finanstilsynet_item(act: SupervisorAct) -> list[ItemElement]:
    [first, *_] = act.parties
    title = f"Overtredelsesgebyr til {first}"
    text = f"{first} er ilagt et overtredelsesgebyr på {act.amount or 0:,} kroner.".replace(",", " ")
    if act.amount is None:
        text = f"{first} har fått kritikk."
    if act.kind == "clone":
        title = f"Finanstilsynet advarer mot falsk bruk av navnet {first}"
        text = f"Noen utgir seg for å være {first}. Det virkelige foretaket har ikke noe med dette å gjøre."
    return feed_item(title, finanstilsynet_act_url(act), text, format_datetime(act.at, usegmt=True))
