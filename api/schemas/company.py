"""Schemas of the profile and of what `include=` adds (docs/contract/contract.md 4.1).

Does not belong here: how a profile is made (`warehouse.release`).
"""

from typing import Any, Final

from api.schemas.kinds import (
    COMPANY_ID,
    COUNTRY,
    COUNTRY_CODE,
    CURRENCY,
    FIELD,
    NAME,
    ORG_NUMBER,
    REGISTER,
    address,
    array,
    day,
    flag,
    instant,
    integer,
    money,
    page,
    record,
    ref,
    text,
    word,
)
from warehouse.schema.codes import INDUSTRY_SCHEMES, STATUS_DETAILS, STATUSES

PROFILE: Final = {
    "id": COMPANY_ID,
    "org_number": ORG_NUMBER,
    "name": NAME,
    "country": COUNTRY,
    "sni_code": text(12, "Industry code.", pattern="^[0-9A-Za-z.]+$", null=True),
    "sni_label": text(500, "Label of the industry code.", null=True),
    "municipality": text(200, "As the register spells it.", null=True),
    "county": text(200, "As the register spells it.", null=True),
    "registered_date": day("Entry into the register.", null=True),
    "status": word(STATUSES, "State of the company."),
    "is_listed": flag("True on evidence only; false means no evidence."),
    "latest_revenue": money("Revenue of the newest annual period that has one."),
    "latest_currency": CURRENCY,
    "latest_year": integer(1900, 2200, "Fiscal year of latest_revenue.", null=True),
}

_DETAIL: Final = {
    "legal_form_code": text(100, "The register's code or text.", null=True),
    "legal_form_label": text(300, "Its label.", null=True),
    "status_detail": word(STATUS_DETAILS, "Why, where a register says.", null=True, open_ended=True),
    "registry_status": text(500, "The register's own word.", null=True),
    "dissolved_date": day("Removal from the register.", null=True),
    "employees": integer(0, 10_000_000, "Latest count in the register.", null=True),
    "website": text(2048, "As registered.", null=True),
    "previous_names": array(text(1000, "A former name."), 1000, "Former names, newest first."),
    "industry_scheme": word(INDUSTRY_SCHEMES, "Edition of the code list.", null=True, open_ended=True),
    "is_listed_source": REGISTER
    | {
        "type": ["string", "null"],
        "description": "Dataset of the evidence; null: no listing source loaded.",
    },
}
_SOURCE: Final = record(
    "One register behind the profile.",
    {
        "register": REGISTER,
        "native_id": text(200, "The register's own id.", null=True),
        "url": address("Public address of the record."),
        "retrieved_at": instant("When it was fetched.", null=True),
        "licence": text(100, "Licence of the data.", null=True),
        "fields": array(FIELD, 50, "Fields that came from it."),
    },
)
_IDENTIFIERS: Final = {
    "lei": text(20, "Legal entity identifier.", pattern="^[0-9A-Z]{20}$", null=True),
    "isin": array(text(12, "An ISIN.", pattern="^[A-Z]{2}[0-9A-Z]{10}$"), 1000, "Securities."),
    "ticker": text(20, "Symbol.", null=True),
    "exchange_mic": text(4, "ISO 10383.", pattern="^[0-9A-Z]{4}$", null=True),
    "vat": text(20, "VAT number.", null=True),
    "euid": text(60, "European unique identifier.", null=True),
    "cik": text(10, "SEC's number.", pattern="^[0-9]{1,10}$", null=True),
}
_ADDRESS: Final = {
    "lines": array(text(300, "A line."), 20, "Street lines."),
    "postal_code": text(20, "Postal code.", null=True),
    "post_town": text(200, "Postal place.", null=True),
    "municipality": text(200, "As the register spells it.", null=True),
    "municipality_code": text(20, "The country's own code.", null=True),
    "county": text(200, "As the register spells it.", null=True),
    "county_code": text(20, "The country's own code.", null=True),
    "country": COUNTRY_CODE,
}
INCLUDED: Final = {
    "detail": _DETAIL,
    "identifiers": _IDENTIFIERS,
    "address": {"address": ref("PostalAddress")},
    "sources": {"sources": array(ref("ProfileSource"), 50, "Registers behind the profile.")},
}
_MORE: Final = {name: schema for part in INCLUDED.values() for name, schema in part.items()}


def components() -> dict[str, Any]:
    """Named schemas of this resource."""
    whole = record("A company profile.", PROFILE | _MORE, *_MORE)
    part = record("A profile cut down by `fields`.", PROFILE | _MORE)
    return {
        "Company": whole,
        "CompanySelection": part | {"required": ["id"]},
        "CompanyList": page("Companies that match.", any_company()),
        "ProfileSource": _SOURCE,
        "PostalAddress": record("The business address.", _ADDRESS),
    }


def any_company() -> dict[str, Any]:
    """A profile, whole or cut down."""
    return {"anyOf": [ref("Company"), ref("CompanySelection")]}
