"""United Kingdom: Companies House. Scope and omissions: README.md."""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import HostSecret, Jurisdiction, Link
from connectors.esef.market import with_issuers
from connectors.firds.dataset import FCA
from connectors.gleif.level1 import schema as level1_schema
from connectors.listings.market import with_listings
from connectors.news.market import with_news
from connectors.regulators.market import with_acts
from connectors.uk import mapping, regulators
from connectors.uk.accounts import dataset as accounts_dataset
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.news import PRESS
from connectors.uk.nsm import dataset as nsm_dataset
from connectors.uk.nsm import schema as nsm_schema
from connectors.uk.psc import dataset as psc_dataset
from connectors.uk.psc import schema as psc_schema
from connectors.uk.rest_api import fetch as rest_api_fetch
from connectors.uk.streaming_api import datasets, events
from connectors.uk.streaming_api import schema as streaming_api_schema

_LEI: Final = level1_schema.lei_table("UK").name

_REGISTERS: Final = with_listings(
    with_issuers(
        Jurisdiction(
            code="UK",
            state="served",
            # on equal timestamps the later dataset wins: a stream is newer than the file of the same run
            datasets=(
                basic_company_data_dataset.DATASET,
                accounts_dataset.DATASET,
                psc_dataset.DATASET,
                nsm_dataset.DATASET,
                *datasets.DATASETS,
            ),
            precedence={
                "name": (
                    basic_company_data_dataset.KEY,
                    streaming_api_schema.PROFILES_KEY,
                    accounts_dataset.KEY,
                ),
                "status": (
                    basic_company_data_dataset.KEY,
                    streaming_api_schema.PROFILES_KEY,
                    accounts_dataset.KEY,
                ),
                "is_listed": (psc_dataset.KEY,),
                # an exact figure of a listed company takes precedence over a band (docs/formats/uk.md 11)
                "ownership": (nsm_dataset.KEY, psc_dataset.KEY),
            },
            dated=(nsm_dataset.KEY,),
            touches=mapping.company_ids_of_rows,
            normalise=mapping.normalise,
            secrets=(
                HostSecret(events.HOST, "streaming key", f"https://{events.HOST}/companies"),
                HostSecret(
                    rest_api_fetch.HOST,
                    "key of the REST API",
                    f"https://{rest_api_fetch.HOST}/company/00000006",
                ),
            ),
            holders={**psc_schema.NAMING_HOLDERS, **nsm_schema.HOLDERS},
        ),
        named_by={nsm_schema.TR1.name: "lei", nsm_schema.ITEMS.name: "lei"},
        links=tuple(Link(table.name, "lei", _LEI, "lei") for table in (nsm_schema.TR1, nsm_schema.ITEMS)),
    ),
    FCA,
)
UNITED_KINGDOM: Final = with_acts(with_news(_REGISTERS, PRESS), regulators.DATASETS, regulators.REGISTER)
