"""Profiles, financials and owners as responses (docs/contract/contract.md 4.1, 4.3, 4.4).

Does not belong here: events (`api.companies.schemas.events`), markets (`api.companies.schemas.markets`), or producing
what the models describe (`pipelines.transforms`, `warehouse.publish.publisher`).
"""

from copy import copy
from datetime import date, datetime
from typing import Annotated, Any, Final

from pydantic import Field, create_model

from api.companies.industry_notices import IndustryNotice
from api.schemas import declare, shared
from api.schemas.declare import OMITTED, WORD, ResponseModel, open_to
from warehouse.schema.codes import (
    BASES,
    FIGURES,
    HOLDER_TYPES,
    INDUSTRY_SCHEMES,
    PERIOD_TYPES,
    RECONCILIATIONS,
    STATUS_DETAILS,
    STATUSES,
)

RegisterPlace = Annotated[str | None, declare.text(200, "As written in the register.")]
AreaCode = Annotated[str | None, declare.text(20, "National code.")]
RegistryStatus = Annotated[str | None, declare.text(500, "The status in the register's own terms.")]
StatusDetail = Annotated[str | None, declare.open_word(STATUS_DETAILS, "The reason, if the register gives one.")]
HolderType = Annotated[str, declare.open_word(HOLDER_TYPES, "Type of holder.")]
HolderName = Annotated[str | None, declare.text(1000, "Null if protected by law.")]
HolderCompanyId = Annotated[str | None, declare.text(60, "Given if the holder is a company with a known number.")]
PERIOD: Final = "^[0-9]{4}(-Q[1-4])?$"


class PostalAddress(ResponseModel):
    """The business address."""

    lines: list[Annotated[str, declare.text(300, "An address line.")]] = declare.array(20, "Street lines.")
    postal_code: str | None = declare.text(20, "Postal code.")
    post_town: str | None = declare.text(200, "Postal place.")
    municipality: RegisterPlace
    municipality_code: AreaCode
    county: RegisterPlace
    county_code: AreaCode
    country: shared.CountryCode


class ProfileSource(ResponseModel):
    """One source of the profile."""

    register_key: shared.Register = Field(alias="register")
    native_id: str | None = declare.text(200, "Id in the register.")
    url: str | None = declare.url("Public URL of the record.")
    retrieved_at: datetime | None = declare.instant("When it was fetched.")
    licence: str | None = declare.text(100, "Licence of the data.")
    fields: list[shared.FieldName] = declare.array(50, "Fields taken from it.")


class Company(ResponseModel):
    """A company profile."""

    id: shared.CompanyId
    org_number: shared.OrgNumber
    name: shared.CompanyName
    country: shared.Country
    sni_code: str | None = declare.text(12, "Industry code.", pattern="^[0-9A-Za-z.]+$")
    sni_label: str | None = declare.text(500, "Label of the industry code.")
    municipality: RegisterPlace
    county: RegisterPlace
    registered_date: date | None = declare.date("Date of entry into the register.")
    status: str = declare.word(STATUSES, "Status of the company.")
    is_listed: bool = declare.boolean("True only with evidence of a listing; false means no evidence.")
    latest_revenue: int | None = declare.money("Revenue of the newest annual period with a revenue figure.")
    latest_currency: shared.Currency
    latest_year: int | None = declare.integer(1900, 2200, "Fiscal year of latest_revenue.")

    # with `detail` in `include`
    legal_form_code: str | None = declare.text(100, "Code or text of the register.", default=None)
    legal_form_label: str | None = declare.text(300, "Its label.", default=None)
    status_detail: StatusDetail = None
    registry_status: RegistryStatus = None
    dissolved_date: date | None = declare.date("Date of removal from the register.", default=None)
    employees: int | None = declare.integer(0, 10_000_000, "Latest number in the register.", default=None)
    website: str | None = declare.text(2048, "As registered.", default=None)
    previous_names: list[Annotated[str, declare.text(1000, "A former name.")]] = declare.array(
        1000, "Former names, newest first.", default=None
    )
    industry_scheme: str | None = declare.open_word(INDUSTRY_SCHEMES, "Version of the code list.", default=None)
    is_listed_source: str | None = declare.text(
        60, "Dataset the evidence comes from; null if no listing source is loaded.", pattern=WORD, default=None
    )

    # with `identifiers`
    lei: str | None = declare.text(20, "Legal entity identifier.", pattern="^[0-9A-Z]{20}$", default=None)
    isin: list[Annotated[str, declare.text(12, "An ISIN.", pattern="^[A-Z]{2}[0-9A-Z]{10}$")]] = declare.array(
        1000, "Securities.", default=None
    )
    ticker: str | None = declare.text(20, "Symbol.", default=None)
    exchange_mic: str | None = declare.text(4, "ISO 10383.", pattern="^[0-9A-Z]{4}$", default=None)
    vat: str | None = declare.text(20, "VAT number.", default=None)
    euid: str | None = declare.text(60, "European unique identifier.", default=None)
    cik: str | None = declare.text(10, "SEC Central Index Key.", pattern="^[0-9]{1,10}$", default=None)

    # with `address` and `sources`
    address: PostalAddress = OMITTED
    sources: list[ProfileSource] = declare.array(50, "Sources of the profile.", default=None)

    # with `as_of` or `known_at`
    as_of: date = declare.date("The day, if `as_of` or `known_at` is given.", default=OMITTED)
    known_at: datetime = declare.instant("The time, if `as_of` or `known_at` is given.", default=OMITTED)


PROFILE_FIELDS: Final = tuple(name for name, field in Company.model_fields.items() if field.is_required())
"""Keys of every profile, in their order."""


