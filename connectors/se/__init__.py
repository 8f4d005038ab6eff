"""Sweden: Bolagsverket, SCB, Finansinspektionen. What is read and why, and what is left out: README.md."""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction
from connectors.se import arsredovisning, blankning, bolagsverket, insyn, organisationer, scb
from connectors.se.mapping import PRECEDENCE, normalise, touches
from connectors.se.register import MARKET

SWEDEN: Final = Jurisdiction(
    code=MARKET,
    state="served",
    datasets=(
        bolagsverket.DATASET,
        scb.DATASET,
        organisationer.DATASET,
        arsredovisning.DATASET,
        insyn.DATASET,
        blankning.DATASET,
    ),
    precedence=PRECEDENCE,
    touches=touches,
    normalise=normalise,
)
