"""Examples of everything under /api/v1/watchlists (docs/contract/contract.md 4.8b)."""

from typing import Any, Final

from api.openapi.examples import load_examples

_EXAMPLES: Final[dict[str, dict[str, Any]]] = load_examples("watchlists.json")
NEW_WATCHLIST: Final = _EXAMPLES["NEW_WATCHLIST"]
WATCHLIST: Final = _EXAMPLES["WATCHLIST"]
WATCHLIST_LIST: Final = _EXAMPLES["WATCHLIST_LIST"]
WATCHLIST_COMPANIES: Final = _EXAMPLES["WATCHLIST_COMPANIES"]
MEMBERSHIP_CHANGES: Final = _EXAMPLES["MEMBERSHIP_CHANGES"]
CHANGED_MEMBERSHIP: Final = _EXAMPLES["CHANGED_MEMBERSHIP"]
