"""Examples of look-ups and suggestions (docs/contract/contract.md 4.8d)."""

from typing import Any, Final

from api.openapi.examples import load_examples

_EXAMPLES: Final[dict[str, dict[str, Any]]] = load_examples("lookups.json")
LOOKUP_REQUEST: Final = _EXAMPLES["LOOKUP_REQUEST"]
LOOKUP_ANSWER: Final = _EXAMPLES["LOOKUP_ANSWER"]
SUGGESTIONS: Final = _EXAMPLES["SUGGESTIONS"]
