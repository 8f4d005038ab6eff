"""News sources per market.

Does not belong here: any one market's (`connectors.<cc>.press`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from connectors.fi.news import PRESS as FINNISH
from connectors.news.market import NewsSources
from connectors.no.news import PRESS as NORWEGIAN
from connectors.se.news import PRESS as SWEDISH
from connectors.uk.news import PRESS as BRITISH
from connectors.us.news import PRESS as AMERICAN

PRESSES: Final[Mapping[str, NewsSources]] = {
    "FI": FINNISH,
    "NO": NORWEGIAN,
    "SE": SWEDISH,
    "UK": BRITISH,
    "US": AMERICAN,
}
