"""One ingest from the command line: the market's job, in this process, then one release of all markets.

Belongs here: locks, healing, running Dagster, the report. Does not belong here: what the steps do (`stages`),
printing (`firm`). Each market runs on its own: one that fails or is held keeps no other from its release.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime

import dagster as dg

import connectors
from connectors.declare import Jurisdiction
from pipelines import healing, interrupted, noting, partitions, report
from pipelines.assets.keys import RELEASE
from pipelines.batches import CLOCK_SLACK, batch_instant, next_batch, run_instant
from pipelines.build import build_defs
from pipelines.jobs import job_name, market_assets
from pipelines.origins import Opened, Origin
from pipelines.receipts import RunFacts
from pipelines.report import ErrorReport, IngestReport
from pipelines.resources import LOCKED_TAG, MARKET_TAG, MARKETS_TAG, Tell, Workspace, silent
from pipelines.settings import Settings
from pipelines.stages import held, idle, raw
from warehouse.archive import utc_now
from warehouse.files import Step, no_step


class UnknownMarket(ValueError):  # noqa: N818 - named for what it says
    """A market that has no connector; the message lists those that have one."""

    def __init__(self, market: str, known: Iterable[str]) -> None:
        super().__init__(f"no market {market!r}: there are {', '.join(sorted(known))}")
        self.market = market


class NotServed(ValueError):  # noqa: N818 - named for what it says
    """A market that is announced and has nothing to ask yet."""

    def __init__(self, market: str) -> None:
        super().__init__(
            f"market {market} is announced and not served yet: it has no dataset to ask; leave it out "
            "(--from FOLDER lists its files)"
        )
        self.market = market


@dataclass(frozen=True)
class Overrides:
    """What differs from an ordinary ingest. `accept_shrink`: datasets let through their guards this once."""

    accept_shrink: Collection[str] = ()
    jurisdictions: tuple[Jurisdiction, ...] | None = None
    clock: Callable[[], datetime] = utc_now
    on_step: Step = no_step
    instance: dg.DagsterInstance | None = None


def ingest(
    settings: Settings,
    markets: Sequence[str],
    origin: Origin,
    at: datetime | None = None,
    progress: Tell = silent,
    overrides: Overrides | None = None,
) -> IngestReport:
    """Takes markets in from an origin, round by round, each ending in a release.

    Args:
        settings: of this installation.
        markets: codes in any case; none means all that are served.
        origin: a `Folder` or `Live`.
        at: the instant it is about; the clock's where None. A round that names its own day keeps it.
        progress: told one line after each step that did something.
        overrides: for tests, and for the one real mass change.

    Raises Interrupted where the disk, or the database of Dagster's records, lets it not go on.
    """
    overrides = overrides or Overrides()
    known = connectors.JURISDICTIONS if overrides.jurisdictions is None else overrides.jurisdictions
    workspace = Workspace(settings, known, overrides.clock, progress, overrides.on_step)
    chosen = chosen_markets(markets, known)
    if origin.asks and (silent_ones := [made for made in chosen if not made.datasets]):
        raise NotServed(silent_ones[0].code)
    with ExitStack() as stack, interrupted.explained(settings):
        for jurisdiction in sorted(chosen, key=lambda made: made.code):
            stack.enter_context(workspace.custody.held(jurisdiction.code))
        stack.callback(workspace.close)
        instance = overrides.instance or stack.enter_context(dagster_instance(settings))
        for jurisdiction in chosen:
            healing.fail_dead_runs(instance, jurisdiction.code)
            healing.discard_rebuilt(workspace.layout, jurisdiction.code)
        for told in healing.heal_releases(workspace.releases):
            progress(told)
        rounds = [
            _Round(workspace, chosen, place, instance).run(at, overrides.accept_shrink)
            for place in origin.rounds()
        ]
        workspace.receipts.prune(settings.keep_runs)
    return report.joined(rounds)


def chosen_markets(markets: Sequence[str], known: Iterable[Jurisdiction]) -> list[Jurisdiction]:
    """The markets named, or all that are served; UnknownMarket where there is no such."""
    by_code = {made.code.upper(): made for made in known}
    if not markets:
        return [made for made in by_code.values() if made.state == "served"]
    for market in markets:
        if market.upper() not in by_code:
            raise UnknownMarket(market, by_code)
    return [by_code[market] for market in dict.fromkeys(market.upper() for market in markets)]


def dagster_instance(settings: Settings) -> dg.DagsterInstance:
    """Dagster's instance, as the `dagster.yaml` of these settings describes it."""
    settings.dagster_storage.mkdir(parents=True, exist_ok=True)
    os.environ.update(settings.dagster_environment)
    return dg.DagsterInstance.from_config(str(settings.dagster_home))


