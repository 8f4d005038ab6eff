"""RAW: archives what a source has of one dataset.

A fetch loads its state, plans, and executes the plan. A failed fetch is recorded and reported; bodies fetched
before it stay. Does not belong here: parsing (`stage`), or what there is to look up (`lookups`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Final

from connectors.contract.dataset import AbsenceCheck, Dataset, Jurisdiction
from connectors.contract.pieces import Cursor, FetchedFile, Scope
from connectors.kit.http.errors import FetchError
from pipelines.runtime.counted_words import counted
from pipelines.sources.folder import FileEntry
from pipelines.sources.source import IngestSource, OpenedSource
from pipelines.sources.stream_listener import connection_error, connection_lock, has_listener, newest_cursor
from pipelines.steps import lookups
from pipelines.steps.future_instants import (
    describe_refused,
    future_response_reason,
    latest_accepted_instant,
    stated_instant,
)
from pipelines.workspace import Workspace
from warehouse.erasure.free_texts import TextRedactor
from warehouse.erasure.tombstones import TombstoneStore
from warehouse.raw.stream_spool import StreamSpool
from warehouse.release.load_progress import forget_load_progress, record_load_progress
from warehouse.storage.locks import AlreadyLockedError

_ALWAYS: Final = datetime.max.replace(tzinfo=UTC)
_NOTHING_ERASED: Final = TextRedactor(())


class BatchStagedError(ValueError):
    """A batch to which nothing can be added: it, or a later one, is staged already."""

    def __init__(self, dataset: str, batch: str, newest: str) -> None:
        super().__init__(
            f"{dataset}: batch {batch} is not fetched again, since batch {newest} is already staged: "
            "start a new run, which also completes this one"
        )


@dataclass(frozen=True, slots=True)
class FetchResult:
    """Result of fetching one dataset.

    `unchanged`: `{name, sha256, observed_at}` of bodies already archived; `failure`: why the fetch ended
    early. `asked`: the source was queried or delivered something; a folder without its files means nothing.
    refused: `{name, observed_at}` of a folder's files dated in the future, which were not archived. has_more: the
    fetch left a part of what the source has to the next run. remaining: how much, and of what, where that is known.
    """

    dataset: str
    new: int = 0
    unchanged: Sequence[Mapping[str, str]] = ()
    cursor: str | None = None
    failure: str | None = None
    asked: bool = False
    refused: Sequence[Mapping[str, str]] = ()
    has_more: bool = False
    remaining: Sequence[Any] | None = None

    @property
    def is_partial(self) -> bool:
        """True if the source may have more than was fetched."""
        return self.failure is not None or self.has_more


@dataclass(frozen=True, slots=True)
class FetchState:
    """What the plan of one fetch depends on, read once.

    newest_batch: the dataset's last staged one. cursor: where the source continues. is_live: the source can be
    queried, about single subjects too. backlog: rows that name some; missing: records missing from full snapshots.
    latest: no file is accepted that is dated later. listed: the dataset's files in a folder. redactor: of the
    market's erased subjects.
    """

    batch: str
    newest_batch: str = ""
    cursor: str | None = None
    is_live: bool = False
    backlog: lookups.LookupBacklog | None = None
    missing: lookups.MissingRecords | None = None
    latest: datetime = _ALWAYS
    listed: Sequence[FileEntry] = ()
    redactor: TextRedactor = _NOTHING_ERASED


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """One fetch. subjects: to look up after those of the deletion checks, which delay a snapshot; found on demand.

    absence_checks: to answer for these snapshots; None if none is open. processed: noted once all subjects are
    looked up; processed_before: noted until then, as answers to some say nothing of the others. is_streamed: the spool
    of the feed's reader comes first. is_query: the source is queried, whatever it delivers. refused: a folder's files
    dated later than `latest`; without them no other file is complete. redactor: for names and addresses in arrivals.
    """

    batch: str
    cursor: Cursor | None = None
    subjects: Iterable[str] = ()
    absence_checks: tuple[AbsenceCheck, ...] | None = None
    snapshots: Mapping[str, str] = field(default_factory=dict)
    processed: Mapping[str, str] | None = None
    processed_before: Mapping[str, str] = field(default_factory=dict)
    is_streamed: bool = False
    is_query: bool = False
    latest: datetime = _ALWAYS
    refused: tuple[FileEntry, ...] = ()
    redactor: TextRedactor = _NOTHING_ERASED


def fetch_result_name(dataset: str) -> str:
    """Name of a dataset's fetch result."""
    return f"raw-{dataset}"


