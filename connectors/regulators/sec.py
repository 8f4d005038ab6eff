"""Dataset `us.sec`: litigation releases, administrative proceedings and trading suspensions.

See docs/formats/news.md 1.1.

Belongs here: the declaration, release numbers, items to acts. Titles list respondents, persons and companies
mixed; amounts and charges are only on the pages. Does not belong here: filings (`connectors.us`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Final

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import NOT_A_COMPANY
from connectors.kit.staging import SignalCounter
from connectors.regulators import act_types, common, feeds, fetch, schema
from connectors.regulators.authorities import SEC
from connectors.regulators.common import NOBODY, RejectedAct
from connectors.regulators.feeds import ActFeed, FeedItem
from connectors.regulators.schema import RegulatoryAct
from name_matching.respondents import TitleParties, parse_parties

MARKET: Final = "US"
KEY: Final = "us.sec"
ZONE: Final = "America/New_York"
_BASE: Final = "https://www.sec.gov/enforcement-litigation"
URLS: Final = (
    f"{_BASE}/litigation-releases/rss",
    f"{_BASE}/administrative-proceedings/rss",
    f"{_BASE}/trading-suspensions/rss",
)
# «LR-26032», «LR26018», «34-100456», «IA-6643»; of several in one field, the first is the act's
_NUMBER: Final = re.compile(r"\b(LR|AAER|IA|IC|33|34|35|39)[-– ]?(\d{2,7}[A-Za-z]?(?:-\d{1,3})?)\b", re.IGNORECASE)
_KINDS: Final = (  # word of the feed's title, or of its numbers -> kind, and the name of its items
    ("litigation", act_types.LITIGATION, "Litigation release"),
    ("administrative", act_types.ADMINISTRATIVE_PROCEEDING, "Administrative proceeding"),
    ("suspension", act_types.TRADING_SUSPENSION, "Trading suspension"),
)
_UNKNOWN: Final = (act_types.OTHER, "Release")
_SENTENCES: Final = f"{NOT_A_COMPANY}: a headline of a feed that lists no respondents (press releases, speeches)"


def parse_act(feed: ActFeed, item: FeedItem, tally: SignalCounter) -> RegulatoryAct | RejectedAct:
    """The act of an item; a reason if it names no company, or has no id."""
    number = release_number(item.creator)
    native_id = number or feeds.authority_path(item.guid, SEC.host) or feeds.authority_path(item.link, SEC.host)
    published_at = feeds.parse_feed_time(item.published_text, ZONE)
    if native_id is None:
        return RejectedAct("no release number, and no address of the SEC")
    if published_at is None:
        return RejectedAct(f"no time: {item.published_text[:60]!r}")
    kind, called = _kind_and_title(feed, number)
    if kind == act_types.OTHER and number is None:
        return RejectedAct(_SENTENCES)
    found = _parse_respondents(item)
    if not found.companies:
        return RejectedAct(NOBODY)
    if kind == act_types.OTHER:
        tally.add("unknown_kind", f"feed {feed.title[:80]}", native_id)
    title = f"{called} {number or ''}".strip() + f": {found.display_title}"
    url = item.link if feeds.authority_path(item.link, SEC.host) else None
    return RegulatoryAct(SEC, native_id, kind, title, url, published_at, schema.to_respondents(found.companies))


def release_number(text: str) -> str | None:
    """The number of a release with its dash, in any spelling; None where there is none."""
    found = _NUMBER.search(text)
    return None if found is None else f"{found[1].upper()}-{found[2].upper()}"


def redact_item(feed: ActFeed, item: FeedItem) -> FeedItem:
    """The archived form of an item: its respondents without persons."""
    found = _parse_respondents(item)
    number = release_number(item.creator)
    is_list = number is not None or _kind_and_title(feed, number)[0] != act_types.OTHER
    if not (found.companies and is_list):
        return common.anonymise_item(item)
    return replace(item, title=found.title, text="", creator=number or "")


def _parse_respondents(item: FeedItem) -> TitleParties:
    return parse_parties(item.title, MARKET)


def _kind_and_title(feed: ActFeed, number: str | None) -> tuple[str, str]:
    said = feed.title.lower()
    for word, kind, called in _KINDS:
        if word in said:
            return kind, called
    if number is not None and number.startswith("LR-"):
        return _KINDS[0][1:]
    return _UNKNOWN


_TABLE: Final = schema.acts_table(MARKET)
DATASET: Final = Dataset(
    key=KEY,
    title="SEC: litigation, administrative proceedings, trading suspensions",
    licence=Licence(
        "US-public-domain",
        "https://www.sec.gov/about/privacy-information#dissemination",
        "Source: U.S. Securities and Exchange Commission",
    ),
    cadence=Cadence(cron="*/10 11-23 * * 1-5", stale_after_hours=24 * 5),
    guard_limits=GuardLimits(max_rejected=0.2),
    host=SEC.host,
    staged_tables={_TABLE.name: _TABLE},
    file_patterns=("sec_rss/**", "sec_enforcement/**", "*litigation_releases*"),
    recognise_file=common.recognise_file,
    read_batches=partial(common.read_batches, _TABLE, parse_act),
    redact=partial(common.redact, redact_item),
    fetch=partial(fetch.fetch_feeds, URLS),
)
