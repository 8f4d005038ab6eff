"""Signals counted over whole columns."""

from __future__ import annotations

import polars as pl

from connectors.kit.staging import EXAMPLES, SignalCounter


def count_signals(tally: SignalCounter, code: str, subject: str, examples: pl.Series) -> None:
    """Counts one signal per value of `examples`; the first values are kept as examples."""
    shown = examples.head(EXAMPLES).to_list()
    for place, example in enumerate(shown):
        tally.add(code, subject, example, 1 if place else examples.len() - len(shown) + 1)
