"""Denmark: CVR with its legal owners, annual reports, releases and acts. In preview: README.md, docs/formats/dk.md.

Announced, and served where FIRM_PREVIEW_MARKETS names it. Does not belong here: reading any source (one module or
folder per dataset).
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.contract.contribution import Contribution
from connectors.contract.dataset import Link, PresentRows, SharedTables
from connectors.dk import nasdaq
from connectors.dk.issuer_links import company_names
from connectors.dk.news import PRESS
from connectors.dk.offentliggoerelser import dataset as publications_dataset
from connectors.dk.offentliggoerelser.schema import PUBLICATION, PUBLICATIONS
from connectors.dk.profile.companies import map_companies
from connectors.dk.profile.status import REGISTRY_STATUSES
from connectors.dk.register import LIMITS, MARKET, SECRETS, company_ids
from connectors.dk.regnskaber import dataset as reports_dataset
from connectors.dk.regnskaber.mapping import map_filings_and_financials
from connectors.dk.regnskaber.schema import REPORTS
from connectors.dk.virksomhed import dataset as companies_dataset
from connectors.dk.virksomhed.holdings import map_holdings
from connectors.dk.virksomhed.schema import COMPANIES, HOLDER, LATER_COMPANIES, NUMBER, OWNERS
from connectors.firds.dataset import ESMA
from connectors.gleif.level1.schema import lei_table
from connectors.kit.composition import compose_market
from connectors.kit.scale_slips import scale_contribution
from connectors.kit.staging import present_linked_rows, present_rows
from connectors.listings.market import issuer_contributions
from connectors.news.market import news_contribution
from connectors.regulators.esma import dataset as esma_dataset
from connectors.regulators.market import CompanyRegister, acts_contribution
from warehouse.schema import tables


def map_registers(present: PresentRows, today: date) -> SharedTables:
    """Profiles, owners, filings and figures."""
    publications, reports = (present_linked_rows(present, table).collect() for table in (PUBLICATIONS, REPORTS))
    return {
        tables.COMPANIES.name: map_companies(
            present_rows(present, COMPANIES), present_rows(present, LATER_COMPANIES), today
        ),
        **map_holdings(present_rows(present, OWNERS), present_rows(present, COMPANIES), today),
        **map_filings_and_financials(publications, reports),
    }


REGISTERS: Final = Contribution(
    name="registers of Erhvervsstyrelsen",
    datasets=(companies_dataset.DATASET, publications_dataset.DATASET, reports_dataset.DATASET),
    company_ids={
        table.name: company_ids(pl.col(NUMBER)) for table in (COMPANIES, OWNERS, LATER_COMPANIES, PUBLICATIONS, REPORTS)
    },
    # a report that names its company by LEI alone
    links=(Link(REPORTS.name, PUBLICATION, PUBLICATIONS.name, PUBLICATION),),
    to_shared_tables=map_registers,
    field_precedence={
        "name": (companies_dataset.KEY,),
        "status": (companies_dataset.KEY,),
        "figures": (reports_dataset.KEY,),
        "ownership": (companies_dataset.KEY,),
    },
    holder_columns={OWNERS.name: (HOLDER, "navn")},
    dated_datasets=(companies_dataset.KEY,),
    host_secrets=SECRETS,
    host_limits=LIMITS,
    registry_statuses=REGISTRY_STATUSES,
)
CONTRIBUTIONS: Final = (
    REGISTERS,
    nasdaq.CONTRIBUTION,
    *issuer_contributions(MARKET, ESMA),
    scale_contribution(),
    news_contribution(MARKET, PRESS),
    # Finanstilsynet has no feed: its sanctions are those of ESMA's register
    acts_contribution(
        MARKET,
        (esma_dataset.esma_dataset(MARKET),),
        CompanyRegister(COMPANIES.name, company_names, leis=lei_table(MARKET)),
    ),
)
DENMARK: Final = compose_market(MARKET, CONTRIBUTIONS)
