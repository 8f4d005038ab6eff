"""United Kingdom: Companies House. Scope and omissions: README.md."""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.contribution import Contribution
from connectors.contract.dataset import HostSecret, Link
from connectors.firds.dataset import FCA
from connectors.gleif.level1.schema import lei_table
from connectors.kit.composition import compose_market
from connectors.kit.scale_slips import scale_contribution
from connectors.listings.market import issuer_contributions
from connectors.news.market import news_contribution
from connectors.regulators.market import acts_contribution
from connectors.uk import live_schema, mapping, regulators, stream_events
from connectors.uk.accounts import dataset as accounts_dataset
from connectors.uk.accounts.schema import ACCOUNTS, PUBLISHED_DAYS
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.news import MARKET, PRESS
from connectors.uk.nsm import dataset as nsm_dataset
from connectors.uk.nsm import schema as nsm_schema
from connectors.uk.profile import status as profile_status
from connectors.uk.psc import dataset as psc_dataset
from connectors.uk.psc import schema as psc_schema
from connectors.uk.register import API_HOST, company_ids
from connectors.uk.rest_api import fetch as rest_api_fetch
from connectors.uk.streaming_api import datasets

_PROFILES: Final = (basic_company_data_dataset.KEY, live_schema.PROFILES_KEY, accounts_dataset.KEY)
_NUMBERED: Final = (
    psc_schema.PSC,
    psc_schema.STATEMENTS,
    psc_schema.EXEMPTIONS,
    psc_schema.OTHERS,
    ACCOUNTS,
    PUBLISHED_DAYS,
    live_schema.PROFILES,
    live_schema.FILED,
    live_schema.INSOLVENCY,
)
_ANNOUNCED: Final = (nsm_schema.TR1.name, nsm_schema.ITEMS.name)

REGISTERS: Final = Contribution(
    name="Companies House",
    # on equal timestamps the later dataset wins: a stream is newer than the file of the same run
    datasets=(basic_company_data_dataset.DATASET, accounts_dataset.DATASET, psc_dataset.DATASET, *datasets.DATASETS),
    company_ids={
        basic_company_data_dataset.COMPANIES.name: company_ids(pl.col("CompanyNumber")),
        basic_company_data_dataset.UNMAPPED.name: company_ids(pl.col("CompanyNumber")),
        **{table.name: company_ids(pl.col("company_number")) for table in _NUMBERED},
    },
    to_shared_tables=mapping.map_registers,
    field_precedence={
        "name": _PROFILES,
        "status": _PROFILES,
        # an exact figure of a listed company takes precedence over a band (docs/formats/uk.md 11)
        "ownership": (nsm_dataset.KEY, psc_dataset.KEY),
    },
    holder_columns=psc_schema.NAMING_HOLDERS,
    host_secrets=(
        HostSecret(stream_events.HOST, "streaming key", f"https://{stream_events.HOST}/companies"),
        HostSecret(API_HOST, "key of the REST API", f"https://{API_HOST}/company/00000006"),
    ),
    host_limits=(stream_events.LIMIT, rest_api_fetch.LIMIT),
    absence_rules=(profile_status.NO_ACCOUNTS,),
    registry_statuses=profile_status.REGISTRY_STATUSES,
    profile_registers={live_schema.PROFILES_KEY: basic_company_data_dataset.KEY},
)
ANNOUNCEMENTS: Final = Contribution(
    name="National Storage Mechanism",
    datasets=(nsm_dataset.DATASET,),
    links=tuple(Link(table, "lei", lei_table(MARKET).name, "lei") for table in _ANNOUNCED),
    lei_columns=dict.fromkeys(_ANNOUNCED, "lei"),
    to_shared_tables=mapping.map_notified_holdings,
    holder_columns=nsm_schema.HOLDERS,
    host_limits=(nsm_schema.LIMIT,),
    dated_datasets=(nsm_dataset.KEY,),
)
CONTRIBUTIONS: Final = (
    REGISTERS,
    ANNOUNCEMENTS,
    *issuer_contributions(MARKET, FCA, psc_dataset.DATASET),
    scale_contribution(),
    news_contribution(MARKET, PRESS),
    acts_contribution(MARKET, regulators.DATASETS, regulators.REGISTER),
)
UNITED_KINGDOM: Final = compose_market(MARKET, CONTRIBUTIONS)
