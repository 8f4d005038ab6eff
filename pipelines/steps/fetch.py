"""RAW: archives what an origin has of one dataset.

Does not belong here: parsing it (`stage`). A failed fetch is recorded and reported; bodies fetched before it
stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any, Self

from connectors.contract.dataset import Cursor, Dataset, FetchedFile, Jurisdiction, Scope
from connectors.kit.http.errors import FetchError
from pipelines.sources.source import IngestSource, OpenedSource
from pipelines.sources.stream_listener import connection_lock, connection_trouble, has_listener, newest_cursor
from pipelines.steps.deletion_checks import deletion_check_for
from pipelines.steps.lookup_backlog import LookupBacklog, find_lookup_backlog
from pipelines.workspace import Workspace
from warehouse.raw.stream_spool import StreamSpool
from warehouse.storage.locks import AlreadyLockedError


@dataclass(frozen=True, slots=True)
class FetchResult:
    """Result of fetching one dataset.

    `unchanged`: `{name, sha256, observed_at}` of bodies already archived; `failure`: why the fetch ended
    early. `asked`: the source was queried or delivered something; a folder without its files means nothing.
    """

    dataset: str
    new: int = 0
    unchanged: Sequence[Mapping[str, str]] = ()
    cursor: str | None = None
    failure: str | None = None
    asked: bool = False

    @classmethod
    def of(cls, value: dict[str, Any] | None, dataset: str) -> Self:
        """Restores a stored result; an empty one if there is none."""
        return cls(dataset) if value is None else cls(**value)


def result_name(dataset: str) -> str:
    """Name of a dataset's fetch result."""
    return f"raw-{dataset}"


def fetch_dataset(
    workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, origin: IngestSource, batch: str
) -> FetchResult:
    """Archives every arrival of a dataset."""
    facts = workspace.receipts.facts(batch)
    opened = origin.open(facts.at)
    record_source_files(workspace, jurisdiction, opened, batch)
    after = workspace.lake.cursor(dataset.key)
    unasked = _pending_lookups(workspace, jurisdiction, dataset, origin)
    subjects = dataset.wants(unasked) if dataset.wants is not None and unasked is not None else ()
    doubts = None if unasked is None else deletion_check_for(workspace, jurisdiction, dataset)
    if doubts is not None:
        subjects = chain(doubts.subjects(), subjects)  # first, since they delay a snapshot
    arrivals = opened.arrivals(dataset, None if after is None else Cursor(after), subjects)
    if doubts is not None:
        arrivals = doubts.heard(arrivals)
    if dataset.listen is not None and origin.asks:
        arrivals = _with_spool(workspace, dataset, opened, facts.at)
    receipt = _archive_files(workspace, dataset, arrivals, batch)
    left = 0 if doubts is None else doubts.settle(workspace.lake, dataset.key, receipt.failure)
    if left:
        workspace.tell(f"{dataset.key}: {left} missing records could not be checked: they stay unchanged")
    if unasked is not None and receipt.failure is None:
        workspace.lake.note_asked(dataset.key, unasked.seen)
    if origin.asks and dataset.fetch is not None:
        receipt = replace(receipt, asked=True)
    workspace.receipts.write(batch, result_name(dataset.key), asdict(receipt))
    if receipt.new or receipt.failure:
        workspace.tell(f"{dataset.key}: {receipt.failure or f'{receipt.new} new'}")
    return receipt


def _with_spool(
    workspace: Workspace, dataset: Dataset, opened: OpenedSource, at: datetime
) -> Iterator[FetchedFile]:
    """Spooled bodies since the last run and, without a running reader, what the feed has after them.

    A body is removed from the spool once the archive requests the next one, because then it is stored.
    """
    for letter in StreamSpool(workspace.layout, dataset.key).letters():
        cursor = None if letter.cursor is None else Cursor(letter.cursor)
        with letter.open() as body:
            yield FetchedFile(letter.name, body, Scope.FEED, at, cursor, letter.url)
        letter.remove()
    trouble = connection_trouble(workspace, dataset)
    if trouble is not None:
        raise FetchError(f"https://{dataset.host}", None, f"its feed reader fails: {trouble}")
    if has_listener(workspace, dataset):
        return
    with (
        suppress(AlreadyLockedError),
        connection_lock(workspace, dataset),
    ):  # held by a reader that has just started
        after = newest_cursor(workspace, dataset)
        yield from opened.arrivals(dataset, None if after is None else Cursor(after), ())


def _archive_files(
    workspace: Workspace, dataset: Dataset, arrivals: Iterable[FetchedFile], batch: str
) -> FetchResult:
    new = 0
    cursor: str | None = None
    failure: str | None = None
    try:
        for arrival in arrivals:
            piece = workspace.archive.put(dataset.key, arrival, batch, dataset.redact)
            cursor = arrival.cursor.value if arrival.cursor else cursor
            new += piece is not None
    except FetchError as error:
        failure = str(error)
        workspace.archive.failed(dataset.key, "", error.url, error.reason, batch, error.status)
    unchanged = _unchanged_bodies(workspace, dataset, batch)
    return FetchResult(dataset.key, new, unchanged, cursor, failure, asked=bool(new or unchanged))


def _unchanged_bodies(workspace: Workspace, dataset: Dataset, batch: str) -> list[Mapping[str, str]]:
    return [
        {key: line[key] for key in ("name", "sha256", "observed_at")}
        for line in workspace.archive.lines(dataset.key)
        if line["batch"] == batch and not line["new"] and "sha256" in line
    ]


def _pending_lookups(
    workspace: Workspace, jurisdiction: Jurisdiction, dataset: Dataset, origin: IngestSource
) -> LookupBacklog | None:
    """Backlog of the dataset: rows of the market's other datasets that name subjects to look up."""
    if dataset.wants is None or dataset.fetch is None or not origin.asks:
        return None
    return find_lookup_backlog(workspace.lake, jurisdiction, dataset)


def record_source_files(
    workspace: Workspace, jurisdiction: Jurisdiction, opened: OpenedSource, batch: str
) -> None:
    """Records the files of a jurisdiction, read or not; called by the first step that runs."""
    name, found = f"files-{jurisdiction.code}", _files_json(opened.files(jurisdiction))
    if workspace.receipts.read(batch, name) != found:
        workspace.receipts.write(batch, name, found)


def _files_json(entries: Iterable[Any]) -> dict[str, Any]:
    return {
        "files": [
            {"name": entry.name, "path": entry.shown, "dataset": entry.dataset, "reason": entry.reason}
            for entry in entries
        ]
    }
