"""Schemas of the profile and of the parts that `include=` adds (docs/contract/contract.md 4.1).

Does not belong here: building a profile (`warehouse.publish.publisher`).
"""

from typing import Any, Final

from api.openapi.schema_types import (
    COMPANY_ID,
    COUNTRY,
    COUNTRY_CODE,
    CURRENCY,
    FIELD,
    NAME,
    ORG_NUMBER,
    REGISTER,
    array_schema,
    boolean_schema,
    date_schema,
    enum_schema,
    instant_schema,
    integer_schema,
    money_schema,
    object_schema,
    page_schema,
    schema_reference,
    text_schema,
    url_schema,
)
from warehouse.schema.codes import INDUSTRY_SCHEMES, STATUS_DETAILS, STATUSES

PROFILE: Final = {
    "id": COMPANY_ID,
    "org_number": ORG_NUMBER,
    "name": NAME,
    "country": COUNTRY,
    "sni_code": text_schema(12, "Industry code.", pattern="^[0-9A-Za-z.]+$", null=True),
    "sni_label": text_schema(500, "Label of the industry code.", null=True),
    "municipality": text_schema(200, "As written in the register.", null=True),
    "county": text_schema(200, "As written in the register.", null=True),
    "registered_date": date_schema("Date of entry into the register.", null=True),
    "status": enum_schema(STATUSES, "Status of the company."),
    "is_listed": boolean_schema("True only with evidence of a listing; false means no evidence."),
    "latest_revenue": money_schema("Revenue of the newest annual period with a revenue figure."),
    "latest_currency": CURRENCY,
    "latest_year": integer_schema(1900, 2200, "Fiscal year of latest_revenue.", null=True),
}

_DETAIL: Final = {
    "legal_form_code": text_schema(100, "Code or text of the register.", null=True),
    "legal_form_label": text_schema(300, "Its label.", null=True),
    "status_detail": enum_schema(STATUS_DETAILS, "The reason, if the register gives one.", null=True, open_ended=True),
    "registry_status": text_schema(500, "The status in the register's own terms.", null=True),
    "dissolved_date": date_schema("Date of removal from the register.", null=True),
    "employees": integer_schema(0, 10_000_000, "Latest number in the register.", null=True),
    "website": text_schema(2048, "As registered.", null=True),
    "previous_names": array_schema(text_schema(1000, "A former name."), 1000, "Former names, newest first."),
    "industry_scheme": enum_schema(INDUSTRY_SCHEMES, "Version of the code list.", null=True, open_ended=True),
    "is_listed_source": REGISTER
    | {
        "type": ["string", "null"],
        "description": "Dataset the evidence comes from; null if no listing source is loaded.",
    },
}
_SOURCE: Final = object_schema(
    "One source of the profile.",
    {
        "register": REGISTER,
        "native_id": text_schema(200, "Id in the register.", null=True),
        "url": url_schema("Public URL of the record."),
        "retrieved_at": instant_schema("When it was fetched.", null=True),
        "licence": text_schema(100, "Licence of the data.", null=True),
        "fields": array_schema(FIELD, 50, "Fields taken from it."),
    },
)
_IDENTIFIERS: Final = {
    "lei": text_schema(20, "Legal entity identifier.", pattern="^[0-9A-Z]{20}$", null=True),
    "isin": array_schema(text_schema(12, "An ISIN.", pattern="^[A-Z]{2}[0-9A-Z]{10}$"), 1000, "Securities."),
    "ticker": text_schema(20, "Symbol.", null=True),
    "exchange_mic": text_schema(4, "ISO 10383.", pattern="^[0-9A-Z]{4}$", null=True),
    "vat": text_schema(20, "VAT number.", null=True),
    "euid": text_schema(60, "European unique identifier.", null=True),
    "cik": text_schema(10, "SEC Central Index Key.", pattern="^[0-9]{1,10}$", null=True),
}
_ADDRESS: Final = {
    "lines": array_schema(text_schema(300, "An address line."), 20, "Street lines."),
    "postal_code": text_schema(20, "Postal code.", null=True),
    "post_town": text_schema(200, "Postal place.", null=True),
    "municipality": text_schema(200, "As written in the register.", null=True),
    "municipality_code": text_schema(20, "National code.", null=True),
    "county": text_schema(200, "As written in the register.", null=True),
    "county_code": text_schema(20, "National code.", null=True),
    "country": COUNTRY_CODE,
}
INCLUDED: Final = {
    "detail": _DETAIL,
    "identifiers": _IDENTIFIERS,
    "address": {"address": schema_reference("PostalAddress")},
    "sources": {"sources": array_schema(schema_reference("ProfileSource"), 50, "Sources of the profile.")},
}
_MORE: Final = {name: schema for part in INCLUDED.values() for name, schema in part.items()}


def schema_components() -> dict[str, Any]:
    """Named schemas of this resource."""
    whole = object_schema("A company profile.", PROFILE | _MORE, *_MORE)
    part = object_schema("A profile limited to `fields`.", PROFILE | _MORE)
    return {
        "Company": whole,
        "CompanySelection": part | {"required": ["id"]},
        "CompanyList": page_schema("Matching companies.", company_or_selection()),
        "ProfileSource": _SOURCE,
        "PostalAddress": object_schema("The business address.", _ADDRESS),
    }


def company_or_selection() -> dict[str, Any]:
    """A profile, complete or with selected fields."""
    return {"anyOf": [schema_reference("Company"), schema_reference("CompanySelection")]}
