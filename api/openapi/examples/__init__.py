"""The contract's examples, as JSON: shown in the OpenAPI document, validated against the models by tests.

Companies and numbers are invented; identifiers have valid check digits. Examples that the contract only describes
(one subscription, changes, a requested replay) are parts of its own.
"""

from importlib.resources import files
from types import SimpleNamespace
from typing import Any, Final

import msgspec


def load_examples(file_name: str) -> Any:
    """The content of a file of this folder."""
    return msgspec.json.decode(files(__name__).joinpath(file_name).read_bytes())


def _named_examples(file_name: str) -> SimpleNamespace:
    """The examples of a file as attributes, by their names there."""
    return SimpleNamespace(**load_examples(file_name))


companies: Final = _named_examples("companies.json")
exports: Final = _named_examples("exports.json")
lookups: Final = _named_examples("lookups.json")
reconcile: Final = _named_examples("reconcile.json")
watchlists: Final = _named_examples("watchlists.json")
webhooks: Final = _named_examples("webhooks.json")
DELIVERIES: Final[dict[str, dict[str, Any]]] = load_examples("deliveries.json")
"""The body of a delivery, by event type (docs/contract/contract.md 4.6)."""
