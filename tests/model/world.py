"""A small world: deliveries, runs that die, the ledger and what is served; and what must hold of them.

A run is the product's own steps from fetch to publish, in the order in which Dagster runs them. `WholeWorld` keeps
everything on disk and builds releases; `PlainWorld` keeps history, snapshots and staged rows in plain objects and numbers
events without building a release, so that it is ten times as fast and more. Does not belong here: which worlds there are
(`test_*`), the market (`market`).
"""

from __future__ import annotations

import hashlib
import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from connectors.contract.dataset import Dataset, Jurisdiction
from connectors.contract.pieces import Cursor, FetchedFile, Scope
from pipelines.maintenance.replay import HistoryReplay
from pipelines.maintenance.retract import RetractionRequest, retract
from pipelines.runtime import crash_recovery
from pipelines.runtime.batch_ids import batch_name
from pipelines.runtime.step_results import RunParameters
from pipelines.settings import IngestSettings
from pipelines.sources.folder import FileEntry
from pipelines.steps import apply_history, fetch, normalise, publish, stage
from pipelines.steps.fetch import BatchStagedError
from pipelines.steps.future_instants import FUTURE_SLACK
from pipelines.steps.normalise import BatchAppliedError
from pipelines.workspace import Workspace, WorkspaceOverrides, ignore_progress
from tests.model.market import (
    ACCOUNTS_KEY,
    CHANNELS,
    FEED_KEY,
    OWNERS_KEY,
    REGISTER_KEY,
    SERVED_STATUSES,
    SMALL_MARKET,
    Content,
    body_of,
    company_of,
    scope_of,
)
from tests.model.plain_archive import PlainArchive, RememberedIndex
from tests.model.plain_history import PlainHistory, PlainResults, PlainSnapshots, PlainStores
from tests.model.plain_staged import PlainPool, PlainStaged
from tests.model.remembered import remembered_steps
from warehouse.ledger.ledger import Ledger
from warehouse.publish.release_tables import open_release_tables
from warehouse.raw.archive import RawBody
from warehouse.schema.tables import COMPANIES, FINANCIALS, OWNERS, TABLES
from warehouse.storage.duckdb import query_frame

MARKET: Final = SMALL_MARKET.code
FIRST_DAY: Final = datetime(2026, 3, 1, tzinfo=UTC)
LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
RUN_TIME: Final = timedelta(hours=4)  # of the day, when a run begins
A_MINUTE: Final = timedelta(minutes=1)
FAR_AHEAD: Final = 36 * 365  # days: somebody typed 2062
ORDINARY, DIED, REFUSED = "published", "died", "refused"
# Steps after which a process may die, in the order of a run.
DEATHS: Final = (
    "line written",
    "staged published",
    "image published",
    "before commit",
    "committed",
    "events numbered",
    "pointer replaced",
)
THRESHOLDS: Final = (5, 10, 20, 50)


Rows = Iterable[Mapping[str, Any]]
Bodies = Mapping[str, Sequence[RawBody]]  # by channel


class Died(BaseException):
    """The process is gone: no step catches this."""


@dataclass(frozen=True)
class Delivery:
    """A file: what it states, of which day, and whether that is all there is.

    day: of the world, at its beginning; None for the instant of the run that fetches it.
    """

    channel: str
    content: Content
    day: int | None = None
    is_complete: bool = False

    @property
    def name(self) -> str:
        folder = self.channel.removeprefix("fi.")
        of_one = f"-{min(self.content)}" if self.channel == ACCOUNTS_KEY and self.content else ""
        return f"{folder}/{'now' if self.day is None else self.day}{of_one}.txt"

    @property
    def body(self) -> bytes:
        return body_of(self.channel, self.content)

    @property
    def records(self) -> list[tuple[str, Any]]:
        """What it states of each record: of a company, or of its accounts of a year."""
        if self.channel != ACCOUNTS_KEY:
            return list(self.content.items())
        return [(f"{number}-{stated[0]}", stated) for number, stated in self.content.items()]

    @property
    def scope(self) -> Scope:
        return scope_of(self.channel, is_complete=self.is_complete)

    def observed_at(self, at: datetime) -> datetime:
        return at if self.day is None else FIRST_DAY + timedelta(days=self.day)


