"""The shared tables (docs/architecture.md 3): one shape for every market, declared once.

Rendered by `warehouse.schema_render` to polars schemas, DuckDB DDL, checks and the data dictionary. Null is
«unknown», never 0. Does not belong here: the staged tables of one registry (`connectors/<cc>`), which keep the
registry's own words.
"""

from __future__ import annotations

from typing import Final

from warehouse.schema import codes
from warehouse.schema.types import Column, ColumnKind, Table

_T, _I, _M, _P = ColumnKind.TEXT, ColumnKind.INTEGER, ColumnKind.MONEY, ColumnKind.PERCENT
_B, _D = ColumnKind.BOOLEAN, ColumnKind.DATE

COMPANY_ID: Final = Column("company_id", _T, "firm:<COUNTRY>:<org_number>", nullable=False)
_OBSERVATION: Final = (
    Column("raw", _T, "pointer into RAW: sha256[#member]", business=False),
    Column("observed_at", ColumnKind.INSTANT, "when the source reported it", nullable=False, business=False),
)
PROVENANCE: Final = (
    Column("register", _T, "key of the dataset of the row, as no.enheter", nullable=False, business=False),
    *_OBSERVATION,
)
# of a row that a source gives for each record of its own
_REGISTER: Final = Column("register", _T, "key of the dataset", nullable=False)
_NEWEST: Final = Column(
    "observed_at", ColumnKind.INSTANT, "newest record behind the row", nullable=False, business=False
)

COMPANIES: Final = Table(
    "companies",
    "One row per company, current state in its registers.",
    ("company_id",),
    (
        COMPANY_ID,
        Column(
            "org_number",
            _T,
            "canonical registry number (docs/contract/contract.md «Company identifiers»)",
            nullable=False,
        ),
        Column("name", _T, "name as registered", nullable=False),
        Column("country", _T, "market code", nullable=False, allowed=codes.MARKETS),
        Column("industry_code", _T, "first industry code, dots removed; served as sni_code"),
        Column("industry_label", _T, "label of the code as delivered; served as sni_label"),
        Column("industry_scheme", _T, "version of the code list", allowed=codes.INDUSTRY_SCHEMES),
        Column("municipality", _T, "as the register spells it"),
        Column("municipality_code", _T, "the country's own code"),
        Column("county", _T, "as the register or its code list spells it"),
        Column("county_code", _T, "the country's own code"),
        Column("registered_date", _D, "entry into the register"),
        Column("status", _T, "active, dormant or dissolved", nullable=False, allowed=codes.STATUSES),
        Column("status_detail", _T, "reason, if a register states it", allowed=codes.STATUS_DETAILS),
        Column("status_date", _D, "start of the status, if a register states it"),
        Column("status_source", _T, "dataset whose record decided the status; null when only filings are known"),
        Column("registry_status", _T, "the register's own word"),
        Column("dissolved_date", _D, "removal from the register"),
        Column("is_listed", _B, "true only on evidence", nullable=False),
        Column("is_listed_source", _T, "dataset of the evidence; null when no listing source is loaded"),
        Column("legal_form_code", _T, "the register's code or text"),
        Column("legal_form_label", _T, "its label"),
        Column("employees", _I, "latest count in the register; null when withheld or unknown"),
        Column("website", _T, "as registered"),
        Column("address_lines", ColumnKind.TEXTS, "street lines of the business address"),
        Column("postal_code", _T, "postal code"),
        Column("post_town", _T, "postal place"),
        Column("address_country", _T, "ISO 3166-1 alpha-2 (GB, not UK)"),
        Column("previous_names", ColumnKind.TEXTS, "former names, newest first"),
        Column(
            "sources",
            ColumnKind.JSON,
            "list of {register, native_id, url, retrieved_at, licence, fields}",
            business=False,
        ),
        Column(
            "field_origins",
            ColumnKind.JSON,
            "by field of company.changed: `register` where another one states it than `sources` says, and the `date` "
            "that the register gives of the value; null if there is neither",
            business=False,
        ),
        _NEWEST,
    ),
)
# Columns of the optional profile part `detail`, in the order of docs/contract/contract.md 4.1.
COMPANY_DETAILS: Final = (
    "legal_form_code",
    "legal_form_label",
    "status_detail",
    "registry_status",
    "dissolved_date",
    "employees",
    "website",
    "previous_names",
    "industry_scheme",
    "is_listed_source",
)

