"""The contract's JSON shapes built from shared rows, as DuckDB expressions.

See docs/contract/contract.md 4.1, 4.3, 4.4, 4.5.
A million rows become documents inside the engine; key order is that of the contract, unknown is null,
percentages are exact numbers with as many decimals as they have. Parts that are requested less often are stored
as values only, and the surrounding JSON once (`TEMPLATES`). Does not belong here: financial and owner rows
(`pack_rows`), where documents are stored (`documents_db`), or which of them a response contains (`reader.queries`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from warehouse.schema import codes
from warehouse.schema.tables import COMPANIES, COMPANY_DETAILS, FINANCIALS, OWNERS
from warehouse.schema.types import ColumnKind
from warehouse.serving import codec_write
from warehouse.storage.duckdb import quote_identifier

Fields = Iterable[tuple[str, str]]  # key in the JSON object, SQL expression

PROFILE: Final = (
    ("id", "c.company_id"),
    ("org_number", "c.org_number"),
    ("name", "c.name"),
    ("country", "c.country"),
    ("sni_code", "c.industry_code"),
    ("sni_label", "c.industry_label"),
    ("municipality", "c.municipality"),
    ("county", "c.county"),
    ("registered_date", "c.registered_date"),
    ("status", "c.status"),
    ("is_listed", "c.is_listed"),
    ("latest_revenue", "s.latest_revenue"),
    ("latest_currency", "s.latest_currency"),
    ("latest_year", "s.latest_year"),
)
DETAIL: Final = tuple(
    # lists are never null in a response: empty if a register does not publish former names
    (name, "coalesce(c.previous_names, [])" if name == "previous_names" else f"c.{name}")
    for name in COMPANY_DETAILS
)
IDENTIFIERS: Final = tuple(
    (scheme, "coalesce(n.isin, [])" if scheme == "isin" else f"n.{scheme}")
    for scheme in ("lei", "isin", "ticker", "exchange_mic", "vat", "euid", "cik")
)
ADDRESS: Final = (
    ("lines", "coalesce(c.address_lines, [])"),
    ("postal_code", "c.postal_code"),
    ("post_town", "c.post_town"),
    ("municipality", "c.municipality"),
    ("municipality_code", "c.municipality_code"),
    ("county", "c.county"),
    ("county_code", "c.county_code"),
    ("country", "c.address_country"),
)
_LABEL: Final = """CASE f.period_type WHEN 'annual' THEN f.fiscal_year::VARCHAR
    ELSE f.fiscal_year || '-Q' || f.fiscal_quarter END"""
PERIOD: Final = (
    ("period", _LABEL),
    *(
        (name, f"f.{name}")
        for name in (
            "period_type",
            "fiscal_year",
            "fiscal_quarter",
            "period_start",
            "period_end",
            "currency",
            "revenue",
            "operating_result",
            "net_result",
            "equity",
            "total_assets",
            "employees",
            "is_consolidated",
            "accounting_standard",
            "filing_id",
            "filed_at",
            "version",
            "is_restated",
            "derived",
            "period_months",
        )
    ),
)


def percent_sql(expression: str) -> str:
    """SQL for a decimal as a JSON number without trailing zeros: 10.7000 is 10.7, 25.0000 is 25."""
    return f"rtrim(rtrim(({expression})::DECIMAL(9, 4)::VARCHAR, '0'), '.')"


_OWNER_COLUMNS: Final = (
    "holder_id",
    "holder_name",
    "holder_type",
    "holder_company_id",
    "holder_country",
    "pct",
    "pct_min",
    "pct_max",
    "votes_pct",
    "share_class",
    "basis",
    "is_direct",
    "as_of",
    "first_seen",
    "reconciliation",
)
_PERCENTAGES: Final = ("pct", "pct_min", "pct_max", "votes_pct")
# Keys with values that SQL already writes as JSON: numbers, booleans, and JSON columns.
_JSON: Final = frozenset(_PERCENTAGES) | {
    column.name
    for table in (COMPANIES, FINANCIALS, OWNERS)
    for column in table.columns
    if column.kind in (ColumnKind.INTEGER, ColumnKind.MONEY, ColumnKind.BOOLEAN, ColumnKind.JSON)
}
OWNER: Final = (
    *((name, percent_sql(f"o.{name}") if name in _PERCENTAGES else f"o.{name}") for name in _OWNER_COLUMNS),
    ("sources", "o.sources"),
)
# In the order of `reader.queries.relations`.
RELATION: Final = (
    ("holder_id", "r.holder_id"),
    ("name", "r.holder_name"),
    ("country", "r.holder_country"),
    *((name, percent_sql(f"r.{name}")) for name in _PERCENTAGES),
    ("is_direct", "r.is_direct"),
    ("holder_lei", "r.holder_lei"),
    ("as_of", "r.as_of"),
    ("reconciliation", "r.reconciliation"),
    ("sources", "r.sources"),
)


def instant_sql(expression: str) -> str:
    """SQL for an instant in the contract's format: UTC, seconds, Z."""
    return f"strftime({expression}, '%Y-%m-%dT%H:%M:%SZ')"