def read_fetch_result(workspace: Workspace, dataset: str, batch: str) -> FetchResult:
    """Result of fetching a dataset; an empty one if it was not fetched."""
    return FetchResult(**(workspace.step_results.read(batch, fetch_result_name(dataset)) or {"dataset": dataset}))


def fetch_dataset(
    workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, source: IngestSource, batch: str
) -> FetchResult:
    """Archives every file that a source has of a dataset. Raises BatchStagedError."""
    opened = source.open(workspace.step_results.facts(batch).at)
    record_source_files(workspace, jurisdiction, opened, batch)
    state = load_fetch_state(workspace, jurisdiction, dataset, source, batch)
    plan = plan_fetch(replace(state, listed=_listed_files(opened, jurisdiction, dataset)), dataset)
    result = execute_fetch(workspace, dataset, opened, plan)
    workspace.step_results.write(batch, fetch_result_name(dataset.key), asdict(result))
    if result.new or result.failure:
        workspace.report_progress(f"{dataset.key}: {result.failure or f'{result.new} new'}")
    if plan.is_query:
        _report_load(workspace, result)
    if result.refused:
        workspace.report_progress(f"{dataset.key}: {describe_refused(result.refused)}")
    return result


def _report_load(workspace: Workspace, result: FetchResult) -> None:
    """Records how far a load is that takes many runs, and reports it; forgets it once a fetch is complete."""
    if not result.has_more:
        if result.failure is None:
            forget_load_progress(workspace.layout, result.dataset)
        return
    remaining = None if result.remaining is None else (result.remaining[0], result.remaining[1])
    now = workspace.clock()
    progress = record_load_progress(workspace.layout, result.dataset, now, result.new, remaining)
    workspace.report_progress(f"{result.dataset}: {progress.describe()}")


def load_fetch_state(
    workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, source: IngestSource, batch: str
) -> FetchState:
    """Reads what the plan of a fetch depends on."""
    state = FetchState(
        batch,
        workspace.staged_store.newest_batch(dataset.key),
        workspace.staged_store.cursor(dataset.key),
        source.supports_lookups,
        latest=latest_accepted_instant(workspace.step_results.facts(batch).at, workspace.clock()),
        redactor=_erased_subjects(workspace, jurisdiction),
    )
    if dataset.subjects_to_fetch is None or dataset.fetch is None or not source.supports_lookups:
        return state
    backlog = lookups.find_lookup_backlog(workspace.staged_store, jurisdiction, dataset)
    missing = (
        None if dataset.absences_to_confirm is None else lookups.load_missing_records(workspace, jurisdiction, dataset)
    )
    return replace(state, backlog=backlog, missing=missing)


def _listed_files(source: OpenedSource, jurisdiction: Jurisdiction, dataset: Dataset) -> list[FileEntry]:
    return [file for file in source.files(jurisdiction) if file.dataset == dataset.key]


def plan_fetch(state: FetchState, dataset: Dataset) -> FetchPlan:
    """The plan of a fetch. Raises BatchStagedError: what was fetched now would be older than what is staged."""
    if state.newest_batch >= state.batch:
        raise BatchStagedError(dataset.key, state.batch, state.newest_batch)
    checks = None
    if dataset.absences_to_confirm is not None and state.missing is not None:
        checks = tuple(dataset.absences_to_confirm(state.missing.absent, state.missing.present))
    return FetchPlan(
        state.batch,
        None if state.cursor is None else Cursor(state.cursor),
        () if dataset.subjects_to_fetch is None or state.backlog is None else dataset.subjects_to_fetch(state.backlog),
        checks,
        {} if state.missing is None else state.missing.snapshots,
        None if state.backlog is None else state.backlog.looked_up_batches,
        {} if state.backlog is None else state.backlog.processed_before,
        is_streamed=dataset.listen_stream is not None and state.is_live,
        is_query=dataset.fetch is not None and state.is_live,
        latest=state.latest,
        refused=tuple(file for file in state.listed if file.observed_at > state.latest),
        redactor=state.redactor,
    )


def execute_fetch(workspace: Workspace, dataset: Dataset, source: OpenedSource, plan: FetchPlan) -> FetchResult:
    """Archives the files, and notes which look-ups are made."""
    answers = lookups.LookupTracker(plan.absence_checks or ())
    files = answers.attributed(source.arrivals(dataset, plan.cursor, chain(answers.subjects(), plan.subjects)))
    if plan.is_streamed:
        files = _with_spool(workspace, dataset, source, workspace.step_results.facts(plan.batch).at)
    if plan.processed is not None:
        workspace.staged_store.record_looked_up_batches(dataset.key, plan.processed_before)
    result = _archive_files(workspace, dataset, files, plan)
    if plan.absence_checks is not None:
        left = answers.unconfirmed_records(result.failure)
        answered = {plan.batch: confirmed} if (confirmed := answers.confirmed_records()) else {}
        lookups.record_checks(workspace.staged_store, dataset.key, plan.snapshots, left, answered)
        if left:
            records = counted(len(left), "missing record")
            workspace.report_progress(f"{dataset.key}: not checked, and therefore unchanged: {records}")
    if plan.processed is not None and not result.is_partial:  # what a budget left is looked up by the next run
        workspace.staged_store.record_looked_up_batches(dataset.key, plan.processed)
    return replace(result, asked=result.asked or plan.is_query)


