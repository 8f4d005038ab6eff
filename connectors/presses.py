"""News sources per market.

Does not belong here: any one market's (`connectors.<cc>.press`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from connectors.fi.press import PRESS as FINNISH
from connectors.news.market import Press
from connectors.no.press import PRESS as NORWEGIAN
from connectors.se.press import PRESS as SWEDISH
from connectors.uk.press import PRESS as BRITISH
from connectors.us.press import PRESS as AMERICAN

PRESSES: Final[Mapping[str, Press]] = {
    "FI": FINNISH,
    "NO": NORWEGIAN,
    "SE": SWEDISH,
    "UK": BRITISH,
    "US": AMERICAN,
}