def json_object_sql(fields: Fields) -> str:
    """SQL for the compact text of a JSON object with the keys in this order."""
    members = ", ".join(f"{quote_identifier(key)} := {expression}" for key, expression in fields)
    return f"to_json(struct_pack({members}))::VARCHAR"


def json_value_expressions(fields: Fields) -> list[str]:
    """SQL expressions for the members of a JSON object as JSON text, null where unknown."""
    return [expression if key in _JSON else f"to_json({expression})" for key, expression in fields]


def utf8_sql(text: str) -> str:
    """SQL for the UTF-8 bytes of a text: bodies are stored as they are sent."""
    return f"encode({text})"


def etag_sql(body: str) -> str:
    """SQL for the ETag of a body: 16 hex digits of its SHA-256."""
    return f"sha256({body})[1:16]"


_SOURCES: Final = (("sources", "coalesce(c.sources, '[]')"),)
_OTHER_NAMES: Final = """
    SELECT company_id, list(value ORDER BY value) FILTER (scheme = 'isin') AS isin,
        min(value) FILTER (scheme = 'lei') AS lei, min(value) FILTER (scheme = 'ticker') AS ticker,
        min(value) FILTER (scheme = 'exchange_mic') AS exchange_mic,
        min(value) FILTER (scheme = 'vat') AS vat, min(value) FILTER (scheme = 'euid') AS euid,
        min(value) FILTER (scheme = 'cik') AS cik
    FROM identifiers WHERE {which} GROUP BY company_id
"""


def profiles_sql(company_condition: str) -> str:
    """SQL for company profiles, unordered: rank, id, number, name, body, etag, parts.

    company_condition: a condition on `company_id`. Ranks and latest figures come from `ranked`, which has them for
    these companies as `search` does; sorted by id, it can be read for a few companies without a full scan.
    """
    fields = codec_write.fields_expression(json_value_expressions((*DETAIL, *IDENTIFIERS, *ADDRESS, *_SOURCES)))
    return f"""
        WITH names AS ({_OTHER_NAMES.format(which=company_condition)})
        SELECT rank, company_id, org_number, name, {utf8_sql("body")} AS body, {etag_sql("body")} AS etag,
            parts
        FROM (
            SELECT s.rank, c.company_id, c.org_number, c.name, {json_object_sql(PROFILE)} AS body,
                {fields} AS parts
            FROM (FROM companies WHERE {company_condition}) AS c
            JOIN (FROM ranked WHERE {company_condition}) AS s USING (company_id) LEFT JOIN names AS n USING (company_id)
        )
    """


def alias_rows_sql() -> str:
    """SQL for further identifiers of the companies in `wanted`, in capitals and with dashes for blanks.

    Ticker symbols are included with and without their exchange.
    """
    return """
        SELECT replace(upper(value), ' ', '-') AS value, company_id
        FROM identifiers SEMI JOIN wanted USING (company_id)
        WHERE scheme <> 'exchange_mic'
        UNION SELECT replace(upper(exchange_mic || ':' || ticker), ' ', '-'), company_id
        FROM listings SEMI JOIN wanted USING (company_id)
        WHERE exchange_mic || ticker IS NOT NULL AND coalesce(ended_on, valid_to) IS NULL
        ORDER BY ALL
    """


# A holder who decides: by control or consolidation, or with more than half of the capital or of the votes. Of a band,
# which excludes its lower bound, that is from 50.
_HAS_MAJORITY: Final = " OR ".join(
    f"coalesce(r.{exact} > 50, r.{low} > 50 OR (r.{low} = 50 AND coalesce(r.{high}, 100) > 50), false)"
    for exact, low, high in (("pct", "pct_min", "pct_max"), ("votes_pct", "votes_min", "votes_max"))
)
_KIND_ORDER: Final = "list_position(['accounting_consolidation', 'control', 'shareholding'], r.relation)"


def _position_sql(share: str) -> str:
    """SQL for the place of a row in a list: largest share first, unknown ones last."""
    return f"coalesce(-({share} * 10000)::BIGINT, 1)"


