"""Objects of the API, generated from its OpenAPI document: do not edit (`make generate`)."""

from __future__ import annotations

from datetime import date as date_aliased
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class PostalAddress(BaseModel):
    """
    The business address.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    lines: list[str]
    """
    Street lines.
    """
    postal_code: str | None
    """
    Postal code.
    """
    post_town: str | None
    """
    Postal place.
    """
    municipality: str | None
    """
    As written in the register.
    """
    municipality_code: str | None
    """
    National code.
    """
    county: str | None
    """
    As written in the register.
    """
    county_code: str | None
    """
    National code.
    """
    country: str | None
    """
    ISO 3166-1 alpha-2 country code (GB, not UK).
    """


class ProfileSource(BaseModel):
    """
    One source of the profile.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    register_: str = Field(..., alias='register')
    """
    Key of the dataset.
    """
    native_id: str | None
    """
    Id in the register.
    """
    url: str | None
    """
    Public URL of the record.
    """
    retrieved_at: AwareDatetime | None
    """
    When it was fetched.
    """
    licence: str | None
    """
    Licence of the data.
    """
    fields: list[str]
    """
    Fields taken from it.
    """


class Company(BaseModel):
    """
    A company profile.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    sni_code: str | None
    """
    Industry code.
    """
    sni_label: str | None
    """
    Label of the industry code.
    """
    municipality: str | None
    """
    As written in the register.
    """
    county: str | None
    """
    As written in the register.
    """
    registered_date: date_aliased | None
    """
    Date of entry into the register.
    """
    status: str
    """
    Status of the company.
    """
    is_listed: bool
    """
    True only with evidence of a listing; false means no evidence.
    """
    latest_revenue: int | None
    """
    Revenue of the newest annual period with a revenue figure.
    """
    latest_currency: str | None
    """
    ISO 4217 currency code.
    """
    latest_year: int | None
    """
    Fiscal year of latest_revenue.
    """
    legal_form_code: str | None = None
    """
    Code or text of the register.
    """
    legal_form_label: str | None = None
    """
    Its label.
    """
    status_detail: str | None = None
    """
    The reason, if the register gives one.
    """
    registry_status: str | None = None
    """
    The status in the register's own terms.
    """
    dissolved_date: date_aliased | None = None
    """
    Date of removal from the register.
    """
    employees: int | None = None
    """
    Latest number in the register.
    """
    website: str | None = None
    """
    As registered.
    """
    previous_names: list[str] | None = None
    """
    Former names, newest first.
    """
    industry_scheme: str | None = None
    """
    Version of the code list.
    """
    is_listed_source: str | None = None
    """
    Dataset the evidence comes from; null if no listing source is loaded.
    """
    lei: str | None = None
    """
    Legal entity identifier.
    """
    isin: list[str] | None = None
    """
    Securities.
    """
    ticker: str | None = None
    """
    Symbol.
    """
    exchange_mic: str | None = None
    """
    ISO 10383.
    """
    vat: str | None = None
    """
    VAT number.
    """
    euid: str | None = None
    """
    European unique identifier.
    """
    cik: str | None = None
    """
    SEC Central Index Key.
    """
    address: PostalAddress | None = None
    sources: list[ProfileSource] | None = None
    """
    Sources of the profile.
    """
    as_of: date_aliased | None = None
    """
    The day, if `as_of` or `known_at` is given.
    """
    known_at: AwareDatetime | None = None
    """
    The time, if `as_of` or `known_at` is given.
    """


class CompanySelection(BaseModel):
    """
    A profile limited to `fields`.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str | None = None
    """
    Canonical registry number.
    """
    name: str | None = None
    """
    Name as registered.
    """
    country: str | None = None
    """
    Market code.
    """
    sni_code: str | None = None
    """
    Industry code.
    """
    sni_label: str | None = None
    """
    Label of the industry code.
    """
    municipality: str | None = None
    """
    As written in the register.
    """
    county: str | None = None
    """
    As written in the register.
    """
    registered_date: date_aliased | None = None
    """
    Date of entry into the register.
    """
    status: str | None = None
    """
    Status of the company.
    """
    is_listed: bool | None = None
    """
    True only with evidence of a listing; false means no evidence.
    """
    latest_revenue: int | None = None
    """
    Revenue of the newest annual period with a revenue figure.
    """
    latest_currency: str | None = None
    """
    ISO 4217 currency code.
    """
    latest_year: int | None = None
    """
    Fiscal year of latest_revenue.
    """
    legal_form_code: str | None = None
    """
    Code or text of the register.
    """
    legal_form_label: str | None = None
    """
    Its label.
    """
    status_detail: str | None = None
    """
    The reason, if the register gives one.
    """
    registry_status: str | None = None
    """
    The status in the register's own terms.
    """
    dissolved_date: date_aliased | None = None
    """
    Date of removal from the register.
    """
    employees: int | None = None
    """
    Latest number in the register.
    """
    website: str | None = None
    """
    As registered.
    """
    previous_names: list[str] | None = None
    """
    Former names, newest first.
    """
    industry_scheme: str | None = None
    """
    Version of the code list.
    """
    is_listed_source: str | None = None
    """
    Dataset the evidence comes from; null if no listing source is loaded.
    """
    lei: str | None = None
    """
    Legal entity identifier.
    """
    isin: list[str] | None = None
    """
    Securities.
    """
    ticker: str | None = None
    """
    Symbol.
    """
    exchange_mic: str | None = None
    """
    ISO 10383.
    """
    vat: str | None = None
    """
    VAT number.
    """
    euid: str | None = None
    """
    European unique identifier.
    """
    cik: str | None = None
    """
    SEC Central Index Key.
    """
    address: PostalAddress | None = None
    sources: list[ProfileSource] | None = None
    """
    Sources of the profile.
    """
    as_of: date_aliased | None = None
    """
    The day, if `as_of` or `known_at` is given.
    """
    known_at: AwareDatetime | None = None
    """
    The time, if `as_of` or `known_at` is given.
    """


class Notice(BaseModel):
    """
    Why a search by industry code may have found nothing.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    code: str
    """
    `retired_industry_code`: a code of NACE Rev. 2 that Rev. 2.1 does not have. `newer_industry_code`: the reverse. Other values may be added.
    """
    parameter: str
    """
    The query parameter.
    """
    value: str
    """
    The industry code, without dots.
    """
    revision: str
    """
    The revision that has this code.
    """
    corresponds_to: list[str]
    """
    Classes of the other revision that correspond to it.
    """
    detail: str
    """
    The same in a sentence.
    """


class CompanyList(BaseModel):
    """
    Matching companies.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    notices: list[Notice] | None = None
    """
    Only on a first page without rows, where an industry code explains it.
    """
    data: list[Company | CompanySelection]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class LookupItem(BaseModel):
    """
    A company to look up, by one identifier or several that mean the same company.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str | None = None
    """
    A company's id, or its number in a spelling that needs no country.
    """
    number: str | None = None
    """
    Registry number in any spelling; with `country`.
    """
    country: str | None = None
    """
    Market code, or GB.
    """
    lei: str | None = None
    """
    Legal entity identifier.
    """
    isin: str | None = None
    """
    ISIN of one of its securities.
    """
    ticker: str | None = None
    """
    Symbol; with `exchange_mic`.
    """
    exchange_mic: str | None = None
    """
    ISO 10383.
    """
    vat: str | None = None
    """
    VAT number, with its country's letters or with `country`.
    """
    name: str | None = None
    """
    Name, with or without its legal form; with `country`.
    """
    municipality: str | None = None
    """
    With `name`: chooses between namesakes.
    """
    industry: str | None = None
    """
    With `name`: the beginning of an industry code; chooses between namesakes.
    """


class LookupRequest(BaseModel):
    """
    Companies to look up.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    items: list[LookupItem]
    """
    The companies, in the order of the answers. Every 10 count as one request.
    """
    fields: list[str] | None = None
    """
    Return only these keys of each company; `id` is always returned.
    """