class _Round:
    """One batch: a Dagster run per market, then one that publishes."""

    def __init__(
        self,
        workspace: Workspace,
        jurisdictions: list[Jurisdiction],
        origin: Origin,
        instance: dg.DagsterInstance,
    ) -> None:
        self._workspace = workspace
        self._jurisdictions = jurisdictions
        self._instance = instance
        self._origin = origin
        self._definitions = build_defs(workspace.settings, workspace=workspace, resources={"origin": origin})

    def run(self, at: datetime | None, accept_shrink: Collection[str]) -> IngestReport:
        now = self._workspace.clock()
        taken = (
            *self._workspace.receipts.batches(),
            *self._instance.get_dynamic_partitions(str(partitions.BATCHES.name)),
        )
        batch = next_batch(now, taken)
        instant = at or run_instant(batch, now)
        self._tell_of_the_clock(batch, now)
        self._workspace.receipts.begin(batch, RunFacts(instant, frozenset(accept_shrink)))
        partitions.register(self._instance, batch)
        noting.begun(self._workspace, [made.code for made in self._jurisdictions], batch)
        errors: dict[str, list[ErrorReport]] = {}
        seconds: dict[str, float] = {}
        opened = self._origin.open(instant)
        for made in self._jurisdictions:
            if not made.datasets:  # announced: its files are told of, and nothing is read
                raw.list_files(self._workspace, made, opened, batch)
                continue
            started = time.monotonic()
            errors[made.code] = self._market(made, batch, opened)
            seconds[made.code] = round(time.monotonic() - started, 3)
        sound = [made for made in self._jurisdictions if made.datasets and not errors[made.code]]
        if sound:
            errors["release"] = self._publish(sound, batch)
        told = tuple(error for found in errors.values() for error in found)
        found = report.of_run(self._workspace, self._jurisdictions, batch, told)
        return replace(self._noted(batch, found), seconds=seconds)

    def _noted(self, batch: str, found: IngestReport) -> IngestReport:
        """The report, also where the disk does not take its note: it says what failed before."""
        try:
            noting.ended(self._workspace, self._jurisdictions, batch, found)
        except OSError as error:
            told = ErrorReport("note", interrupted.advised(str(error)))
            return replace(found, errors=(*found.errors, told))
        return found

    def _tell_of_the_clock(self, batch: str, now: datetime) -> None:
        earlier = batch_instant(batch)
        if earlier - now > CLOCK_SLACK:
            self._workspace.tell(
                f"this clock says {now:%Y-%m-%d %H:%M} UTC, an earlier run {earlier:%Y-%m-%d %H:%M}: what comes "
                "counts from just after that run; set the clock"
            )

    def _market(self, made: Jurisdiction, batch: str, opened: Opened) -> list[ErrorReport]:
        everything = self._origin.asks
        datasets = made.datasets if everything else idle.told_of(self._workspace, made, opened, batch)
        failures = self._execute(made, market_assets(made, datasets), batch, made.code)
        if failures and held.is_stopped(self._workspace, made):
            return []  # told of as held
        return [ErrorReport(made.code, message) for message in failures]

    def _publish(self, sound: list[Jurisdiction], batch: str) -> list[ErrorReport]:
        """One release of all markets that came through; the others keep what the last one has of them."""
        failures = self._execute(sound[0], [RELEASE], batch, ",".join(made.code for made in sound))
        return [ErrorReport("release", message) for message in failures]

    def _execute(self, made: Jurisdiction, keys: list[dg.AssetKey], batch: str, markets: str) -> list[str]:
        """Runs some assets of a market's job; gives the messages of steps that failed."""
        job = self._definitions.resolve_job_def(job_name(made))
        tags = {LOCKED_TAG: "yes", MARKETS_TAG: markets, MARKET_TAG: made.code}
        with _quiet():
            result = job.execute_in_process(
                instance=self._instance,
                partition_key=batch,
                asset_selection=keys,
                tags=tags,
                raise_on_error=False,
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            )
        return [_message(event) for event in result.all_events if event.is_step_failure]


def _message(event: dg.DagsterEvent) -> str:
    """What the step itself said, without Dagster's frame around it."""
    error = event.step_failure_data.error
    while error is not None and error.cause is not None:
        error = error.cause
    said = "failed" if error is None else error.message.strip()
    return interrupted.advised(f"{event.step_key}: {said}")


class _quiet:  # noqa: N801 - used as a word
    """Keeps Dagster's own log off the terminal while a run of ours tells its progress."""

    def __enter__(self) -> None:
        self._level = logging.getLogger("dagster").level
        logging.getLogger("dagster").setLevel(logging.CRITICAL)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("dagster").setLevel(self._level)