IDENTIFIERS: Final = Table(
    "identifiers",
    "Other names of a company: LEI, ISIN, VAT, CIK and the like.",
    ("company_id", "scheme", "value"),
    (
        COMPANY_ID,
        Column("scheme", _T, "kind of identifier", nullable=False, allowed=codes.IDENTIFIER_SCHEMES),
        Column("value", _T, "canonical spelling", nullable=False),
        *PROVENANCE,
    ),
)

FILINGS: Final = Table(
    "filings",
    "One row per document filed: a set of accounts of one period and scope.",
    ("filing_id",),
    (
        Column("filing_id", _T, "fil_… (warehouse.schema.ids)", nullable=False),
        COMPANY_ID,
        Column("filing_type", _T, "annual_report, interim_report, …", nullable=False),
        Column("native_id", _T, "the register's own id; null where the bulk file has none"),
        Column("document_sha256", _T, "SHA-256 of the document's bytes"),
        Column("period_start", _D, "first day"),
        Column("period_end", _D, "last day; null if the source lists a document without its period"),
        Column("filed_at", _D, "day of filing; null if the source does not state it"),
        Column("is_amendment", _B, "the document states that it replaces an earlier one", nullable=False),
        Column("document_url", _T, "public address of the document"),
        *PROVENANCE,
    ),
)

FIGURE_COLUMNS: Final = (
    Column("revenue", _M, "operating revenue"),
    Column("operating_result", _M, "operating profit or loss"),
    Column("net_result", _M, "profit or loss for the period"),
    Column("equity", _M, "total equity at period end"),
    Column("total_assets", _M, "total assets at period end"),
    Column("employees", _I, "average number in the period, halves rounded up"),
)

_PERIOD: Final = (
    COMPANY_ID,
    Column("period_start", _D, "first day", nullable=False),
    Column("period_end", _D, "last day", nullable=False),
    Column("is_consolidated", _B, "group figures", nullable=False),
    Column("currency", _T, "ISO 4217; null when the document tags no amount"),
)

FINANCIALS_REPORTED: Final = Table(
    "financials_reported",
    "Figures as one document states them: its own period and its comparatives, never mixed.",
    ("filing_id", "period_start", "period_end", "is_consolidated"),
    (
        Column("filing_id", _T, "the document", nullable=False),
        *_PERIOD,
        *FIGURE_COLUMNS,
        Column("is_comparative", _B, "a prior period repeated for comparison", nullable=False),
        Column("fiscal_year", _I, "the filer's own number of the year; null: the year of period_end"),
        Column("accounting_standard", _T, "IFRS, NGAAP, FRS102, …"),
        Column("derived", ColumnKind.TEXTS, "fields computed, not read", nullable=False),
        *PROVENANCE,
    ),
)

FINANCIALS: Final = Table(
    "financials",
    "Every version of every period; the newest carries is_current and is what the API serves.",
    ("company_id", "period_start", "period_end", "is_consolidated", "version"),
    (
        *_PERIOD,
        Column("version", _I, "1 for the first document of the period and scope", nullable=False),
        Column("is_current", _B, "newest version", nullable=False),
        Column("is_restated", _B, "version 2 or later", nullable=False),
        Column("period_type", _T, "null for periods that v1 does not serve", allowed=codes.PERIOD_TYPES),
        Column("period_months", _I, "length in months, rounded, at least 1; null in rows of before 1.4.0"),
        Column("fiscal_year", _I, "year of period_end (SEC: docs/formats/us.md 12.4)", nullable=False),
        Column("fiscal_quarter", _I, "1 to 4, quarterly only"),
        *FIGURE_COLUMNS,
        Column("accounting_standard", _T, "IFRS, NGAAP, FRS102, …"),
        Column("derived", ColumnKind.TEXTS, "fields computed, not read", nullable=False),
        Column("is_comparative", _B, "known only from a later document's comparatives", nullable=False),
        Column("filing_id", _T, "the document", nullable=False),
        Column("filed_at", _D, "day of filing"),
        *PROVENANCE,
    ),
)


