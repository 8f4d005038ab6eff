"""United Kingdom: Companies House. Scope and omissions: README.md."""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction, Link, Secret
from connectors.esef.issuers import with_issuers
from connectors.firds.dataset import FCA
from connectors.gleif import records
from connectors.listed.market import with_listings
from connectors.news.market import with_news
from connectors.regulators.market import with_acts
from connectors.uk import (
    accounts,
    acts,
    companies,
    live,
    live_schema,
    mapping,
    nsm,
    nsm_fields,
    psc,
    psc_schema,
    rest,
    streams,
)
from connectors.uk.press import PRESS

_LEI: Final = records.table("UK").name

_REGISTERS: Final = with_listings(
    with_issuers(
        Jurisdiction(
            code="UK",
            state="served",
            # on equal timestamps the later dataset wins: a stream is newer than the file of the same run
            datasets=(companies.DATASET, accounts.DATASET, psc.DATASET, nsm.DATASET, *live.DATASETS),
            precedence={
                "name": (companies.KEY, live_schema.PROFILES_KEY, accounts.KEY),
                "status": (companies.KEY, live_schema.PROFILES_KEY, accounts.KEY),
                "is_listed": (psc.KEY,),
                # an exact figure of a listed company takes precedence over a band (docs/formats/uk.md 11)
                "ownership": (nsm.KEY, psc.KEY),
            },
            dated=(nsm.KEY,),
            touches=mapping.touches,
            normalise=mapping.normalise,
            secrets=(
                Secret(streams.HOST, "streaming key", f"https://{streams.HOST}/companies"),
                Secret(rest.HOST, "key of the REST API", f"https://{rest.HOST}/company/00000006"),
            ),
            holders={**psc_schema.NAMING_HOLDERS, **nsm_fields.HOLDERS},
        ),
        named_by={nsm_fields.TR1.name: "lei", nsm_fields.ITEMS.name: "lei"},
        links=tuple(Link(table.name, "lei", _LEI, "lei") for table in (nsm_fields.TR1, nsm_fields.ITEMS)),
    ),
    FCA,
)
UNITED_KINGDOM: Final = with_acts(with_news(_REGISTERS, PRESS), acts.DATASETS, acts.REGISTER)
