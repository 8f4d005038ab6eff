"""Ownership of a market: a local lock, and where several machines share state, also a lease in the object store.

Belongs here: acquiring a market with its newest state, and saving that state before a release is made of it
and when the market is released. The state is saved before the release, so a release never depends on a
history that other machines cannot fetch. Does not belong here: how state is replicated (`warehouse.remote`),
or what a run does with it (`run`, `stages`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from warehouse.locks import market_lock
from warehouse.tombstones import Tombstones

if TYPE_CHECKING:
    from pipelines.resources import Workspace
    from warehouse.remote.markets import SharedMarket
    from warehouse.remote.store import Store


class Custody(Protocol):
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


class Alone:
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


class Shared:
    """Lease shared by several machines: the object store has the state, and one machine at a time may write it."""

    def __init__(self, workspace: Workspace, store: Store) -> None:
        self._workspace = workspace
        self._layout = workspace.layout
        self._store = store
        self._held: dict[str, SharedMarket] = {}

    @contextmanager
    def held(self, market: str) -> Iterator[None]:
        from warehouse.remote import journal
        from warehouse.remote.claims import Pace, claimed
        from warehouse.remote.markets import SharedMarket, claim_of

        datasets = [dataset.key for dataset in self._workspace.jurisdiction(market).datasets]
        shared = SharedMarket(self._layout, self._store, market, datasets)
        pace = Pace(self._workspace.settings.claim_seconds)
        with (
            market_lock(self._layout, market),
            claimed(self._store, claim_of(market), f"market {market}", pace),
        ):
            journal.shared(self._layout, self._store)
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
        self._held[market].send({"erased": Tombstones(self._layout).told(market)})

    def sign(self, market: str) -> str:
        from warehouse.remote.markets import claim_of

        found = self._store.read(claim_of(market))
        return "" if found is None else found.tag

    def _adopt_state(self, market: str, beside: Mapping[str, Any]) -> None:
        Tombstones(self._layout).adopt(market, beside["erased"])
        self._workspace.archive.discard_erased()
        self._workspace.tell(f"{market}: continues from another machine's state")
