"""Shared tables of ownership: holdings as recorded by each source, and owners reconciled from them.

Does not belong here: the other shared tables (`tables`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema import codes
from warehouse.schema.provenance import COMPANY_ID
from warehouse.schema.types import Column, ColumnKind, Table

_T, _P, _B, _D = ColumnKind.TEXT, ColumnKind.PERCENT, ColumnKind.BOOLEAN, ColumnKind.DATE

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
        Column("register", _T, "key of the dataset", nullable=False),
        Column("native_id", _T, "the source's stable id of the record", nullable=False),
        *_SHARES,
        Column("controls", ColumnKind.TEXTS, "the source's own control codes", nullable=False),
        Column("valid_from", _D, "start, if the source states it"),
        Column("ended_on", _D, "end, if the source states it"),
        Column("url", _T, "public address of the record"),
        Column("raw", _T, "pointer into RAW: sha256[#member]", business=False),
        Column("observed_at", ColumnKind.INSTANT, "when the source reported it", nullable=False, business=False),
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
        Column("observed_at", ColumnKind.INSTANT, "newest record behind the row", nullable=False, business=False),
    ),
    valid_from="as_of",
    ended="ended_on",
)
