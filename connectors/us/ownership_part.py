"""The ownership part of the market: Schedules 13D and 13G, Forms 3 to 5, 13F.

Belongs here: listing its datasets, their CIK columns and their mapping. Does not belong here: reading any of
them.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.declare import Link, SharedTables
from connectors.kit import statements
from connectors.us import (
    form13f,
    form13f_fields,
    form13f_holdings,
    insiders,
    insiders_fields,
    insiders_holdings,
    schedule13,
    schedule13_fields,
    schedule13_holdings,
)
from connectors.us.holders_outstanding import outstanding
from connectors.us.parts import Part, Present, rows
from connectors.us.submissions_fields import FILED_TABLE
from warehouse.schema.tables import HOLDINGS, HOLDINGS_EARLIER

_FUND: Final = r"(?i)\b(?:funds?|etf)\b"

# A manager's report identifies shares by CUSIP, as does a schedule without its header
LINKS: Final = (
    Link(
        schedule13_fields.BARE.name,
        schedule13_fields.CUSIP,
        schedule13_fields.CUSIPS.name,
        schedule13_fields.CUSIP,
    ),
    Link(
        form13f_fields.POSITIONS.name,
        form13f_fields.CUSIP,
        schedule13_fields.CUSIPS.name,
        schedule13_fields.CUSIP,
    ),
)


def shared(present: Present, today: date) -> SharedTables:
    """Holdings by every form."""
    filed = rows(present, FILED_TABLE)
    stated, lines = rows(present, schedule13_fields.STAKES), rows(present, insiders_fields.LINES)
    standing = schedule13_holdings.standing(stated, rows(present, schedule13_fields.BARE), filed)
    classes = (frame.select("_company_id", "classKey") for frame in (stated, lines))
    all_shares = outstanding(present, classes)
    stakes = schedule13_holdings.holdings(standing, all_shares)
    known = schedule13_holdings.identities(standing)
    owned = insiders_holdings.statements(lines, filed, known, all_shares)
    managed = form13f_holdings.statements(rows(present, form13f_fields.POSITIONS), today, all_shares, known)
    now = (stakes, statements.newest(owned), statements.newest(managed))
    before = (
        schedule13_holdings.earlier(standing, all_shares),
        statements.earlier(owned),
        statements.earlier(managed),
    )
    return {HOLDINGS.name: pl.concat(now), HOLDINGS_EARLIER.name: pl.concat(before)}


def names(present: Present) -> pl.LazyFrame:
    """Issuer names from the newest form; managers and holders are not confirmed to be companies."""
    told = [
        rows(present, table).select(
            pl.col(column).alias("cik"), pl.col("issuer").alias("name"), "signedOn", "_observed_at"
        )
        for table, column in (
            (schedule13_fields.STAKES, schedule13_fields.ISSUER),
            (insiders_fields.LINES, insiders_fields.ISSUER),
        )
    ]
    is_fund = pl.col("name").str.contains(_FUND)  # closed-end funds have insiders too
    newest = pl.concat(told).filter(pl.col("name").is_not_null(), pl.col("cik").is_not_null(), ~is_fund)
    newest = newest.sort("signedOn", "_observed_at", "name", nulls_last=False)
    return newest.group_by("cik").agg(
        pl.col("name").last(), pl.col("_observed_at").max().alias("observed_at")
    )


# All of them state the day they refer to
DATED: Final = (schedule13_fields.KEY, insiders_fields.KEY, form13f_fields.KEY)

PART: Final = Part(
    datasets=(schedule13.DATASET, insiders.DATASET, form13f.DATASET),
    numbers={
        schedule13_fields.STAKES.name: schedule13_fields.ISSUER,
        schedule13_fields.CUSIPS.name: schedule13_fields.ISSUER,
        insiders_fields.LINES.name: insiders_fields.ISSUER,
    },
    shared=shared,
    names=names,
    # beneficial ownership statements first, then insiders' own shares, then managed shares (docs/formats/us.md
    # 7)
    precedence={"ownership": (schedule13_fields.KEY, insiders_fields.KEY, form13f_fields.KEY)},
    links=LINKS,
    holders={
        schedule13_fields.STAKES.name: ("holderCik", schedule13_fields.HOLDER, schedule13_fields.HOLDER_KEY),
        schedule13_fields.BARE.name: ("holderCik", schedule13_fields.HOLDER, schedule13_fields.HOLDER_KEY),
        insiders_fields.LINES.name: ("ownerCik", insiders_fields.OWNER, insiders_fields.OWNER_KEY),
        form13f_fields.COVERS.name: (form13f_fields.MANAGER, form13f_fields.MANAGER_NAME),
        form13f_fields.POSITIONS.name: (form13f_fields.MANAGER, form13f_fields.MANAGER_NAME),
    },
)
