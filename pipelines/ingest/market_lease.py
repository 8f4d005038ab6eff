"""Ownership of a market: a local lock, and where several machines share state, also a lease in the object store.

Belongs here: acquiring a market with its newest state, and saving that state before a release is made of it
and when the market is released. The state is saved before the release, so a release never depends on a
history that other machines cannot fetch. Does not belong here: how state is replicated (`warehouse.replication`),
or what a run does with it (`run`, `pipelines.steps`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from warehouse.erasure.tombstones import TombstoneStore
from warehouse.storage.locks import market_lock

if TYPE_CHECKING:
    from pipelines.workspace import Workspace
    from warehouse.replication.market_state import ReplicatedMarket
    from warehouse.replication.s3 import ObjectStore


class MarketLease(Protocol):
    """Leases on the markets of one data root, which other machines may write too."""

    def held(self, market: str) -> AbstractContextManager[None]:
        """Holds a market for the length of a block. Raises Locked if another process or machine holds it."""
        ...

    def keep(self, market: str) -> None:
        """Saves the current state of a held market for the next holder."""
        ...

    def sign(self, market: str) -> str:
        """Heartbeat tag: changes as long as the current holder of the market is alive."""
        ...


class LocalLease:
    """Lease of a single machine: its disk is the state."""

    def __init__(self, workspace: Workspace) -> None:
        self._layout = workspace.layout

    @contextmanager
    def held(self, market: str) -> Iterator[None]:
        with market_lock(self._layout, market):
            yield

    def keep(self, market: str) -> None:
        del market

    def sign(self, market: str) -> str:
        """Always empty: no other machine checks it, and dead runs of this machine are detected by its locks."""
        del market
        return ""


class ReplicatedLease:
    """Lease shared by several machines: the object store has the state, and one machine at a time may write it."""

    def __init__(self, workspace: Workspace, store: ObjectStore) -> None:
        self._workspace = workspace
        self._layout = workspace.layout
        self._store = store
        self._held: dict[str, ReplicatedMarket] = {}

    @contextmanager
    def held(self, market: str) -> Iterator[None]:
        from warehouse.replication import decision_log
        from warehouse.replication.lease import LeaseTiming, distributed_lease
        from warehouse.replication.market_state import ReplicatedMarket, lease_key

        datasets = [dataset.key for dataset in self._workspace.jurisdiction(market).datasets]
        shared = ReplicatedMarket(self._layout, self._store, market, datasets)
        pace = LeaseTiming(self._workspace.settings.claim_seconds)
        with (
            market_lock(self._layout, market),
            distributed_lease(self._store, lease_key(market), f"market {market}", pace),
        ):
            decision_log.sync_decision_log(self._layout, self._store)
            beside = shared.fetch()
            if beside is not None:
                self._adopt_state(market, beside)
            self._held[market] = shared
            try:
                yield
                self.keep(market)
            finally:
                del self._held[market]

    def keep(self, market: str) -> None:
        self._held[market].send({"erased": TombstoneStore(self._layout).told(market)})

    def sign(self, market: str) -> str:
        from warehouse.replication.market_state import lease_key

        found = self._store.read(lease_key(market))
        return "" if found is None else found.tag

    def _adopt_state(self, market: str, beside: Mapping[str, Any]) -> None:
        TombstoneStore(self._layout).adopt(market, beside["erased"])
        self._workspace.archive.discard_erased()
        self._workspace.tell(f"{market}: continues from another machine's state")
