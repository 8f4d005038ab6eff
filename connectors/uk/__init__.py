"""United Kingdom: Companies House. What is read and why, and what is left out: README.md."""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction
from connectors.esef.issuers import with_issuers
from connectors.uk import accounts, companies, mapping, psc, psc_schema

UNITED_KINGDOM: Final = with_issuers(
    Jurisdiction(
        code="UK",
        state="served",
        datasets=(companies.DATASET, accounts.DATASET, psc.DATASET),
        precedence={
            "name": (companies.KEY, accounts.KEY),
            "status": (companies.KEY, accounts.KEY),
            "is_listed": (psc.KEY,),
        },
        touches=mapping.touches,
        normalise=mapping.normalise,
        holders=psc_schema.NAMING_HOLDERS,
    )
)
