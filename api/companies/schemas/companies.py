"""Schemas of profiles, financials, owners and markets (docs/contract/contract.md 4.1, 4.3, 4.4, 4.8a).

Does not belong here: events (`api.companies.schemas.events`), or producing what the schemas describe
(`pipelines.transforms`, `warehouse.publish.publisher`).
"""

from typing import Any, Final

from api.companies.industry_notices import notices_schema
from api.openapi.schema_types import (
    COMPANY_ID,
    COUNTRY,
    COUNTRY_CODE,
    CURRENCY,
    FIELD,
    HEAD,
    INT64,
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
    natural_id_schema,
    object_schema,
    page_schema,
    percent_schema,
    schema_reference,
    text_schema,
    url_schema,
)
from warehouse.schema.codes import (
    BASES,
    FIGURES,
    HOLDER_TYPES,
    INDUSTRY_SCHEMES,
    MARKETS,
    PERIOD_TYPES,
    RECONCILIATIONS,
    STATUS_DETAILS,
    STATUSES,
)

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


def source_members(longest_id: int, id_description: str, url_description: str) -> dict[str, Any]:
    """The members that every source of a record has."""
    return {
        "register": REGISTER,
        "native_id": text_schema(longest_id, id_description, null=True),
        "url": url_schema(url_description),
        "retrieved_at": instant_schema("When it was fetched.", null=True),
    }


