"""Reading the RAW archive: which bodies there are, and what the manifests say of their fetches.

Questions are answered by the index of the market (`market_index`), so that none reads a manifest again. Does not belong
here: writing (`archive`), the bytes of a body (`blobs`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from warehouse.market_index.batches import utc_text
from warehouse.market_index.index import MarketIndex, Part
from warehouse.market_index.manifests import ManifestLineError
from warehouse.raw import blobs
from warehouse.raw.blobs import CorruptBlobError
from warehouse.schema.retractions import BatchRetraction
from warehouse.storage.layout import Layout

_ALWAYS: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RawBody:
    """One body in RAW that is new for its name; fields as in `connectors.contract.dataset.ArchiveMember`.

    `replaces`: SHA-256 of the earlier body of the same name and instant, if the source re-issued the file.
    `open` can be pickled to another process.
    """

    dataset: str
    name: str
    sha256: str
    observed_at: datetime
    scope: str
    batch: str
    fetched_at: datetime
    bytes: int
    replaces: str | None
    cursor: str | None
    open: Callable[[], BinaryIO]


# What makes a body: of its line, then of its erasure.
_LINE_KEYS: Final = (
    "name", "sha256", "observed_at", "scope", "batch", "fetched_at", "bytes", "replaces", "cursor",
)  # fmt: skip
_OLDEST_FIRST: Final = "ORDER BY observed_at, name, place"
_NEWEST_FIRST: Final = "ORDER BY observed_at DESC, name DESC, place DESC"
_IN_USE: Final = "AND NOT is_retracted"
# A body equal to one that was parsed, in name, bytes and instant: a folder may be ingested again.
_PARSED_TWIN: Final = (
    "EXISTS (SELECT 1 FROM lines AS twin INDEXED BY bodies_by_name WHERE twin.dataset = ?1 AND twin.name = lines.name "
    "AND twin.sha256 = lines.sha256 AND twin.observed_at = lines.observed_at AND twin.is_new "
    "AND NOT twin.is_retracted AND NOT twin.is_unstaged)"
)


def _bodies_query(index: str, condition: str) -> str:
    """Bodies of a dataset, found by an index of the table of lines."""
    columns = ", ".join(f"lines.{key}" for key in _LINE_KEYS)
    return (
        f"SELECT {columns}, erased.became, erased.bytes, erased.sha256 IS NOT NULL FROM lines INDEXED BY {index} "
        f"LEFT JOIN erased USING (dataset, sha256) WHERE lines.dataset = ?1 AND is_new {condition}"
    )


class ArchivedBodies:
    """The RAW archive of one data root, for reading."""

    def __init__(self, layout: Layout, index: MarketIndex | None = None) -> None:
        self._root = layout.raw_folder
        self._index = MarketIndex(layout) if index is None else index

    def bodies(self, dataset: str, batch: str | None = None) -> Iterator[RawBody]:
        """Bodies of a dataset in use by (observed_at, name), re-issues after what they replace.

        Erased bodies are omitted; bodies rewritten by an erasure keep the SHA-256 they were received with.
        """
        if batch is None:
            return self._bodies(dataset, _bodies_query("bodies_by_instant", f"{_IN_USE} {_OLDEST_FIRST}"))
        of_batch = _bodies_query("lines_by_batch", f"{_IN_USE} AND batch = ?2 {_OLDEST_FIRST}")
        return self._bodies(dataset, of_batch, batch)

    def all_bodies(self, dataset: str) -> Iterator[RawBody]:
        """Bodies of a dataset, retracted ones included: an erasure and retention see all that is stored."""
        return self._bodies(dataset, _bodies_query("bodies_by_instant", _OLDEST_FIRST))

    def newest_bodies(self, dataset: str, until: datetime = _ALWAYS) -> Iterator[RawBody]:
        """Bodies in use that are not dated after an instant, in the reverse order of `bodies`."""
        query = _bodies_query("bodies_by_instant", f"{_IN_USE} AND observed_at <= ?2 {_NEWEST_FIRST}")
        return self._bodies(dataset, query, utc_text(until))

    def bodies_named(self, dataset: str, name: str) -> Iterator[RawBody]:
        """Bodies in use of one name, in the reverse order of `bodies`."""
        query = _bodies_query("bodies_by_name", f"{_IN_USE} AND name = ?2 {_NEWEST_FIRST}")
        return self._bodies(dataset, query, name)

    def unstaged_bodies(self, dataset: str) -> Iterator[RawBody]:
        """Bodies in use that no staged batch in use names, as `bodies` orders them: of this run, and of killed ones.

        A batch names a body by name and bytes, if the body was fetched by its run or before. A body equal to a named
        one in name, bytes and instant is left out: a folder may hold two vintages under one name, and be ingested
        again. One that replaces another body of the same instant is included, even if it is the original body again.
        """
        pending = f"{_IN_USE} AND is_unstaged AND (replaces IS NOT NULL OR NOT {_PARSED_TWIN}) {_OLDEST_FIRST}"
        query = _bodies_query("unstaged_bodies", pending)
        return self._bodies(dataset, query, part=Part.RAW | Part.STAGED)

    def _bodies(self, dataset: str, query: str, *values: str, part: Part = Part.RAW) -> Iterator[RawBody]:
        found = (self._raw_body(dataset, row) for row in self._rows(dataset, query, *values, part=part))
        return (body for body in found if body is not None)

    def _rows(self, dataset: str, query: str, *values: str, part: Part = Part.RAW) -> Iterator[tuple[Any, ...]]:
        """Rows of the index, one by one."""
        with _named_manifest(dataset):
            yield from self._index.rows(dataset, part, query, values)

    def _ask(self, dataset: str, query: str, *values: str) -> list[tuple[Any, ...]]:
        """Rows of the index, where they are few."""
        with _named_manifest(dataset):
            return self._index.ask(dataset, Part.RAW, query, values)

    def unchanged_bodies(self, dataset: str, batch: str) -> list[dict[str, str]]:
        """`{name, sha256, observed_at}` of what a run received and was archived before."""
        keys = ("name", "sha256", "observed_at")
        query = (
            f"SELECT {', '.join(keys)} FROM lines INDEXED BY lines_by_batch "
            "WHERE dataset = ?1 AND batch = ?2 AND NOT is_new ORDER BY place"
        )
        return [dict(zip(keys, row, strict=True)) for row in self._rows(dataset, query, batch)]

    def complete_lines(self, dataset: str) -> Iterator[dict[str, Any]]:
        """Every file of a complete fetch as in the manifest, the newest instant first, then in the order of fetching.

        `{name, sha256, batch, observed_at, scope, new}`.
        """
        query = (
            "SELECT name, sha256, batch, observed_at, scope, is_new FROM lines INDEXED BY complete_lines "
            "WHERE dataset = ?1 AND scope = 'full' ORDER BY observed_at DESC, place"
        )
        keys = ("name", "sha256", "batch", "observed_at", "scope", "new")
        return (dict(zip(keys, row, strict=True)) for row in self._rows(dataset, query))

    def retractions(self, dataset: str) -> list[BatchRetraction]:
        """Retractions of batches of a dataset, oldest first."""
        query = "SELECT line FROM retractions WHERE dataset = ?1 ORDER BY place"
        return [BatchRetraction.parse(json.loads(line)) for (line,) in self._ask(dataset, query)]

    def newest_cursor(self, dataset: str) -> str | None:
        """Cursor of the last archived body, from which a feed resumes; a retraction takes it back to before it."""
        query = "SELECT cursor FROM cursors WHERE dataset = ?1 ORDER BY place DESC LIMIT 1"
        return next((cursor for (cursor,) in self._ask(dataset, query)), None)

    def newest_mark_key(self, dataset: str) -> str | None:
        """Id of the key of the person marks in the last archived body; None if no body has any."""
        return next((key for (key,) in self._ask(dataset, "SELECT mark_key FROM datasets WHERE id = ?1")), None)

    def erased_hashes(self, dataset: str) -> Iterator[str]:
        """SHA-256 of the bodies of a dataset that were erased or rewritten."""
        return (sha256 for (sha256,) in self._rows(dataset, "SELECT sha256 FROM erased WHERE dataset = ?1"))

    def manifest_lines(self, dataset: str) -> Iterator[Mapping[str, Any]]:
        """Every manifest line of a dataset, oldest first, read from the file."""
        path = self._index.manifest_path(dataset)
        if path.exists():
            with path.open("rb") as lines:
                for number, line in enumerate((one for one in lines if one.endswith(b"\n")), 1):
                    try:
                        yield json.loads(line)
                    except ValueError:
                        raise _broken_line(path, dataset, number) from None

    def datasets(self) -> list[str]:
        """Datasets that have a manifest."""
        return sorted(path.stem for path in self._index.manifest_path("").parent.glob("*.jsonl"))

    def _newest(self, dataset: str, name: str) -> tuple[str | None, str | None]:
        """SHA-256 and instant of the body in use of a name that was archived last; None if there is none."""
        query = (
            "SELECT sha256, observed_at FROM lines INDEXED BY bodies_by_name "
            "WHERE dataset = ?1 AND name = ?2 AND is_new AND NOT is_retracted ORDER BY place DESC LIMIT 1"
        )
        return next(iter(self._ask(dataset, query, name)), (None, None))

    def _stored_as(self, dataset: str, sha256: str) -> tuple[str | None, int | None]:
        """The SHA-256 under which a body is stored now, None if it was erased entirely; bytes if it was rewritten."""
        kept_as: str | None = sha256
        size = None
        query = "SELECT became, bytes FROM erased WHERE dataset = ?1 AND sha256 = ?2"
        while kept_as is not None and (told := self._ask(dataset, query, kept_as)):
            [(kept_as, size)] = told
        return kept_as, size

    def _body_of(self, line: Mapping[str, Any], kept_as: str, size: int | None) -> RawBody | None:
        """The body of a manifest line, stored as `_stored_as` has it."""
        row = (*(line[key] for key in _LINE_KEYS), kept_as, size, kept_as != line["sha256"])
        return self._raw_body(line["dataset"], row)

    def _raw_body(self, dataset: str, row: Sequence[Any]) -> RawBody | None:
        """A body from a row of `_bodies_query`; None if it was erased entirely."""
        name, sha256, observed_at, scope, batch, fetched_at, size, replaces, cursor, became, bytes_left, is_erased = row
        kept_as = sha256
        if is_erased:
            kept_as, size = became, bytes_left
            again, bytes_again = self._stored_as(dataset, became) if became is not None else (None, None)
            if again != became:
                kept_as, size = again, bytes_again
        if kept_as is None or size is None:
            return None
        return RawBody(
            dataset,
            name,
            sha256,
            datetime.fromisoformat(observed_at),
            scope,
            batch,
            datetime.fromisoformat(fetched_at),
            size,
            replaces,
            cursor,
            open=partial(blobs.open_blob, self._root, kept_as, f"{dataset}: {name}", size),
        )


@contextmanager
def _named_manifest(dataset: str) -> Iterator[None]:
    try:
        yield
    except ManifestLineError as error:
        raise _broken_line(error.path, dataset, error.number) from None


def _broken_line(path: Path, dataset: str, number: int) -> CorruptBlobError:
    return CorruptBlobError(path, dataset, f"manifest line {number} is not JSON")
