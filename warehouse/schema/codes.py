"""Code lists of the shared tables: the values the contract allows.

Does not belong here: a registry's own codes (`connectors/<cc>/codes`), or what maps them to these.
"""

from __future__ import annotations

from typing import Final

MARKETS: Final = ("US", "SE", "NO", "FI", "UK", "DK")  # market codes; UK, never GB, in every output
SERVED: Final = ("US", "SE", "NO", "FI", "UK")  # DK is announced, not served (product.md 1)
MARKET_NAMES: Final = {
    "US": "United States",
    "SE": "Sweden",
    "NO": "Norway",
    "FI": "Finland",
    "UK": "United Kingdom",
    "DK": "Denmark",
}

STATUSES: Final = ("active", "dormant", "dissolved")  # product.md 3.1
STATUS_DETAILS: Final = (
    "bankruptcy",
    "liquidation",
    "forced_dissolution",
    "foreign_insolvency",
    "reorganisation",
    "struck_off_pending",
    "no_trading",
    "business_suspended",
    "merged",
    "deregistered",
    "not_reporting",
)

EVENT_TYPES: Final = (
    "filing.added",
    "filing.updated",
    "ownership.changed",
    "status.changed",
    "news.published",
    "event.regulatory",
)  # product.md 6.1
EVENT_ALIASES: Final = {"filing.published": "filing.added", "financials.new": "filing.added"}

PERIOD_TYPES: Final = ("annual", "quarterly")
ANNUAL_DAYS: Final = (300, 400)  # CONTRACT, «Quarterly figures»: inclusive
QUARTER_DAYS: Final = (70, 120)

HOLDER_TYPES: Final = ("person", "company", "state", "fund", "nominee", "group", "unknown")
BASES: Final = ("exact", "band", "derived")
RECONCILIATIONS: Final = ("single", "agreed", "latest_wins", "conflict")
THRESHOLDS: Final = (5, 10, 20, 50)  # percent; CONTRACT 4.6

INDUSTRY_SCHEMES: Final = (
    "SN2007",
    "SN2025",
    "SNI2007",
    "SNI2025",
    "TOL2008",
    "TOL2025",
    "UKSIC2007",
    "UKSIC2003",
    "SIC",
)
# What a market's industry codes mean. The national schemes of Europe are editions of NACE: 62 is IT in each of
# them, and security brokers in the SIC of the US.
CLASSIFICATIONS: Final = {"US": "SIC", "SE": "NACE", "NO": "NACE", "FI": "NACE", "UK": "NACE", "DK": "NACE"}
LISTING_LEVELS: Final = ("regulated", "growth")  # FORMAT news 3.7
IDENTIFIER_SCHEMES: Final = ("lei", "isin", "ticker", "vat", "euid", "cik", "exchange_mic", "issuer_sign")

FIGURES: Final = ("revenue", "operating_result", "net_result", "equity", "total_assets", "employees")
ADDITIVE_FIGURES: Final = ("revenue", "operating_result", "net_result")
CHANGE_FIELDS: Final = (*FIGURES, "currency", "period_start", "period_end")  # filing.updated, CONTRACT 4.6
UPDATE_REASONS: Final = ("correction", "restatement", "amendment", "unknown")
