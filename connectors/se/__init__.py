"""Sweden: Bolagsverket, SCB, Finansinspektionen. Scope and omissions: README.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from connectors.contract.dataset import HostSecret, Jurisdiction
from connectors.esef.market import with_issuers
from connectors.firds.dataset import ESMA
from connectors.listings.market import with_listings
from connectors.news.market import with_news
from connectors.regulators.market import with_acts
from connectors.se import nasdaq, regulators
from connectors.se.annual_reports import dataset as annual_reports_dataset
from connectors.se.api import dataset as api_dataset
from connectors.se.bulk import bolagsverket, scb
from connectors.se.finansinspektionen import insider_register, issuers, short_positions
from connectors.se.issuer_links import LINKS
from connectors.se.major_holdings import dataset as major_holdings_dataset
from connectors.se.mapping import PRECEDENCE, company_ids_of_rows, normalise
from connectors.se.news import PRESS
from connectors.se.register import GATEWAY, MARKET

_REGISTERS: Final = with_listings(
    with_issuers(
        Jurisdiction(
            code=MARKET,
            state="served",
            datasets=(
                bolagsverket.DATASET,
                scb.DATASET,
                api_dataset.DATASET,
                annual_reports_dataset.DATASET,
                insider_register.DATASET,
                short_positions.DATASET,
                nasdaq.DATASET,
                major_holdings_dataset.DATASET,
            ),
            precedence=PRECEDENCE,
            touches=company_ids_of_rows,
            normalise=normalise,
            holders=major_holdings_dataset.HOLDERS,
            dated=(major_holdings_dataset.KEY,),
            secrets=(HostSecret("portal.api.bolagsverket.se", "client id and secret", opens=GATEWAY),),
        ),
        named_by={issuers.INSIDER_ISSUERS.name: "lei"},
        links=(*LINKS, *nasdaq.LINKS, major_holdings_dataset.PAGE_LINK),
    ),
    ESMA,
)
_TOLD: Final = with_news(_REGISTERS, PRESS)
# links by wire rows come last, and those of notices follow them
_NOTIFIED: Final = replace(_TOLD, links=(*_TOLD.links, *major_holdings_dataset.LAST_LINKS))
SWEDEN: Final = with_acts(_NOTIFIED, regulators.DATASETS, regulators.REGISTER)