@dataclass(frozen=True)
class DeliverySource:
    """The deliveries of one run, as a folder of files gives them."""

    deliveries: Sequence[Delivery]
    at: datetime = FIRST_DAY

    @property
    def supports_lookups(self) -> bool:
        return False

    def validate(self, jurisdictions: Iterable[Jurisdiction]) -> None:
        """Nothing is named by an operator."""

    def sub_sources(self) -> Iterable[DeliverySource]:
        return [self]

    def open(self, at: datetime) -> DeliverySource:
        return replace(self, at=at)

    def files(self, jurisdiction: Jurisdiction) -> tuple[FileEntry, ...]:
        assert jurisdiction.code == MARKET
        return tuple(
            FileEntry(Path(one.name), one.name, one.name, one.channel, None, one.scope, one.observed_at(self.at))
            for one in self.deliveries
        )

    def arrivals(self, dataset: Dataset, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        del after, subjects
        own = [one for one in self.deliveries if one.channel == dataset.key]
        for one in sorted(own, key=lambda one: (one.observed_at(self.at), one.name)):
            yield FetchedFile(one.name, io.BytesIO(one.body), one.scope, one.observed_at(self.at))


@dataclass
class Death:
    """Dies at the `count`-th time that a run passes a step; `step` None: never."""

    step: str | None = None
    count: int = 1
    passed: int = 0

    def __call__(self, step: str) -> None:
        if step == self.step:
            self.passed += 1
            if self.passed == self.count:
                raise Died(step)


@dataclass
class Served:
    """What a release serves, as far as events tell of it."""

    statuses: dict[str, str] = field(default_factory=dict)
    shares: dict[tuple[str, str], float] = field(default_factory=dict)
    revenues: dict[tuple[str, str, str], int | None] = field(default_factory=dict)

    @classmethod
    def of(cls, companies: Rows, owners: Rows, financials: Rows) -> Served:
        known = {row["company_id"]: row["status"] for row in companies}
        shares = {
            (row["company_id"], row["holder_id"]): 0 if row["ended_on"] else float(row["pct_min"])
            for row in owners
            if row["company_id"] in known
        }
        revenues = {
            (row["company_id"], str(row["period_start"]), str(row["period_end"])): row["revenue"]
            for row in financials
            if row["is_current"] and row["company_id"] in known
        }
        return cls(known, shares, revenues)


class PlainWorkspace(Workspace):
    """A workspace with history, snapshots and step results in plain objects."""

    @cached_property
    def stores(self) -> PlainStores:
        return PlainStores()

    def open_history(self, market: str) -> PlainHistory:  # type: ignore[override]  # of the same shape
        return PlainHistory(self.stores, self.layout.history_file(market), self.on_step)

    @cached_property
    def snapshot_store(self) -> PlainSnapshots:  # type: ignore[override]  # of the same shape
        return PlainSnapshots(self.stores, self.on_step)

    @cached_property
    def step_results(self) -> PlainResults:
        return PlainResults(self.stores, self.layout)

    @cached_property
    def market_index(self) -> RememberedIndex:
        return RememberedIndex(self.layout)

    @cached_property
    def raw_archive(self) -> PlainArchive:
        return PlainArchive(self.layout, self.clock, on_step=self.on_step, index=self.market_index)

    @cached_property
    def staged_store(self) -> PlainStaged:
        return PlainStaged(self.stores, self.layout, self.on_step, self.market_index)

    @cached_property
    def parser_pool(self) -> PlainPool:
        return PlainPool(self.settings.processes, self.settings.pool_documents)


class PlainReplay(HistoryReplay):
    """A rebuild with history, snapshots and step results in plain objects."""

    @cached_property
    def own(self) -> Workspace:
        whole = super().own
        plain = PlainWorkspace(whole.settings, whole.jurisdictions, whole.clock, ignore_progress, whole.on_step)
        if isinstance(self.workspace, PlainWorkspace):  # links to the same files
            known = self.workspace.stores
            plain.__dict__["stores"] = PlainStores(indexes=known.indexes, rows=known.rows)
        return plain

    def link_batch(self, there: Path, batch: str) -> None:
        super().link_batch(there, batch)
        assert isinstance(self.own, PlainWorkspace)
        self.own.market_index.forget_batch(there.name, batch)


def level(share: float) -> int:
    """How many thresholds a share reaches: what its events tell of it."""
    return sum(limit <= share for limit in THRESHOLDS)


@dataclass
class WholeWorld:
    """A data root in the hands of the product alone."""

    root: Path
    fetches_first: bool = False  # all datasets, before any is staged; Dagster's executors differ in that
    elapsed: timedelta = RUN_TIME
    batch: str = ""
    release: int = 0
    numbered: int = 0
    subscriber: Served = field(default_factory=Served)
    events: list[dict[str, Any]] = field(default_factory=list)
    known: dict[datetime, dict[str, Any]] = field(default_factory=dict)
    outcome: str = ORDINARY
    is_unfinished: bool = False  # a run died and none has been completed since
    accounts_until: datetime = LONG_AGO  # watermark, as the last run left it
    excused: set[str] = field(default_factory=set)  # companies of files that make no event, since the last release
    unreleased: set[str] = field(default_factory=set)  # batches of runs since the last release
    loaded: frozenset[str] = frozenset()  # datasets of which the last release has a first snapshot
    sent: dict[str, Delivery] = field(default_factory=dict)  # by SHA-256 of the body

    @property
    def now(self) -> datetime:
        return FIRST_DAY + self.elapsed

    @property
    def day(self) -> int:
        return self.elapsed.days

    @cached_property
    def settings(self) -> IngestSettings:
        return IngestSettings(data=self.root, workers=1, keep_releases=1)

    def workspace(self, on_step: Callable[[str], None]) -> Workspace:
        return Workspace(self.settings, (SMALL_MARKET,), lambda: self.now, on_step=on_step)

    @cached_property
    def onlooker(self) -> Workspace:
        """That of another process, which outlives all runs: it finds out what they have written meanwhile."""
        return self.workspace(Death())

    def close(self) -> None:
        """Closes the files of the onlooker."""
        if "onlooker" in self.__dict__:
            self.onlooker.close()
            del self.onlooker

    # Runs

    def run(self, deliveries: Sequence[Delivery], death: Death | None = None, after: timedelta | None = None) -> str:
        """A new run: `after` the last one, or the next day."""
        self.elapsed = timedelta(days=self.day + 1) + RUN_TIME if after is None else self.elapsed + after
        self.batch = batch_name(self.now)
        self.onlooker.step_results.begin(self.batch, RunParameters(self.now))
        return self.execute(deliveries, death or Death())

    def run_again(self, deliveries: Sequence[Delivery], death: Death | None = None) -> str:
        """The last batch is executed again: Dagster's «Re-execute all», when the registry has moved on."""
        self.elapsed += A_MINUTE
        return self.execute(deliveries, death or Death())

    def execute(self, deliveries: Sequence[Delivery], death: Death) -> str:
        self.unreleased.add(self.batch)
        self.sent |= {hashlib.sha256(one.body).hexdigest(): one for one in deliveries}
        self.outcome = self.outcome_of(deliveries, death)
        bodies = self._archived()
        self._note_late(bodies)
        if self.outcome != REFUSED:
            self.is_unfinished = self.outcome == DIED
        if self.outcome == ORDINARY:
            self._check_published(bodies)
        return self.outcome

    def retract(self, which: int) -> None:
        """An operator takes a batch out, a minute after the last run; none if there is none."""
        store, datasets = self.onlooker.staged_store, [dataset.key for dataset in SMALL_MARKET.datasets]
        batches = {batch for key in datasets for batch in store.all_batches(key)}
        batches -= {batch for key in datasets for one in store.retractions(key) for batch in one.batches}
        if not batches:
            return
        self.elapsed += A_MINUTE
        request = RetractionRequest((sorted(batches)[which % len(batches)],), by="anna", reason="a wrong file")
        retract(self.settings, request, overrides=WorkspaceOverrides((SMALL_MARKET,), lambda: self.now))
        self._forget_lost(self.served(self.onlooker))
        self._follow_provenance()
        self._check_published(self._archived())

    def _follow_provenance(self) -> None:
        """What was known keeps its values; where a file in use states the same, that file is its source from now on."""
        for at, facts in self.known.items():
            now = self.facts_known_at(self.onlooker, at)
            for table in TABLES:
                values = [place for place, name in enumerate(table.names) if name in {*table.key, *table.business}]
                before, after = ([[row[one] for one in values] for row in rows[table.name]] for rows in (facts, now))
                assert after == before, at
            self.known[at] = now

    def _forget_lost(self, served: Served) -> None:
        """Companies that were known from the retracted batch alone are served no more: no event says what they were."""
        held = self.subscriber
        lost = {*held.statuses, *(company for company, *_ in (*held.shares, *held.revenues))} - served.statuses.keys()
        held.statuses = {company: status for company, status in held.statuses.items() if company not in lost}
        held.shares = {key: share for key, share in held.shares.items() if key[0] not in lost}
        held.revenues = {key: revenue for key, revenue in held.revenues.items() if key[0] not in lost}
        self.excused |= lost

    def _archived(self) -> Bodies:
        """The bodies in use of each channel."""
        return {channel: list(self.onlooker.raw_archive.bodies(channel)) for channel in CHANNELS}

    def _note_late(self, bodies: Bodies) -> None:
        """Notes companies of files that make no event: of the instant of a first load, late-arriving accounts, and
        owners of before their first load.
        """
        with self.onlooker.open_history(MARKET) as history:
            for channel, dataset in (
                (REGISTER_KEY,) * 2,
                (FEED_KEY, REGISTER_KEY),
                (OWNERS_KEY,) * 2,
                (ACCOUNTS_KEY,) * 2,
            ):
                baseline = history.baseline_instant(dataset)
                for body in bodies[channel]:
                    is_late = channel == ACCOUNTS_KEY and self.accounts_until >= body.observed_at
                    is_early = channel == OWNERS_KEY and baseline is not None and body.observed_at < baseline
                    is_first = body.observed_at == baseline and (channel == OWNERS_KEY or dataset not in self.loaded)
                    if body.batch in self.unreleased and (is_late or is_early or is_first):
                        self.excused |= {company_of(number) for number in self.sent[body.sha256].content}
            self.accounts_until = history.high_watermark(ACCOUNTS_KEY) or self.accounts_until

    def outcome_of(self, deliveries: Sequence[Delivery], death: Death) -> str:
        with closing(self.workspace(death)) as workspace:
            self.recover(workspace)
            try:
                is_refused = self._run_steps(workspace, DeliverySource(deliveries))
            except Died:
                return DIED
        return REFUSED if is_refused else ORDINARY

    def recover(self, workspace: Workspace) -> None:
        """What every ingest begins with."""
        crash_recovery.recover_releases(workspace.release_store)

    def _run_steps(self, workspace: Workspace, source: DeliverySource) -> bool:
        """Runs all steps; True if one refused the batch, so that nothing after it was run."""
        accepted: list[Dataset] = []
        for dataset in SMALL_MARKET.datasets:
            with suppress(BatchStagedError):
                fetch.fetch_dataset(workspace, SMALL_MARKET, dataset, source, self.batch)
                accepted.append(dataset)
                if not self.fetches_first:
                    stage.stage_dataset(workspace, SMALL_MARKET, dataset, self.batch)
        for dataset in accepted if self.fetches_first else ():
            stage.stage_dataset(workspace, SMALL_MARKET, dataset, self.batch)
        is_refused = len(accepted) < len(SMALL_MARKET.datasets)
        if not is_refused:
            try:
                normalise.normalise_market(workspace, SMALL_MARKET, self.batch)
            except BatchAppliedError:
                return True
            apply_history.apply_snapshots(workspace, SMALL_MARKET, self.batch)
            self.publish(workspace)
        return is_refused

    def publish(self, workspace: Workspace) -> None:
        publish.collect_events(workspace, MARKET, self.batch)
        publish.publish(workspace, [MARKET], self.batch)

    # What is served and known

    def served(self, workspace: Workspace) -> Served:
        """The content of the current release."""
        manifest = workspace.release_store.current_manifest()
        if manifest is None:
            return Served()
        with open_release_tables(workspace.layout, manifest.release) as connection:
            companies, owners, financials = (
                query_frame(connection, f"FROM {table.name}") for table in (COMPANIES, OWNERS, FINANCIALS)
            )
        newest = owners.sort("as_of").unique(OWNERS.key, keep="last")  # earlier days are served too, by `as_of`
        return Served.of(*(rows.iter_rows(named=True) for rows in (companies, newest, financials)))

    def facts_known_at(self, workspace: Workspace, at: datetime) -> dict[str, Any]:
        """All rows as they were known at an instant."""
        with workspace.open_history(MARKET) as history:
            return {table.name: history.rows_known_at(table, at).drop("known_to").rows() for table in TABLES}

    def replayed_events(self, workspace: Workspace) -> list[tuple[str, datetime]]:
        """Ids of the events that a rebuild derives, in the order of the ledger, with the instants they were known."""
        return self._derived_by(HistoryReplay(workspace, SMALL_MARKET))

    def _derived_by(self, replay: HistoryReplay) -> list[tuple[str, datetime]]:
        try:
            replay.run()
            with replay.own.open_history(MARKET) as history:
                return list(history.outbox_events().select("event_id", "known_at").iter_rows())
        finally:
            with closing(replay.own):
                replay.discard()

    # What must hold

    def _check_published(self, bodies: Bodies) -> None:
        workspace = self.onlooker
        served = self.served(workspace)
        self._check_replay(bodies, served)
        self.excused.clear()
        self.unreleased.clear()
        self._check_truth(bodies, served)
        self._check_known()
        with workspace.open_history(MARKET) as history:
            baselines = {dataset.key: history.baseline_instant(dataset.key) for dataset in SMALL_MARKET.datasets}
        self.loaded = frozenset(key for key, baseline in baselines.items() if baseline is not None)

    def _new_events(self) -> list[dict[str, Any]]:
        found = [row for rows in self.onlooker.ledger.rows(self.numbered) for row in rows.iter_rows(named=True)]
        self.numbered += len(found)
        self.events += found
        assert [row["sequence"] for row in self.events] == list(range(1, len(self.events) + 1))
        return found

    def _check_replay(self, bodies: Bodies, served: Served) -> None:
        """Events by sequence lead from what a subscriber holds to what is served.

        First loads are silent: of a dataset, of a company, of a company's accounts. There a subscriber reads the API.
        """
        held, events = self.subscriber, self._new_events()
        self._check_first_answers(bodies, events)
        fresh = (served.statuses.keys() - held.statuses.keys()) | self.excused
        answered = {company for company, _, _ in held.revenues}
        self._forget_silent(held, fresh)
        for event in events:
            self._apply_event(held, json.loads(event["data"]), event["event_type"], fresh)
        self._compare_statuses(held, served)
        self._compare_shares(held, served, fresh)
        self._compare_revenues(held, served, answered)

    def _forget_silent(self, held: Served, fresh: set[str]) -> None:
        """Forgets what may have changed without an event: the subscriber reads the API for it."""
        silent = held.statuses.keys() if REGISTER_KEY not in self.loaded else self.excused
        for company in tuple(silent):
            held.statuses.pop(company, None)
        owned = held.shares if OWNERS_KEY in self.loaded else {}
        held.shares = {key: share for key, share in owned.items() if key[0] not in fresh}

    def _compare_statuses(self, held: Served, served: Served) -> None:
        for company, status in served.statuses.items():
            if company in self.excused:
                held.statuses[company] = status
            assert held.statuses.setdefault(company, status) == status, company

    def _compare_shares(self, held: Served, served: Served, fresh: set[str]) -> None:
        is_first_load = OWNERS_KEY not in self.loaded
        for key in held.shares.keys() | served.shares.keys():
            share = served.shares.get(key, 0)
            if key[0] in self.excused:
                held.shares[key] = share
            elif key in served.shares and (is_first_load or key[0] in fresh):
                held.shares.setdefault(key, share)
            assert level(held.shares.setdefault(key, 0)) == level(share), key

    def _compare_revenues(self, held: Served, served: Served, answered: set[str]) -> None:
        for key, revenue in served.revenues.items():
            if key[0] in self.excused:
                held.revenues[key] = revenue
            elif key[0] not in answered:
                held.revenues.setdefault(key, revenue)
            assert held.revenues.get(key) == revenue, key

    def _check_first_answers(self, bodies: Bodies, events: list[dict[str, Any]]) -> None:
        """The first answer about a company's accounts, all of years before the first load, makes no event."""
        answers = [self.sent[body.sha256] for body in bodies[ACCOUNTS_KEY]]
        numbers = [number for answer in answers for number in answer.content]
        first = {company_of(number) for number in numbers if numbers.count(number) == 1}
        assert [
            one["company_id"] for one in events if one["event_type"] == "filing.added" and one["company_id"] in first
        ] == []

    def _apply_event(self, held: Served, data: dict[str, Any], kind: str, fresh: set[str]) -> None:
        company = data["company_id"]
        if kind == "status.changed":
            change = data["change"]
            assert held.statuses.get(company, change["previous_status"]) == change["previous_status"], company
            held.statuses[company] = change["current_status"]
        elif kind == "ownership.changed":
            change = data["change"]
            key = company, change["holder_id"]
            is_known = key in held.shares or company not in fresh
            if is_known:
                assert level(held.shares.get(key, 0)) == level(change["previous_pct"]), key
            held.shares[key] = change["current_pct"]
        else:
            filing = data["filing"]
            held.revenues[company, filing["period_start"], filing["period_end"]] = filing["revenue"]

    def _check_truth(self, archived: Bodies, served: Served) -> None:
        """Where the newest statement of a record is newer than all others, it is served.

        A complete file that is found unchanged states the same again. Not judged: records that another file of the
        same instant, as a reissued one, states otherwise, or that a complete file of that instant or later lacks.
        """
        statuses = self._newest(archived, (REGISTER_KEY, FEED_KEY))
        for number, status in statuses.items():
            assert served.statuses.get(company_of(number)) == SERVED_STATUSES[str(status)], number
        owners = {company: share for (company, _), share in served.shares.items()}
        for number, band in self._newest(archived, (OWNERS_KEY,)).items():
            if company_of(number) in served.statuses:
                assert owners.get(company_of(number)) == band[0], number
        for record, (year, revenue) in self._newest(archived, (ACCOUNTS_KEY,)).items():
            company = company_of(record.partition("-")[0])
            if company in served.statuses:
                assert served.revenues.get((company, f"{year}-01-01", f"{year}-12-31")) == revenue, record

    def _newest(self, archived: Bodies, channels: Sequence[str]) -> dict[str, Any]:
        """What the newest archived body states of each record, where that is beyond doubt."""
        bodies = [body for channel in channels for body in archived[channel]]
        assert [body.name for body in bodies if body.observed_at > self.now + FUTURE_SLACK] == []
        stated: dict[str, dict[datetime, list[Any]]] = defaultdict(lambda: defaultdict(list))
        for body in bodies:
            for record, value in self.sent[body.sha256].records:
                stated[record][body.observed_at].append(value)
        complete = [body for body in bodies if body.scope == Scope.FULL]
        repeated = [one for channel in channels for one in self._repeated(channel)]
        found: dict[str, Any] = {}
        for record, by_instant in stated.items():
            newest = max(by_instant)
            lacking = (
                body for body in complete if body.observed_at >= newest and record not in self.sent[body.sha256].content
            )
            later = [sent for instant, sent in repeated if instant >= newest]
            is_lacked = any(record not in sent.content for sent in later)
            at_once = (sent for instant, sent in repeated if instant == newest)
            if any(dict(sent.records).get(record) not in by_instant[newest] for sent in at_once):
                continue  # found unchanged, and then changed by the same run, executed again
            is_repeated = all(dict(sent.records).get(record) == by_instant[newest][0] for sent in later)
            if is_lacked or not (is_repeated or self._is_complete_at(complete, record, newest)):
                continue
            if len(set(by_instant[newest])) == 1 and not any(lacking):
                found[record] = dict(later[-1].records)[record] if later else by_instant[newest][0]
        return found

    def _is_complete_at(self, complete: Sequence[RawBody], record: str, at: datetime) -> bool:
        """True if a complete file stated a record: only against those does an unchanged file count again."""
        return any(body.observed_at == at and record in self.sent[body.sha256].content for body in complete)

    def _repeated(self, channel: str) -> list[tuple[datetime, Delivery]]:
        """The complete files that were found unchanged since they came as such, with their instants, oldest first."""
        full = [one for one in self.onlooker.raw_archive.manifest_lines(channel) if one.get("scope") == Scope.FULL]
        came = {(one["name"], one["sha256"]) for one in full if one["new"]}
        again = (one for one in full if not one["new"] and (one["name"], one["sha256"]) in came)
        found = [(datetime.fromisoformat(one["observed_at"]), self.sent[one["sha256"]]) for one in again]
        return sorted(found, key=lambda one: one[0])

    def _check_known(self) -> None:
        """What was known at the end of each run is what is known of that instant today."""
        workspace = self.onlooker
        with workspace.open_history(MARKET) as history:
            until = history.known_until()
        for at, facts in self.known.items():
            assert self.facts_known_at(workspace, at) == facts, at
        if until is not None:
            self.known[until] = self.facts_known_at(workspace, until)

    def check_rebuild(self) -> None:
        """A rebuild derives the ledger: the same ids in the same order."""
        derived = [event_id for event_id, _ in self.replayed_events(self.onlooker)]
        with self.onlooker.open_history(MARKET) as history:
            waiting = history.outbox_events()["event_id"].to_list()
        assert derived == [*(row["event_id"] for row in self.events), *waiting]


@dataclass
class PlainWorld(WholeWorld):
    """A world whose history is in plain objects, and whose release is what that history holds."""

    stores: PlainStores = field(default_factory=PlainStores)

    def workspace(self, on_step: Callable[[str], None]) -> Workspace:
        whole = super().workspace(on_step)
        plain = PlainWorkspace(whole.settings, whole.jurisdictions, whole.clock, on_step=on_step)
        plain.__dict__ |= {"stores": self.stores, "market_index": self.market_index, "ledger": self.ledger}
        return plain

    # Open in all runs: a whole world opens them anew in each.

    @cached_property
    def market_index(self) -> RememberedIndex:
        return RememberedIndex(self.settings.layout)

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger(self.settings.layout)

    def execute(self, deliveries: Sequence[Delivery], death: Death) -> str:
        with remembered_steps():
            return super().execute(deliveries, death)

    def outcome_of(self, deliveries: Sequence[Delivery], death: Death) -> str:
        outcome = super().outcome_of(deliveries, death)
        if outcome == DIED:
            self.market_index.forget_all()
        return outcome

    def recover(self, workspace: Workspace) -> None:
        workspace.ledger.repair_segments(self.release)

    def publish(self, workspace: Workspace) -> None:
        with workspace.open_history(MARKET) as history:
            events = history.outbox_events()
        workspace.ledger.append(self.release + 1, events, self.now)
        workspace.on_step("events numbered")
        self.release += 1
        workspace.on_step("pointer replaced")
        with workspace.open_history(MARKET) as history:
            history.clear_outbox(events["event_id"])

    def served(self, workspace: Workspace) -> Served:
        with workspace.open_history(MARKET) as history:
            assert isinstance(history, PlainHistory)
            return Served.of(*(history.current_values(table) for table in (COMPANIES, OWNERS, FINANCIALS)))

    def facts_known_at(self, workspace: Workspace, at: datetime) -> dict[str, Any]:
        with workspace.open_history(MARKET) as history:
            assert isinstance(history, PlainHistory)
            return {table.name: history.facts_known_at(table, at) for table in TABLES}

    def replayed_events(self, workspace: Workspace) -> list[tuple[str, datetime]]:
        with remembered_steps():
            return self._derived_by(PlainReplay(workspace, SMALL_MARKET))
