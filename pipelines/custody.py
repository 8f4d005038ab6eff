"""Who holds a market: this machine by its lock, and where several share their state, one of them by a claim.

Belongs here: that a market is held from its newest state, and that its state is kept before a release is made of it
and when it is let go. A release never stands on a history that others cannot get: so the state goes first. Does not
belong here: how state travels (`warehouse.remote`), or what a run does with it (`run`, `stages`).
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
    """The markets of one data root, as far as others write them too."""

    def held(self, market: str) -> AbstractContextManager[None]:
        """Holds a market for the length of a block. Raises Locked where somebody else does."""
        ...

    def keep(self, market: str) -> None:
        """Keeps the state of a market that is held, as it stands now, for whoever holds it next."""
        ...

    def sign(self, market: str) -> str:
        """What changes for as long as somebody who holds a market lives."""
        ...


class Alone:
    """One machine: its disk is the state."""

    def __init__(self, workspace: Workspace) -> None:
        self._layout = workspace.layout

    @contextmanager
    def held(self, market: str) -> Iterator[None]:
        with market_lock(self._layout, market):
            yield

    def keep(self, market: str) -> None:
        del market

    def sign(self, market: str) -> str:
        """Nobody else asks: what this machine's dead have left is known by its locks."""
        del market
        return ""


class Shared:
    """Several machines: the store has the state, and one of them may write it."""

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
                self._adopt(market, beside)
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

    def _adopt(self, market: str, beside: Mapping[str, Any]) -> None:
        Tombstones(self._layout).adopt(market, beside["erased"])
        self._workspace.archive.discard_erased()
        self._workspace.tell(f"{market}: goes on from where another machine ended")
