"""Companies in request bodies: any spelling of a number or id, read as the id (docs/contract/contract.md).

Does not belong here: companies in paths (`api.companies.lookup`).
"""

from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from api.companies.lookup import ANY_NUMBER
from api.schemas.declare import invalid_value
from warehouse.schema.identifiers import parse_company_number


def _to_company_id(value: Any) -> str:
    """Company id of a number or id; unknown companies are accepted, as are those of announced markets."""
    number = parse_company_number(value) if isinstance(value, str) else None
    if number is None:
        raise invalid_value("invalid_company", "must be a company id or number, for example firm:SE:5599999991")
    return number.company_id


RequestedCompany = Annotated[
    str,
    BeforeValidator(_to_company_id),
    WithJsonSchema(
        {
            "type": "string",
            "description": "A company's number or id.",
            "maxLength": 24,
            "pattern": ANY_NUMBER,
            "minLength": 4,
        }
    ),
]
