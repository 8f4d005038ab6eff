"""Row-wise work on slices of a frame in parallel, because expressions over text use one thread each.

Belongs here: slicing, threads, concatenation. Does not belong here: work across rows.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import polars as pl

_LEAST: Final = 10_000  # rows that justify a thread


def map_slices_parallel(rows: pl.DataFrame, work: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    """Applies `work` to all rows, in order; it is called with slices and must treat each row alone."""
    several = min(pl.thread_pool_size(), rows.height // _LEAST)
    if several < 2:  # noqa: PLR2004 - one is none
        return work(rows)
    slices = rows.iter_slices(-(-rows.height // several))
    with ThreadPoolExecutor(several) as threads:
        return pl.concat(threads.map(work, slices), rechunk=False)
