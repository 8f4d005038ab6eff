"""Counts signals over whole columns."""

from __future__ import annotations

import polars as pl

from connectors.kit.staging import EXAMPLES, SignalCounter


def count_signals(tally: SignalCounter, code: str, subject: str, examples: pl.Series) -> None:
    """Counts one signal for every value of `examples`; the first ones are kept."""
    shown = examples.head(EXAMPLES).to_list()
    for place, example in enumerate(shown):
        tally.add(code, subject, example, 1 if place else examples.len() - len(shown) + 1)


def failed_to_parse(source: pl.Series, read: pl.Series) -> pl.Series:
    """True where a value was present but did not parse."""
    return source.is_not_null() & read.is_null()
