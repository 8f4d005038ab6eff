"""Building blocks of schemas: every text has a maximum length, every integer bounds, every array a limit.

Does not belong here: any concrete object.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from warehouse.schema.codes import SERVED

Schema = dict[str, Any]

INT64: Final = 9_223_372_036_854_775_807
_ANYTHING: Final = r"^[^\x00]*$"  # text of a register: only NUL can be excluded
ECHO: Final = r"^[\s\S]*$"  # repeats caller input of any kind
_WORD: Final = "^[A-Za-z0-9][A-Za-z0-9_.-]*$"


def schema_reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def text_schema(max_length: int, description: str, *, pattern: str = _ANYTHING, null: bool = False) -> Schema:
    return _typed_schema("string", description, null, maxLength=max_length, pattern=pattern)


def enum_schema(allowed: Sequence[str], description: str, *, null: bool = False, open_ended: bool = False) -> Schema:
    """One word of a list; an open-ended list may grow within v1, so clients must accept any word.

    See docs/contract/contract.md 4.13.
    """
    if open_ended:
        schema = text_schema(60, description, pattern=_WORD, null=null)
        return schema | {"x-extensible-enum": list(allowed)}
    return _typed_schema("string", description, null, enum=[*allowed, None] if null else [*allowed])


def integer_schema(low: int, high: int, description: str, *, null: bool = False) -> Schema:
    size = "int32" if high < 2**31 and low >= -(2**31) else "int64"
    return _typed_schema("integer", description, null, format=size, minimum=low, maximum=high)


def money_schema(description: str) -> Schema:
    """Whole units of the row's currency; null means unknown, never 0."""
    return integer_schema(-INT64 - 1, INT64, description, null=True)


def percent_schema(description: str, *, null: bool = True) -> Schema:
    return _typed_schema("number", description, null, minimum=0, maximum=100)


def boolean_schema(description: str, *, null: bool = False) -> Schema:
    return _typed_schema("boolean", description, null)


def date_schema(description: str, *, null: bool = False) -> Schema:
    return _typed_schema("string", description, null, format="date", maxLength=10)


def instant_schema(description: str, *, null: bool = False) -> Schema:
    return _typed_schema("string", description, null, format="date-time", maxLength=30)


def url_schema(description: str, *, null: bool = True) -> Schema:
    return _typed_schema("string", description, null, format="uri", maxLength=2048)


def array_schema(items: Schema, max_length: int, description: str, *, null: bool = False) -> Schema:
    return _typed_schema("array", description, null, items=items, maxItems=max_length)


def object_schema(description: str, properties: Mapping[str, Schema], *optional: str) -> Schema:
    """An object with all keys required except the optional ones. Clients ignore unknown keys."""
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
    }


def request_schema(description: str, properties: Mapping[str, Schema], *required: str) -> Schema:
    """An object in a request: unknown keys are rejected, only the required ones must be present."""
    told: Schema = {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "additionalProperties": False,
    }
    return told | {"required": list(required)} if required else told


def request_array(items: Schema, max_length: int, description: str, *, null: bool = False) -> Schema:
    """An array in a request: at least one entry, no duplicates."""
    return _typed_schema("array", description, null, items=items, minItems=1, maxItems=max_length, uniqueItems=True)


def page_schema(description: str, item: Schema, members: Mapping[str, Schema] | None = None, *optional: str) -> Schema:
    """A list response (docs/contract/contract.md 4.0): at most 100 items, the next cursor, whether more follow.

    members: further keys, required except the optional ones.
    """
    cursor = text_schema(512, "Cursor of the next page; null on the last page.", pattern="^[A-Za-z0-9_-]+$", null=True)
    return object_schema(
        description,
        {
            **(members or {}),
            "data": array_schema(item, 100, "The rows of this page."),
            "next_cursor": cursor,
            "has_more": boolean_schema("Whether more rows follow this page."),
        },
        *optional,
    )


def natural_id_schema(prefix: str, description: str, *, null: bool = False) -> Schema:
    return text_schema(30, description, pattern=f"^{prefix}_[0-9a-z]{{26}}$", null=null)


def ulid_schema(prefix: str, description: str, *, null: bool = False) -> Schema:
    """A prefixed ULID."""
    return text_schema(30, description, pattern=ulid_pattern(prefix), null=null)


def ulid_pattern(prefix: str) -> str:
    return f"^{prefix}_[0-9a-z]{{26}}$"


def _typed_schema(name: str, description: str, null: bool, **members: Any) -> Schema:
    return {"type": [name, "null"] if null else name, "description": description, **members}


# markets are open-ended: companies of announced ones will be added without a new major version
COMPANY_ID: Final = text_schema(20, "`firm:<COUNTRY>:<org_number>`.", pattern="^firm:[A-Z]{2}:[0-9A-Z-]{8,12}$")
ORG_NUMBER: Final = text_schema(12, "Canonical registry number.", pattern="^[0-9A-Z-]{8,12}$")
NAME: Final = text_schema(1000, "Name as registered.")
COUNTRY: Final = text_schema(2, "Market code.", pattern="^[A-Z]{2}$") | {"x-extensible-enum": list(SERVED)}
CURRENCY: Final = text_schema(3, "ISO 4217 currency code.", pattern="^[A-Z]{3}$", null=True)
COUNTRY_CODE: Final = text_schema(2, "ISO 3166-1 alpha-2 country code (GB, not UK).", pattern="^[A-Z]{2}$", null=True)
REGISTER: Final = text_schema(60, "Key of the dataset.", pattern=_WORD)
FIELD: Final = text_schema(60, "Name of a field.", pattern="^[a-z][a-z0-9_]*$")
HEAD: Final = {"company_id": COMPANY_ID, "org_number": ORG_NUMBER, "name": NAME}
