"""Writes the segments of a release: a base of all companies, or a delta of those that changed.

A delta has the changed companies and those of the deltas that it replaces, taken from their histories; the files of
the segments before it are linked. It is built as a base is, only smaller: there is no code that patches. Does not
belong here: which release is built (`build`), the content of a table (`full_build`, `serving.search_table`), documents
(`serving.documents_db`), the sizes of deltas (`release.segments`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.ledger.ledger import Ledger
from warehouse.publish import full_build, validation
from warehouse.publish.full_build import MARKET_OF_ID, MarketHistoryFile
from warehouse.release import segments
from warehouse.release.manifest import ReleaseManifest
from warehouse.release.segments import DOCUMENTS, NAMES, ROWS, ContentSums, Segment
from warehouse.schema.tables import TABLES
from warehouse.schema.types import Table
from warehouse.serving import documents_db, name_index, search_table
from warehouse.serving.segment_views import SUPERSEDED, visible_rows_sql
from warehouse.storage import atomic_files
from warehouse.storage.duckdb import (
    open_database,
    query_int,
    quote_identifier,
    registered_frame,
    set_memory_limit,
    sibling_connection,
    string_literal,
)
from warehouse.storage.layout import Layout

# DuckDB's memory while documents are built; polars and SQLite need as much again
SERVING_MEMORY: Final = "2GB"
CHECKING_MEMORY: Final = "1200MB"  # for DuckDB while SQLite creates its index, with all ids in memory
DELTA_MEMORY: Final = "700MB"  # enough for a hundredth of ten million companies
_CHOSEN: Final = "chosen"  # temporary table of companies


class SegmentFolder:
    """The folder of one release while its segments are written, and the release that it continues.

    previous: segments of that release, in the folder `before`.
    """

    def __init__(
        self, folder: Path, number: int, before: Path, previous: Sequence[Segment], on_step: atomic_files.Step
    ) -> None:
        self._folder = folder
        self._number = number
        self._before = before
        self._previous = tuple(previous)
        self._on_step = on_step

    @classmethod
    def after(
        cls, layout: Layout, number: int, previous: ReleaseManifest | None, on_step: atomic_files.Step
    ) -> SegmentFolder:
        """The folder of release `number`, which continues `previous` (None: the first release)."""
        before = layout.release_folder(previous.release if previous else 0)
        return cls(layout.release_folder(number), number, before, previous.segments if previous else (), on_step)

    def write_base(self, sources: Sequence[MarketHistoryFile], ledger: Ledger) -> tuple[Segment, ...]:
        """Writes everything anew; raises InvalidReleaseError if the content is invalid."""
        rows, documents, names = (self._folder / f"{kind}.building" for kind in (ROWS, DOCUMENTS, NAMES))
        full_build.build_base(rows, sources, self._previous, self._before)
        self._on_step("warehouse written")
        with (
            open_database(rows, read_only=True) as source,
            sibling_connection(source) as apart,
            sibling_connection(source) as third,
            ThreadPoolExecutor(2) as threads,
        ):
            set_memory_limit(source, SERVING_MEMORY)
            indexed = threads.submit(name_index.build_name_index, names, apart)
            documents_db.build_documents(documents, source)
            set_memory_limit(source, CHECKING_MEMORY)
            content = threads.submit(validation.summarise_content, third, self._number)
            documents_db.finish_documents(documents, source, ledger.rows())
            indexed.result()
        self._on_step("serving written")
        return (self._sealed({ROWS: rows, DOCUMENTS: documents, NAMES: names}, 0, 0, content.result()),)

    def write_delta(
        self, histories: Mapping[str, Path], changed: pl.Series, ledger: Ledger, last: int
    ) -> tuple[Segment, ...]:
        """Links the segments that stay, and writes one of the changed companies and of those that it replaces.

        histories: by market; companies of other markets stay as they are. last: sequence of the last event of the
        previous release. Raises InvalidReleaseError if the content is invalid.
        """
        kept = segments.kept_segments(self._previous, len(changed))
        for name in dict.fromkeys(name for segment in kept for name in segment.files.values()):
            atomic_files.link_file(self._before / name, self._folder / name)
        self._on_step("segments linked")
        rows, documents = (self._folder / f"{kind}.building" for kind in (ROWS, DOCUMENTS))
        superseded = self._gather_rows(rows, histories, changed, len(kept))
        self._on_step("warehouse written")
        replaced = self._previous[len(kept) :]
        events_after = replaced[0].events_after if replaced else last
        with open_database(rows, read_only=True) as source:
            with full_build.attached_segments(source, self._folder, kept) as older:
                content = validation.summarise_content(source, self._number, older)
            covered = query_int(source, f"SELECT count(*) FROM {SUPERSEDED}")
            documents_db.build_documents(documents, source)
            documents_db.finish_documents(documents, source, ledger.rows(events_after))
            name_index.build_name_index(documents, source)
        self._on_step("serving written")
        files = {ROWS: rows, DOCUMENTS: documents, NAMES: documents}
        return (*kept, self._sealed(files, events_after, covered, content, superseded))

    def _sealed(
        self,
        files: Mapping[str, Path],
        events_after: int,
        covered: int,
        content: ContentSums,
        superseded: ContentSums | None = None,
    ) -> Segment:
        sealed: dict[Path, str] = {}
        for kind, path in files.items():
            if path not in sealed:
                sealed[path] = segments.sealed_file(path, kind).name
        names = {kind: sealed[path] for kind, path in files.items()}
        return Segment(names, events_after, covered, content, superseded or ContentSums())

    def _gather_rows(self, path: Path, histories: Mapping[str, Path], changed: pl.Series, kept: int) -> ContentSums:
        """Writes the rows of a delta after the first `kept` segments; returns what it supersedes of these."""
        with (
            open_database(path) as connection,
            full_build.attached_segments(connection, self._before, self._previous) as catalogs,
        ):
            set_memory_limit(connection, DELTA_MEMORY)
            full_build.create_warehouse_tables(connection)
            _select_companies(connection, changed, catalogs[kept:])
            for market, history in histories.items():
                if _choose_companies(connection, f"{MARKET_OF_ID} = {string_literal(market)}"):
                    with full_build.attached_database(connection, history, "origin"):
                        filled = [table for table in TABLES if full_build.has_current_rows(connection, table)]
                        _insert_rows(connection, filled, lambda table: full_build.current_rows_sql(table, _CHOSEN))
            markets = ", ".join(map(string_literal, ("", *histories)))
            if _choose_companies(connection, f"{MARKET_OF_ID} NOT IN ({markets})"):
                _insert_rows(connection, TABLES, lambda table: _chosen_rows_sql(quote_identifier(table.name), catalogs))
            full_build.write_digests(connection)
            search_table.build_search_tables(connection)
            _choose_companies(connection, "true")
            ranks = _chosen_rows_sql("search", catalogs[:kept])
            connection.execute(
                f"""INSERT INTO {SUPERSEDED} SELECT company_id, rank
                    FROM {_CHOSEN} LEFT JOIN ({ranks}) USING (company_id) ORDER BY company_id"""
            )
            others = visible_rows_sql("search", catalogs[:kept], "rank")
            search_table.reassign_ranks(connection, f"FROM ({others}) ANTI JOIN {_CHOSEN} USING (company_id)")
            superseded = full_build.digest_sums(connection, _chosen_rows_sql(full_build.DIGESTS, catalogs[:kept]))
            connection.execute("CHECKPOINT")
        return superseded


def _select_companies(connection: duckdb.DuckDBPyConnection, changed: pl.Series, replaced: Sequence[str]) -> None:
    """Creates `wanted`: the changed companies, and those of the deltas that are replaced."""
    merged = "".join(f" UNION SELECT company_id FROM {catalog}.{SUPERSEDED}" for catalog in replaced)
    with registered_frame(connection, "changed", changed.rename("company_id").to_frame()):
        connection.execute(f"CREATE TEMP TABLE wanted AS SELECT company_id FROM changed{merged}")


def _choose_companies(connection: duckdb.DuckDBPyConnection, condition: str) -> int:
    """Creates the table of the wanted companies that meet a condition; returns their number."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {_CHOSEN} AS SELECT company_id FROM wanted WHERE {condition}")
    return query_int(connection, f"SELECT count(*) FROM {_CHOSEN}")


def _chosen_rows_sql(table: str, catalogs: Sequence[str]) -> str:
    """SQL for the rows that segments have of the chosen companies."""
    return f"SELECT * FROM ({visible_rows_sql(table, catalogs)}) SEMI JOIN {_CHOSEN} USING (company_id)"


def _insert_rows(
    connection: duckdb.DuckDBPyConnection, tables: Iterable[Table], rows_of: Callable[[Table], str]
) -> None:
    for table in tables:
        connection.execute(full_build.insert_sql(table, rows_of(table)))
