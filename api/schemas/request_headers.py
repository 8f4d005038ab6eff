"""Headers that operations look at, as parameters of the document (docs/contract/contract.md 4.0, 4.12).

Does not belong here: headers of answers (`api.schemas.headers`), of deliveries (`api.schemas.webhooks`).
"""

from collections.abc import Iterable
from typing import Final

from api.schemas.kinds import Schema

_HEADERS: Final[dict[str, Schema]] = {
    "Idempotency-Key": {
        "description": "Of your making, one per intention: the same request with the same key is done once, and "
        "answered again as the first time for 24 hours. Bare, or a structured string in quotes.",
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[!#-~]([ !#-~]*[!#-~])?$",
        },
        "example": "8e03978e-40d5-43dd-bc93-6894a57f9324",
    },
    "If-Match": {
        "description": "The ETag that was read: 412 where the subscription has changed since.",
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "pattern": r'^(\*|"[0-9]+"(, *"[0-9]+")*)$',
        },
        "example": '"3"',
    },
}


def parameters() -> dict[str, Schema]:
    """`components.parameters`: each of these headers."""
    return {name: {"name": name, "in": "header", "required": False} | told for name, told in _HEADERS.items()}


def references(names: Iterable[str]) -> list[Schema]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]
