"""United Kingdom: Companies House. What is read and why, and what is left out: README.md."""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction, Link, Secret
from connectors.esef.issuers import with_issuers
from connectors.gleif import records
from connectors.uk import (
    accounts,
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

_LEI: Final = records.table("UK").name

UNITED_KINGDOM: Final = with_issuers(
    Jurisdiction(
        code="UK",
        state="served",
        # of one instant the later dataset holds: a stream is newer than the file that it is taken with
        datasets=(companies.DATASET, accounts.DATASET, psc.DATASET, nsm.DATASET, *live.DATASETS),
        precedence={
            "name": (companies.KEY, live_schema.PROFILES_KEY, accounts.KEY),
            "status": (companies.KEY, live_schema.PROFILES_KEY, accounts.KEY),
            "is_listed": (psc.KEY,),
            # a figure of a listed company before a band (FORMAT uk 11)
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
    named_by={nsm_fields.TR1.name: "lei"},
    links=(Link(nsm_fields.TR1.name, "lei", _LEI, "lei"),),
)
