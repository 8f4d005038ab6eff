"""Datasets `uk.fca` and `uk.pra`: news of the FCA and of the Bank of England (docs/formats/news.md 1.3).

Belongs here: the declarations. Of the FCA's categories, press releases, news, statements and notices are read;
blogs and speeches name companies without acting on them. Does not belong here: the sentences (`headline_grammar`).
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Cadence, Licence
from connectors.regulators import headline_feeds
from connectors.regulators.authorities import FCA, PRA
from connectors.regulators.headline_feeds import HeadlineFeeds
from connectors.regulators.headline_grammar import ENGLISH

MARKET: Final = "UK"
ZONE: Final = "Europe/London"
_BANK: Final = "https://www.bankofengland.co.uk"
_READ: Final = frozenset(
    {
        "Press Releases",
        "News stories",
        "Statements",
        "Final notices",
        "Decision notices",
        "Supervisory notices",
        "Warning notices",
        "Cancellation notices",
    }
)
_LEFT: Final = frozenset({"Blogs", "Speeches"})
_CADENCE: Final = Cadence(cron="7,22,37,52 6-19 * * 1-5", stale_after_hours=24 * 10)

FCA_HEADLINES: Final = HeadlineFeeds(
    FCA,
    ENGLISH,
    MARKET,
    ZONE,
    urls=("https://www.fca.org.uk/news/rss.xml",),
    files=("fca/**", "fca_rss/**", "fca_news/**"),
    taken=_READ,
    known_categories=_READ | _LEFT,
)
PRA_HEADLINES: Final = HeadlineFeeds(
    PRA,
    ENGLISH,
    MARKET,
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
