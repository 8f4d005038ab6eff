"""Ownership of a market: a local lock, and where several machines share state, also a lease in PostgreSQL.

Belongs here: acquiring a market with its newest state, and saving that state before a release is made of it
and when the market is released. The state is saved before the release, so a release never depends on a
history that other machines cannot fetch. Does not belong here: how state is replicated (`warehouse.replication`),
or what a run does with it (`pipelines.ingest`, `pipelines.steps`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from warehouse.erasure.tombstones import TombstoneStore
from warehouse.raw.archive import RawArchive
from warehouse.storage.layout import Layout
from warehouse.storage.locks import market_lock

if TYPE_CHECKING:
    from warehouse.replication.lease import LeaseDatabase, LeaseTiming
    from warehouse.replication.market_state import ReplicatedMarket
    from warehouse.replication.s3 import ObjectStore


class MarketLease(Protocol):
    """Leases on the markets of one data root, which other machines may write too."""

    def hold_lease(self, market: str) -> AbstractContextManager[None]:
        """Holds a market for the length of a block.

        Raises AlreadyLockedError if another process or machine holds it.
        """
        ...

    def save_state(self, market: str) -> None:
        """Saves the current state of a held market for the next holder."""
        ...

    def heartbeat_tag(self, market: str) -> str:
        """Heartbeat tag: changes as long as the current holder of the market is alive."""
        ...


class LocalLease:
    """Lease of a single machine: its disk is the state."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def hold_lease(self, market: str) -> AbstractContextManager[None]:
        return market_lock(self._layout, market)

    def save_state(self, market: str) -> None:
        del market

    def heartbeat_tag(self, market: str) -> str:
        """Always empty: no other machine checks it, and dead runs of this machine are detected by its locks."""
        del market
        return ""


@dataclass(frozen=True)
class ReplicatedLease:
    """Lease shared by several machines: the object store has the state, and one machine at a time may write it.

    datasets: keys of each market's datasets.
    """

    layout: Layout
    archive: RawArchive
    store: ObjectStore
    datasets: Mapping[str, Sequence[str]]
    leases: LeaseDatabase
    timing: LeaseTiming
    report_progress: Callable[[str], None]
    _held: dict[str, ReplicatedMarket] = field(default_factory=dict)

    @contextmanager
    def hold_lease(self, market: str) -> Iterator[None]:
        from warehouse.replication import decision_log
        from warehouse.replication.lease import distributed_lease
        from warehouse.replication.market_state import ReplicatedMarket, head_token

        with (
            market_lock(self.layout, market),
            distributed_lease(
                self.leases, _lease_name(market), self.timing, above=head_token(self.store, market)
            ) as token,
        ):
            shared = ReplicatedMarket(self.layout, self.store, market, self.datasets[market], token)
            decision_log.sync_decision_log(self.layout, self.store)
            beside = shared.fetch()
            if beside is not None:
                self._adopt_state(market, beside)
            self._held[market] = shared
            try:
                yield
                self.save_state(market)
            finally:
                del self._held[market]

    def save_state(self, market: str) -> None:
        self._held[market].send({"erased": TombstoneStore(self.layout).export_records(market)})

    def heartbeat_tag(self, market: str) -> str:
        return self.leases.heartbeat(_lease_name(market))

    def _adopt_state(self, market: str, beside: Mapping[str, Any]) -> None:
        stones = TombstoneStore(self.layout)
        known = {(one.subject, one.clean) for one in stones.list_tombstones(market)}
        stones.replace_records(market, beside["erased"])
        if not {(one.subject, one.clean) for one in stones.list_tombstones(market)} <= known:
            from warehouse.exports.exports import delete_exports  # loads Arrow

            delete_exports(self.layout.exports_folder, market)
        self.archive.delete_erased_bodies()
        self.report_progress(f"{market}: continues from another machine's state")


def _lease_name(market: str) -> str:
    return f"market {market}"
