"""Denmark: announced, not served. README.md describes what its register offers.

See docs/contract/contract.md «Not available».
"""

from __future__ import annotations

from typing import Final

from connectors.contract.dataset import Jurisdiction
from connectors.kit.composition import compose_market

DENMARK: Final[Jurisdiction] = compose_market("DK", ())
