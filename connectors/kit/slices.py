"""Work on rows by themselves, done to stretches of a frame at once: expressions over text use one thread each.

Belongs here: cutting, threads, putting together again. Does not belong here: work that looks at several rows.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import polars as pl

_LEAST: Final = 10_000  # rows that are worth a thread


def by_slices(rows: pl.DataFrame, work: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    """What `work` makes of all rows, in their order; it is given stretches of them and must not tell them apart."""
    several = min(pl.thread_pool_size(), rows.height // _LEAST)
    if several < 2:  # noqa: PLR2004 - one is none
        return work(rows)
    slices = rows.iter_slices(-(-rows.height // several))
    with ThreadPoolExecutor(several) as threads:
        return pl.concat(threads.map(work, slices), rechunk=False)