class MatchCandidate(BaseModel):
    """
    A company that an item may mean.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company: Company | CompanySelection
    score: float
    """
    How well it fits; 1 is best.
    """
    reasons: list[str]
    """
    Why it may be meant, and what speaks against it (`other_…`).
    """


class InputError(BaseModel):
    """
    One invalid input.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    code: str
    """
    What is wrong with the input.
    """
    detail: str
    """
    What the input must be.
    """
    parameter: str | None = None
    """
    Name of the query or path parameter.
    """
    pointer: str | None = None
    """
    JSON Pointer into the body.
    """
    header: str | None = None
    """
    Header.
    """


class LookupResult(BaseModel):
    """
    The answer to one item.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    match: str
    """
    exact: the identifiers mean one company. probable: the name means one company. ambiguous: see `candidates`. none: no company.
    """
    company: Company | CompanySelection | None
    """
    The company, if exact or probable; else null.
    """
    candidates: list[MatchCandidate]
    """
    With probable the company and others like it, with ambiguous those that may be meant; best first.
    """
    errors: list[InputError] | None = None
    """
    Only on an item that lacks a member, or has a value that no company can have; then match is none.
    """


class LookupAnswer(BaseModel):
    """
    One answer per item, in their order.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[LookupResult]
    """
    The answers.
    """


class Suggestion(BaseModel):
    """
    A company that what was typed may be the beginning of.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    status: str
    """
    Status of the company.
    """
    is_listed: bool
    """
    Whether there is evidence of a listing.
    """
    matched_by: str
    """
    What begins with the text.
    """


class SuggestionList(BaseModel):
    """
    Suggestions, best first.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[Suggestion]
    """
    The suggestions.
    """


class EntityType(BaseModel):
    """
    A type of entities: companies, or the companies of one market.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    Id of the type.
    """
    name: str
    """
    Its name.
    """


