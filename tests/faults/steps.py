"""The steps that a fault may meet, as the product declares them: assets of a run, parts that deliver, serving, retracting.

Does not belong here: a list of our own. A layer or a part that is added makes the table incomplete until it is told
what every fault does to it.
"""

from __future__ import annotations

from contextlib import closing
from typing import Final

import connectors
from api.auth.encryption import SecretBox
from api.auth.service_secrets import ServiceSecrets
from api.common.clock import Clock
from api.database.engine import Database
from api.settings.service import ApiSettings
from api.webhooks.runner import DeliveryRunner
from pipelines.defs.asset_keys import RELEASE
from pipelines.defs.assets import export_asset
from pipelines.defs.jobs import market_asset_keys
from tests.api.fixtures.fanout import Published

SERVING: Final = "serving"  # `firm serve`: answering from a release
RETRACTION: Final = "retraction"  # `firm retract`


def of_a_run() -> tuple[str, ...]:
    """The layers of a market's job, its release and its export."""
    made = next(market for market in connectors.JURISDICTIONS if market.state == "served")
    keys = [*market_asset_keys(made, made.datasets), RELEASE, export_asset(made).key]
    return tuple(dict.fromkeys(key.path[-1].rpartition("_")[2] for key in keys))


def of_delivering() -> tuple[str, ...]:
    """The parts of a process that delivers."""
    with closing(Database("sqlite://")) as database:
        sealer = SecretBox(ServiceSecrets.generate().sealing_keys)
        parts = DeliveryRunner(ApiSettings(), database, Published(), sealer, Clock(), lambda _: None).parts
        return tuple(parts)


def every_step() -> tuple[str, ...]:
    """All of them, in the order of the way of the data."""
    return (*of_a_run(), *of_delivering(), SERVING, RETRACTION)