def relation_rows_sql() -> str:
    """SQL for the relations of companies, the holders who decide first; `body` has the values of RELATION.

    holder: a company's id, else an LEI, else empty. until: empty if it is not known. position: by the share of capital
    or its lower bound, else by that of votes.
    """
    share = "coalesce(r.pct, r.pct_min, r.votes_pct, r.votes_min)"
    return f"""
        SELECT r.company_id, (r.relation = 'shareholding' AND NOT ({_HAS_MAJORITY}))::INTEGER AS minor,
            {_KIND_ORDER} AS kind, {_position_sql(share)} AS position, r.holder_id, r.relation,
            coalesce(r.holder_company_id, r.holder_lei, '') AS holder, r.as_of::VARCHAR AS since,
            coalesce(r.ended_on::VARCHAR, '') AS until, r.skips_parent::INTEGER AS skips,
            {codec_write.fields_expression(json_value_expressions(RELATION))} AS body
        FROM relations AS r SEMI JOIN companies USING (company_id)
        ORDER BY r.company_id, minor, kind, position, r.holder_id
    """


def owners_by_holder_sql() -> str:
    """SQL for the index of owners, with their valid time, by the holder's company."""
    return f"""
        SELECT o.holder_company_id AS holder, {_position_sql("o.pct")} AS position, o.company_id, o.holder_id,
            o.as_of::VARCHAR AS since, coalesce(least(o.valid_to, o.ended_on)::VARCHAR, '') AS until,
            (coalesce(o.pct, o.pct_min) * 10000)::BIGINT AS floor
        FROM owners AS o SEMI JOIN companies USING (company_id) WHERE o.holder_company_id IS NOT NULL
        ORDER BY holder, position, o.company_id, o.holder_id, since
    """


def leis_sql() -> str:
    """SQL for the LEIs of companies."""
    return "SELECT company_id, value AS lei FROM identifiers WHERE scheme = 'lei' ORDER BY company_id, value"


_TOLD: Final = ("register", "native_id", "url", "retrieved_at", "licence")  # of a profile's source
_HEARD: Final = ("register", "native_id", "url", "as_of", "pct")  # of an owner's source
SOURCE: Final = (
    ("register", "f.register"),
    ("native_id", "p.native_id"),
    ("url", "p.document_url"),
    ("retrieved_at", instant_sql("f.observed_at")),
)


EVENT: Final = (
    ("event_id", "e.event_id"),
    ("event_type", "e.event_type"),
    ("company_id", "e.company_id"),
    ("occurred_at", instant_sql("e.occurred_at")),
    ("recorded_at", instant_sql("e.recorded_at")),
    ("sequence", "e.sequence"),
    ("data", "e.data::JSON"),
)


def event_rows_sql() -> str:
    """SQL for the events of the frame `ledger.ledger`, by sequence."""
    return f"""
        SELECT e.company_id, e.sequence, e.event_type, {instant_sql("e.recorded_at")} AS recorded_at,
            {utf8_sql(json_object_sql(EVENT))} AS body
        FROM ledger AS e ORDER BY e.sequence
    """


def _field_keys(fields: Fields) -> list[str]:
    return [key for key, _ in fields]


# The JSON around the values of a table's rows. Parts of a profile: in the order of `reader.queries.profiles.PARTS`.
TEMPLATES: Final = {
    "companies": codec_write.join_templates(
        codec_write.object_template(_field_keys(DETAIL)),
        codec_write.object_template(_field_keys(IDENTIFIERS)),
        f'{{"address":{codec_write.object_template(_field_keys(ADDRESS))}}}',
        codec_write.object_template(_field_keys(_SOURCES)),
    ),
    "financials": codec_write.join_templates(
        codec_write.object_template(_field_keys(PERIOD)), codec_write.object_template(_field_keys(SOURCE))
    ),
    "owners": codec_write.object_template(_field_keys(OWNER)),
    "relations": codec_write.object_template(_field_keys(RELATION)),
}


def compression_dictionary() -> bytes:
    """Compression dictionary of frequent values: declared codes, and the keys of source lists (`codec_write`)."""
    told = [[dict.fromkeys(_TOLD) | {"fields": _field_keys(PROFILE[2:])}], [dict.fromkeys(_HEARD)]]
    known = (*codes.HOLDER_TYPES, *codes.BASES, *codes.RECONCILIATIONS, *codes.STATUS_DETAILS, *codes.PERIOD_TYPES)
    lists = b"".join(map(msgspec.json.encode, told))
    return codec_write.FIELD.join(f'"{code}"' for code in known).encode() + lists