class View(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    url: str
    """
    Address of a company, with {{id}} for its id.
    """


class Preview(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    url: str
    """
    Address of a company, with {{id}} for its id.
    """
    width: int
    """
    Width of the page in pixels.
    """
    height: int
    """
    Height of the page in pixels.
    """


class Entity(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    service_url: str
    """
    Address of the service.
    """
    service_path: str
    """
    Path below it.
    """


class Type(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    service_url: str
    """
    Address of the service.
    """
    service_path: str
    """
    Path below it.
    """


class Property(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    service_url: str
    """
    Address of the service.
    """
    service_path: str
    """
    Path below it.
    """


class Suggest(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    entity: Entity
    type: Type
    property: Property


class ProposeProperties(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    service_url: str
    """
    Address of the service.
    """
    service_path: str
    """
    Path below it.
    """


class Extend(BaseModel):
    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    propose_properties: ProposeProperties


class ReconciliationManifest(BaseModel):
    """
    What the reconciliation service offers.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    versions: list[str]
    """
    Versions it follows.
    """
    name: str
    """
    Its name.
    """
    identifierSpace: str
    """
    URI of the ids.
    """
    schemaSpace: str
    """
    URI of the types and properties.
    """
    documentation: str
    """
    The OpenAPI document.
    """
    batchSize: int
    """
    Queries that a request may have.
    """
    authentication: dict[str, Any]
    """
    How to authenticate, as an OpenAPI 2.0 security scheme.
    """
    defaultTypes: list[EntityType]
    """
    Types to reconcile with.
    """
    view: View
    preview: Preview
    suggest: Suggest
    extend: Extend


class NamedProperty(BaseModel):
    """
    A property of companies.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    Id of a property.
    """
    name: str
    """
    Its name.
    """


class PropertyValue(BaseModel):
    """
    One value of a property, in exactly one of the members.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    str_: str | None = Field(None, alias='str')
    """
    A text.
    """
    int_: int | None = Field(None, alias='int')
    """
    A whole number.
    """
    date: str | None = None
    """
    The beginning of a day in UTC.
    """


class ExtendedRows(BaseModel):
    """
    Values of properties of companies.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    meta: list[NamedProperty]
    """
    The properties, in the order asked for.
    """
    rows: dict[str, Any]
    """
    Values by company and property; an empty list where nothing is known.
    """


class Feature(BaseModel):
    """
    What a score rests on.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    A reason, as look-ups name it.
    """
    value: bool
    """
    Always true.
    """


class ReconciliationCandidate(BaseModel):
    """
    A company that a query may mean.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    name: str
    """
    Name as registered.
    """
    description: str
    """
    What tells it from others of its name.
    """
    type: list[EntityType]
    """
    Its types.
    """
    score: float
    """
    How well it fits; 100 is best.
    """
    match: bool
    """
    Whether the query means this company and no other.
    """
    features: list[Feature]
    """
    Why it may be meant, and what speaks against it (`other_…`).
    """


class ReconciliationResult(BaseModel):
    """
    The answer to one query.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    result: list[ReconciliationCandidate]
    """
    Candidates, best first.
    """
    errors: list[InputError] | None = None
    """
    Only on a query with a value that no company can have; then there are no candidates.
    """


class ReconcileForm(BaseModel):
    """
    A form with exactly one of its two fields, whose content is JSON.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    queries: str | None = Field(
        None, json_schema_extra={'contentMediaType': 'application/json'}
    )
    """
    A batch of at most 50 queries by key, as JSON.
    """
    extend: str | None = Field(
        None, json_schema_extra={'contentMediaType': 'application/json'}
    )
    """
    Ids of at most 500 companies, and the properties to return of each, as JSON.
    """


class SuggestedEntity(BaseModel):
    """
    A company that a text may be the beginning of.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    name: str
    """
    Name as registered.
    """
    description: str
    """
    What tells it from others of its name.
    """
    notable: list[EntityType]
    """
    Its types.
    """


class SuggestedEntities(BaseModel):
    """
    Companies, best first.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    result: list[SuggestedEntity]
    """
    The suggestions.
    """


class SuggestedTypes(BaseModel):
    """
    Types.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    result: list[EntityType]
    """
    The suggestions.
    """


class SuggestedProperties(BaseModel):
    """
    Properties.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    result: list[NamedProperty]
    """
    The suggestions.
    """


class ProposedProperties(BaseModel):
    """
    Properties that may be asked for of companies of a type.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    type: str | None = None
    """
    The type.
    """
    limit: int | None = None
    """
    The limit asked for.
    """
    properties: list[NamedProperty]
    """
    The properties.
    """


class FigureSource(BaseModel):
    """
    The document the figures come from.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    register_: str = Field(..., alias='register')
    """
    Key of the dataset.
    """
    native_id: str | None
    """
    Id in the register.
    """
    url: str | None
    """
    Public URL of the document.
    """
    retrieved_at: AwareDatetime | None
    """
    When it was fetched.
    """


class FinancialPeriod(BaseModel):
    """
    One period in its newest version; with include=history also earlier versions.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    period: str
    """
    For example 2025 or 2026-Q3.
    """
    period_type: str
    """
    Type of period.
    """
    fiscal_year: int
    """
    Year of period_end (US: as labelled by the filer).
    """
    fiscal_quarter: int | None
    """
    Quarterly periods only.
    """
    period_start: date_aliased
    """
    First day of the period.
    """
    period_end: date_aliased
    """
    Last day of the period.
    """
    currency: str | None
    """
    ISO 4217 currency code.
    """
    revenue: int | None
    """
    Operating revenue.
    """
    operating_result: int | None
    """
    Operating profit or loss.
    """
    net_result: int | None
    """
    Profit or loss for the period.
    """
    equity: int | None
    """
    Equity at the end of the period.
    """
    total_assets: int | None
    """
    Total assets at the end of the period.
    """
    employees: int | None
    """
    Average number of employees in the period.
    """
    is_consolidated: bool
    """
    Whether the figures are consolidated.
    """
    accounting_standard: str | None
    """
    Accounting standard, as named in the filing.
    """
    filing_id: str
    """
    The document.
    """
    filed_at: date_aliased | None
    """
    Date of filing.
    """
    version: int
    """
    Version number; 1 for the first document of the period.
    """
    is_restated: bool
    """
    Whether this is version 2 or later.
    """
    derived: list[str]
    """
    Fields that were computed instead of read from the document.
    """
    period_months: int | None = None
    """
    Length in months, rounded; null in data read before version 1.4, absent in releases made before it.
    """
    sources: list[FigureSource] | None = None
    """
    Present with include=sources.
    """


class FinancialsList(BaseModel):
    """
    Financials of a company, newest first.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    as_of: date_aliased | None = None
    """
    The day, if `as_of` or `known_at` is given.
    """
    known_at: AwareDatetime | None = None
    """
    The time, if `as_of` or `known_at` is given.
    """
    data: list[FinancialPeriod]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class HoldingSource(BaseModel):
    """
    The holding according to one source.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    register_: str = Field(..., alias='register')
    """
    Key of the dataset.
    """
    native_id: str | None
    """
    Id in the source.
    """
    url: str | None
    """
    Public URL of the record.
    """
    as_of: date_aliased | None
    """
    Date of the figure.
    """
    pct: float | None
    """
    Share of capital according to the source.
    """


class Owner(BaseModel):
    """
    One owner, merged from all sources.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    holder_id: str
    """
    Id of the holder within this company.
    """
    holder_name: str | None
    """
    Null if protected by law.
    """
    holder_type: str
    """
    Type of holder.
    """
    holder_company_id: str | None
    """
    Given if the holder is a company with a known number.
    """
    holder_country: str | None
    """
    ISO 3166-1 alpha-2 country code (GB, not UK).
    """
    pct: float | None
    """
    Share of capital; null if only a band is known.
    """
    pct_min: float | None
    """
    Lower bound.
    """
    pct_max: float | None
    """
    Upper bound.
    """
    votes_pct: float | None
    """
    Share of votes.
    """
    share_class: str | None
    """
    Share class; null for all classes.
    """
    basis: str | None
    """
    Basis of the share.
    """
    is_direct: bool | None
    """
    Whether it is held in the holder's own name; null if unknown.
    """
    as_of: date_aliased
    """
    Date of the percentage.
    """
    first_seen: date_aliased
    """
    Start of the earliest observation.
    """
    reconciliation: str
    """
    Whether the sources agree.
    """
    sources: list[HoldingSource]
    """
    The holding according to each source.
    """


class OwnershipList(BaseModel):
    """
    Owners of a company, largest first.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    as_of: date_aliased
    """
    The requested date.
    """
    known_at: AwareDatetime | None = None
    """
    The time, if `as_of` or `known_at` is given.
    """
    known_pct: float | None
    """
    Sum of the known shares, at most 100; null if none is known.
    """
    data: list[Owner]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class ChangedAddress(BaseModel):
    """
    An address as in a profile's part `address`, without municipality and county, which are fields of their own.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    lines: list[str]
    """
    Street lines.
    """
    postal_code: str | None
    """
    Postal code.
    """
    post_town: str | None
    """
    Postal place.
    """
    country: str | None
    """
    ISO 3166-1 alpha-2 country code (GB, not UK).
    """


class EventSource(BaseModel):
    """
    Source of the event.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    register_: str = Field(..., alias='register')
    """
    Key of the dataset.
    """
    native_id: str | None
    """
    Id in the source.
    """
    url: str | None
    """
    Public URL.
    """
    retrieved_at: AwareDatetime | None
    """
    When it was fetched.
    """


class AddedFiling(BaseModel):
    """
    What happened: filing.added.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    filing_id: str
    """
    The document.
    """
    filing_type: str
    """
    Type of filing.
    """
    period: str | None
    """
    For example 2025 or 2026-Q3.
    """
    period_type: str | None
    """
    Null for periods not served in v1.
    """
    fiscal_year: int | None
    """
    Fiscal year; null if the period is not known.
    """
    fiscal_quarter: int | None
    """
    Quarterly periods only.
    """
    period_start: date_aliased | None
    """
    First day of the period.
    """
    period_end: date_aliased | None
    """
    Last day of the period; null if only the document is known.
    """
    filed_at: date_aliased | None
    """
    Date of filing.
    """
    version: int
    """
    Version of the period.
    """
    currency: str | None
    """
    ISO 4217 currency code.
    """
    revenue: int | None
    """
    Operating revenue.
    """
    operating_result: int | None
    """
    Operating profit or loss.
    """
    net_result: int | None
    """
    Profit or loss for the period.
    """
    equity: int | None
    """
    Equity at the end of the period.
    """
    total_assets: int | None
    """
    Total assets at the end of the period.
    """
    employees: int | None
    """
    Average number of employees in the period.
    """
    is_consolidated: bool | None
    """
    Whether the figures are consolidated.
    """
    document_url: str | None
    """
    The document.
    """


class FilingAddedData(BaseModel):
    """
    `data` of filing.added.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_nr: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    occurred_at: AwareDatetime
    """
    When it happened.
    """
    sequence: int
    """
    Order of recording; strictly increasing.
    """
    source: EventSource
    filing: AddedFiling
    test: bool | None = None
    """
    True in webhook test sends; absent otherwise.
    """


class ChangedFigure(BaseModel):
    """
    One changed value.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    field: str
    """
    Name of the field.
    """
    previous: int | str | None
    current: int | str | None


class UpdatedFiling(BaseModel):
    """
    What happened: filing.updated.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    filing_id: str
    """
    The document.
    """
    filing_type: str
    """
    Type of filing.
    """
    period: str | None
    """
    For example 2025 or 2026-Q3.
    """
    period_type: str | None
    """
    Null for periods not served in v1.
    """
    fiscal_year: int | None
    """
    Fiscal year; null if the period is not known.
    """
    fiscal_quarter: int | None
    """
    Quarterly periods only.
    """
    period_start: date_aliased | None
    """
    First day of the period.
    """
    period_end: date_aliased | None
    """
    Last day of the period; null if only the document is known.
    """
    filed_at: date_aliased | None
    """
    Date of filing.
    """
    version: int
    """
    Version of the period.
    """
    currency: str | None
    """
    ISO 4217 currency code.
    """
    revenue: int | None
    """
    Operating revenue.
    """
    operating_result: int | None
    """
    Operating profit or loss.
    """
    net_result: int | None
    """
    Profit or loss for the period.
    """
    equity: int | None
    """
    Equity at the end of the period.
    """
    total_assets: int | None
    """
    Total assets at the end of the period.
    """
    employees: int | None
    """
    Average number of employees in the period.
    """
    is_consolidated: bool | None
    """
    Whether the figures are consolidated.
    """
    document_url: str | None
    """
    The document.
    """
    previous_version: int
    """
    Number of the previous version.
    """
    reason: str
    """
    Why.
    """
    changed_fields: list[ChangedFigure]
    """
    What changed.
    """


class FilingUpdatedData(BaseModel):
    """
    `data` of filing.updated.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_nr: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    occurred_at: AwareDatetime
    """
    When it happened.
    """
    sequence: int
    """
    Order of recording; strictly increasing.
    """
    source: EventSource
    filing: UpdatedFiling
    test: bool | None = None
    """
    True in webhook test sends; absent otherwise.
    """


class OwnershipChange(BaseModel):
    """
    What happened: ownership.changed.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    holder_name: str | None
    """
    Null if protected by law.
    """
    previous_pct: float
    """
    Before; of a band its lower bound.
    """
    current_pct: float
    """
    Now; of a band its lower bound.
    """
    holder_id: str
    """
    The holder.
    """
    holder_type: str
    """
    Type of holder.
    """
    holder_company_id: str | None
    """
    Given if the holder is a company with a known number.
    """
    direction: str
    """
    Direction of the crossing.
    """
    thresholds_crossed: list[int]
    """
    Percent.
    """
    basis: str | None
    """
    Basis of the shares; `band` where either is one.
    """
    as_of: date_aliased
    """
    Date of the new share.
    """


class OwnershipChangedData(BaseModel):
    """
    `data` of ownership.changed.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_nr: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    occurred_at: AwareDatetime
    """
    When it happened.
    """
    sequence: int
    """
    Order of recording; strictly increasing.
    """
    source: EventSource
    change: OwnershipChange
    test: bool | None = None
    """
    True in webhook test sends; absent otherwise.
    """


class StatusChange(BaseModel):
    """
    What happened: status.changed.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    previous_status: str
    """
    Before.
    """
    current_status: str
    """
    Now.
    """
    effective_date: date_aliased
    """
    Date from which the status applies.
    """
    registry_status: str | None
    """
    The status in the register's own terms.
    """
    reason: str | None
    """
    The reason, if the register gives one.
    """


class StatusChangedData(BaseModel):
    """
    `data` of status.changed.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_nr: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    occurred_at: AwareDatetime
    """
    When it happened.
    """
    sequence: int
    """
    Order of recording; strictly increasing.
    """
    source: EventSource
    change: StatusChange
    test: bool | None = None
    """
    True in webhook test sends; absent otherwise.
    """


class NewsItem(BaseModel):
    """
    What happened: news.published.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    news_id: str
    """
    The item.
    """
    title: str
    """
    Headline.
    """
    summary: str | None
    """
    Text, if it may be redistributed.
    """
    url: str | None
    """
    The item.
    """
    publisher: str | None
    """
    The publisher.
    """
    language: str | None
    """
    ISO 639-1 language code.
    """
    published_at: AwareDatetime
    """
    As published.
    """
    categories: list[str]
    """
    Categories assigned by the service.
    """


class NewsPublishedData(BaseModel):
    """
    `data` of news.published.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_nr: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    occurred_at: AwareDatetime
    """
    When it happened.
    """
    sequence: int
    """
    Order of recording; strictly increasing.
    """
    source: EventSource
    news: NewsItem
    test: bool | None = None
    """
    True in webhook test sends; absent otherwise.
    """


class RegulatoryNotice(BaseModel):
    """
    What happened: event.regulatory.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    notice_id: str
    """
    The notice.
    """
    authority: str
    """
    The regulator.
    """
    authority_country: str | None
    """
    ISO 3166-1 alpha-2 country code (GB, not UK).
    """
    action_type: str
    """
    Type of action.
    """
    title: str
    """
    Headline.
    """
    summary: str | None
    """
    Text, if it may be redistributed.
    """
    url: str | None
    """
    The notice.
    """
    published_at: AwareDatetime
    """
    As published.
    """
    amount: int | None
    """
    Amount of a fine or similar.
    """
    currency: str | None
    """
    ISO 4217 currency code.
    """


class RegulatoryEventData(BaseModel):
    """
    `data` of event.regulatory.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_nr: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    occurred_at: AwareDatetime
    """
    When it happened.
    """
    sequence: int
    """
    Order of recording; strictly increasing.
    """
    source: EventSource
    notice: RegulatoryNotice
    test: bool | None = None
    """
    True in webhook test sends; absent otherwise.
    """


class ChangedField(BaseModel):
    """
    One changed field of a profile; both values are known.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    field: str
    """
    Name of the field in the profile.
    """
    previous: str | bool | ChangedAddress
    current: str | bool | ChangedAddress


class CompanyChange(BaseModel):
    """
    What happened: company.changed.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    changes: list[ChangedField]
    """
    What changed; none where the subject was erased.
    """
    effective_date: date_aliased | None
    """
    The register's own date of the change; null if it gives none.
    """


class CompanyChangedData(BaseModel):
    """
    `data` of company.changed.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_nr: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    occurred_at: AwareDatetime
    """
    When it happened.
    """
    sequence: int
    """
    Order of recording; strictly increasing.
    """
    source: EventSource
    change: CompanyChange
    test: bool | None = None
    """
    True in webhook test sends; absent otherwise.
    """


class LaterEventData(BaseModel):
    """
    `data` of a kind that a later version has: what is its own are extra members.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_nr: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """
    occurred_at: AwareDatetime
    """
    When it happened.
    """
    sequence: int
    """
    Order of recording; strictly increasing.
    """
    source: EventSource
    test: bool | None = None
    """
    True in webhook test sends; absent otherwise.
    """


class Event(BaseModel):
    """
    One event.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: str
    """
    Always the same for the same fact: use it to deduplicate.
    """
    event_type: str
    """
    Event type.
    """
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    occurred_at: AwareDatetime
    """
    When it happened.
    """
    recorded_at: AwareDatetime
    """
    When the service recorded it.
    """
    sequence: int
    """
    Order of recording; strictly increasing.
    """
    data: (
        FilingAddedData
        | FilingUpdatedData
        | OwnershipChangedData
        | StatusChangedData
        | NewsPublishedData
        | RegulatoryEventData
        | CompanyChangedData
        | LaterEventData
    )


class EventList(BaseModel):
    """
    Events of a company.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    data: list[Event]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class FilingVersion(BaseModel):
    """
    One document of the same period and scope.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    version: int
    """
    1 for the first document.
    """
    filing_id: str
    """
    The document.
    """
    filed_at: date_aliased | None
    """
    Date of filing.
    """
    is_current: bool
    """
    Whether it is the version that is served.
    """


class Filing(BaseModel):
    """
    One document filed; its own period, not its comparatives.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    filing_id: str
    """
    The document.
    """
    filing_type: str
    """
    Type of filing.
    """
    form: str | None
    """
    The register's own form, if it is known.
    """
    period: str | None
    """
    For example 2025 or 2026-Q3.
    """
    period_type: str | None
    """
    Null for periods not served in v1.
    """
    fiscal_year: int | None
    """
    Fiscal year; null if the period is not known.
    """
    fiscal_quarter: int | None
    """
    Quarterly periods only.
    """
    period_start: date_aliased | None
    """
    First day of the period.
    """
    period_end: date_aliased | None
    """
    Last day of the period.
    """
    filed_at: date_aliased | None
    """
    Date of filing.
    """
    accepted_at: AwareDatetime | None
    """
    When the register accepted it, if it says so.
    """
    document_url: str | None
    """
    The document.
    """
    is_consolidated: bool | None
    """
    Whether its figures are consolidated; true if it states both. Null: no figures are known.
    """
    versions: list[FilingVersion]
    """
    All documents of its period and scope, by version; empty if no figures are known.
    """
    supersedes: str | None
    """
    The document of the version before it.
    """
    sources: list[FigureSource]
    """
    Where the document was found.
    """


class FilingList(BaseModel):
    """
    Filings of a company.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    data: list[Filing]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class Holding(BaseModel):
    """
    One line of ownership that names the company as holder, with the company that it holds.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    holder_id: str
    """
    Id of the holder within this company.
    """
    holder_name: str | None
    """
    Null if protected by law.
    """
    holder_type: str
    """
    Type of holder.
    """
    holder_company_id: str | None
    """
    Given if the holder is a company with a known number.
    """
    holder_country: str | None
    """
    ISO 3166-1 alpha-2 country code (GB, not UK).
    """
    pct: float | None
    """
    Share of capital; null if only a band is known.
    """
    pct_min: float | None
    """
    Lower bound.
    """
    pct_max: float | None
    """
    Upper bound.
    """
    votes_pct: float | None
    """
    Share of votes.
    """
    share_class: str | None
    """
    Share class; null for all classes.
    """
    basis: str | None
    """
    Basis of the share.
    """
    is_direct: bool | None
    """
    Whether it is held in the holder's own name; null if unknown.
    """
    as_of: date_aliased
    """
    Date of the percentage.
    """
    first_seen: date_aliased
    """
    Start of the earliest observation.
    """
    reconciliation: str
    """
    Whether the sources agree.
    """
    sources: list[HoldingSource]
    """
    The holding according to each source.
    """
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    name: str
    """
    Name as registered.
    """
    country: str
    """
    Market code.
    """


class HoldingList(BaseModel):
    """
    What a company owns in others, largest first.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    data: list[Holding]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """
    as_of: date_aliased
    """
    The requested date.
    """


class GroupLine(BaseModel):
    """
    One relation of a company to a holder, merged from the sources that state it.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str | None
    """
    The parent, or the child; null for a parent of which only a name or an LEI is known.
    """
    holder_id: str
    """
    Id of the holder within the company that it holds.
    """
    name: str | None
    """
    As in its profile, else as stated; null if no source states it.
    """
    country: str | None
    """
    As in its profile, else as stated.
    """
    pct: float | None
    """
    Share of capital; null if only a band is known, or none.
    """
    pct_min: float | None
    """
    Lower bound.
    """
    pct_max: float | None
    """
    Upper bound.
    """
    votes_pct: float | None
    """
    Share of votes.
    """
    relation: str
    """
    Kind of relation; only a shareholding has percentages.
    """
    is_direct: bool | None
    """
    Whether the sources call it direct; null if they do not say.
    """
    holder_lei: str | None
    """
    LEI by which the source names the holder.
    """
    level: int
    """
    Relations between this line and the requested company.
    """
    via: str
    """
    The company at the other end of the relation.
    """
    in_circle: bool
    """
    Whether both ends are in one of `circles`.
    """
    as_of: date_aliased
    """
    Date of the percentage, else of the relation.
    """
    reconciliation: str
    """
    Whether the sources agree.
    """
    sources: list[HoldingSource]
    """
    The relation according to each source.
    """


class GroupChildren(BaseModel):
    """
    Children, by level, then by the id of their holder, largest share first.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[GroupLine]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class CompanyGroup(BaseModel):
    """
    The group of a company.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str
    """
    Canonical registry number.
    """
    name: str
    """
    Name as registered.
    """
    ultimate_parents: list[GroupLine]
    """
    The ends of the chains of holders who decide, where a walk upwards reached them.
    """
    parents: list[GroupLine]
    """
    Holders of the company itself, those who decide first.
    """
    has_more_parents: bool
    """
    Whether there are more; `/ownership` lists all owners.
    """
    children: GroupChildren
    circles: list[list[str]]
    """
    Companies that hold each other, directly or through others, among those visited.
    """
    visited_companies: int
    """
    Companies whose relations were read.
    """
    is_complete: bool
    """
    False if a limit ended the walk: there may be more lines and circles.
    """
    as_of: date_aliased | None = None
    """
    The day, if `as_of` or `known_at` is given.
    """
    known_at: AwareDatetime | None = None
    """
    The time, if `as_of` or `known_at` is given.
    """


class EventFeed(BaseModel):
    """
    Events of all companies, ascending.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[Event]
    """
    The rows of this page; with filters there may be none.
    """
    next_cursor: str
    """
    Cursor to continue after this page, now or later; it does not expire.
    """
    has_more: bool
    """
    Whether the ledger goes on after this page.
    """


class Dataset(BaseModel):
    """
    Freshness and licence of one dataset; with include=reconciliation also unaccounted records.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    dataset: str
    """
    Key of the dataset.
    """
    observed_at: AwareDatetime | None
    """
    Date of the served data in the register.
    """
    checked_at: AwareDatetime | None
    """
    When the register was last checked.
    """
    held_since: AwareDatetime | None
    """
    Since when new data has been quarantined for review; null if it is not.
    """
    licence: str | None
    """
    Licence of the data.
    """
    licence_url: str | None
    """
    URL of the licence text.
    """
    attribution: str | None
    """
    Attribution to display with the data.
    """
    unlinked_rows: int | None = None
    """
    Records that link to no company; null if not counted.
    """
    changed_subjects: int | None = None
    """
    Records that name another subject than before under an unchanged id; null if not counted.
    """


class RuleWithoutData(BaseModel):
    """
    A rule that reads the absence of records of datasets that were never loaded, and so decides nothing.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    rule: str
    """
    Name of the rule.
    """
    datasets: list[str]
    """
    Datasets that it reads.
    """
    undecided: int
    """
    Number of rows that it leaves undecided.
    """


class Market(BaseModel):
    """
    One market.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    market: str
    """
    Market code.
    """
    name: str
    """
    Name in English.
    """
    state: str
    """
    Announced markets have no companies yet.
    """
    companies: int
    """
    Number of companies served.
    """
    observed_at: AwareDatetime | None
    """
    Date of the newest of its datasets.
    """
    datasets: list[Dataset]
    """
    Source datasets of the market.
    """
    rules_without_data: list[RuleWithoutData] | None = None
    """
    Rules that decide nothing; null if not counted.
    """
    unexplained_statuses: int | None = None
    """
    Companies whose registry status means another status, without a reason; null if not counted.
    """


class MarketList(BaseModel):
    """
    All markets, served and announced.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[Market]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class BulkFile(BaseModel):
    """
    A file with all rows of a table, or with what has changed in it since another export.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    market: str
    """
    Market code.
    """
    table: str
    """
    The table.
    """
    part: str
    """
    Rows of an export; or of a delta: deletes, which are applied first, and upserts.
    """
    format: str
    """
    Format of the file.
    """
    compression: str
    """
    Compression of the file.
    """
    release: int
    """
    The release that the file ends at.
    """
    base_release: int | None
    """
    The release of the export that a delta is applied to; null for an export.
    """
    released_at: AwareDatetime
    """
    When the release was published.
    """
    last_sequence: int
    """
    The last event that the release contains.
    """
    rows: int
    """
    Number of rows.
    """
    bytes: int
    """
    Size of the file.
    """
    sha256: str
    """
    SHA-256 of the file.
    """
    url: str
    """
    Link to the file, without a key.
    """
    expires_at: AwareDatetime
    """
    When the link expires; a download that has begun then goes on.
    """


class BulkFileList(BaseModel):
    """
    Bulk files, newest release first.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[BulkFile]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class NewWatchlist(BaseModel):
    """
    A watchlist to create.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    name: str
    """
    Name, for your own use; several watchlists may have the same.
    """


class Watchlist(BaseModel):
    """
    A watchlist.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The watchlist.
    """
    name: str
    """
    Name, for your own use.
    """
    company_count: int
    """
    Number of its companies.
    """
    created_at: AwareDatetime
    """
    When it was created.
    """
    updated_at: AwareDatetime
    """
    When its name or its companies last changed.
    """


class WatchlistList(BaseModel):
    """
    The account's watchlists.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[Watchlist]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class WatchlistChanges(BaseModel):
    """
    The members to change; omitted members keep their value (RFC 7396).
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    name: str | None = None
    """
    Name, for your own use; several watchlists may have the same.
    """


class WatchlistCompany(BaseModel):
    """
    A company of a watchlist.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    org_number: str
    """
    Canonical registry number.
    """
    name: str | None
    """
    Name as registered; null if the company is not known.
    """
    added_at: AwareDatetime
    """
    When it was added.
    """


class WatchlistCompanyList(BaseModel):
    """
    Companies of a watchlist, by id.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[WatchlistCompany]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class MembershipChanges(BaseModel):
    """
    Companies to add to a watchlist, and to remove from it.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    add: list[str] | None = None
    """
    Companies to add, including ones not known yet.
    """
    remove: list[str] | None = None
    """
    Companies to remove.
    """


class ChangedMembership(BaseModel):
    """
    What a change of companies did.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The watchlist.
    """
    added: int
    """
    Companies that were not on the list before.
    """
    removed: int
    """
    Companies that were.
    """
    company_count: int
    """
    Number of its companies now.
    """


class NewDestination(BaseModel):
    """
    Where events go; `kind` says which members there are.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    kind: str
    """
    `https`: an endpoint. `sqs`: a queue of Amazon SQS. `s3`: a prefix of a bucket of Amazon S3.
    """
    url: str | None = None
    """
    Of `https`: the endpoint, as in `endpoint_url`.
    """
    queue_url: str | None = None
    """
    Of `sqs`: the queue's URL.
    """
    bucket: str | None = None
    """
    Of `s3`: the bucket's name.
    """
    prefix: str | None = None
    """
    Of `s3`: what the keys of objects begin with, as a folder; a slash at its end is added.
    """
    region: str | None = None
    """
    Of `sqs` and `s3`: the region of the queue or bucket.
    """
    endpoint: str | None = None
    """
    Of `s3`: another endpoint of the region, as one for FIPS. Omit it otherwise.
    """
    access_key_id: str | None = None
    """
    Of `sqs` and `s3`: the id of an access key that may send to the queue or put into the bucket.
    """
    secret_access_key: str | None = None
    """
    Of `sqs` and `s3`: its secret. It is sealed, and never returned.
    """


class Ownership(BaseModel):
    """
    Only these events of type ownership.changed; other types are not affected.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    min_change_pct: float | None = None
    """
    Only where the share changed by at least so many percentage points; a change between bands is not known, and does not match.
    """
    thresholds: list[int] | None = None
    """
    Only where one of these thresholds was crossed.
    """


class Filters(BaseModel):
    """
    Only events that pass all of these; with `entity_ids` both hold. Null, {} or omitted: no filter. In a change, members left out keep their value; null ends one, {} all.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    countries: list[str] | None = None
    """
    Only companies of these markets.
    """
    industries: list[str] | None = None
    """
    Only companies with an industry code that begins with one of these.
    """
    industry_scheme: str | None = None
    """
    Only companies whose code is of this version of a classification.
    """
    is_listed: bool | None = None
    """
    true: only listed companies; false: only companies without evidence of a listing.
    """
    ownership: Ownership | None = None
    """
    Only these events of type ownership.changed; other types are not affected.
    """
    changed_fields: list[str] | None = None
    """
    Only events of type filing.updated or company.changed in which one of these changed; other types are not affected.
    """
    watchlist_id: str | None = None
    """
    Only events of companies that are on this watchlist of the account when the event is matched.
    """


class NewSubscription(BaseModel):
    """
    A subscription to create.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    endpoint_url: str | None = None
    """
    URL that receives deliveries: https, a public host, port 443, 8443, or 1024 and above.
    """
    destination: NewDestination | None = None
    """
    Where events go, in place of `endpoint_url`, which is short for kind `https`: a creation needs one of the two. In a change of the same kind, members left out keep their value.
    """
    event_types: list[str]
    """
    Only these event types; there is no wildcard.
    """
    entity_ids: list[str] | None = None
    """
    Only these companies, including ones not known yet; null or omitted means all. The tier limits the number.
    """
    filters: Filters | None = None
    """
    Only events that pass all of these; with `entity_ids` both hold. Null, {} or omitted: no filter. In a change, members left out keep their value; null ends one, {} all.
    """
    description: str | None = None
    """
    Free text for your own use.
    """
    max_per_second: int | None = None
    """
    Maximum deliveries per second; null means no limit.
    """
    status: str | None = None
    """
    While `paused`, events are held until a replay.
    """


class SubscriptionDestination(BaseModel):
    """
    Where events go.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    kind: str
    """
    `https`: an endpoint. `sqs`: a queue of Amazon SQS. `s3`: a prefix of a bucket of Amazon S3.
    """
    url: str | None = None
    """
    Of `https`: the endpoint, as in `endpoint_url`.
    """
    queue_url: str | None = None
    """
    Of `sqs`: the queue's URL.
    """
    bucket: str | None = None
    """
    Of `s3`: the bucket's name.
    """
    prefix: str | None = None
    """
    Of `s3`: what the keys of objects begin with, as a folder; a slash at its end is added.
    """
    region: str | None = None
    """
    Of `sqs` and `s3`: the region of the queue or bucket.
    """
    endpoint: str | None = None
    """
    Of `s3`: another endpoint of the region, as one for FIPS. Omit it otherwise.
    """
    access_key_hint: str | None = None
    """
    Of `sqs` and `s3`: the last characters of the access key's id.
    """


class Warning(BaseModel):
    """
    One warning.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    code: str
    """
    Code of the warning.
    """
    detail: str
    """
    Human-readable description.
    """
    pointer: str
    """
    JSON Pointer into the body.
    """


class Filters1(BaseModel):
    """
    Only events that pass all of these; with `entity_ids` both hold. Null: no filter.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    countries: list[str] | None = None
    """
    Only companies of these markets.
    """
    industries: list[str] | None = None
    """
    Only companies with an industry code that begins with one of these.
    """
    industry_scheme: str | None = None
    """
    Only companies whose code is of this version of a classification.
    """
    is_listed: bool | None = None
    """
    true: only listed companies; false: only companies without evidence of a listing.
    """
    ownership: Ownership | None = None
    """
    Only these events of type ownership.changed; other types are not affected.
    """
    changed_fields: list[str] | None = None
    """
    Only events of type filing.updated or company.changed in which one of these changed; other types are not affected.
    """
    watchlist_id: str | None = None
    """
    Only events of companies that are on this watchlist of the account when the event is matched.
    """


class CreatedSubscription(BaseModel):
    """
    A subscription with its secret, returned only once.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The subscription.
    """
    endpoint_url: str
    """
    URL that receives deliveries: the endpoint, the queue, or the bucket with its prefix.
    """
    destination: SubscriptionDestination | None = None
    """
    Where events go; for an endpoint, its URL once more.
    """
    event_types: list[str]
    """
    Canonical names.
    """
    entity_ids: list[str] | None
    """
    Only these companies; null means all.
    """
    filters: Filters1 | None = None
    """
    Only events that pass all of these; with `entity_ids` both hold. Null: no filter.
    """
    description: str | None
    """
    Free text for your own use.
    """
    max_per_second: int | None
    """
    Maximum deliveries per second; null means no limit.
    """
    status: str
    """
    While `paused`, events are held until a replay.
    """
    status_reason: str | None
    """
    Reason for the pause; null while active.
    """
    status_changed_at: AwareDatetime
    """
    When the status last changed.
    """
    created_at: AwareDatetime
    """
    When it was created.
    """
    updated_at: AwareDatetime
    """
    When it was last changed.
    """
    last_attempt_at: AwareDatetime | None
    """
    Time of the last attempt. Tests and manual retries are not counted, here and below.
    """
    last_success_at: AwareDatetime | None
    """
    Time of the last successful attempt.
    """
    last_failure_at: AwareDatetime | None
    """
    Time of the last failed attempt.
    """
    consecutive_failures: int
    """
    Failed attempts since the last success.
    """
    held_deliveries: int
    """
    Number of deliveries waiting for a replay.
    """
    secret_hint: str
    """
    The secret's last characters.
    """
    previous_secret_expires_at: AwareDatetime | None
    """
    Until when the previous secret also signs; null if it does not.
    """
    secret: str
    """
    Store it securely: it is not shown again.
    """
    warnings: list[Warning]
    """
    Accepted input that should be changed.
    """


class Filters2(BaseModel):
    """
    Only events that pass all of these; with `entity_ids` both hold. Null: no filter.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    countries: list[str] | None = None
    """
    Only companies of these markets.
    """
    industries: list[str] | None = None
    """
    Only companies with an industry code that begins with one of these.
    """
    industry_scheme: str | None = None
    """
    Only companies whose code is of this version of a classification.
    """
    is_listed: bool | None = None
    """
    true: only listed companies; false: only companies without evidence of a listing.
    """
    ownership: Ownership | None = None
    """
    Only these events of type ownership.changed; other types are not affected.
    """
    changed_fields: list[str] | None = None
    """
    Only events of type filing.updated or company.changed in which one of these changed; other types are not affected.
    """
    watchlist_id: str | None = None
    """
    Only events of companies that are on this watchlist of the account when the event is matched.
    """


class Subscription(BaseModel):
    """
    A webhook subscription.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The subscription.
    """
    endpoint_url: str
    """
    URL that receives deliveries: the endpoint, the queue, or the bucket with its prefix.
    """
    destination: SubscriptionDestination | None = None
    """
    Where events go; for an endpoint, its URL once more.
    """
    event_types: list[str]
    """
    Canonical names.
    """
    entity_ids: list[str] | None
    """
    Only these companies; null means all.
    """
    filters: Filters2 | None = None
    """
    Only events that pass all of these; with `entity_ids` both hold. Null: no filter.
    """
    description: str | None
    """
    Free text for your own use.
    """
    max_per_second: int | None
    """
    Maximum deliveries per second; null means no limit.
    """
    status: str
    """
    While `paused`, events are held until a replay.
    """
    status_reason: str | None
    """
    Reason for the pause; null while active.
    """
    status_changed_at: AwareDatetime
    """
    When the status last changed.
    """
    created_at: AwareDatetime
    """
    When it was created.
    """
    updated_at: AwareDatetime
    """
    When it was last changed.
    """
    last_attempt_at: AwareDatetime | None
    """
    Time of the last attempt. Tests and manual retries are not counted, here and below.
    """
    last_success_at: AwareDatetime | None
    """
    Time of the last successful attempt.
    """
    last_failure_at: AwareDatetime | None
    """
    Time of the last failed attempt.
    """
    consecutive_failures: int
    """
    Failed attempts since the last success.
    """
    held_deliveries: int
    """
    Number of deliveries waiting for a replay.
    """
    secret_hint: str
    """
    The secret's last characters.
    """
    previous_secret_expires_at: AwareDatetime | None
    """
    Until when the previous secret also signs; null if it does not.
    """


class SubscriptionList(BaseModel):
    """
    The account's subscriptions.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[Subscription]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class Filters3(BaseModel):
    """
    Only events that pass all of these; with `entity_ids` both hold. Null, {} or omitted: no filter. In a change, members left out keep their value; null ends one, {} all.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    countries: list[str] | None = None
    """
    Only companies of these markets.
    """
    industries: list[str] | None = None
    """
    Only companies with an industry code that begins with one of these.
    """
    industry_scheme: str | None = None
    """
    Only companies whose code is of this version of a classification.
    """
    is_listed: bool | None = None
    """
    true: only listed companies; false: only companies without evidence of a listing.
    """
    ownership: Ownership | None = None
    """
    Only these events of type ownership.changed; other types are not affected.
    """
    changed_fields: list[str] | None = None
    """
    Only events of type filing.updated or company.changed in which one of these changed; other types are not affected.
    """
    watchlist_id: str | None = None
    """
    Only events of companies that are on this watchlist of the account when the event is matched.
    """


class SubscriptionChanges(BaseModel):
    """
    The members to change; omitted members keep their value (RFC 7396).
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    endpoint_url: str | None = None
    """
    URL that receives deliveries: https, a public host, port 443, 8443, or 1024 and above.
    """
    destination: NewDestination | None = None
    """
    Where events go, in place of `endpoint_url`, which is short for kind `https`: a creation needs one of the two. In a change of the same kind, members left out keep their value.
    """
    event_types: list[str] | None = None
    """
    Only these event types; there is no wildcard.
    """
    entity_ids: list[str] | None = None
    """
    Only these companies, including ones not known yet; null or omitted means all. The tier limits the number.
    """
    filters: Filters3 | None = None
    """
    Only events that pass all of these; with `entity_ids` both hold. Null, {} or omitted: no filter. In a change, members left out keep their value; null ends one, {} all.
    """
    description: str | None = None
    """
    Free text for your own use.
    """
    max_per_second: int | None = None
    """
    Maximum deliveries per second; null means no limit.
    """
    status: str | None = None
    """
    While `paused`, events are held until a replay.
    """


class Filters4(BaseModel):
    """
    Only events that pass all of these; with `entity_ids` both hold. Null: no filter.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    countries: list[str] | None = None
    """
    Only companies of these markets.
    """
    industries: list[str] | None = None
    """
    Only companies with an industry code that begins with one of these.
    """
    industry_scheme: str | None = None
    """
    Only companies whose code is of this version of a classification.
    """
    is_listed: bool | None = None
    """
    true: only listed companies; false: only companies without evidence of a listing.
    """
    ownership: Ownership | None = None
    """
    Only these events of type ownership.changed; other types are not affected.
    """
    changed_fields: list[str] | None = None
    """
    Only events of type filing.updated or company.changed in which one of these changed; other types are not affected.
    """
    watchlist_id: str | None = None
    """
    Only events of companies that are on this watchlist of the account when the event is matched.
    """


class UpdatedSubscription(BaseModel):
    """
    An updated subscription.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The subscription.
    """
    endpoint_url: str
    """
    URL that receives deliveries: the endpoint, the queue, or the bucket with its prefix.
    """
    destination: SubscriptionDestination | None = None
    """
    Where events go; for an endpoint, its URL once more.
    """
    event_types: list[str]
    """
    Canonical names.
    """
    entity_ids: list[str] | None
    """
    Only these companies; null means all.
    """
    filters: Filters4 | None = None
    """
    Only events that pass all of these; with `entity_ids` both hold. Null: no filter.
    """
    description: str | None
    """
    Free text for your own use.
    """
    max_per_second: int | None
    """
    Maximum deliveries per second; null means no limit.
    """
    status: str
    """
    While `paused`, events are held until a replay.
    """
    status_reason: str | None
    """
    Reason for the pause; null while active.
    """
    status_changed_at: AwareDatetime
    """
    When the status last changed.
    """
    created_at: AwareDatetime
    """
    When it was created.
    """
    updated_at: AwareDatetime
    """
    When it was last changed.
    """
    last_attempt_at: AwareDatetime | None
    """
    Time of the last attempt. Tests and manual retries are not counted, here and below.
    """
    last_success_at: AwareDatetime | None
    """
    Time of the last successful attempt.
    """
    last_failure_at: AwareDatetime | None
    """
    Time of the last failed attempt.
    """
    consecutive_failures: int
    """
    Failed attempts since the last success.
    """
    held_deliveries: int
    """
    Number of deliveries waiting for a replay.
    """
    secret_hint: str
    """
    The secret's last characters.
    """
    previous_secret_expires_at: AwareDatetime | None
    """
    Until when the previous secret also signs; null if it does not.
    """
    warnings: list[Warning]
    """
    Accepted input that should be changed.
    """


class SecretRotation(BaseModel):
    """
    Options of a secret rotation.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    grace_period_seconds: int | None = 86400
    """
    How long the previous secret also signs, in seconds.
    """


class RotatedSecret(BaseModel):
    """
    The new secret, returned only once.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The subscription.
    """
    secret: str
    """
    Store it securely: it is not shown again.
    """
    secret_hint: str
    """
    The secret's last characters.
    """
    previous_secret_expires_at: AwareDatetime | None
    """
    Until when the previous secret also signs; null if it does not.
    """


class TestSend(BaseModel):
    """
    The event type to send as a test.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_type: str | None = None
    """
    An event type, or a deprecated alias of one.
    """


class Attempt(BaseModel):
    """
    One request to an endpoint, queue or bucket; events of one object have one in common.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The attempt.
    """
    delivery_id: str | None
    """
    Null for test sends.
    """
    number: int
    """
    Number of the attempt in its schedule.
    """
    trigger: str
    """
    What triggered it.
    """
    started_at: AwareDatetime
    """
    Start time, before the DNS lookup of the endpoint.
    """
    duration_ms: int
    """
    Time until the outcome was known.
    """
    outcome: str
    """
    `succeeded` means a 2xx response within 10 seconds.
    """
    error: str | None
    """
    Reason of the failure; null if it did not fail.
    """
    error_detail: str | None
    """
    Human-readable; may change.
    """
    request_url: str
    """
    URL it was sent to, without the query string.
    """
    remote_ip: str | None
    """
    IP address connected to; given for public addresses only.
    """
    response_status: int | None
    """
    Status code returned by the endpoint.
    """
    response_headers: dict[str, Any] | None
    """
    Response headers of the endpoint, names in lower case.
    """
    response_body: str | None
    """
    At most the first 2 KiB.
    """
    response_body_truncated: bool
    """
    Whether the stored body is truncated.
    """


class Delivery(BaseModel):
    """
    One event for one subscription.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The delivery.
    """
    subscription_id: str
    """
    The subscription.
    """
    event_id: str
    """
    The same for every attempt and replay.
    """
    event_type: str
    """
    Event type.
    """
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    status: str
    """
    `held`: waiting for a replay. `failed`: every scheduled attempt failed. `canceled`: will not be sent.
    """
    attempt_count: int
    """
    Attempts so far, including manual retries.
    """
    next_attempt_at: AwareDatetime | None
    """
    Time of the next scheduled attempt.
    """
    last_outcome: str | None
    """
    From the last attempt.
    """
    last_error: str | None
    """
    Reason of the failure; null if it did not fail.
    """
    last_response_status: int | None
    """
    Status code returned by the endpoint.
    """
    created_at: AwareDatetime
    """
    When the event was matched to the subscription.
    """
    completed_at: AwareDatetime | None
    """
    When it succeeded, failed or was canceled.
    """
    replay_id: str | None
    """
    The latest replay that included it.
    """


class DeliveryList(BaseModel):
    """
    Deliveries of a subscription.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[Delivery]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class Payload(BaseModel):
    """
    The body as last sent.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: str
    """
    The same for every attempt and replay.
    """
    event_type: str
    """
    Event type.
    """
    delivered_at: AwareDatetime | None
    """
    Start of the last attempt; null before the first one.
    """
    data: dict[str, Any] = Field(..., max_length=100)
    """
    The event's `data`, as returned by listCompanyEvents.
    """


class DeliveryDetail(BaseModel):
    """
    A delivery with its attempts.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The delivery.
    """
    subscription_id: str
    """
    The subscription.
    """
    event_id: str
    """
    The same for every attempt and replay.
    """
    event_type: str
    """
    Event type.
    """
    company_id: str
    """
    `firm:<COUNTRY>:<org_number>`.
    """
    status: str
    """
    `held`: waiting for a replay. `failed`: every scheduled attempt failed. `canceled`: will not be sent.
    """
    attempt_count: int
    """
    Attempts so far, including manual retries.
    """
    next_attempt_at: AwareDatetime | None
    """
    Time of the next scheduled attempt.
    """
    last_outcome: str | None
    """
    From the last attempt.
    """
    last_error: str | None
    """
    Reason of the failure; null if it did not fail.
    """
    last_response_status: int | None
    """
    Status code returned by the endpoint.
    """
    created_at: AwareDatetime
    """
    When the event was matched to the subscription.
    """
    completed_at: AwareDatetime | None
    """
    When it succeeded, failed or was canceled.
    """
    replay_id: str | None
    """
    The latest replay that included it.
    """
    payload: Payload
    attempts: list[Attempt]
    """
    The latest attempts, oldest first.
    """


class NewReplay(BaseModel):
    """
    The deliveries to repeat.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    since: AwareDatetime
    """
    Events matched at or after this time; at most 30 days ago.
    """
    until: AwareDatetime | None = None
    """
    Events matched before this time; default: now.
    """
    statuses: list[str] | None = None
    """
    Only deliveries with these statuses; default: failed and held.
    """
    event_types: list[str] | None = None
    """
    Only these event types; null means all.
    """


class Replay(BaseModel):
    """
    A replay and its progress.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    id: str
    """
    The replay.
    """
    subscription_id: str
    """
    The subscription.
    """
    since: AwareDatetime
    """
    Events matched at or after this time; at most 30 days ago.
    """
    until: AwareDatetime
    """
    Events matched before this time.
    """
    statuses: list[str]
    """
    Delivery statuses included.
    """
    event_types: list[str] | None
    """
    Only these event types; null means all.
    """
    status: str
    """
    `completed` means that no delivery of it is pending.
    """
    matched: int
    """
    Deliveries included in the replay.
    """
    succeeded: int
    """
    Of these, the number that succeeded.
    """
    failed: int
    """
    Of these, the number that failed, or were held or canceled in the meantime.
    """
    pending: int
    """
    Of these, the number not completed yet.
    """
    created_at: AwareDatetime
    """
    When it was requested.
    """
    completed_at: AwareDatetime | None
    """
    When the last delivery completed.
    """


class EventType(BaseModel):
    """
    One event type.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_type: str
    """
    Name used in subscriptions.
    """
    description: str
    """
    When it is sent.
    """
    aliases: list[str]
    """
    Deprecated aliases.
    """
    schema_ref: str
    """
    Schema of the body in this document.
    """


class EventTypeList(BaseModel):
    """
    All event types.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    data: list[EventType]
    """
    The rows of this page.
    """
    next_cursor: str | None
    """
    Cursor of the next page; null on the last page.
    """
    has_more: bool
    """
    Whether more rows follow this page.
    """


class Usage(BaseModel):
    """
    Usage of the account in the current month.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    tier: str
    """
    Name of the tier.
    """
    period_start: AwareDatetime
    """
    Start of the month, UTC.
    """
    period_end: AwareDatetime
    """
    Start of the next month.
    """
    requests_used: int
    """
    Requests counted so far.
    """
    requests_limit: int
    """
    Requests allowed in the month.
    """
    requests_remaining: int
    """
    Never below 0.
    """
    burst_per_second: int
    """
    Sustained requests per second.
    """
    burst_capacity: int
    """
    Burst capacity in requests.
    """
    webhooks_enabled: bool
    """
    Whether the tier has webhooks.
    """
    subscriptions_used: int
    """
    Current number of webhook subscriptions.
    """
    subscriptions_limit: int | None
    """
    Allowed number of webhook subscriptions.
    """
    trial_ends_at: AwareDatetime | None
    """
    End of the trial; null without a trial.
    """
    account_status: str
    """
    Status of the account.
    """


class FilingAddedWebhook(BaseModel):
    """
    Body of a filing.added delivery.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: str
    """
    The same for every attempt and replay: use it to deduplicate.
    """
    event_type: str
    """
    Event type.
    """
    delivered_at: AwareDatetime
    """
    Start time of this attempt, in milliseconds.
    """
    data: FilingAddedData


class FilingUpdatedWebhook(BaseModel):
    """
    Body of a filing.updated delivery.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: str
    """
    The same for every attempt and replay: use it to deduplicate.
    """
    event_type: str
    """
    Event type.
    """
    delivered_at: AwareDatetime
    """
    Start time of this attempt, in milliseconds.
    """
    data: FilingUpdatedData


class OwnershipChangedWebhook(BaseModel):
    """
    Body of a ownership.changed delivery.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: str
    """
    The same for every attempt and replay: use it to deduplicate.
    """
    event_type: str
    """
    Event type.
    """
    delivered_at: AwareDatetime
    """
    Start time of this attempt, in milliseconds.
    """
    data: OwnershipChangedData


class StatusChangedWebhook(BaseModel):
    """
    Body of a status.changed delivery.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: str
    """
    The same for every attempt and replay: use it to deduplicate.
    """
    event_type: str
    """
    Event type.
    """
    delivered_at: AwareDatetime
    """
    Start time of this attempt, in milliseconds.
    """
    data: StatusChangedData


class NewsPublishedWebhook(BaseModel):
    """
    Body of a news.published delivery.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: str
    """
    The same for every attempt and replay: use it to deduplicate.
    """
    event_type: str
    """
    Event type.
    """
    delivered_at: AwareDatetime
    """
    Start time of this attempt, in milliseconds.
    """
    data: NewsPublishedData


class RegulatoryEventWebhook(BaseModel):
    """
    Body of a event.regulatory delivery.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: str
    """
    The same for every attempt and replay: use it to deduplicate.
    """
    event_type: str
    """
    Event type.
    """
    delivered_at: AwareDatetime
    """
    Start time of this attempt, in milliseconds.
    """
    data: RegulatoryEventData


class CompanyChangedWebhook(BaseModel):
    """
    Body of a company.changed delivery.
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    event_id: str
    """
    The same for every attempt and replay: use it to deduplicate.
    """
    event_type: str
    """
    Event type.
    """
    delivered_at: AwareDatetime
    """
    Start time of this attempt, in milliseconds.
    """
    data: CompanyChangedData


class Problem(BaseModel):
    """
    An error (RFC 9457).
    """

    model_config = ConfigDict(
        extra='allow',
        populate_by_name=True,
    )
    type: str
    """
    URL of a page that explains the problem.
    """
    title: str
    """
    Title; the same for every problem of the type.
    """
    status: int
    """
    The HTTP status.
    """
    detail: str
    """
    Human-readable description of this occurrence; may change.
    """
    instance: str
    """
    Identifier of this occurrence.
    """
    code: str
    """
    Stable code for programs.
    """
    request_id: str
    """
    Quote it to support.
    """
    errors: list[InputError] | None = None
    """
    With input errors: one entry per invalid input.
    """
    reason: str | None = None
    """
    With company_not_found and company_not_known_then.
    """
    limit: int | None = None
    """
    The limit that was exceeded: bytes, values, subscriptions.
    """
    required_key_kind: str | None = None
    """
    With key_kind_not_allowed.
    """
    required_tiers: list[str] | None = None
    """
    With tier_required.
    """
    current_tier: str | None = None
    """
    Name of a tier.
    """
    current_status: str | None = None
    """
    With invalid_state.
    """
    subscription_ids: list[str] | None = None
    """
    With watchlist_in_use: the subscriptions that filter by it.
    """
    violated_policies: list[str] | None = Field(None, alias='violated-policies')
    """
    With 429.
    """
    retry_after: int | None = None
    """
    Seconds to wait; the same as the Retry-After header.
    """
