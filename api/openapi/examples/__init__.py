"""The contract's examples, as JSON: shown in the OpenAPI document, validated against the models by tests.

Companies and numbers are invented; identifiers have valid check digits. Examples that the contract only describes
(one subscription, changes, a requested replay) are parts of its own.
"""

from importlib.resources import files
from typing import Any, Final

import msgspec


def load_examples(file_name: str) -> Any:
    """The content of a file of this folder."""
    return msgspec.json.decode(files(__name__).joinpath(file_name).read_bytes())


DELIVERIES: Final[dict[str, dict[str, Any]]] = load_examples("deliveries.json")
"""The body of a delivery, by event type (docs/contract/contract.md 4.6)."""