_PROFILE_SOURCE: Final = object_schema(
    "One source of the profile.",
    {
        **source_members(200, "Id in the register.", "Public URL of the record."),
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


def company_or_selection() -> dict[str, Any]:
    """A profile, complete or with selected fields."""
    return {"anyOf": [schema_reference("Company"), schema_reference("CompanySelection")]}


PERIOD: Final = text_schema(10, "For example 2025 or 2026-Q3.", pattern="^[0-9]{4}(-Q[1-4])?$")
FIGURE_SCHEMAS: Final = {
    "revenue": money_schema("Operating revenue."),
    "operating_result": money_schema("Operating profit or loss."),
    "net_result": money_schema("Profit or loss for the period."),
    "equity": money_schema("Equity at the end of the period."),
    "total_assets": money_schema("Total assets at the end of the period."),
    "employees": integer_schema(0, 100_000_000, "Average number of employees in the period.", null=True),
}
_FIGURE_SOURCE: Final = object_schema(
    "The document the figures come from.", source_members(200, "Id in the register.", "Public URL of the document.")
)
_ROW: Final = {
    "period": PERIOD,
    "period_type": enum_schema(PERIOD_TYPES, "Type of period."),
    "fiscal_year": integer_schema(1900, 2200, "Year of period_end (US: as labelled by the filer)."),
    "fiscal_quarter": integer_schema(1, 4, "Quarterly periods only.", null=True),
    "period_start": date_schema("First day of the period."),
    "period_end": date_schema("Last day of the period."),
    "currency": CURRENCY,
    **FIGURE_SCHEMAS,
    "is_consolidated": boolean_schema("Whether the figures are consolidated."),
    "accounting_standard": text_schema(60, "Accounting standard, as named in the filing.", null=True)
    | {"x-extensible-enum": ["IFRS", "NRS", "FRS102", "FRS105", "US-GAAP"]},
    "filing_id": natural_id_schema("fil", "The document."),
    "filed_at": date_schema("Date of filing.", null=True),
    "version": integer_schema(1, 10_000, "Version number; 1 for the first document of the period."),
    "is_restated": boolean_schema("Whether this is version 2 or later."),
    "derived": array_schema(
        enum_schema(FIGURES, "A field.", open_ended=True),
        6,
        "Fields that were computed instead of read from the document.",
    ),
    "period_months": integer_schema(
        1,
        18,
        "Length in months, rounded; null in data read before version 1.4, absent in releases made before it.",
        null=True,
    ),
    "sources": array_schema(schema_reference("FigureSource"), 50, "Present with include=sources."),
}


_HOLDING_SOURCE: Final = object_schema(
    "The holding according to one source.",
    {
        "register": REGISTER,
        "native_id": text_schema(200, "Id in the source.", null=True),
        "url": url_schema("Public URL of the record."),
        "as_of": date_schema("Date of the figure.", null=True),
        "pct": percent_schema("Share of capital according to the source."),
    },
)
_OWNER: Final = {
    "holder_id": natural_id_schema("own", "Id of the holder within this company."),
    "holder_name": text_schema(1000, "Null if protected by law.", null=True),
    "holder_type": enum_schema(HOLDER_TYPES, "Type of holder.", open_ended=True),
    "holder_company_id": text_schema(60, "Given if the holder is a company with a known number.", null=True),
    "holder_country": COUNTRY_CODE,
    "pct": percent_schema("Share of capital; null if only a band is known."),
    "pct_min": percent_schema("Lower bound."),
    "pct_max": percent_schema("Upper bound."),
    "votes_pct": percent_schema("Share of votes."),
    "share_class": text_schema(60, "Share class; null for all classes.", null=True),
    "basis": enum_schema(BASES, "Basis of the share.", null=True),
    "is_direct": boolean_schema("Whether it is held in the holder's own name; null if unknown.", null=True),
    "as_of": date_schema("Date of the percentage."),
    "first_seen": date_schema("Start of the earliest observation."),
    "reconciliation": enum_schema(RECONCILIATIONS, "Whether the sources agree."),
    "sources": array_schema(schema_reference("HoldingSource"), 100, "The holding according to each source."),
}


_DATASET: Final = {
    "dataset": REGISTER,
    "observed_at": instant_schema("Date of the served data in the register.", null=True),
    "checked_at": instant_schema("When the register was last checked.", null=True),
    "held_since": instant_schema("Since when new data has been quarantined for review; null if it is not.", null=True),
    "licence": text_schema(100, "Licence of the data.", null=True),
    "licence_url": url_schema("URL of the licence text."),
    "attribution": text_schema(1000, "Attribution to display with the data.", null=True),
    "unlinked_rows": integer_schema(0, INT64, "Records that link to no company; null if not counted.", null=True),
    "changed_subjects": integer_schema(
        0, INT64, "Records that name another subject than before under an unchanged id; null if not counted.", null=True
    ),
}
_RULE_WITHOUT_DATA: Final = object_schema(
    "A rule that reads the absence of records of datasets that were never loaded, and so decides nothing.",
    {
        "rule": text_schema(100, "Name of the rule.", pattern="^[a-z][a-z0-9_.]*$"),
        "datasets": array_schema(REGISTER, 20, "Datasets that it reads."),
        "undecided": integer_schema(0, INT64, "Number of rows that it leaves undecided."),
    },
)
_MARKET: Final = {
    "market": text_schema(2, "Market code.", pattern="^[A-Z]{2}$") | {"x-extensible-enum": list(MARKETS)},
    "name": text_schema(60, "Name in English."),
    "state": enum_schema(("served", "announced"), "Announced markets have no companies yet.", open_ended=True),
    "companies": integer_schema(0, INT64, "Number of companies served."),
    "observed_at": instant_schema("Date of the newest of its datasets.", null=True),
    "datasets": array_schema(schema_reference("Dataset"), 100, "Source datasets of the market."),
    "rules_without_data": array_schema(
        schema_reference("RuleWithoutData"), 100, "Rules that decide nothing; null if not counted.", null=True
    ),
    "unexplained_statuses": integer_schema(
        0,
        INT64,
        "Companies whose registry status means another status, without a reason; null if not counted.",
        null=True,
    ),
}


def schema_components() -> dict[str, Any]:
    """Named schemas of what is served of one company, events excepted."""
    whole = object_schema("A company profile.", PROFILE | _MORE, *_MORE)
    part = object_schema("A profile limited to `fields`.", PROFILE | _MORE)
    owner_members = HEAD | {
        "as_of": date_schema("The requested date."),
        "known_pct": percent_schema("Sum of the known shares, at most 100; null if none is known."),
    }
    return {
        "Company": whole,
        "CompanySelection": part | {"required": ["id"]},
        "CompanyList": page_schema(
            "Matching companies.", company_or_selection(), {"notices": notices_schema()}, "notices"
        ),
        "ProfileSource": _PROFILE_SOURCE,
        "PostalAddress": object_schema("The business address.", _ADDRESS),
        "FinancialPeriod": object_schema(
            "One period in its newest version; with include=history also earlier versions.",
            _ROW,
            "period_months",
            "sources",
        ),
        "FigureSource": _FIGURE_SOURCE,
        "FinancialsList": page_schema(
            "Financials of a company, newest first.", schema_reference("FinancialPeriod"), HEAD
        ),
        "Owner": object_schema("One owner, merged from all sources.", _OWNER),
        "HoldingSource": _HOLDING_SOURCE,
        "OwnershipList": page_schema("Owners of a company, largest first.", schema_reference("Owner"), owner_members),
    }


def market_components() -> dict[str, Any]:
    """Named schemas of markets."""
    return {
        "Dataset": object_schema(
            "Freshness and licence of one dataset; with include=reconciliation also unaccounted records.",
            _DATASET,
            "unlinked_rows",
            "changed_subjects",
        ),
        "RuleWithoutData": _RULE_WITHOUT_DATA,
        "Market": object_schema("One market.", _MARKET, "rules_without_data", "unexplained_statuses"),
        "MarketList": page_schema("All markets, served and announced.", schema_reference("Market")),
    }
