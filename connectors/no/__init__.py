"""Norway: Enhetsregisteret (profiles), Regnskapsregisteret (annual accounts), owners and news.

See README.md and docs/formats/no.md.

Change feeds name the entities to request again; roles, groups and the shareholder register give owners, Oslo Børs
gives news. Does not belong here: reading any of them (one module per dataset).
"""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction
from connectors.esef.issuers import with_issuers
from connectors.firds.dataset import ESMA
from connectors.listed.market import with_listings
from connectors.news.market import with_news
from connectors.no import (
    acts,
    aksjonaer,
    enhet,
    enheter,
    euronext,
    konsern,
    newsweb,
    oppdateringer,
    regnskap,
    regnskap_masse,
    roller,
    underenheter,
)
from connectors.no.holdings import DATED
from connectors.no.issuer_links import LINKS
from connectors.no.mapping import PRECEDENCE, normalise, touches
from connectors.no.named_holders import HOLDERS
from connectors.no.press import PRESS
from connectors.no.register import MARKET
from connectors.no.removals import REMOVALS
from connectors.regulators.market import with_acts

_REGISTERS: Final = with_listings(
    with_issuers(
        Jurisdiction(
            code=MARKET,
            state="served",
            # on equal timestamps the later dataset wins: a response is newer than the bulk fetched with it
            datasets=(
                enheter.DATASET,
                oppdateringer.DATASET,
                enhet.DATASET,
                underenheter.DATASET,
                roller.DATASET,
                regnskap.DATASET,
                regnskap_masse.DATASET,
                konsern.DATASET,
                aksjonaer.DATASET,
                newsweb.DATASET,
                euronext.DATASET,
            ),
            precedence=PRECEDENCE,
            touches=touches,
            normalise=normalise,
            removed=REMOVALS,
            links=LINKS,
            holders=HOLDERS,
            dated=DATED,
        )
    ),
    ESMA,
)
NORWAY: Final = with_acts(with_news(_REGISTERS, PRESS), acts.DATASETS, acts.REGISTER)
