"""Looking a registry's word up in the hand-written lists of `codes/*.csv`, and counting words they lack.

Words are compared without case and without surrounding or doubled blanks: the register's spelling varies by
vintage. An unlisted word gives null, never a guess.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit import codes
from connectors.kit.staged import EXAMPLES, Tally

_PACKAGE: Final = "connectors.uk"


def coded(rows: pl.DataFrame, column: str, name: str, field: str) -> pl.Expr:
    """The field that a code list gives for the words of a column; null for an unlisted word.

    Only the distinct words of `rows` are looked up: millions of rows hold a few hundred.
    """
    words = rows.select(word=pl.col(column).unique()).drop_nulls()
    if words.is_empty():
        return pl.lit(None, pl.String)
    listed = words.select("word", value=codes.load(_PACKAGE, name).expr(_spelled("word"), field)).drop_nulls()
    return pl.col(column).replace_strict(
        listed["word"].to_list(), listed["value"].to_list(), default=None, return_dtype=pl.String
    )


def unlisted(words: pl.Series, name: str) -> list[str]:
    """Those of distinct words that a list lacks, as they stand."""
    known = sorted(codes.load(_PACKAGE, name).codes)
    given = words.drop_nulls().to_frame("word")
    return given.filter(~_spelled("word").is_in(known))["word"].sort().to_list()


def _spelled(column: str) -> pl.Expr:
    return pl.col(column).str.strip_chars().str.replace_all(r"\s+", " ").str.to_lowercase()


def count_unlisted(tally: Tally, code: str, name: str, subjects: pl.DataFrame) -> None:
    """Count the words of `subject` that a list lacks; `example` names the company."""
    strange = unlisted(subjects["subject"].unique(), name)
    if strange:
        count(tally, code, subjects.filter(pl.col("subject").is_in(strange)))


def count(tally: Tally, code: str, subjects: pl.DataFrame) -> None:
    """Count every row of (subject, example) under a code."""
    if subjects.is_empty():
        return
    counted = subjects.group_by("subject", maintain_order=True).agg(
        pl.len().alias("count"), pl.col("example").head(EXAMPLES).alias("examples")
    )
    for subject, rows, examples in counted.select("subject", "count", "examples").iter_rows():
        tally.add(code, str(subject), count=rows)
        for example in examples:
            tally.add(code, str(subject), example, count=0)
