"""Sweden: Bolagsverket, SCB, Finansinspektionen. Scope and omissions: README.md."""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.contribution import Contribution
from connectors.contract.dataset import HostSecret
from connectors.firds.dataset import ESMA
from connectors.kit.composition import compose_market
from connectors.kit.scale_slips import scale_contribution
from connectors.listings.market import issuer_contributions
from connectors.nasdaq.schema import LIMITS
from connectors.news.market import news_contribution
from connectors.regulators.market import acts_contribution
from connectors.se import mapping, nasdaq, regulators
from connectors.se.annual_reports import dataset as annual_reports_dataset
from connectors.se.annual_reports import schema as annual_reports_schema
from connectors.se.api import dataset as api_dataset
from connectors.se.api import schema as api_schema
from connectors.se.bulk import bolagsverket, bolagsverket_schema, scb, scb_schema
from connectors.se.business_register import dataset as business_register_dataset
from connectors.se.business_register import fetch as business_register_fetch
from connectors.se.business_register import schema as business_register_schema
from connectors.se.finansinspektionen import insider_register, issuers, short_positions
from connectors.se.issuer_links import LINKS
from connectors.se.major_holdings import dataset as major_holdings_dataset
from connectors.se.major_holdings import fetch as major_holdings_fetch
from connectors.se.news import PRESS
from connectors.se.profile import status as profile_status
from connectors.se.register import GATEWAY, MARKET, company_ids

REGISTERS: Final = Contribution(
    name="Bolagsverket and SCB",
    datasets=(
        bolagsverket.DATASET,
        scb.DATASET,
        api_dataset.DATASET,
        business_register_dataset.DATASET,
        annual_reports_dataset.DATASET,
    ),
    company_ids={
        bolagsverket_schema.ORGANISATIONS.name: company_ids(pl.col(bolagsverket_schema.NUMBER)),
        scb_schema.STATISTICS.name: company_ids(pl.col(scb_schema.NUMBER)),
        api_schema.ANSWERS.name: company_ids(pl.col(api_schema.NUMBER)),
        business_register_schema.LEGAL_UNITS.name: company_ids(pl.col(business_register_schema.NUMBER)),
        annual_reports_schema.REPORTS.name: company_ids(pl.col(annual_reports_schema.NUMBER)),
    },
    to_shared_tables=mapping.map_registers,
    field_precedence={
        "name": (bolagsverket_schema.KEY, api_schema.KEY, scb_schema.KEY, annual_reports_schema.KEY),
        "status": (bolagsverket_schema.KEY, api_schema.KEY, scb_schema.KEY),
        "sni_code": (scb_schema.KEY, api_schema.KEY, business_register_schema.KEY),
        "figures": (annual_reports_schema.KEY,),
    },
    host_secrets=(
        HostSecret("portal.api.bolagsverket.se", "client id and secret", dataset_host=GATEWAY),
        HostSecret(
            business_register_schema.HOST,
            "key of the register of enterprises",
            business_register_fetch.INFO_URL,
            key_header=business_register_fetch.KEY_HEADER,
        ),
    ),
    host_limits=(business_register_fetch.LIMIT,),
    absence_rules=(profile_status.MISSING_FROM_SCB,),
    registry_statuses=profile_status.REGISTRY_STATUSES,
    # of one field these are channels of one register: SCB's code of the industry, Bolagsverket's name
    profile_registers=dict.fromkeys(
        (bolagsverket_schema.KEY, scb_schema.KEY, api_schema.KEY, business_register_schema.KEY), bolagsverket_schema.KEY
    ),
    seat_datasets=(business_register_schema.KEY,),
)
FINANSINSPEKTIONEN: Final = Contribution(
    name="Finansinspektionen",
    datasets=(insider_register.DATASET, short_positions.DATASET),
    links=LINKS,
    lei_columns={issuers.INSIDER_ISSUERS.name: "lei"},
    to_shared_tables=mapping.map_share_isins,
)
ANNOUNCEMENTS: Final = Contribution(
    name="announcements of issuers",
    datasets=(nasdaq.DATASET, major_holdings_dataset.DATASET),
    company_ids={major_holdings_dataset.NOTICES.name: company_ids(pl.col(major_holdings_dataset.NUMBER))},
    links=(*nasdaq.LINKS, *major_holdings_dataset.LINKS),
    to_shared_tables=mapping.map_announcements,
    field_precedence={"ownership": (major_holdings_dataset.KEY,)},
    holder_columns=major_holdings_dataset.HOLDERS,
    host_limits=(*LIMITS, major_holdings_fetch.LIMIT),
    dated_datasets=(major_holdings_dataset.KEY,),
)
CONTRIBUTIONS: Final = (
    REGISTERS,
    FINANSINSPEKTIONEN,
    ANNOUNCEMENTS,
    *issuer_contributions(MARKET, ESMA),
    scale_contribution(),
    news_contribution(MARKET, PRESS),
    acts_contribution(MARKET, regulators.DATASETS, regulators.REGISTER),
)
SWEDEN: Final = compose_market(MARKET, CONTRIBUTIONS)
