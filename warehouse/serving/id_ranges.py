"""Partitions companies into id ranges, so that millions are processed one range at a time.

DuckDB's sorts, groupings and joins then fit into memory; all at once would spill to disk. Does not belong here:
the processing (`publish.full_build`, `documents_db`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import duckdb
import polars as pl

from warehouse.storage.duckdb import query_int, stream_frames, string_literal

SIZE: Final = 500_000  # companies per range
_CHUNK: Final = 100_000


def id_range_predicates(connection: duckdb.DuckDBPyConnection, companies: str, size: int = SIZE) -> list[str]:
    """SQL conditions on `company_id` in id order; each row meets exactly one of them.

    companies: the table from which ranges of equal size are computed.
    """
    if query_int(connection, f"SELECT count(*) FROM {companies}") <= size:  # answered from metadata, without a sort
        return ["true"]
    chunks = stream_frames(connection, f"SELECT company_id FROM {companies} ORDER BY company_id", _CHUNK)
    firsts = [string_literal(str(first)) for first in _first_ids((chunk["company_id"] for chunk in chunks), size)]
    return [
        " AND ".join((f"company_id >= {first}" if first else "true", f"company_id < {last}" if last else "true"))
        for first, last in zip([None, *firsts], [*firsts, None], strict=True)
    ]


def _first_ids(chunks: Iterator[pl.Series], size: int) -> Iterator[str]:
    """The first company of every range but the first."""
    met = 0
    for chunk in chunks:
        skipped = -met % size
        found = chunk.slice(skipped).gather_every(size)
        yield from (found if met or skipped else found[1:])
        met += chunk.len()
