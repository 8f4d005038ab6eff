"""Schemas of the profile and of the parts that `include=` adds (docs/contract/contract.md 4.1).

Does not belong here: building a profile (`warehouse.release`).
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
    "municipality": text(200, "As written in the register.", null=True),
    "county": text(200, "As written in the register.", null=True),
    "registered_date": day("Date of entry into the register.", null=True),
    "status": word(STATUSES, "Status of the company."),
    "is_listed": flag("True only with evidence of a listing; false means no evidence."),
    "latest_revenue": money("Revenue of the newest annual period with a revenue figure."),
    "latest_currency": CURRENCY,
    "latest_year": integer(1900, 2200, "Fiscal year of latest_revenue.", null=True),
}

_DETAIL: Final = {
    "legal_form_code": text(100, "Code or text of the register.", null=True),
    "legal_form_label": text(300, "Its label.", null=True),
    "status_detail": word(
        STATUS_DETAILS, "The reason, if the register gives one.", null=True, open_ended=True
    ),
    "registry_status": text(500, "The status in the register's own terms.", null=True),
    "dissolved_date": day("Date of removal from the register.", null=True),
    "employees": integer(0, 10_000_000, "Latest number in the register.", null=True),
    "website": text(2048, "As registered.", null=True),
    "previous_names": array(text(1000, "A former name."), 1000, "Former names, newest first."),
    "industry_scheme": word(INDUSTRY_SCHEMES, "Version of the code list.", null=True, open_ended=True),
    "is_listed_source": REGISTER
    | {
        "type": ["string", "null"],
        "description": "Dataset the evidence comes from; null if no listing source is loaded.",
    },
}
_SOURCE: Final = record(
    "One source of the profile.",
    {
        "register": REGISTER,
        "native_id": text(200, "Id in the register.", null=True),
        "url": address("Public URL of the record."),
        "retrieved_at": instant("When it was fetched.", null=True),
        "licence": text(100, "Licence of the data.", null=True),
        "fields": array(FIELD, 50, "Fields taken from it."),
    },
)
_IDENTIFIERS: Final = {
    "lei": text(20, "Legal entity identifier.", pattern="^[0-9A-Z]{20}$", null=True),
    "isin": array(text(12, "An ISIN.", pattern="^[A-Z]{2}[0-9A-Z]{10}$"), 1000, "Securities."),
    "ticker": text(20, "Symbol.", null=True),
    "exchange_mic": text(4, "ISO 10383.", pattern="^[0-9A-Z]{4}$", null=True),
    "vat": text(20, "VAT number.", null=True),
    "euid": text(60, "European unique identifier.", null=True),
    "cik": text(10, "SEC Central Index Key.", pattern="^[0-9]{1,10}$", null=True),
}
_ADDRESS: Final = {
    "lines": array(text(300, "An address line."), 20, "Street lines."),
    "postal_code": text(20, "Postal code.", null=True),
    "post_town": text(200, "Postal place.", null=True),
    "municipality": text(200, "As written in the register.", null=True),
    "municipality_code": text(20, "National code.", null=True),
    "county": text(200, "As written in the register.", null=True),
    "county_code": text(20, "National code.", null=True),
    "country": COUNTRY_CODE,
}
INCLUDED: Final = {
    "detail": _DETAIL,
    "identifiers": _IDENTIFIERS,
    "address": {"address": ref("PostalAddress")},
    "sources": {"sources": array(ref("ProfileSource"), 50, "Sources of the profile.")},
}
_MORE: Final = {name: schema for part in INCLUDED.values() for name, schema in part.items()}


def components() -> dict[str, Any]:
    """Named schemas of this resource."""
    whole = record("A company profile.", PROFILE | _MORE, *_MORE)
    part = record("A profile limited to `fields`.", PROFILE | _MORE)
    return {
        "Company": whole,
        "CompanySelection": part | {"required": ["id"]},
        "CompanyList": page("Matching companies.", any_company()),
        "ProfileSource": _SOURCE,
        "PostalAddress": record("The business address.", _ADDRESS),
    }


def any_company() -> dict[str, Any]:
    """A profile, complete or with selected fields."""
    return {"anyOf": [ref("Company"), ref("CompanySelection")]}
