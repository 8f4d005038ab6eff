"""Dataset se.nasdaq: releases of issuers on the Stockholm markets (interim reports, major holding notices).

Belongs here: the Swedish table, markets, file recognition, and comparing issuer labels. Does not belong here: the
format (`connectors.nasdaq`), texts of notices (`major_holdings.dataset`).
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Link
from connectors.nasdaq import releases
from connectors.nasdaq.schema import releases_table
from connectors.se.bulk.bolagsverket_schema import ORGANISATIONS
from connectors.se.issuer_links import COMPANY_NAME, core_name_key

KEY: Final = "se.nasdaq"
RELEASES: Final = releases_table("se_release")
MARKETS: Final = ("Main Market, Stockholm", "First North Sweden")


LINKS: Final = (Link(RELEASES.name, core_name_key("company_core", "company"), ORGANISATIONS.name, COMPANY_NAME),)
DATASET: Final = releases.releases_dataset(
    KEY, "Nasdaq Stockholm: releases", RELEASES, MARKETS, ("nasdaq_cns/**", "nasdaq/**")
)
