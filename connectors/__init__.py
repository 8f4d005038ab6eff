"""Connectors: from registry sources to typed rows. Each jurisdiction is one folder and one line below.

Belongs here: HTTP, formats, codes and mapping of one registry. Does not belong here: storage, schedules,
serving.
"""

from typing import Final

from connectors.contract.dataset import Jurisdiction
from connectors.contract.shared_folders import GROUPS
from connectors.dk import DENMARK
from connectors.fi import FINLAND
from connectors.no import NORWAY
from connectors.se import SWEDEN
from connectors.uk import UNITED_KINGDOM
from connectors.us import UNITED_STATES

__all__ = ["GROUPS", "JURISDICTIONS"]

JURISDICTIONS: Final[tuple[Jurisdiction, ...]] = (
    DENMARK,
    FINLAND,
    NORWAY,
    SWEDEN,
    UNITED_KINGDOM,
    UNITED_STATES,
)
