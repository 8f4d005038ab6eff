"""Norway: Enhetsregisteret (profiles) and Regnskapsregisteret (annual accounts). See README.md and FORMAT.

Does not belong here: Oslo Børs, shareholders, roles and change feeds, which have no dataset yet.
"""

from __future__ import annotations

from typing import Final

from connectors.declare import Jurisdiction
from connectors.no import enheter, regnskap, regnskap_masse
from connectors.no.mapping import PRECEDENCE, normalise, touches
from connectors.no.register import MARKET

NORWAY: Final = Jurisdiction(
    code=MARKET,
    state="served",
    datasets=(enheter.DATASET, regnskap.DATASET, regnskap_masse.DATASET),
    precedence=PRECEDENCE,
    touches=touches,
    normalise=normalise,
)
