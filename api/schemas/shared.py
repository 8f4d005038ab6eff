"""Fields and objects that responses about several subjects share: companies, registers, pages of lists.

Does not belong here: objects of one subject (`api.companies.schemas`, `api.webhooks.subscriptions.models`).
"""

from typing import Annotated, Generic, TypeVar

from api.schemas import declare
from api.schemas.declare import WORD, ResponseModel, open_to
from warehouse.schema.codes import EVENT_TYPES, SERVED

T = TypeVar("T")

CompanyId = Annotated[
    str, declare.text(20, "`firm:<COUNTRY>:<org_number>`.", pattern="^firm:[A-Z]{2}:[0-9A-Z-]{8,12}$")
]
OrgNumber = Annotated[str, declare.text(12, "Canonical registry number.", pattern="^[0-9A-Z-]{8,12}$")]
CompanyName = Annotated[str, declare.text(1000, "Name as registered.")]
# markets are open-ended: companies of announced ones will be added without a new major version
Country = Annotated[str, declare.text(2, "Market code.", pattern="^[A-Z]{2}$", json_schema_extra=open_to(SERVED))]
Currency = Annotated[str | None, declare.text(3, "ISO 4217 currency code.", pattern="^[A-Z]{3}$")]
CountryCode = Annotated[
    str | None, declare.text(2, "ISO 3166-1 alpha-2 country code (GB, not UK).", pattern="^[A-Z]{2}$")
]
Register = Annotated[str, declare.text(60, "Key of the dataset.", pattern=WORD)]
FieldName = Annotated[str, declare.text(60, "Name of a field.", pattern="^[a-z][a-z0-9_]*$")]
EventTypeName = Annotated[str, declare.open_word(EVENT_TYPES, "Event type.")]


class CompanyHead(ResponseModel):
    """The company of a list."""

    company_id: CompanyId
    org_number: OrgNumber
    name: CompanyName


class Page(ResponseModel, Generic[T]):
    """A list response (docs/contract/contract.md 4.0): at most 100 rows, the next cursor, whether more follow."""

    data: list[T] = declare.array(100, "The rows of this page.")
    next_cursor: str | None = declare.text(
        512, "Cursor of the next page; null on the last page.", pattern="^[A-Za-z0-9_-]+$"
    )
    has_more: bool = declare.boolean("Whether more rows follow this page.")
