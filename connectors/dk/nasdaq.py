"""Dataset dk.nasdaq: releases of issuers on the Copenhagen markets, as news and interim reports.

Belongs here: the Danish table, markets and files. Does not belong here: the format (`connectors.nasdaq`). Notices of
major holdings in these releases are not read: the register of owners states holdings from 5 percent.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from connectors.contract.contribution import Contribution
from connectors.contract.dataset import PresentRows, SharedTables
from connectors.dk.issuer_links import name_link
from connectors.dk.register import MARKET
from connectors.kit.staging import present_rows
from connectors.nasdaq import mapping, releases
from connectors.nasdaq.schema import LIMITS, releases_table
from warehouse.schema.tables import FILINGS

KEY: Final = "dk.nasdaq"
RELEASES: Final = releases_table("dk_release")
MARKETS: Final = ("Main Market, Copenhagen", "First North Denmark")
DATASET: Final = releases.releases_dataset(
    KEY, "Nasdaq Copenhagen: releases", RELEASES, MARKETS, ("nasdaq_cns/**", "nasdaq/**")
)


def map_releases(present: PresentRows, _today: date) -> SharedTables:
    """Interim reports that issuers release."""
    return {FILINGS.name: mapping.map_filings(MARKET, KEY, present_rows(present, RELEASES))}


CONTRIBUTION: Final = Contribution(
    name="Nasdaq Copenhagen",
    datasets=(DATASET,),
    links=(name_link(RELEASES.name, "company"),),
    to_shared_tables=map_releases,
    host_limits=LIMITS,
)
