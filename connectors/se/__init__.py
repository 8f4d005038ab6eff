"""Sweden: Bolagsverket, SCB, Finansinspektionen. Scope and omissions: README.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from connectors.declare import Jurisdiction, Secret
from connectors.esef.issuers import with_issuers
from connectors.firds.dataset import ESMA
from connectors.listed.market import with_listings
from connectors.news.market import with_news
from connectors.regulators.market import with_acts
from connectors.se import (
    acts,
    arsredovisning,
    blankning,
    bolagsverket,
    flagging,
    insyn,
    issuers,
    nasdaq,
    organisationer,
    scb,
)
from connectors.se.issuer_links import LINKS
from connectors.se.mapping import PRECEDENCE, normalise, touches
from connectors.se.press import PRESS
from connectors.se.register import GATEWAY, MARKET

_REGISTERS: Final = with_listings(
    with_issuers(
        Jurisdiction(
            code=MARKET,
            state="served",
            datasets=(
                bolagsverket.DATASET,
                scb.DATASET,
                organisationer.DATASET,
                arsredovisning.DATASET,
                insyn.DATASET,
                blankning.DATASET,
                nasdaq.DATASET,
                flagging.DATASET,
            ),
            precedence=PRECEDENCE,
            touches=touches,
            normalise=normalise,
            holders=flagging.HOLDERS,
            dated=(flagging.KEY,),
            secrets=(Secret("portal.api.bolagsverket.se", "client id and secret", opens=GATEWAY),),
        ),
        named_by={issuers.INSIDER_ISSUERS.name: "lei"},
        links=(*LINKS, *nasdaq.LINKS, flagging.PAGE_LINK),
    ),
    ESMA,
)
_TOLD: Final = with_news(_REGISTERS, PRESS)
# links by wire rows come last, and those of notices follow them
_NOTIFIED: Final = replace(_TOLD, links=(*_TOLD.links, *flagging.LAST_LINKS))
SWEDEN: Final = with_acts(_NOTIFIED, acts.DATASETS, acts.REGISTER)
