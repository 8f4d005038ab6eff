"""Our categories of news, from the words and tags that sources assign to their items.

Belongs here: the one table for the wires, exchanges and storages of all markets, in their languages. Does not
belong here: form numbers of one registry (`connectors.us.filing_headers.news_and_notices`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

OTHER: Final = "other"
OWNERSHIP: Final = "ownership"  # a notice of a major holding: published as such and not as news
_PATTERNS: Final = {
    "earnings": (
        r"earnings|annual (?:financial )?report|interim (?:report|management)|quarterly|half[- ]?year|year[- ]end",
        r"financial statement|results|trading update|sub:report|delårs|halvårs|kvartals|bokslut|årsredovisning",
        r"årsrapport|osavuosi|puolivuosi|neljännesvuosi|tilinpäätös|vuosikertomus",
    ),
    OWNERSHIP: (
        r"major[ -](?:share ?hold|holding)|holding\(?s\)? in company|flagg(?!skepp)|suurimmat osakkeenomistajat",
        r"sub:ci:shareholder-announcement",
    ),
    "inside_information": (
        r"inside information|sisäpiiritieto|insiderinformation|innsideinformasjon|:regulatory:mar$",
    ),
    "managers_transactions": (
        r"managers?['’]?s? transaction|pdmr|director/|johtohenkilöiden|primærinnsid|insynshandel|sub:ci:insider",
    ),
    "own_shares": (
        r"own shares|share (?:repurchase|buy-?back)|omien osakkeiden|egna aktier|egne aksjer",
        r"sub:ca:shares:repurchase",
    ),
    "capital": (
        r"voting rights|capital|rights issue|issuance|prospectus|share issue|osakkeiden kokonaismäärä",
        r"pääomatapahtuma|stemmerett|rättigheter|prospekt|sub:ca:(?:shares|prospectus)",
    ),
    "meeting": (r"general meeting|\bagm\b|\begm\b|yhtiökoko|stämma|generalforsamling|sub:ci:gm",),
    "merger": (r"merger|acquisition of|takeover|tender offer|public offer|ostotarjous|sub:ca:ma",),
    "disclosure": (r"regulated|regulatory|rules of the exchange|pörssitiedote|regulatorisk|hemmedlemsstat|sisäpiiri",),
}
# A headline may mention a shareholder: only one in the form of a notice counts. Sources put such releases into
# other categories too.
_NOTICE: Final = re.compile(
    r"holding\(?s\)? in company|\bflagging\b|\bflaggning(?:s\w+)?\b|\bflaggar (?:för|i|upp|ned|ner)\b"
    r"|\bflaggemelding|liputus"
    r"|major (?:share ?holders?|shareholdings?|holdings?)['’]? (?:announcement|notification|notice)"
    r"|notification of (?:a )?(?:major|change in) (?:share ?holding|holding)",
    re.IGNORECASE,
)
_WORDS: Final = {name: re.compile("|".join(words), re.IGNORECASE) for name, words in _PATTERNS.items()}
# Words of labels that mean something else in headlines: names («Example Capital Corp»), approvals of authorities
_IN_HEADLINES: Final = {
    "capital": (
        r"voting rights|(?:share|equity) capital|capital (?:increase|rais|reduction|injection|repayment)|rights issue",
        r"issuance|prospectus|share issue|osakkeiden kokonaismäärä|pääomatapahtuma|stemmerett|rättigheter|prospekt",
        r"aktiekapital|aksjekapital|osakepääoma|kapitalforhøyelse|kapitalhöjning",
    ),
    "disclosure": (
        r"regulated information|regulatory (?:announcement|news|information|disclosure|release|press)",
        r"rules of the exchange|pörssitiedote|regulatorisk|hemmedlemsstat",
    ),
}
_TITLE_WORDS: Final = _WORDS | {name: re.compile("|".join(one), re.IGNORECASE) for name, one in _IN_HEADLINES.items()}
# Results of something else than a period
_OTHER_RESULTS: Final = re.compile(
    r"\b(?:clinical|preclinical|trials?|phase|stud(?:y|ies)|topline|top-line|efficacy|drill\w*|assays?|"
    r"exploration|metallurgical|tests?|surveys?|voting|votes?|polls?|auctions?|tender|exchange offer|meetings?|agm|egm|"
    r"elections?)\b",
    re.IGNORECASE,
)
_PERIOD: Final = re.compile(
    r"\b(?:quarters?|fiscal|financial|full[- ]year|[qh][1-4]|fy ?\d*|annual(?! (?:\S+ )?meeting)|monthly|operating)\b",
    re.IGNORECASE,
)
_RESULTS: Final = re.compile(r"results", re.IGNORECASE)
NAMES: Final = (*_PATTERNS, OTHER)


def is_holding_notice(headline: str) -> bool:
    """Whether a headline is that of a notice of a major holding."""
    return _NOTICE.search(headline) is not None


def map_categories(labels: Iterable[str | None], title: str = "") -> list[str]:
    """Our categories for a source's labels, sorted; `other` if none match.

    title: a headline to search as well.
    """
    given = [label for label in labels if label]
    found = {name for name, words in _WORDS.items() if any(words.search(label) for label in given)}
    plain = _RESULTS.sub("", title) if _OTHER_RESULTS.search(title) and not _PERIOD.search(title) else title
    found |= {name for name, words in _TITLE_WORDS.items() if name != OWNERSHIP and words.search(plain)}
    if is_holding_notice(title):
        found.add(OWNERSHIP)
    return sorted(found - {"disclosure"} or found) or [OTHER]
