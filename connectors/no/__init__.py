"""Norway: Enhetsregisteret (profiles), Regnskapsregisteret (annual accounts), owners and news.

See README.md and docs/formats/no.md.

Change feeds name the entities to request again; roles, groups and the shareholder register give owners, Oslo Børs
gives news. Does not belong here: reading any of them (one module per dataset).
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Jurisdiction
from connectors.esef.market import with_issuers
from connectors.firds.dataset import ESMA
from connectors.listings.market import with_listings
from connectors.news.market import with_news
from connectors.no import regulators
from connectors.no.aksjonaerregister import dataset as aksjonaerregister_dataset
from connectors.no.enheter import dataset as enheter_dataset
from connectors.no.enheter import single
from connectors.no.erasure_columns import HOLDERS
from connectors.no.euronext import dataset as euronext_dataset
from connectors.no.holdings import DATED
from connectors.no.issuer_links import LINKS
from connectors.no.konsern import dataset as konsern_dataset
from connectors.no.mapping import PRECEDENCE, company_ids_of_rows, normalise
from connectors.no.news import PRESS
from connectors.no.newsweb import dataset as newsweb_dataset
from connectors.no.oppdateringer import dataset as oppdateringer_dataset
from connectors.no.profile.removals import REMOVALS
from connectors.no.register import MARKET
from connectors.no.regnskap import dataset as regnskap_dataset
from connectors.no.regnskap import mass_file
from connectors.no.roller import dataset as roller_dataset
from connectors.no.underenheter import dataset as underenheter_dataset
from connectors.regulators.market import with_acts

_REGISTERS: Final = with_listings(
    with_issuers(
        Jurisdiction(
            code=MARKET,
            state="served",
            # on equal timestamps the later dataset wins: a response is newer than the bulk fetched with it
            datasets=(
                enheter_dataset.DATASET,
                oppdateringer_dataset.DATASET,
                single.DATASET,
                underenheter_dataset.DATASET,
                roller_dataset.DATASET,
                regnskap_dataset.DATASET,
                mass_file.DATASET,
                konsern_dataset.DATASET,
                aksjonaerregister_dataset.DATASET,
                newsweb_dataset.DATASET,
                euronext_dataset.DATASET,
            ),
            precedence=PRECEDENCE,
            touches=company_ids_of_rows,
            normalise=normalise,
            removed=REMOVALS,
            links=LINKS,
            holders=HOLDERS,
            dated=DATED,
        )
    ),
    ESMA,
)
NORWAY: Final = with_acts(with_news(_REGISTERS, PRESS), regulators.DATASETS, regulators.REGISTER)
