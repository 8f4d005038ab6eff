"""Dataset `<cc>.wires`: RSS and Atom of GlobeNewswire, PR Newswire and Business Wire.

See docs/formats/news.md 2.9, 2.11.

Belongs here: the list of wires and their terms, recognising files, entries to rows. Releases are copyrighted
text: title, link and time are kept. Law firms' calls to investors are rejected with a reason. Does not belong
here: parsing feeds (`feeds`), the issuer of an item (`news.issuer_evidence`), fetching (`fetch`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from urllib.parse import unquote, urlsplit

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import NOT_A_COMPANY, ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope, Signal
from connectors.kit import feeds as kit_feeds
from connectors.kit.formats import BodyFormat, decompressed_head, detect_body_format
from connectors.kit.staging import SignalCounter
from connectors.news import bodies, categories, issuer_evidence, items, named_listings
from connectors.news import text as news_text
from connectors.news.schema import wire_table
from connectors.news.wires import fetch
from name_matching.law_firm_alerts import is_law_firm_alert
from warehouse.schema.codes import MARKET_NAMES
from warehouse.schema.types import Table


@dataclass(frozen=True, slots=True)
class NewsWire:
    """One wire.

    home: the market of releases that do not state theirs. has_tags: whether it tags issuers; if not, the text is
    searched for a ticker. has_full_text: whether its terms let the text be passed on.
    """

    name: str
    publisher: str
    host: str
    home: str
    licence: Licence
    has_tags: bool
    has_full_text: bool


def _wire_licence(name: str, url: str) -> Licence:
    return Licence(f"{name} terms: title, link and publisher", url, f"Source: {name}")


WIRES: Final = (
    NewsWire(
        name="globenewswire",
        publisher="GlobeNewswire",
        host="globenewswire.com",
        home="US",
        licence=_wire_licence("GlobeNewswire", "https://www.globenewswire.com"),
        has_tags=True,
        has_full_text=False,
    ),
    NewsWire(
        name="prnewswire",
        publisher="PR Newswire",
        host="prnewswire.com",
        home="US",
        licence=_wire_licence("PR Newswire", "https://www.prnewswire.com/rss/"),
        has_tags=False,
        has_full_text=False,
    ),
    NewsWire(
        name="businesswire",
        publisher="Business Wire",
        host="businesswire.com",
        home="US",
        licence=_wire_licence("Business Wire", "https://www.businesswire.com"),
        has_tags=False,
        has_full_text=False,
    ),
)
LICENCE: Final = Licence(
    "terms of each wire: title, link and publisher", fetch.SITE, "Source: the wire named as publisher"
)
SOURCE: Final = "wires"
_FEED: Final = re.compile(rb"<(?:[\w.-]{1,40}:)?(?:rss|feed|RDF)\b")
_RELEASE: Final = re.compile(r"/news-release/\d{4}/\d\d/\d\d/(\d{1,12})/\d+/([a-z]{2})\b")
_COUNTRY: Final = re.compile(rf"(?:/country/|News from )({'|'.join(MARKET_NAMES.values())})\b")
_MARKETS: Final = {name: market for market, name in MARKET_NAMES.items()}
_CODE: Final = re.compile(r"[a-z]{2}")
_KEY: Final = 300  # characters of an id
_CLASS_ACTION: Final = "class action"  # a subject of GlobeNewswire


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises any feed; HTML under a feed's name is left to `read_batches`, which rejects it with a reason."""
    head = decompressed_head(head)
    if detect_body_format(head) is BodyFormat.XML and not _FEED.search(head.replace(b"\x00", b"")):
        return NotApplicable("XML that is no RSS or Atom")
    return RecognisedFile(None, Scope.PART)


def read_batches(market: str, staged_table: Table, member: ArchiveMember) -> Iterator[Batch]:
    """One batch: the releases of issuers of this market."""
    feed = bodies.read_feed(member)
    made = items.make_items_batch(
        member, staged_table, feed.entries, partial(_entry_row, market, feed), lambda entry: entry.title
    )
    if feed.is_repaired:
        made = replace(
            made, signals=(*made.signals, Signal(member.dataset, "repaired_markup", "feed", 1, (member.name,)))
        )
    yield made


