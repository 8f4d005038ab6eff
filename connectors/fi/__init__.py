"""Finland: Business Information System, accounts, notices, releases. README.md lists data read and left out."""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction
from connectors.esef.issuers import with_issuers
from connectors.fi import acts, nasdaq, notices, xbrl, ytj
from connectors.fi.mapping import PRECEDENCE, normalise, touches
from connectors.fi.press import PRESS
from connectors.fi.register import MARKET
from connectors.firds.dataset import ESMA
from connectors.listed.market import with_listings
from connectors.news.market import with_news
from connectors.regulators.market import with_acts

_REGISTERS: Final = with_listings(
    with_issuers(
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
    ),
    ESMA,
)
FINLAND: Final = with_acts(with_news(_REGISTERS, PRESS), acts.DATASETS, acts.REGISTER)
