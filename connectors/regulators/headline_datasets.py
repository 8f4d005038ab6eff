"""Datasets of headlines: the CFTC, the FCA, the Bank of England, Finansinspektionen, Finanstilsynet.

See docs/formats/news.md 1.2 to 1.5.

Belongs here: the declarations. Of the FCA's categories, press releases, news, statements and notices are read;
blogs and speeches name companies without acting on them. Of Finansinspektionen's sanctions one list has financial
firms only: there a name needs no legal form. Finanstilsynet's feeds overlap; an article is identified by its URL.
Does not belong here: the registers of insider trades and short positions (`connectors.se`), the sentences
(`headline_grammar`).
"""

from __future__ import annotations

import re
from typing import Final

from connectors.contract.dataset import Cadence, Licence
from connectors.regulators import feeds, headline_feeds
from connectors.regulators.authorities import CFTC, FCA, FI, FT, PRA, Authority
from connectors.regulators.feeds import FeedItem
from connectors.regulators.headline_feeds import HeadlineFeeds
from connectors.regulators.headline_grammar import ENGLISH, NORWEGIAN, SWEDISH

UK_MARKET: Final = "UK"
ZONE: Final = "Europe/London"
_BANK: Final = "https://www.bankofengland.co.uk"
_READ: Final = frozenset(
    {"Press Releases", "News stories", "Statements", "Final notices", "Decision notices"}
    | {"Supervisory notices", "Warning notices", "Cancellation notices"}
)
_LEFT: Final = frozenset({"Blogs", "Speeches"})
_CADENCE: Final = Cadence(cron="7,22,37,52 6-19 * * 1-5", stale_after_hours=24 * 10)

FCA_HEADLINES: Final = HeadlineFeeds(
    FCA,
    ENGLISH,
    UK_MARKET,
    ZONE,
    urls=("https://www.fca.org.uk/news/rss.xml",),
    files=("fca/**", "fca_rss/**", "fca_news/**"),
    taken=_READ,
    known_categories=_READ | _LEFT,
)
PRA_HEADLINES: Final = HeadlineFeeds(
    PRA,
    ENGLISH,
    UK_MARKET,
    ZONE,
    urls=(f"{_BANK}/rss/prudential-regulation-publications", f"{_BANK}/rss/news"),
    files=("pra/**", "boe_rss/**", "bank_of_england/**"),
)
FCA_DATASET: Final = headline_feeds.headlines_dataset(
    "uk.fca",
    "FCA: news and notices",
    Licence("FCA website terms", "https://www.fca.org.uk/legal", "Source: Financial Conduct Authority"),
    _CADENCE,
    FCA_HEADLINES,
)
PRA_DATASET: Final = headline_feeds.headlines_dataset(
    "uk.pra",
    "PRA and Bank of England: news",
    Licence("Bank of England terms", f"{_BANK}/legal", "Source: Bank of England"),
    _CADENCE,
    PRA_HEADLINES,
)


_NUMBER: Final = re.compile(r"(?:^|/)(?:pr-?)?(\d{2,6}-\d{2})$")


def _release_number(authority: Authority, item: FeedItem) -> str | None:
    """The number of the release, from the end of its URL; else the path."""
    path = feeds.authority_path(item.link, authority.host)
    found = None if path is None else _NUMBER.search(path)
    return path if found is None else found[1]


CFTC_HEADLINES: Final = HeadlineFeeds(
    CFTC,
    ENGLISH,
    "US",
    "America/New_York",
    urls=("https://www.cftc.gov/RSS/RSSENF/rssenf.xml",),
    files=("cftc/**", "cftc_rss/**"),
    identify=_release_number,
)
CFTC_DATASET: Final = headline_feeds.headlines_dataset(
    "us.cftc",
    "CFTC: enforcement",
    Licence("US-public-domain", "https://www.cftc.gov/WebPolicy", "Source: U.S. Commodity Futures Trading Commission"),
    Cadence(cron="5,35 11-23 * * 1-5", stale_after_hours=24 * 10),
    CFTC_HEADLINES,
    out_of_reach=(
        "since October 2026 www.cftc.gov answers programs with status 403 and a challenge, and its enforcement "
        "releases are read from no other channel; save the feed in a browser and ingest it from the folder us/cftc"
    ),
)


_FIRMS: Final = ("/sanktioner/finansiella-foretag/", "/sanctions/financial-firms/")
_NORDIC_CADENCE: Final = Cadence(cron="12,42 5-17 * * 1-5", stale_after_hours=24 * 60)  # weeks may pass without an act


def _is_about_firm(item: FeedItem) -> bool:
    return any(section in item.link.lower() for section in _FIRMS)


SWEDISH_HEADLINES: Final = HeadlineFeeds(
    FI,
    SWEDISH,
    "SE",
    "Europe/Stockholm",
    urls=("https://www.fi.se/sv/publicerat/sanktioner/finansiella-foretag/rss",),
    files=("fi_rss/**", "fi_sanktioner/**", "sanktioner/**"),
    is_firm_list=_is_about_firm,
)
NORWEGIAN_HEADLINES: Final = HeadlineFeeds(
    FT,
    NORWEGIAN,
    "NO",
    "Europe/Oslo",
    urls=("https://www.finanstilsynet.no/rss/nyhetsfeed/", "https://www.finanstilsynet.no/rss/rundskriv/"),
    files=("finanstilsynet/**", "finanstilsynet_rss/**", "tilsyn/**"),
)
SWEDISH_DATASET: Final = headline_feeds.headlines_dataset(
    "se.sanktioner",
    "Finansinspektionen: sanctions",
    Licence("public register", "https://www.fi.se", "Källa: Finansinspektionen"),
    _NORDIC_CADENCE,
    SWEDISH_HEADLINES,
)
NORWEGIAN_DATASET: Final = headline_feeds.headlines_dataset(
    "no.tilsyn",
    "Finanstilsynet: news and letters",
    Licence("NLOD-2.0", "https://data.norge.no/nlod/no/2.0", "Kilde: Finanstilsynet"),
    _NORDIC_CADENCE,
    NORWEGIAN_HEADLINES,
)
