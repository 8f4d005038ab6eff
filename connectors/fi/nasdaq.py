"""Datasets fi.nasdaq and fi.flagging: releases of issuers on the Helsinki markets, and notifications of holdings.

Belongs here: the Finnish tables, markets and files. Does not belong here: the format (`connectors.nasdaq`).
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Link
from connectors.fi.ytj.schema import COMPANIES
from connectors.nasdaq import releases
from connectors.nasdaq.major_holdings import dataset as major_holdings_dataset
from connectors.nasdaq.schema import HOLDER, ISSUER, MESSAGE, flaggings_table, releases_table

RELEASES_KEY: Final = "fi.nasdaq"
FLAGGING_KEY: Final = "fi.flagging"
RELEASES: Final = releases_table("fi_tiedote")
FLAGGINGS: Final = flaggings_table("fi_liputus")
MARKETS: Final = ("Helsinki", "Finland")  # «Main Market, Helsinki, Stockholm», «First North Finland»

RELEASES_DATASET: Final = releases.releases_dataset(
    RELEASES_KEY, "Nasdaq Helsinki: releases", RELEASES, MARKETS, ("nasdaq_cns/**", "nasdaq/**")
)
FLAGGING_DATASET: Final = major_holdings_dataset.flaggings_dataset(
    FLAGGING_KEY,
    "Nasdaq Helsinki: flagging notifications",
    FLAGGINGS,
    RELEASES.name,
    ("flagging_text/**", "flagging/**", "nasdaq_cns/*.html", "nasdaq/*.html"),
)

# An issuer is identified by name only; a notification by its release, or by the issuer named in its text.
LINKS: Final = (
    Link(RELEASES.name, ISSUER, COMPANIES.name, ISSUER),
    Link(FLAGGINGS.name, MESSAGE, RELEASES.name, MESSAGE),
    Link(FLAGGINGS.name, ISSUER, COMPANIES.name, ISSUER),
)
# columns used to find an erased holder
HOLDERS: Final = {FLAGGINGS.name: ("holder", HOLDER)}
