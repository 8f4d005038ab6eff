"""Norway: Enhetsregisteret (profiles), Regnskapsregisteret (annual accounts), owners and news.

See README.md and docs/formats/no.md.

Change feeds name the entities to request again; roles, groups and the shareholder register give owners, Oslo Børs
gives news. Does not belong here: reading any of them (one module per dataset).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.companion import Companion
from connectors.contract.contribution import Contribution
from connectors.firds.dataset import ESMA
from connectors.kit.composition import compose_market
from connectors.kit.scale_slips import scale_contribution
from connectors.listings.market import issuer_contributions
from connectors.news.market import news_contribution
from connectors.no import euronext, issuer_links, mapping, regulators
from connectors.no.aksjonaerregister import dataset as aksjonaerregister_dataset
from connectors.no.aksjonaerregister import schema as aksjonaerregister_schema
from connectors.no.enheter import dataset as enheter_dataset
from connectors.no.enheter import schema as enheter_schema
from connectors.no.erasure_columns import HOLDERS, REMOVAL_CONFIRMATIONS, REMOVALS
from connectors.no.konsern import dataset as konsern_dataset
from connectors.no.konsern import schema as konsern_schema
from connectors.no.news import PRESS
from connectors.no.newsweb import dataset as newsweb_dataset
from connectors.no.newsweb import schema as newsweb_schema
from connectors.no.newsweb.mapping import CALENDAR_YEARS
from connectors.no.oppdateringer import dataset as oppdateringer_dataset
from connectors.no.oppdateringer import schema as feed
from connectors.no.profile.status import REGISTRY_STATUSES
from connectors.no.register import MARKET, company_ids
from connectors.no.regnskap import dataset as regnskap_dataset
from connectors.no.regnskap import mass_file
from connectors.no.regnskap import schema as regnskap_schema
from connectors.no.roller import dataset as roller_dataset
from connectors.no.roller import schema as roller_schema
from connectors.no.underenheter import dataset as underenheter_dataset
from connectors.no.underenheter import schema as underenheter_schema
from connectors.regulators.market import acts_contribution

REGISTERS: Final = Contribution(
    name="registers of Brønnøysund",
    # on equal timestamps the later dataset wins: a response is newer than the bulk fetched with it
    datasets=(
        enheter_dataset.DATASET,
        oppdateringer_dataset.DATASET,
        enheter_dataset.SINGLE,
        underenheter_dataset.DATASET,
        roller_dataset.DATASET,
        regnskap_dataset.DATASET,
        mass_file.DATASET,
        konsern_dataset.DATASET,
        aksjonaerregister_dataset.DATASET,
    ),
    company_ids={
        **dict.fromkeys(enheter_schema.STAGED, company_ids(pl.col(enheter_schema.NUMBER))),
        regnskap_schema.ACCOUNTS.name: company_ids(pl.col(regnskap_schema.NUMBER)),
        regnskap_schema.MASS.name: company_ids(pl.col("orgnr")),
        feed.NAMED.name: company_ids(pl.when(pl.col(feed.STREAM) != feed.SUB_UNITS).then(pl.col(feed.NUMBER))),
        feed.ACCOUNTS_TOLD.name: company_ids(pl.col(feed.NUMBER)),
        roller_schema.ROLES.name: company_ids(pl.col(enheter_schema.NUMBER)),
        # a sub-unit belongs to its parent
        underenheter_schema.SUB_UNITS.name: company_ids(pl.col(underenheter_schema.PARENT)),
        konsern_schema.MEMBERS.name: company_ids(pl.col(konsern_schema.NUMBER)),
        konsern_schema.ANSWERS.name: company_ids(pl.col(konsern_schema.NUMBER)),
        aksjonaerregister_schema.SHAREHOLDERS.name: company_ids(pl.col(aksjonaerregister_schema.NUMBER)),
    },
    companions=(Companion(konsern_schema.GROUPS.name, konsern_schema.MEMBERS.name, (konsern_schema.ROOT,)),),
    to_shared_tables=mapping.map_registers,
    field_precedence={
        "status": (enheter_dataset.KEY,),
        "name": (enheter_dataset.KEY,),
        "figures": (regnskap_dataset.KEY, mass_file.KEY),
        "ownership": mapping.OWNERSHIP,
    },
    holder_columns=HOLDERS,
    removal_masks=REMOVALS,
    removal_confirmations=REMOVAL_CONFIRMATIONS,
    dated_datasets=mapping.DATED,
    registry_statuses=REGISTRY_STATUSES,
    stake_codes=(konsern_schema.STAKE, *roller_schema.OWNERS),
)
NEWSWEB: Final = Contribution(
    name="NewsWeb",
    datasets=(newsweb_dataset.DATASET,),
    # a notice rarely prints the number; otherwise a link finds the company
    company_ids={newsweb_schema.FLAGS.name: company_ids(pl.col(newsweb_schema.NUMBER))},
    links=issuer_links.ANNOUNCEMENTS,
    to_shared_tables=mapping.map_announcements,
    absence_rules=(CALENDAR_YEARS,),
)
EURONEXT: Final = Contribution(
    name="Euronext", datasets=(euronext.DATASET,), links=issuer_links.LISTED_SHARES, to_shared_tables=mapping.map_shares
)
CONTRIBUTIONS: Final = (
    REGISTERS,
    NEWSWEB,
    EURONEXT,
    *issuer_contributions(MARKET, ESMA, euronext.DATASET),
    scale_contribution(),
    news_contribution(MARKET, PRESS),
    acts_contribution(MARKET, regulators.DATASETS, regulators.REGISTER),
)
NORWAY: Final = compose_market(MARKET, CONTRIBUTIONS)
