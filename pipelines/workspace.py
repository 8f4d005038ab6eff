"""Workspace of a run's steps: the stores below one data root, the declarations, the clock.

Belongs here: composing them from settings. Does not belong here: what steps do (`steps`), where bodies come from
(`sources.source`), or holding a market's lock during a run (`defs.resources`, `ingest`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import connectors
from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.kit.http.errors import RequestRejectedError
from connectors.kit.redact.person_marks import PersonMarker
from pipelines.runtime.mark_key import MarkKeyError, load_mark_key, require_known_key
from pipelines.runtime.market_lease import LocalLease, MarketLease, ReplicatedLease
from pipelines.runtime.parser_pool import ParserPool
from pipelines.runtime.step_results import StepResults
from warehouse.exports.exports import ExportStore
from warehouse.history.history import MarketHistory
from warehouse.ledger.ledger import Ledger
from warehouse.market_index.index import MarketIndex
from warehouse.publish.publisher import ReleaseStore
from warehouse.raw.archive import RawArchive, utc_now
from warehouse.schema.types import Table
from warehouse.staged.snapshots import SnapshotStore
from warehouse.staged.store import StagedStore
from warehouse.storage.atomic_files import Step, ignore_step
from warehouse.storage.layout import Layout

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings
    from warehouse.replication.releases import ReplicatedReleases

ProgressCallback = Callable[[str], None]


def ignore_progress(_: str) -> None:
    """Progress callback that discards messages."""


class UnknownMarketError(ValueError):
    """A market without a connector; the message lists those that have one."""

    def __init__(self, market: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown market {market!r}; known: {', '.join(sorted(known))}")
        self.market = market


class Redaction(NamedTuple):
    """What is removed from a body before it is stored; mark_key: id of the key of the marks that it leaves."""

    redact: Callable[[BinaryIO], BinaryIO] | None
    mark_key: str | None = None


@dataclass(frozen=True)
class Workspace:
    """Stores, declarations and clock of one data root."""

    settings: IngestSettings
    jurisdictions: tuple[Jurisdiction, ...]
    clock: Callable[[], datetime] = utc_now
    report_progress: ProgressCallback = ignore_progress
    on_step: Step = field(default=ignore_step)

    @cached_property
    def layout(self) -> Layout:
        return self.settings.layout

    @cached_property
    def market_index(self) -> MarketIndex:
        """Shared by RAW and STAGED, so that each market's file is opened once."""
        return MarketIndex(self.layout)

    @cached_property
    def raw_archive(self) -> RawArchive:
        return RawArchive(self.layout, self.clock, on_step=self.on_step, index=self.market_index)

    def redaction_of(self, dataset: Dataset) -> Redaction:
        """How bodies of a dataset are redacted here.

        Raises RequestRejectedError if they need the key of person marks, and that is not the key of the marks so far.
        """
        if dataset.mark_persons is None:
            return Redaction(dataset.redact)
        marked = [one.key for made in self.jurisdictions for one in made.datasets if one.mark_persons is not None]
        used = {found for key in marked if (found := self.raw_archive.newest_mark_key(key)) is not None}
        used -= self.settings.replaced_mark_keys
        try:
            marker = PersonMarker(load_mark_key(self.layout.mark_key_file, self.settings.mark_key, used))
            require_known_key(marker.key_id, used)
        except MarkKeyError as error:
            raise RequestRejectedError(f"https://{dataset.host}", None, str(error)) from error
        mark = dataset.mark_persons
        return Redaction(lambda body: mark(body, marker), marker.key_id)

    @cached_property
    def staged_store(self) -> StagedStore:
        return StagedStore(self.layout, self.on_step, self.market_index)

    @cached_property
    def snapshot_store(self) -> SnapshotStore:
        return SnapshotStore(self.layout, on_step=self.on_step)

    @cached_property
    def release_store(self) -> ReleaseStore:
        sharing = replicated_releases(self.settings)
        return ReleaseStore(self.layout, self.clock, self.settings.keep_releases, self.on_step, sharing)

    @cached_property
    def market_lease(self) -> MarketLease:
        """Leases of markets, on this machine alone or across all machines that share their state."""
        if self.settings.object_store is None:
            return LocalLease(self.layout)
        from warehouse.replication.lease import LeaseDatabase, LeaseTiming
        from warehouse.replication.s3 import ObjectStore

        datasets = {made.code: [dataset.key for dataset in made.datasets] for made in self.jurisdictions}
        store = ObjectStore(self.settings.object_store)
        leases = LeaseDatabase(self.settings.lease_url, str(store.address))
        timing = LeaseTiming(self.settings.claim_seconds)
        return ReplicatedLease(self.layout, self.raw_archive, store, datasets, leases, timing, self.report_progress)

    @cached_property
    def export_store(self) -> ExportStore:
        return ExportStore(
            self.layout,
            self.clock,
            keep=self.settings.keep_exports,
            keep_deltas=self.settings.keep_deltas,
            on_step=self.on_step,
        )

    def upload_export(self, market: str, *, is_erased: bool = False) -> None:
        """Uploads the newest export of a market to the object store; does nothing on a single machine.

        is_erased: subjects were erased from it, so that no other export of the market stays there.
        """
        address, settings = self.settings.object_store, self.settings
        if address is not None:
            from warehouse.replication import exports  # loads the client of the store

            folder, keep, keep_deltas = self.layout.exports_folder, settings.keep_exports, settings.keep_deltas
            exports.replicated_exports(folder, address, keep, keep_deltas).send(market, is_erased=is_erased)

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger(self.layout)

    @cached_property
    def step_results(self) -> StepResults:
        return StepResults(self.layout)

    @cached_property
    def parser_pool(self) -> ParserPool:
        return ParserPool(self.settings.processes, self.settings.pool_documents)

    def close(self) -> None:
        """Ends the worker processes, if any were started."""
        self.parser_pool.close()

    @cached_property
    def _histories(self) -> dict[str, MarketHistory]:
        """Those that are open."""
        return {}

    @contextmanager
    def open_history(self, market: str) -> Iterator[MarketHistory]:
        """A market's history, open for writing; within a block that has opened it, the same one."""
        if (opened := self._histories.get(market)) is not None:
            opened.restore_memory_limit()
            yield opened
            return
        with MarketHistory(self.layout, market, on_step=self.on_step) as history:
            self._histories[market] = history
            try:
                yield history
            finally:
                del self._histories[market]

    def jurisdiction(self, market: str) -> Jurisdiction:
        """The declaration of a market; KeyError if there is none."""
        for jurisdiction in self.jurisdictions:
            if jurisdiction.code == market:
                return jurisdiction
        raise KeyError(market)


