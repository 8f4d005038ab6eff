"""`firm rebuild`: rebuilds the history of markets, compares it with the current one and replaces that.

No event is published twice: events derived by the rebuilt history are compared with the ledger, which stays
as it is. The current history is valid until the final swap; a kill at any moment leaves one of the two. Does
not belong here: building it (`replay`), printing (`firm`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from connectors.contract.dataset import Jurisdiction
from pipelines.maintenance.former_ids import with_published_ids
from pipelines.maintenance.replay import HistoryReplay
from pipelines.maintenance.retract import finish_retractions
from pipelines.runtime import crash_recovery
from pipelines.runtime.counted_words import counted
from pipelines.steps import apply_history, publish
from pipelines.workspace import ProgressCallback, Workspace, WorkspaceOverrides, chosen_markets, ignore_progress
from warehouse.erasure.tombstones import TombstoneStore
from warehouse.history import database
from warehouse.history.history import MarketHistory
from warehouse.schema import identifiers
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import open_database
from warehouse.storage.locks import history_lock

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings


class LostCompaniesError(RuntimeError):
    """A rebuilt history lacks companies that the current one has; the message names some. Nothing was replaced."""

    def __init__(self, market: str, lost: Sequence[str]) -> None:
        companies = counted(len(lost), "company that is", "companies that are")
        super().__init__(
            f"{market}: the rebuilt history lacks {companies} served ({', '.join(lost[:5])}): "
            "nothing was replaced; find the cause, or accept the loss with --accept-lost"
        )
        self.lost = tuple(lost)


class NoHistoryError(LookupError):
    """A market that has no history; the message says what to do."""

    def __init__(self, market: str) -> None:
        super().__init__(f"market {market} has no data here: run firm ingest {market.lower()}")


@dataclass(frozen=True, slots=True)
class RebuildOptions:
    """check: only compare. emit: publish derived events not in the ledger. accept_lost: allow lost companies."""

    check: bool = False
    emit: bool = False
    accept_lost: bool = False


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """One market: rows before and after by table, lost companies, and its events compared with the ledger.

    told: derived and in the ledger. untold: derived and not in it, by type. missing: in it and not derived
    again, by type, without those of erased companies. release: the number published, None if none was.
    """

    market: str
    batches: int
    rows: Mapping[str, tuple[int, int]]
    lost: tuple[str, ...]
    told: int
    untold: Mapping[str, int]
    missing: Mapping[str, int]
    release: int | None = None


def rebuild(
    settings: IngestSettings,
    markets: Sequence[str],
    options: RebuildOptions,
    progress: ProgressCallback = ignore_progress,
    overrides: WorkspaceOverrides | None = None,
) -> list[RebuildResult]:
    """Rebuilds markets one by one, then publishes them together; without names, all that have a history.

    Raises UnknownMarketError, NoHistoryError, AlreadyLockedError, MissingStagedRowsError (`replay`),
    LostCompaniesError.
    """
    overrides = overrides or WorkspaceOverrides()
    workspace = overrides.workspace(settings, progress)
    known = workspace.jurisdictions
    chosen = [
        made
        for made in chosen_markets(markets, known)
        if markets or database.existing_history_path(workspace.layout, made.code) is not None
    ]
    with ExitStack() as stack:
        for made in chosen:
            if database.existing_history_path(workspace.layout, made.code) is None:
                raise NoHistoryError(made.code)
            stack.enter_context(workspace.market_lease.hold_lease(made.code))
        stack.callback(workspace.close)
        for told in crash_recovery.recover_releases(workspace.release_store):
            progress(told)
        for made in chosen:
            finish_retractions(workspace, made)
        done: list[RebuildResult] = []
        try:
            done.extend(_MarketRebuild(workspace, made, options).rebuilt() for made in chosen)
        finally:  # if one fails, those done before are still published
            number = None if options.check else _publish_rebuilt(workspace, [one.market for one in done])
        return [replace(one, release=number) for one in done]


def _publish_rebuilt(workspace: Workspace, markets: Sequence[str]) -> int | None:
    """Publishes one full release of all of them; it takes as long as the first load's."""
    number = publish.republish_markets(workspace, markets, with_events=True) if markets else None
    workspace.report_progress("nothing was published" if number is None else f"release {number}")
    return number


