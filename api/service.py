"""The parts of the running service, assembled once by `api.app.create_app`.

Does not belong here: state of one request (`api.call`).
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from api.access_log import AccessLog
from api.accounts import Accounts
from api.auth import Authenticator
from api.clock import Clock
from api.control import ControlPlane
from api.dashboard.doors import Doors
from api.dashboard.postman import Postman
from api.limits import Limits
from api.metrics import Metrics
from api.overload import Lists
from api.pagination import Cursors
from api.proxies import Proxies
from api.settings import ApiSettings
from api.stamps import Stamps
from api.ulids import Ulids
from api.webhooks.sealing import Sealer
from api.webhooks.sending import Sender
from api.webhooks.subscriptions import Subscriptions
from warehouse.freshness import Freshness
from warehouse.reading import Snapshot
from warehouse.run_notes import RunNote

if TYPE_CHECKING:
    from api.billing.service import Billing


class SnapshotSource(Protocol):
    """The part of `warehouse.reader.Reader` that routes use."""

    def pin(self) -> AbstractContextManager[Snapshot]: ...

    def freshness(self) -> Freshness: ...

    def runs(self) -> list[RunNote]: ...


@dataclass(frozen=True, slots=True)
class Service:
    """Everything a route may need; immutable while the service runs."""

    settings: ApiSettings
    reader: SnapshotSource
    clock: Clock
    ulids: Ulids
    accounts: Accounts
    authenticator: Authenticator
    limits: Limits
    cursors: Cursors
    lists: Lists
    stamps: Stamps
    access_log: AccessLog
    metrics: Metrics
    proxies: Proxies
    openapi: bytes
    control: ControlPlane
    sealer: Sealer
    subscriptions: Subscriptions
    sender: Sender
    """For test sends; deliveries have their own client."""
    billing: "Billing | None"
    """None without Stripe's settings: an operator sets tiers."""
    postman: Postman
    """For sign-in links; notices use the outbox."""
    doors: Doors
