"""Code lists of the shared tables: the values the contract allows.

Does not belong here: a registry's own codes (`connectors/<cc>/codes`), or what maps them to these.
"""

from __future__ import annotations

from typing import Final

from warehouse.schema import markets

MARKETS: Final = tuple(markets.MARKETS)  # market codes; UK, never GB, in every output
# the others are announced (docs/contract/contract.md «Not available»)
SERVED: Final = tuple(code for code, market in markets.MARKETS.items() if market.state == "served")
# other codes that name a served market: GB for UK
ALIASES: Final = {alias: code for code in SERVED for alias in markets.MARKETS[code].codes if alias != code}
MARKET_NAMES: Final = {code: market.name for code, market in markets.MARKETS.items()}

ERASED: Final = "[erased]"  # a text about an erased subject, where a text is required

STATUSES: Final = ("active", "dormant", "dissolved")  # docs/contract/contract.md 4.1
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
    "company.changed",
)  # docs/contract/contract.md 4.6; a new type is added at the end: subscriptions store types by their position
EVENT_ALIASES: Final = {"filing.published": "filing.added", "financials.new": "filing.added"}

PERIOD_TYPES: Final = ("annual", "quarterly")
# docs/contract/contract.md «Periods»; all inclusive
ANNUAL_ACCOUNTS_DAYS: Final = (1, 18 * 31)  # accounts of a year: a first or changed one lasts up to 18 months
ANNUAL_DAYS: Final = (300, 400)  # where a filing reports several durations, its year among them
QUARTER_DAYS: Final = (70, 120)
ANNUAL_ACCOUNTS: Final = "annual_report"  # the type of filing
SEVERAL_DURATIONS: Final = r"^us\."  # registers whose filings report several durations each

HOLDER_TYPES: Final = ("person", "company", "state", "fund", "nominee", "group", "unknown")
BASES: Final = ("exact", "band", "derived")
RELATIONS: Final = ("shareholding", "control", "accounting_consolidation")  # docs/contract/contract.md 4.4b
# code of `holdings.controls`: the holder's accounts include the company's; `native_id` is the holder's LEI
CONSOLIDATED_PARENT: Final = "consolidated_parent"
RECONCILIATIONS: Final = ("single", "agreed", "latest_wins", "conflict")
THRESHOLDS: Final = (5, 10, 20, 50)  # percent; docs/contract/contract.md 4.6

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
    *(scheme for code in SERVED for scheme in markets.MARKETS[code].industry_schemes),
)
# Classification behind a market's industry codes. Europe's national schemes are versions of NACE: 62 is IT in
# each of them, but security brokers in the SIC of the US.
CLASSIFICATIONS: Final = {code: market.classification for code, market in markets.MARKETS.items()}
LISTING_LEVELS: Final = ("regulated", "growth")  # docs/formats/news.md 3.7
IDENTIFIER_SCHEMES: Final = ("lei", "isin", "ticker", "vat", "euid", "cik", "exchange_mic", "issuer_sign")

FIGURES: Final = ("revenue", "operating_result", "net_result", "equity", "total_assets", "employees")
# filing.updated, docs/contract/contract.md 4.6
CHANGE_FIELDS: Final = (*FIGURES, "currency", "period_start", "period_end")
# company.changed, docs/contract/contract.md 4.6: as the profile and its parts `detail` and `address` name them
PROFILE_FIELDS: Final = ("name", "sni_code", "municipality", "county", "is_listed", "legal_form_code", "address")
UPDATE_REASONS: Final = ("correction", "restatement", "amendment", "unknown")
