"""Connectors: from registry sources to typed rows. Each jurisdiction is one folder and one line in `markets.toml`.

Belongs here: HTTP, formats, codes and mapping of one registry. Does not belong here: storage, schedules,
serving.
"""

from importlib import import_module
from typing import Final

from connectors.contract.dataset import Jurisdiction
from connectors.contract.shared_folders import SharedFolder, news_folder
from connectors.kit.composition import compose_market
from warehouse.schema.markets import MARKETS

__all__ = ["DECLARED", "GROUPS", "JURISDICTIONS"]


def _jurisdiction(code: str) -> Jurisdiction:
    """The declaration of a market: the constant with its name in its folder (`NORWAY` in `connectors.no`)."""
    folder = import_module(f"{__name__}.{code.lower()}")
    name = MARKETS[code].name.upper().replace(" ", "_")
    if not hasattr(folder, name):
        raise AttributeError(f"{folder.__name__} must define {name}, the market named in its market.toml")
    return getattr(folder, name)


DECLARED: Final = tuple(_jurisdiction(code) for code in sorted(MARKETS))
# What is read: of an announced market nothing
JURISDICTIONS: Final = tuple(made if made.state == "served" else compose_market(made.code, ()) for made in DECLARED)
GROUPS: Final[tuple[SharedFolder, ...]] = (news_folder(JURISDICTIONS),)