def _with_spool(workspace: Workspace, dataset: Dataset, opened: OpenedSource, at: datetime) -> Iterator[FetchedFile]:
    """Spooled bodies since the last run and, without a running reader, what the feed has after them.

    A body is removed from the spool once the archive requests the next one, because then it is stored.
    """
    for letter in StreamSpool(workspace.layout, dataset.key).spooled_bodies():
        cursor = None if letter.cursor is None else Cursor(letter.cursor)
        with letter.open() as body:
            yield FetchedFile(letter.name, body, Scope.FEED, at, cursor, letter.url)
        letter.remove()
    trouble = connection_error(workspace, dataset)
    if trouble is not None:
        raise FetchError(f"https://{dataset.host}", None, f"its feed reader fails: {trouble}")
    if has_listener(workspace, dataset):
        return
    with suppress(AlreadyLockedError), connection_lock(workspace, dataset):  # held by a reader that has just started
        after = newest_cursor(workspace, dataset)
        yield from opened.arrivals(dataset, None if after is None else Cursor(after), ())


def _archive_files(
    workspace: Workspace, dataset: Dataset, files: Iterable[FetchedFile], plan: FetchPlan
) -> FetchResult:
    """Archives the files that are not dated in the future.

    Of a folder the others are archived. A query ends there: its cursor must not pass the date, and the next run
    repeats what was not archived.
    """
    new = 0
    has_more = False
    remaining: tuple[int, str] | None = None
    cursor: str | None = None
    failure: str | None = None
    try:
        redaction = workspace.redaction_of(dataset)
        for file in files:
            stated = stated_instant(dataset, file) if plan.is_query else file.observed_at
            if stated is not None and stated > plan.latest:
                if plan.is_query:
                    failure = future_response_reason(file.name, stated)
                    break
                continue
            if plan.refused and file.scope == Scope.FULL:
                file = replace(file, scope=Scope.PART)  # noqa: PLW2901
            named = _without_erased_names(file, plan.redactor)
            body = workspace.raw_archive.store_body(dataset.key, named, plan.batch, *redaction)
            cursor = file.cursor.value if file.cursor else cursor
            new += body is not None
            has_more |= file.has_more
            remaining = file.remaining or remaining
    except FetchError as error:
        failure, url, reason = map(plan.redactor.redact_text, (str(error), error.url, error.reason))
        workspace.raw_archive.record_failed_fetch(dataset.key, "", url, reason, plan.batch, error.status)
    unchanged = workspace.raw_archive.unchanged_bodies(dataset.key, plan.batch)
    refused = [
        {"name": plan.redactor.redact_text(file.name), "observed_at": file.observed_at.isoformat()}
        for file in plan.refused
    ]
    asked = bool(new or unchanged)
    return FetchResult(dataset.key, new, unchanged, cursor, failure, asked, refused, has_more, remaining)


def _without_erased_names(file: FetchedFile, redactor: TextRedactor) -> FetchedFile:
    """A file under the same name on every arrival, without names of erased subjects."""
    url = None if file.url is None else redactor.redact_text(file.url)
    return replace(file, name=redactor.redact_text(file.name), url=url)


def record_source_files(workspace: Workspace, jurisdiction: Jurisdiction, source: OpenedSource, batch: str) -> None:
    """Records the files of a jurisdiction, read or not; called by the first step that runs."""
    redact = _erased_subjects(workspace, jurisdiction).redact_text
    entries = [
        {
            "name": redact(entry.name),
            "path": redact(entry.display_name),
            "dataset": entry.dataset,
            "reason": entry.reason,
        }
        for entry in source.files(jurisdiction)
    ]
    name, found = f"files-{jurisdiction.code}", {"files": entries}
    if workspace.step_results.read(batch, name) != found:
        workspace.step_results.write(batch, name, found)


def _erased_subjects(workspace: Workspace, jurisdiction: Jurisdiction) -> TextRedactor:
    return TextRedactor(TombstoneStore(workspace.layout).list_tombstones(jurisdiction.code))