def _selectable(name: str) -> tuple[Any, Any]:
    """A key of the profile that `fields` may leave out."""
    field = copy(Company.model_fields[name])
    field.default = None
    return field.annotation, field


_SELECTABLE: Final[dict[str, Any]] = {name: _selectable(name) for name in PROFILE_FIELDS if name != "id"}
CompanySelection = create_model(
    "CompanySelection", __base__=Company, __doc__="A profile limited to `fields`.", **_SELECTABLE
)


class _Noticed(ResponseModel):
    notices: list[IndustryNotice] = declare.array(
        50, "Only on a first page without rows, where an industry code explains it.", default=None
    )


class CompanyList(shared.Page[Company | CompanySelection], _Noticed):
    """Matching companies."""


class FigureSource(ResponseModel):
    """The document the figures come from."""

    register_key: shared.Register = Field(alias="register")
    native_id: str | None = declare.text(200, "Id in the register.")
    url: str | None = declare.url("Public URL of the document.")
    retrieved_at: datetime | None = declare.instant("When it was fetched.")


Revenue = Annotated[int | None, declare.money("Operating revenue.")]
OperatingResult = Annotated[int | None, declare.money("Operating profit or loss.")]
NetResult = Annotated[int | None, declare.money("Profit or loss for the period.")]
Equity = Annotated[int | None, declare.money("Equity at the end of the period.")]
TotalAssets = Annotated[int | None, declare.money("Total assets at the end of the period.")]
Employees = Annotated[int | None, declare.integer(0, 100_000_000, "Average number of employees in the period.")]


class FinancialPeriod(ResponseModel):
    """One period in its newest version; with include=history also earlier versions."""

    period: str = declare.text(10, "For example 2025 or 2026-Q3.", pattern=PERIOD)
    period_type: str = declare.word(PERIOD_TYPES, "Type of period.")
    fiscal_year: int = declare.integer(1900, 2200, "Year of period_end (US: as labelled by the filer).")
    fiscal_quarter: int | None = declare.integer(1, 4, "Quarterly periods only.")
    period_start: date = declare.date("First day of the period.")
    period_end: date = declare.date("Last day of the period.")
    currency: shared.Currency
    revenue: Revenue
    operating_result: OperatingResult
    net_result: NetResult
    equity: Equity
    total_assets: TotalAssets
    employees: Employees
    is_consolidated: bool = declare.boolean("Whether the figures are consolidated.")
    accounting_standard: str | None = declare.text(
        60,
        "Accounting standard, as named in the filing.",
        json_schema_extra=open_to(("IFRS", "NRS", "FRS102", "FRS105", "US-GAAP")),
    )
    filing_id: str = declare.natural_id("fil", "The document.")
    filed_at: date | None = declare.date("Date of filing.")
    version: int = declare.integer(1, 10_000, "Version number; 1 for the first document of the period.")
    is_restated: bool = declare.boolean("Whether this is version 2 or later.")
    derived: list[Annotated[str, declare.open_word(FIGURES, "A field.")]] = declare.array(
        6, "Fields that were computed instead of read from the document."
    )
    period_months: int | None = declare.integer(
        1,
        18,
        "Length in months, rounded; null in data read before version 1.4, absent in releases made before it.",
        default=None,
    )
    sources: list[FigureSource] = declare.array(50, "Present with include=sources.", default=None)


class _FinancialsHead(shared.CompanyHead):
    as_of: date = declare.date("The day, if `as_of` or `known_at` is given.", default=OMITTED)
    known_at: datetime = declare.instant("The time, if `as_of` or `known_at` is given.", default=OMITTED)


class FinancialsList(shared.Page[FinancialPeriod], _FinancialsHead):
    """Financials of a company, newest first."""


class HoldingSource(ResponseModel):
    """The holding according to one source."""

    register_key: shared.Register = Field(alias="register")
    native_id: str | None = declare.text(200, "Id in the source.")
    url: str | None = declare.url("Public URL of the record.")
    as_of: date | None = declare.date("Date of the figure.")
    pct: float | None = declare.percent("Share of capital according to the source.")


class Owner(ResponseModel):
    """One owner, merged from all sources."""

    holder_id: str = declare.natural_id("own", "Id of the holder within this company.")
    holder_name: HolderName
    holder_type: HolderType
    holder_company_id: HolderCompanyId
    holder_country: shared.CountryCode
    pct: float | None = declare.percent("Share of capital; null if only a band is known.")
    pct_min: float | None = declare.percent("Lower bound.")
    pct_max: float | None = declare.percent("Upper bound.")
    votes_pct: float | None = declare.percent("Share of votes.")
    share_class: str | None = declare.text(60, "Share class; null for all classes.")
    basis: str | None = declare.word(BASES, "Basis of the share.")
    is_direct: bool | None = declare.boolean("Whether it is held in the holder's own name; null if unknown.")
    as_of: date = declare.date("Date of the percentage.")
    first_seen: date = declare.date("Start of the earliest observation.")
    reconciliation: str = declare.word(RECONCILIATIONS, "Whether the sources agree.")
    sources: list[HoldingSource] = declare.array(100, "The holding according to each source.")


class _OwnershipHead(shared.CompanyHead):
    as_of: date = declare.date("The requested date.")
    known_at: datetime = declare.instant("The time, if `as_of` or `known_at` is given.", default=OMITTED)
    known_pct: float | None = declare.percent("Sum of the known shares, at most 100; null if none is known.")


class OwnershipList(shared.Page[Owner], _OwnershipHead):
    """Owners of a company, largest first."""