_SHARES: Final = (
    Column("holder_name", _T, "null when protected by law"),
    Column("holder_type", _T, "kind of holder", nullable=False, allowed=codes.HOLDER_TYPES),
    Column("holder_company_id", _T, "if the holder is a company with a known number"),
    Column("holder_country", _T, "ISO 3166-1 alpha-2"),
    Column("pct", _P, "share of capital; null where only a band is known"),
    Column("pct_min", _P, "lower bound, exclusive for bands"),
    Column("pct_max", _P, "upper bound, inclusive"),
    Column("votes_pct", _P, "share of votes; null where only a band is known"),
    Column("votes_min", _P, "lower bound of votes"),
    Column("votes_max", _P, "upper bound of votes"),
    Column("share_class", _T, "class of shares; null for all"),
    Column("basis", _T, "exact, band, derived; null when the holder has control only", allowed=codes.BASES),
    Column("is_direct", _B, "held in the holder's own name; null when unknown"),
)

HOLDINGS: Final = Table(
    "holdings",
    "One row per holding as one source records it now, ceased ones kept.",
    ("company_id", "register", "native_id"),
    (
        COMPANY_ID,
        _REGISTER,
        Column("native_id", _T, "the source's stable id of the record", nullable=False),
        *_SHARES,
        Column("controls", ColumnKind.TEXTS, "the source's own control codes", nullable=False),
        Column("valid_from", _D, "start, if the source states it"),
        Column("ended_on", _D, "end, if the source states it"),
        Column("url", _T, "public address of the record"),
        *_OBSERVATION,
    ),
    valid_from="valid_from",
    ended="ended_on",
)

HOLDINGS_EARLIER: Final = Table(
    "holdings_earlier",
    "Earlier statements of dated sources, before those in `holdings`; intermediate, not stored.",
    (*HOLDINGS.key, "valid_from"),
    HOLDINGS.columns,
)

HOLDER_MARKS: Final = Table(
    "holder_marks",
    "Keyed marks that tell two persons of one name, or of one record, apart, by record of `holdings`; not stored.",
    HOLDINGS.key,
    (
        COMPANY_ID,
        _REGISTER,
        Column("native_id", _T, "as in `holdings`", nullable=False),
        Column("person_mark", _T, "`<key id>-<mark>`: two of one key that differ are two persons; null: none known"),
        Column("subject_number", ColumnKind.INTEGER, "2 for the second subject of the record; null: the first"),
    ),
)

OWNERS: Final = Table(
    "owners",
    "One row per holder of a company, reconciled over sources.",
    ("company_id", "holder_id"),
    (
        COMPANY_ID,
        Column("holder_id", _T, "own_… (warehouse.schema.ids)", nullable=False),
        *_SHARES,
        Column("as_of", _D, "date of the percentage", nullable=False),
        Column("first_seen", _D, "start of the earliest observation", nullable=False),
        Column("ended_on", _D, "date the holding ended"),
        Column("reconciliation", _T, "agreement of the sources", nullable=False, allowed=codes.RECONCILIATIONS),
        Column("sources", ColumnKind.JSON, "list of {register, native_id, url, as_of, pct}", nullable=False),
        _NEWEST,
    ),
    valid_from="as_of",
    ended="ended_on",
)

RELATIONS: Final = Table(
    "relations",
    "One row per holder of a company and kind of relation, reconciled over sources; natural persons left out.",
    ("company_id", "holder_id", "relation"),
    (
        COMPANY_ID,
        Column("holder_id", _T, "own_…, as in `owners`", nullable=False),
        Column("relation", _T, "kind of relation", nullable=False, allowed=codes.RELATIONS),
        Column("holder_lei", _T, "LEI by which the source names the holder"),
        *_SHARES,
        Column("skips_parent", _B, "a consolidation over layers of which the source names the lowest", nullable=False),
        Column("as_of", _D, "date of the percentage, else of the relation", nullable=False),
        Column("first_seen", _D, "start of the earliest observation", nullable=False),
        Column("ended_on", _D, "date the relation ended"),
        Column("reconciliation", _T, "agreement of the sources", nullable=False, allowed=codes.RECONCILIATIONS),
        Column("sources", ColumnKind.JSON, "list of {register, native_id, url, as_of, pct}", nullable=False),
        _NEWEST,
    ),
)


