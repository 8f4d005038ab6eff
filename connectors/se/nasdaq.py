"""Dataset se.nasdaq: releases of issuers on the Stockholm markets (interim reports, major holding notices).

Belongs here: the Swedish table, markets, file recognition, and comparing issuer labels. Does not belong here: the
format (`connectors.nasdaq`), texts of notices (`flagging`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.declare import Key, Link
from connectors.nasdaq import releases
from connectors.nasdaq.fields import releases_table
from connectors.se.bolagsverket_fields import ORGANISATIONS
from connectors.se.issuer_links import COMPANY_NAME, core

KEY: Final = "se.nasdaq"
RELEASES: Final = releases_table("se_release")
MARKETS: Final = ("Main Market, Stockholm", "First North Sweden")


def _labels(rows: pl.DataFrame) -> pl.Series:
    return core(rows["company"])


LINKS: Final = (Link(RELEASES.name, Key("company_core", _labels), ORGANISATIONS.name, COMPANY_NAME),)
DATASET: Final = releases.dataset(
    KEY, "Nasdaq Stockholm: releases", RELEASES, MARKETS, ("nasdaq_cns/**", "nasdaq/**")
)
