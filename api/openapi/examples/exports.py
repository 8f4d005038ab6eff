"""Examples of everything under /api/v1/exports (docs/contract/contract.md 4.15)."""

from typing import Any, Final

from api.openapi.examples import load_examples

_EXAMPLES: Final[dict[str, dict[str, Any]]] = load_examples("exports.json")
BULK_FILES: Final = _EXAMPLES["BULK_FILES"]
