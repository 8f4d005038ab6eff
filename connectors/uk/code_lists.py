"""Looks up registry terms in the hand-written lists of `codes/*.csv` and counts unlisted terms.

Terms are compared ignoring case and surrounding or repeated blanks, since the register's spelling has varied over
the years. An unlisted term gives null, never a guess.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import polars as pl

from connectors.kit import code_lists
from connectors.kit.staging import SignalCounter, count_subjects

load_list: Final = partial(code_lists.load_code_list, "connectors.uk")


def code_list_field(rows: pl.DataFrame, column: str, name: str, field: str) -> pl.Expr:
    """Code list field for the terms of a column; null for an unlisted term.

    Only distinct terms are looked up: millions of rows have a few hundred.
    """
    words = rows.select(word=pl.col(column).unique()).drop_nulls()
    if words.is_empty():
        return pl.lit(None, pl.String)
    listed = words.select("word", value=load_list(name).expr(normalised_word("word"), field)).drop_nulls()
    return pl.col(column).replace_strict(
        listed["word"].to_list(), listed["value"].to_list(), default=None, return_dtype=pl.String
    )


def unlisted_words(words: pl.Series, name: str) -> list[str]:
    """Distinct terms missing from a list, in their original spelling."""
    known = sorted(load_list(name).codes)
    given = words.drop_nulls().to_frame("word")
    return given.filter(~normalised_word("word").is_in(known))["word"].sort().to_list()


def normalised_word(column: str) -> pl.Expr:
    """A term as it is compared: in lower case, without blanks around it, with single ones inside."""
    return pl.col(column).str.strip_chars().str.replace_all(r"\s+", " ").str.to_lowercase()


def count_unlisted(tally: SignalCounter, code: str, name: str, subjects: pl.DataFrame) -> None:
    """Counts terms of `subject` missing from a list; `example` names the company."""
    strange = unlisted_words(subjects["subject"].unique(), name)
    if strange:
        count_subjects(tally, code, subjects.filter(pl.col("subject").is_in(strange)))