def _entry_row(
    market: str, feed: kit_feeds.ParsedFeed, entry: kit_feeds.FeedEntry, tally: SignalCounter
) -> items.Row | None:
    written = news_text.decode_again(entry.title)
    title, url = news_text.to_plain_text(written), news_text.web_address(entry.link)
    published = news_text.parse_instant(entry.time)
    wire = _wire_of_url(url) or _wire_of_url(feed.link)
    if title is None or published is None or wire is None:
        missing = "title" if title is None else "time with a zone" if published is None else "wire in its link"
        raise items.RejectedItemError(f"no {missing}")
    author, subjects = _entry_author(entry), _entry_subjects(entry)
    if is_law_firm_alert(title, author) or any(_CLASS_ACTION in subject.casefold() for subject in subjects):
        raise items.RejectedItemError(
            f"{NOT_A_COMPANY}: a law firm's call to investors, which names the opposing company"
        )
    identity, language = _id_and_language(wire, entry, url)
    if written != entry.title:
        tally.add("double_encoding", "title", identity)
    symbols = issuer_evidence.parse_symbols(_tags_of_scheme(entry, "/stock"))
    if not wire.has_tags or not (symbols or _tags_of_scheme(entry, "/isin")):
        name, named = _name_and_symbols(title, entry, author)
        author, symbols = author or name, (*named, *symbols)
    issuer = issuer_evidence.issuer_for_market(market, _entry_evidence(feed, entry, symbols), wire.home)
    if issuer is None:
        tally.add("other_market", wire.publisher, identity)
        return None
    return {
        "id": identity,
        "title": title,
        "summary": news_text.to_plain_text(entry.summary, news_text.SUMMARY) if wire.has_full_text else None,
        "url": url,
        "publisher": wire.publisher,
        "language": language,
        "published_at": published,
        "subjects": subjects,
        "kind": ";".join(subjects),
        "categories": categories.map_categories(subjects, title),
        "author": author,
        **issuer.columns(),
    }


def _wire_of_url(url: str | None) -> NewsWire | None:
    """The wire of a URL; None for a URL that only resembles one of theirs."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        return None
    return next((wire for wire in WIRES if host == wire.host or host.endswith(f".{wire.host}")), None)


def _page_of_wire(url: str | None) -> str | None:
    """The address of a release at its wire, without what only says where it was read."""
    if url is None or _wire_of_url(url) is None:
        return None
    parts = urlsplit(url)
    return f"https://{parts.hostname}{parts.path}" if parts.path.strip("/") else None


def _id_and_language(wire: NewsWire, entry: kit_feeds.FeedEntry, url: str | None) -> tuple[str, str | None]:
    """The id of a release and its language; GlobeNewswire has both in the URL.

    Else its page on the wire's host is its id: feeds give two releases one guid, and one release another guid later.
    """
    found = _RELEASE.search(url or "")
    number = news_text.to_plain_text(entry.number) or (found[1] if found else None)
    native = number or _page_of_wire(url) or news_text.to_plain_text(entry.id) or url
    if native is None or len(native) > _KEY:
        raise items.RejectedItemError("no id")
    said = (entry.language or (found[2] if found else ""))[:2].lower()
    return f"{wire.name}:{native}", said if _CODE.fullmatch(said) else None


def _entry_author(entry: kit_feeds.FeedEntry) -> str | None:
    """The issuer as the wire names it: `dc:contributor`, never the publisher."""
    return next(filter(None, map(news_text.to_plain_text, entry.contributors)), None)


def _tags_of_scheme(entry: kit_feeds.FeedEntry, ending: str) -> list[str]:
    """Categories of a domain with this ending, whatever its scheme (http before, https now)."""
    return [tag.term for tag in entry.tags if tag.scheme.casefold().rstrip("/").endswith(ending)]


def _entry_subjects(entry: kit_feeds.FeedEntry) -> list[str]:
    plain = (news_text.to_plain_text(tag.term) for tag in entry.tags if not tag.scheme)
    return sorted({subject for subject in plain if subject})


def _name_and_symbols(title: str, entry: kit_feeds.FeedEntry, author: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Name and ticker of the company that the text gives together, if the headline or the author begins with it."""
    text = news_text.to_plain_text(entry.summary, news_text.SUMMARY) or ""
    return named_listings.find_issuer(title, text, author) or (None, ())


def _entry_evidence(
    feed: kit_feeds.ParsedFeed, entry: kit_feeds.FeedEntry, symbols: tuple[str, ...]
) -> issuer_evidence.IssuerEvidence:
    place = _COUNTRY.search(unquote(f"{feed.link} {feed.title}"[: news_text.ADDRESS]))
    return issuer_evidence.IssuerEvidence(
        isins=issuer_evidence.valid_isins(_tags_of_scheme(entry, "/isin")),
        symbols=symbols,
        country=_MARKETS[place[1]] if place else None,
    )


def wires_dataset(market: str) -> Dataset:
    """The dataset of one market."""
    made = wire_table(market, SOURCE)
    return Dataset(
        key=f"{market.lower()}.{SOURCE}",
        title="Wires: GlobeNewswire, PR Newswire, Business Wire",
        licence=LICENCE,
        cadence=Cadence(cron="*/20 5-20 * * *", stale_after_hours=96),
        guard_limits=GuardLimits(max_rejected=0.05),
        host=fetch.HOST,
        staged_tables={made.name: made},
        file_patterns=("wires/**", "globenewswire/**", "prnewswire/**", "businesswire/**"),
        recognise_file=recognise_file,
        read_batches=partial(read_batches, market, made),
        fetch=partial(fetch.fetch, market),
    )
