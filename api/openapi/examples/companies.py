"""Examples of responses about companies, markets and usage (docs/contract/contract.md 4.1 to 4.5, 4.8a, 4.9)."""

from typing import Any, Final

from api.openapi.examples import load_examples

_EXAMPLES: Final[dict[str, dict[str, Any]]] = load_examples("companies.json")
PROFILE: Final = _EXAMPLES["PROFILE"]
COMPANY_LIST: Final = _EXAMPLES["COMPANY_LIST"]
FINANCIALS: Final = _EXAMPLES["FINANCIALS"]
FILINGS: Final = _EXAMPLES["FILINGS"]
OWNERSHIP: Final = _EXAMPLES["OWNERSHIP"]
GROUP: Final = _EXAMPLES["GROUP"]
HOLDINGS: Final = _EXAMPLES["HOLDINGS"]
EVENTS: Final = _EXAMPLES["EVENTS"]
EVENT_FEED: Final = _EXAMPLES["EVENT_FEED"]
EVENT_STREAM: Final[str] = _EXAMPLES["EVENT_STREAM"]["text"]
MARKETS: Final = _EXAMPLES["MARKETS"]
USAGE: Final = _EXAMPLES["USAGE"]
