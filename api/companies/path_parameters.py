"""Path parameters of the routes on companies: their types in handlers, and their texts in the OpenAPI document.

Does not belong here: how a number is parsed (`api.companies.lookup`).
"""

from typing import Annotated, Final, TypeAlias

from api.companies.lookup import ANY_NUMBER, NUMBER_IN_MARKET
from api.openapi.operation import path_parameter
from warehouse.schema.codes import ALIASES, SERVED

_TEXT: Final = "Registry number or full id. Accepted formats: /problems/invalid-org-number."
_SCHEMA: Final = {"type": "string", "minLength": 4, "maxLength": 24, "pattern": ANY_NUMBER}
_MARKET_TEXTS: Final = (
    "Market code in lower case",
    *(f"`{alias.lower()}` is an alias of `{code.lower()}`" for alias, code in ALIASES.items()),
)

OrgNumber: TypeAlias = Annotated[str, path_parameter(_TEXT, _SCHEMA, "5599999991")]
CompanyId: TypeAlias = Annotated[str, path_parameter(_TEXT, _SCHEMA, "firm:SE:5599999991")]
OrgNumberInMarket: TypeAlias = Annotated[
    str,
    path_parameter(
        "Registry number in the market's format. Also accepted: a CIK alone, UK digits without leading "
        "zeros, a Finnish id without its hyphen.",
        {"type": "string", "minLength": 1, "maxLength": 24, "pattern": NUMBER_IN_MARKET},
        "5599999991",
    ),
]
MarketCode: TypeAlias = Annotated[
    str,
    path_parameter(
        "; ".join(_MARKET_TEXTS) + ".", {"type": "string", "enum": [code.lower() for code in (*SERVED, *ALIASES)]}, "se"
    ),
]