@dataclass(frozen=True)
class WorkspaceOverrides:
    """Test overrides for work on markets outside of a run (erasure, rebuild)."""

    jurisdictions: tuple[Jurisdiction, ...] | None = None
    clock: Callable[[], datetime] = utc_now
    on_step: Step = ignore_step

    def workspace(self, settings: IngestSettings, progress: ProgressCallback) -> Workspace:
        """The workspace with these overrides."""
        known = connectors.JURISDICTIONS if self.jurisdictions is None else self.jurisdictions
        return Workspace(settings, known, self.clock, progress, self.on_step)


def chosen_markets(markets: Sequence[str], known: Iterable[Jurisdiction]) -> list[Jurisdiction]:
    """The markets named, or all that are served. Raises UnknownMarketError."""
    by_code = {made.code.upper(): made for made in known}
    if not markets:
        return [made for made in by_code.values() if made.state == "served"]
    for market in markets:
        if market.upper() not in by_code:
            raise UnknownMarketError(market, by_code)
    return [by_code[market] for market in dict.fromkeys(market.upper() for market in markets)]


def replicated_releases(settings: IngestSettings) -> ReplicatedReleases | None:
    """Replication of releases to other machines; None on a single machine."""
    if settings.object_store is None:
        return None
    from warehouse.replication import releases  # loads the client of the store

    return releases.replicated_releases(
        settings.layout, settings.object_store, settings.keep_releases, settings.claim_seconds, settings.lease_url
    )


def staged_tables(jurisdiction: Jurisdiction) -> dict[str, Table]:
    """The staged tables of a market by name; channels that deliver the same records share theirs."""
    return {name: table for dataset in jurisdiction.datasets for name, table in dataset.staged_tables.items()}


def profile_dataset(jurisdiction: Jurisdiction) -> Dataset:
    """The dataset that names companies: while it is quarantined, its market is stopped."""
    named = jurisdiction.field_precedence.get("name", ())
    return jurisdiction.dataset(named[0]) if named else jurisdiction.datasets[0]
