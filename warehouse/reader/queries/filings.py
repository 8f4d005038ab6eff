"""Filings of companies, newest first: documents, their own period, and the versions of that period.

See docs/contract/contract.md 4.3a. A filing's own period is the one that it states itself, not its comparatives: of the
period's end that the filing has, else its newest; the group's if it states both. Rows come from the shared tables of
the release, whose rows of one company are stored together. Does not belong here: figures (`financials`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from warehouse.reader.queries.paging import build_page, key_parts
from warehouse.reader.types import FilingsQuery, Key, ResultPage

FIELDS: Final = (
    "filing_id",
    "filing_type",
    "form",
    "period",
    "period_type",
    "fiscal_year",
    "fiscal_quarter",
    "period_start",
    "period_end",
    "filed_at",
    "accepted_at",
    "document_url",
    "is_consolidated",
    "versions",
    "supersedes",
    "sources",
)
_TEXT: Final = (str, type(None))
# `form` and `accepted_at` are what only some registers state; the shared tables have neither
_SQL: Final = """
    WITH own AS (
        SELECT p.filing_id, f.* EXCLUDE (filing_id, company_id)
        FROM (FROM {schema}filings WHERE {chosen}) AS p
        JOIN (FROM {schema}financials WHERE {chosen} AND NOT is_comparative) AS f USING (filing_id)
        QUALIFY row_number() OVER (
            PARTITION BY p.filing_id
            ORDER BY f.period_end IS NOT DISTINCT FROM p.period_end DESC, f.period_end DESC, f.is_consolidated DESC,
                f.period_start, f.version
        ) = 1
    ), versions AS (
        SELECT company_id, period_start, period_end, is_consolidated,
            list({{'version': version, 'filing_id': filing_id, 'filed_at': filed_at, 'is_current': is_current}}
                ORDER BY version) AS versions
        FROM {schema}financials WHERE {chosen} GROUP BY ALL
    )
    SELECT p.company_id, p.filing_id, p.filing_type, NULL AS form,
        CASE o.period_type WHEN 'annual' THEN o.fiscal_year::VARCHAR
            WHEN 'quarterly' THEN o.fiscal_year || '-Q' || o.fiscal_quarter END AS period,
        o.period_type, o.fiscal_year, o.fiscal_quarter,
        coalesce(o.period_start, p.period_start)::VARCHAR AS period_start,
        coalesce(o.period_end, p.period_end)::VARCHAR AS period_end,
        p.filed_at::VARCHAR AS filed_at, NULL AS accepted_at, p.document_url, o.is_consolidated,
        coalesce(to_json(v.versions)::VARCHAR, '[]') AS versions,
        list_extract(list_filter(v.versions, lambda one: one.version = o.version - 1), 1).filing_id AS supersedes,
        to_json([{{'register': p.register, 'native_id': p.native_id, 'url': p.document_url,
            'retrieved_at': strftime(p.observed_at, '%Y-%m-%dT%H:%M:%SZ')}}])::VARCHAR AS sources
    FROM (FROM {schema}filings WHERE {chosen}) AS p
    LEFT JOIN own AS o USING (filing_id)
    LEFT JOIN versions AS v ON v.company_id = p.company_id AND v.period_start = o.period_start
        AND v.period_end = o.period_end AND v.is_consolidated = o.is_consolidated
"""

_COLUMNS: Final = ("company_id", *FIELDS)
_OF_COMPANY: Final = _SQL.format(schema="release.", chosen="company_id = $company")
_RANGE: Final = "company_id >= $first AND company_id < $last"
_OF_RANGE: Final = _SQL.format(schema="", chosen=_RANGE)
_OF_LISTED: Final = _SQL.format(schema="", chosen=f"{_RANGE} AND company_id IN (SELECT unnest($listed))")

Scan = Callable[[str, dict[str, Any]], list[tuple[Any, ...]]]


def company_filings(scan: Scan, company_id: str, query: FilingsQuery, after: Key | None, limit: int) -> ResultPage:
    """One page of filings by day of filing, newest first; those whose day is unknown come last.

    scan: runs a statement over the release's tables, `release.<table>`.
    """
    rows = _named_rows(scan(_OF_COMPANY, {"company": company_id}))
    keyed = sorted(((_key(row), row) for row in rows if _matches(row, query)), key=lambda one: _order(one[0]))
    if after is not None:
        begun = _order(key_parts(after, _TEXT, _TEXT, str))
        keyed = [one for one in keyed if _order(one[0]) > begun]
    return build_page(((key, _body(row)) for key, row in keyed), limit)


def filings_between(scan: Scan, ids: tuple[str, str], only: Sequence[str] | None = None) -> list[tuple[str, bytes]]:
    """All filings of the companies from one id to another, which is exclusive, by company and then as above.

    Each with its company. only: the companies among them that are asked for, if not all. scan: runs a statement over
    the release's tables, `<table>`.
    """
    values: dict[str, Any] = {"first": ids[0], "last": ids[1]}
    asked = (_OF_RANGE, values) if only is None else (_OF_LISTED, values | {"listed": list(only)})
    rows = _named_rows(scan(*asked))
    rows.sort(key=lambda row: (row["company_id"], *_order(_key(row))))
    return [(row["company_id"], _body(row)) for row in rows]


def _named_rows(rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]


def _key(row: dict[str, Any]) -> Key:
    return (row["filed_at"], row["period_end"], row["filing_id"])


def _order(key: Key) -> tuple[Any, ...]:
    """Descending days with null last, then the id; days compare as text, inverted digit by digit."""
    filed_at, period_end, filing_id = key
    return (*_descending(filed_at), *_descending(period_end), filing_id)


def _descending(day: Any) -> tuple[bool, int]:
    digits = str(day).replace("-", "") if day else ""
    return (day is None, -int(digits) if digits.isdigit() else 0)


def _matches(row: dict[str, Any], query: FilingsQuery) -> bool:
    filed_at = row["filed_at"]
    return (
        (not query.types or row["filing_type"] in query.types)
        and (query.since is None or (filed_at is not None and filed_at >= query.since.isoformat()))
        and (query.until is None or (filed_at is not None and filed_at <= query.until.isoformat()))
    )


def _body(row: dict[str, Any]) -> bytes:
    parsed = {name: row[name] for name in FIELDS}
    parsed |= {"versions": json.loads(row["versions"]), "sources": json.loads(row["sources"])}
    return json.dumps(parsed, ensure_ascii=False, separators=(",", ":")).encode()
