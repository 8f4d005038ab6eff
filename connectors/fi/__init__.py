"""Finland: Business Information System, accounts, notices, releases. README.md lists data read and left out."""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Jurisdiction
from connectors.esef.market import with_issuers
from connectors.fi import nasdaq, regulators
from connectors.fi.mapping import PRECEDENCE, company_ids_of_rows, normalise
from connectors.fi.news import PRESS
from connectors.fi.notices import dataset as notices_dataset
from connectors.fi.register import MARKET
from connectors.fi.xbrl import dataset as xbrl_dataset
from connectors.fi.ytj import dataset as ytj_dataset
from connectors.firds.dataset import ESMA
from connectors.listings.market import with_listings
from connectors.news.market import with_news
from connectors.regulators.market import with_acts

_REGISTERS: Final = with_listings(
    with_issuers(
        Jurisdiction(
            code=MARKET,
            state="served",
            datasets=(
                ytj_dataset.DATASET,
                xbrl_dataset.DATASET,
                notices_dataset.DATASET,
                nasdaq.RELEASES_DATASET,
                nasdaq.FLAGGING_DATASET,
            ),
            precedence=PRECEDENCE,
            touches=company_ids_of_rows,
            normalise=normalise,
            links=nasdaq.LINKS,
            holders=nasdaq.HOLDERS,
            dated=(nasdaq.FLAGGING_KEY,),
        )
    ),
    ESMA,
)
FINLAND: Final = with_acts(with_news(_REGISTERS, PRESS), regulators.DATASETS, regulators.REGISTER)
