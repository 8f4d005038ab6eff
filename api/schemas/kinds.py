"""The vocabulary of schemas: every text has a longest length, every integer bounds, every array a limit.

Does not belong here: any concrete object.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from warehouse.schema.codes import SERVED

Schema = dict[str, Any]

INT64: Final = 9_223_372_036_854_775_807


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def text(longest: int, description: str, *, pattern: str | None = None, null: bool = False) -> Schema:
    schema: Schema = {"type": _type("string", null), "description": description, "maxLength": longest}
    return schema | ({"pattern": pattern} if pattern else {})


def word(allowed: Sequence[str], description: str, *, null: bool = False, open_ended: bool = False) -> Schema:
    """One of a list; an open-ended list may grow within v1."""
    if open_ended:
        schema = text(60, description, null=null)
        return schema | {"x-extensible-enum": list(allowed)}
    values: list[str | None] = [*allowed, None] if null else [*allowed]
    return {"type": _type("string", null), "description": description, "enum": values}


def integer(low: int, high: int, description: str, *, null: bool = False) -> Schema:
    size = "int32" if high < 2**31 and low >= -(2**31) else "int64"
    return {
        "type": _type("integer", null),
        "description": description,
        "format": size,
        "minimum": low,
        "maximum": high,
    }


def money(description: str) -> Schema:
    """Whole units of the currency beside it; null is unknown, never 0."""
    return integer(-INT64 - 1, INT64, description, null=True)


def percent(description: str, *, null: bool = True) -> Schema:
    return {"type": _type("number", null), "description": description, "minimum": 0, "maximum": 100}


def flag(description: str, *, null: bool = False) -> Schema:
    return {"type": _type("boolean", null), "description": description}


def day(description: str, *, null: bool = False) -> Schema:
    return {"type": _type("string", null), "description": description, "format": "date", "maxLength": 10}


def instant(description: str, *, null: bool = False) -> Schema:
    return {"type": _type("string", null), "description": description, "format": "date-time", "maxLength": 30}


def address(description: str, *, null: bool = True) -> Schema:
    return {"type": _type("string", null), "description": description, "format": "uri", "maxLength": 2048}


def array(items: Schema, longest: int, description: str) -> Schema:
    return {"type": "array", "description": description, "items": items, "maxItems": longest}


def record(description: str, properties: Mapping[str, Schema], *optional: str) -> Schema:
    """An object whose keys are always there, but for the optional ones. Clients ignore unknown keys."""
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
    }


def page(description: str, item: Schema, members: Mapping[str, Schema] | None = None) -> Schema:
    """A list answer (CONTRACT 4.0): at most 100 items, the next cursor, whether more follow."""
    cursor = text(512, "Where to go on; null at the end.", pattern="^[A-Za-z0-9_-]+$", null=True)
    return record(
        description,
        {
            **(members or {}),
            "data": array(item, 100, "The rows of this page."),
            "next_cursor": cursor,
            "has_more": flag("Whether rows follow after this page."),
        },
    )


def natural_id(prefix: str, description: str, *, null: bool = False) -> Schema:
    return text(30, description, pattern=f"^{prefix}_[0-9a-z]{{26}}$", null=null)


def _type(name: str, null: bool) -> str | list[str]:
    return [name, "null"] if null else name


COMPANY_ID: Final = text(
    20, "`firm:<COUNTRY>:<org_number>`.", pattern=rf"^firm:({'|'.join(SERVED)}):[0-9A-Z-]{{8,12}}$"
)
ORG_NUMBER: Final = text(12, "Canonical registry number.", pattern="^[0-9A-Z-]{8,12}$")
NAME: Final = text(1000, "Name as registered.")
COUNTRY: Final = word(SERVED, "Market code.")
CURRENCY: Final = text(3, "ISO 4217.", pattern="^[A-Z]{3}$", null=True)
COUNTRY_CODE: Final = text(2, "ISO 3166-1 alpha-2 (GB, not UK).", pattern="^[A-Z]{2}$", null=True)
HEAD: Final = {"company_id": COMPANY_ID, "org_number": ORG_NUMBER, "name": NAME}
