"""Authorities by the codes of docs/formats/news.md 1.9: name, country, host of their pages, and its limit.

Does not belong here: URLs of feeds (one module per authority).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from connectors.contract.dataset import HostLimit


@dataclass(frozen=True, slots=True)
class Authority:
    """An authority. `country`: ISO 3166-1 alpha-2; None for one of the EU. `host`: of its own pages."""

    code: str
    name: str
    country: str | None
    host: str


SEC: Final = Authority("US-SEC", "U.S. Securities and Exchange Commission", "US", "www.sec.gov")
CFTC: Final = Authority("US-CFTC", "U.S. Commodity Futures Trading Commission", "US", "www.cftc.gov")
FCA: Final = Authority("GB-FCA", "Financial Conduct Authority", "GB", "www.fca.org.uk")
PRA: Final = Authority("GB-PRA", "Prudential Regulation Authority", "GB", "www.bankofengland.co.uk")
FI: Final = Authority("SE-FI", "Finansinspektionen", "SE", "www.fi.se")
FT: Final = Authority("NO-FT", "Finanstilsynet", "NO", "www.finanstilsynet.no")
ESMA: Final = Authority("EU-ESMA", "European Securities and Markets Authority", None, "registers.esma.europa.eu")
# some of these pages are behind bot protection; the SEC's own limit is declared by its market
LIMITS: Final = (HostLimit(ESMA.host, 1.0), *(HostLimit(authority.host, 0.5) for authority in (CFTC, FCA, PRA, FI, FT)))