LISTINGS: Final = Table(
    "listings",
    "Evidence that a company's shares trade on a market.",
    ("company_id", "register", "native_id"),
    (
        COMPANY_ID,
        _REGISTER,
        Column("native_id", _T, "ISIN, symbol, exemption key or the like", nullable=False),
        Column("exchange_mic", _T, "ISO 10383"),
        Column("ticker", _T, "symbol"),
        Column("isin", _T, "of the share"),
        Column("level", _T, "kind of market", allowed=codes.LISTING_LEVELS),
        Column("valid_from", _D, "admitted"),
        Column("ended_on", _D, "terminated"),
        *_OBSERVATION,
    ),
    valid_from="valid_from",
    ended="ended_on",
)

NEWS: Final = Table(
    "news",
    "One row per news item and company; versions in other languages, corrections and other channels are merged.",
    ("company_id", "news_id"),
    (
        COMPANY_ID,
        Column("news_id", _T, "nws_…", nullable=False),
        Column("title", _T, "headline", nullable=False),
        Column("summary", _T, "text, only where it may be redistributed"),
        Column("url", _T, "address"),
        Column("publisher", _T, "publisher"),
        Column("language", _T, "ISO 639-1"),
        Column("published_at", ColumnKind.INSTANT, "as published", nullable=False),
        Column("categories", ColumnKind.TEXTS, "our categories", nullable=False),
        Column("native_id", _T, "group id of its first source", nullable=False),
        Column("supersedes", _T, "the source's id of the corrected item; null if not a correction"),
        Column(
            "told_by", ColumnKind.TEXTS, "source items merged into this row, as register:id, sorted", nullable=False
        ),
        *PROVENANCE,
    ),
)

NOTICES: Final = Table(
    "notices",
    "Acts and announcements of financial regulators that concern one company.",
    ("company_id", "notice_id"),
    (
        COMPANY_ID,
        Column("notice_id", _T, "ntc_…", nullable=False),
        Column("authority", _T, "name of the regulator", nullable=False),
        Column("authority_country", _T, "ISO 3166-1 alpha-2"),
        Column("action_type", _T, "enforcement, sanction, announcement, other", nullable=False),
        Column("title", _T, "headline", nullable=False),
        Column("summary", _T, "text, only where it may be redistributed"),
        Column("url", _T, "address"),
        Column("published_at", ColumnKind.INSTANT, "as published", nullable=False),
        Column("amount", _M, "fine or the like"),
        Column("currency", _T, "ISO 4217"),
        Column("native_id", _T, "the source's id", nullable=False),
        *PROVENANCE,
    ),
)

EVENTS: Final = Table(
    "events",
    "Change events, one row each; `data` has no `sequence`, which the ledger assigns.",
    ("event_id",),
    (
        Column("event_id", _T, "evt_… (warehouse.schema.ids)", nullable=False),
        Column("event_type", _T, "one of the seven", nullable=False, allowed=codes.EVENT_TYPES),
        COMPANY_ID,
        Column(
            "known_at",
            ColumnKind.INSTANT,
            "when the state after it became known; null if an earlier version wrote the row",
        ),
        Column("occurred_at", ColumnKind.INSTANT, "when it happened", nullable=False),
        Column(
            "data",
            ColumnKind.JSON,
            "the contract's `data` object without sequence (docs/contract/contract.md 4.6)",
            nullable=False,
        ),
    ),
    sort=("known_at", "occurred_at", "event_id"),  # so that the newest known state comes last
)

# `Jurisdiction.to_shared_tables` may return NORMALISED, `pipelines.transforms` add DERIVED, releases publish TABLES.
NORMALISED: Final = (COMPANIES, IDENTIFIERS, FILINGS, FINANCIALS_REPORTED, HOLDINGS, LISTINGS, NEWS, NOTICES)
PASSING: Final = (HOLDINGS_EARLIER, HOLDER_MARKS)  # may also be returned by `normalise`, for the pipeline steps only
DERIVED: Final = (FINANCIALS, OWNERS, RELATIONS)
TABLES: Final = (*NORMALISED, *DERIVED)
BY_NAME: Final = {table.name: table for table in (*TABLES, EVENTS)}
