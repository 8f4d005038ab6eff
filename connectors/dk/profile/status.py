"""The status of a company (docs/formats/dk.md 3).

A closed life span is the end; otherwise the register's word decides, put together of what courts and the register have
decided (`codes/statuses.csv`). Bankruptcy and winding-up are dormant, since such companies are still registered. A word
that is not listed is served as written and decides nothing: an open life span is active. Does not belong here: the rest
of the profile.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.dk import code_lists

_DISSOLVED: Final = "dissolved"
_MISTAKE: Final = "fejlRegistreret"
_WORD: Final = "_word"
_MEANING: Final = "_meaning"
_REASON: Final = "_reason"
_HAS_ENDED: Final = "_has_ended"

# What each word of the register means by itself, in lower case
REGISTRY_STATUSES: Final = {
    **{word: code_lists.STATUSES.get(word, "status") or "" for word in sorted(code_lists.STATUSES.codes)},
    _MISTAKE.lower(): _DISSOLVED,
}


def with_meanings(rows: pl.LazyFrame, today: date) -> pl.LazyFrame:
    """Adds the register's word, what it means, and whether the life span has ended: columns of `status_columns`."""
    word = pl.coalesce("sammensat_status", "status")
    ended = pl.col("livsforloeb_til") <= today
    meanings = code_lists.STATUSES
    return rows.with_columns(word.alias(_WORD), ended.fill_null(value=False).alias(_HAS_ENDED)).with_columns(
        meanings.expr(pl.col(_WORD).str.to_lowercase(), "status").alias(_MEANING),
        meanings.expr(pl.col(_WORD).str.to_lowercase(), "detail").alias(_REASON),
    )


def _without_blanks(word: pl.Expr) -> pl.Expr:
    """A word in the spelling that both of the register's have in common (`code_lists.STATUSES`)."""
    return word.str.to_lowercase().str.replace_all(" ", "", literal=True)


def status_columns(register: str) -> dict[str, pl.Expr]:
    """The status columns of `companies`, of rows `with_meanings`; first a mistake, then the end, then the word."""
    mistake, gone, ended = pl.col("fejl_registreret"), pl.col("_retired_at").is_not_null(), pl.col(_HAS_ENDED)
    meaning, reason = pl.col(_MEANING), pl.col(_REASON)
    # the day of the court's status counts for the word that the register puts together of it
    since = pl.when(meaning.is_not_null() & (_without_blanks(pl.col("status")) == _without_blanks(pl.col(_WORD))))
    day = (
        pl.when(mistake)
        .then(None)
        .when(gone)
        .then(pl.col("_retired_at").dt.date())
        .when(ended)
        .then(
            pl.when((pl.col("livsforloeb_til") >= pl.col("livsforloeb_fra")).fill_null(value=True)).then(
                "livsforloeb_til"
            )
        )
        .otherwise(since.then("status_fra"))
    )
    is_dissolved = mistake | gone | ended | (meaning == _DISSOLVED).fill_null(value=False)
    return {
        "status": pl.when(is_dissolved).then(pl.lit(_DISSOLVED)).otherwise(pl.coalesce(meaning, pl.lit("active"))),
        # a word says why a company has ended only if it is a word of an end
        "status_detail": pl.when(mistake)
        .then(pl.lit("deregistered"))
        .when(~gone & (~ended | (meaning == _DISSOLVED)))
        .then(reason),
        "status_date": day,
        "registry_status": pl.when(mistake).then(pl.lit(_MISTAKE)).when(~gone).then(_WORD),
        "status_source": pl.lit(register),
        "dissolved_date": pl.when(is_dissolved).then(day),
    }
