"""Datasets `se.sanktioner` and `no.tilsyn`: Finansinspektionen and Finanstilsynet (docs/formats/news.md 1.4, 1.5).

Belongs here: the declarations. Of Finansinspektionen's sanctions one list has financial firms only: there a
name needs no legal form. Finanstilsynet's feeds overlap; an article is identified by its URL. Does not belong
here: the registers of insider trades and short positions (`connectors.se`), the sentences (`headline_grammar`).
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Cadence, Licence
from connectors.regulators import headline_feeds
from connectors.regulators.authorities import FI, FT
from connectors.regulators.feeds import FeedItem
from connectors.regulators.headline_feeds import HeadlineFeeds
from connectors.regulators.headline_grammar import NORWEGIAN, SWEDISH

_FIRMS: Final = ("/sanktioner/finansiella-foretag/", "/sanctions/financial-firms/")
_CADENCE: Final = Cadence(cron="12,42 5-17 * * 1-5", stale_after_hours=24 * 60)  # weeks may pass without an act


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
    _CADENCE,
    SWEDISH_HEADLINES,
)
NORWEGIAN_DATASET: Final = headline_feeds.headlines_dataset(
    "no.tilsyn",
    "Finanstilsynet: news and letters",
    Licence("NLOD-2.0", "https://data.norge.no/nlod/no/2.0", "Kilde: Finanstilsynet"),
    _CADENCE,
    NORWEGIAN_HEADLINES,
)
