"""Finland: Business Information System, accounts, notices, releases. What is read and what is not: README.md."""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction
from connectors.esef.issuers import with_issuers
from connectors.fi import nasdaq, notices, xbrl, ytj
from connectors.fi.mapping import PRECEDENCE, normalise, touches
from connectors.fi.register import MARKET

FINLAND: Final = with_issuers(
    Jurisdiction(
        code=MARKET,
        state="served",
        datasets=(
            ytj.DATASET,
            xbrl.DATASET,
            notices.DATASET,
            nasdaq.RELEASES_DATASET,
            nasdaq.FLAGGING_DATASET,
        ),
        precedence=PRECEDENCE,
        touches=touches,
        normalise=normalise,
        links=nasdaq.LINKS,
        holders=nasdaq.HOLDERS,
        dated=(nasdaq.FLAGGING_KEY,),
    )
)
