"""Examples of reconciliation (docs/contract/contract.md 4.8e)."""

from typing import Any, Final

from api.openapi.examples import load_examples

_EXAMPLES: Final[dict[str, dict[str, Any]]] = load_examples("reconcile.json")
MANIFEST: Final = _EXAMPLES["MANIFEST"]
FORM: Final = _EXAMPLES["FORM"]
RESULTS: Final = _EXAMPLES["RESULTS"]
EXTENDED_ROWS: Final = _EXAMPLES["EXTENDED_ROWS"]
SUGGESTED_ENTITIES: Final = _EXAMPLES["SUGGESTED_ENTITIES"]
SUGGESTED_TYPES: Final = _EXAMPLES["SUGGESTED_TYPES"]
SUGGESTED_PROPERTIES: Final = _EXAMPLES["SUGGESTED_PROPERTIES"]
PROPOSED_PROPERTIES: Final = _EXAMPLES["PROPOSED_PROPERTIES"]
