"""Finland: Business Information System, accounts, notices, releases. README.md lists data read and left out."""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.contract.contribution import Contribution
from connectors.contract.dataset import PresentRows, SharedTables
from connectors.fi import nasdaq, regulators
from connectors.fi.news import PRESS
from connectors.fi.notices import dataset as notices_dataset
from connectors.fi.notices import mapping as notices_mapping
from connectors.fi.notices import schema as notices_schema
from connectors.fi.profile import companies
from connectors.fi.profile.status import REGISTRY_STATUSES
from connectors.fi.register import LIMIT, MARKET, company_ids
from connectors.fi.xbrl import dataset as xbrl_dataset
from connectors.fi.xbrl import mapping as xbrl_mapping
from connectors.fi.xbrl import schema as xbrl_schema
from connectors.fi.ytj import dataset as ytj_dataset
from connectors.fi.ytj import schema as ytj_schema
from connectors.firds.dataset import ESMA
from connectors.kit.composition import compose_market
from connectors.kit.scale_slips import scale_contribution
from connectors.kit.staging import present_rows
from connectors.listings.market import issuer_contributions
from connectors.news.market import news_contribution
from connectors.regulators.market import acts_contribution
from warehouse.schema.tables import COMPANIES, FILINGS, IDENTIFIERS


def map_registers(present: PresentRows, _today: date) -> SharedTables:
    """Builds the shared tables of the touched companies. `_today` is unused: no Finnish rule depends on age."""
    ytj, statements, registered = (
        present_rows(present, table) for table in (ytj_schema.COMPANIES, xbrl_schema.STATEMENTS, xbrl_schema.REGISTERED)
    )
    digital = xbrl_mapping.map_filings_and_financials(statements, registered)
    told = pl.concat([registered, present_rows(present, notices_schema.DIGITAL)], how="diagonal")
    paper = notices_mapping.map_filings(
        present_rows(present, notices_schema.NOTICES), xbrl_mapping.registration_days(told)
    )
    return {
        **digital,
        COMPANIES.name: companies.map_companies(ytj, xbrl_mapping.statement_names(statements)),
        IDENTIFIERS.name: companies.map_identifiers(ytj),
        FILINGS.name: pl.concat([digital[FILINGS.name], paper]),
    }


REGISTERS: Final = Contribution(
    name="registers of PRH",
    datasets=(ytj_dataset.DATASET, xbrl_dataset.DATASET, notices_dataset.DATASET),
    company_ids={
        ytj_schema.COMPANIES.name: company_ids(pl.col(ytj_schema.NUMBER)),
        xbrl_schema.STATEMENTS.name: company_ids(pl.col(xbrl_schema.NUMBER)),
        xbrl_schema.REGISTERED.name: company_ids(pl.col(xbrl_schema.NUMBER)),
        notices_schema.NOTICES.name: company_ids(pl.col(notices_schema.NUMBER)),
        notices_schema.DIGITAL.name: company_ids(pl.col(notices_schema.NUMBER)),
    },
    to_shared_tables=map_registers,
    field_precedence={
        "name": (ytj_schema.KEY, xbrl_schema.KEY),
        "status": (ytj_schema.KEY,),
        "figures": (xbrl_schema.KEY,),
    },
    host_limits=(LIMIT,),
    registry_statuses=REGISTRY_STATUSES,
)
CONTRIBUTIONS: Final = (
    REGISTERS,
    nasdaq.CONTRIBUTION,
    *issuer_contributions(MARKET, ESMA),
    scale_contribution(),
    news_contribution(MARKET, PRESS),
    acts_contribution(MARKET, regulators.DATASETS, regulators.REGISTER),
)
FINLAND: Final = compose_market(MARKET, CONTRIBUTIONS)
