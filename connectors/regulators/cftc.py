"""Dataset `us.cftc`: enforcement press releases of the CFTC (docs/formats/news.md 1.2).

Belongs here: the declaration, release numbers. Names are in the sentence of the title. Does not belong here:
the sentences (`headline_grammar`).
"""

from __future__ import annotations

import re
from typing import Final

from connectors.contract.dataset import Cadence, Licence
from connectors.regulators import feeds, headline_feeds
from connectors.regulators.authorities import CFTC, Authority
from connectors.regulators.feeds import FeedItem
from connectors.regulators.headline_feeds import HeadlineFeeds
from connectors.regulators.headline_grammar import ENGLISH

_NUMBER: Final = re.compile(r"(?:^|/)(?:pr-?)?(\d{2,6}-\d{2})$")


def _release_number(authority: Authority, item: FeedItem) -> str | None:
    """The number of the release, from the end of its URL; else the path."""
    path = feeds.authority_path(item.link, authority.host)
    found = None if path is None else _NUMBER.search(path)
    return path if found is None else found[1]


HEADLINES: Final = HeadlineFeeds(
    CFTC,
    ENGLISH,
    "US",
    "America/New_York",
    urls=("https://www.cftc.gov/RSS/RSSENF/rssenf.xml",),
    files=("cftc/**", "cftc_rss/**"),
    identify=_release_number,
)
DATASET: Final = headline_feeds.headlines_dataset(
    "us.cftc",
    "CFTC: enforcement",
    Licence("US-public-domain", "https://www.cftc.gov/WebPolicy", "Source: U.S. Commodity Futures Trading Commission"),
    Cadence(cron="5,35 11-23 * * 1-5", stale_after_hours=24 * 10),
    HEADLINES,
)
