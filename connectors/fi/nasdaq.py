"""Datasets fi.nasdaq and fi.flagging: releases of issuers on the Helsinki markets, and notifications of holdings.

Belongs here: the Finnish tables, markets and files, and their contribution to the market. Does not belong here:
the format (`connectors.nasdaq`).
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.contract.contribution import Contribution
from connectors.contract.dataset import Link, PresentRows, SharedTables
from connectors.fi.register import MARKET, company_ids
from connectors.fi.ytj.schema import COMPANIES
from connectors.kit.holdings_history import latest_statements, superseded_statements
from connectors.kit.staging import present_rows
from connectors.nasdaq import mapping, releases
from connectors.nasdaq.major_holdings import dataset as major_holdings_dataset
from connectors.nasdaq.schema import HOLDER, ISSUER, LIMITS, MESSAGE, flaggings_table, releases_table
from warehouse.schema.tables import FILINGS, HOLDINGS, HOLDINGS_EARLIER

RELEASES_KEY: Final = "fi.nasdaq"
FLAGGING_KEY: Final = "fi.flagging"
RELEASES: Final = releases_table("fi_tiedote")
FLAGGINGS: Final = flaggings_table("fi_liputus")
MARKETS: Final = ("Helsinki", "Finland")  # «Main Market, Helsinki, Stockholm», «First North Finland»

RELEASES_DATASET: Final = releases.releases_dataset(
    RELEASES_KEY, "Nasdaq Helsinki: releases", RELEASES, MARKETS, ("nasdaq_cns/**", "nasdaq/**")
)
FLAGGING_DATASET: Final = major_holdings_dataset.flaggings_dataset(
    FLAGGING_KEY,
    "Nasdaq Helsinki: flagging notifications",
    FLAGGINGS,
    RELEASES.name,
    ("flagging_text/**", "flagging/**", "nasdaq_cns/*.html", "nasdaq/*.html"),
)


def to_shared_tables(present: PresentRows, _today: date) -> SharedTables:
    """Interim reports and holdings of issuers."""
    releases = present_rows(present, RELEASES)
    notified = mapping.map_holdings(MARKET, FLAGGING_KEY, present_rows(present, FLAGGINGS), releases)
    return {
        FILINGS.name: mapping.map_filings(MARKET, RELEASES_KEY, releases),
        HOLDINGS.name: latest_statements(notified),
        HOLDINGS_EARLIER.name: superseded_statements(notified),
    }


CONTRIBUTION: Final = Contribution(
    name="Nasdaq Helsinki",
    datasets=(RELEASES_DATASET, FLAGGING_DATASET),
    company_ids={FLAGGINGS.name: company_ids(pl.col("businessId"))},
    # an issuer is identified by name only; a notification by its release, or by the issuer named in its text
    links=(
        Link(RELEASES.name, ISSUER, COMPANIES.name, ISSUER),
        Link(FLAGGINGS.name, MESSAGE, RELEASES.name, MESSAGE),
        Link(FLAGGINGS.name, ISSUER, COMPANIES.name, ISSUER),
    ),
    to_shared_tables=to_shared_tables,
    field_precedence={"ownership": (FLAGGING_KEY,)},
    holder_columns={FLAGGINGS.name: ("holder", HOLDER)},
    host_limits=LIMITS,
    dated_datasets=(FLAGGING_KEY,),
)