@dataclass(frozen=True)
class _MarketRebuild:
    workspace: Workspace
    jurisdiction: Jurisdiction
    wishes: RebuildOptions

    def rebuilt(self) -> RebuildResult:
        self._complete_killed_run()
        replay = HistoryReplay(self.workspace, self.jurisdiction)
        try:
            batches = replay.run()
            with self.workspace.open_history(self.jurisdiction.code) as former:
                waiting = former.outbox_events()  # a run was killed before its release
            with replay.own.open_history(self.jurisdiction.code) as made:
                derived = made.outbox_events()
            found = self._compare_histories(replay, batches, derived)
            if self.wishes.check:
                return found
            if found.lost and not self.wishes.accept_lost:
                raise LostCompaniesError(self.jurisdiction.code, found.lost)
            with replay.own.open_history(self.jurisdiction.code) as made, made.transaction():
                self._fill_outbox(made, with_published_ids(derived, self.workspace.ledger), waiting)
            self._replace_history(replay)
        finally:
            with closing(replay.own):
                replay.discard()
        return found

    def _complete_killed_run(self) -> None:
        """Applies snapshots that a killed run left: the rebuilt history has them, and their events would be lost."""
        code, batches = self.jurisdiction.code, self.workspace.step_results.batches()
        if batches and self.workspace.snapshot_store.all(code):
            apply_history.apply_snapshots(self.workspace, self.jurisdiction, batches[-1])

    def _compare_histories(self, replay: HistoryReplay, batches: int, derived: pl.DataFrame) -> RebuildResult:
        code = self.jurisdiction.code
        sides = database.compare_histories(
            self.workspace.layout.history_file(code), replay.own.layout.history_file(code)
        )
        matched = with_published_ids(derived, self.workspace.ledger)
        untold = matched.filter(pl.col("published_id").is_null())
        return RebuildResult(
            code,
            batches,
            sides.rows,
            sides.lost,
            derived.height - untold.height,
            _count_by_type(untold),
            _count_by_type(self._missing(matched)),
        )

    def _missing(self, matched: pl.DataFrame) -> pl.DataFrame:
        """Events of the market in the ledger that this history does not derive."""
        erased = [
            stone.subject for stone in TombstoneStore(self.workspace.layout).all_tombstones(self.jurisdiction.code)
        ]
        own = pl.col("company_id").str.starts_with(f"{identifiers.PREFIX}:{self.jurisdiction.code}:")
        told = [
            rows.filter(own, ~pl.col("company_id").is_in(erased)).select("event_id", "event_type")
            for rows in self.workspace.ledger.rows()
        ]
        nothing = matched.clear().select("event_id", "event_type")
        return pl.concat([nothing, *told]).join(matched, left_on="event_id", right_on="published_id", how="anti")

    def _fill_outbox(self, made: MarketHistory, matched: pl.DataFrame, waiting: pl.DataFrame) -> None:
        """Leaves only pending events in the outbox and, if requested, the derived ones that were never published."""
        made.clear_outbox(matched["event_id"])
        if self.wishes.emit:
            made.add_to_outbox(matched.filter(pl.col("published_id").is_null()))
        made.add_to_outbox(waiting)

    def _replace_history(self, replay: HistoryReplay) -> None:
        code = self.jurisdiction.code
        path = self.workspace.layout.history_file(code)
        with history_lock(self.workspace.layout, code):
            with open_database(path) as former:
                former.execute("CHECKPOINT")  # the old file's log must not be replayed into the new one
            atomic_files.publish_file(replay.own.layout.history_file(code), path)
        self.workspace.on_step("history replaced")
        atomic_files.delete_if_exists(
            self.workspace.layout.snapshots_folder / code
        )  # pending snapshots have been applied


def _count_by_type(rows: pl.DataFrame) -> dict[str, int]:
    return dict(sorted(Counter(rows["event_type"]).items()))
