"""The status of a company (FORMAT 12 and the contract): one decision table, first match wins.

Bankruptcy and liquidation are `dormant`, since such companies are still registered; other proceedings leave a
company `active`. Does not belong here: the rest of the profile.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import polars as pl

from connectors.se import codes

NEW: Final = timedelta(days=60)  # so long a company may lack a row of SCB
_ACTIVE: Final = "1"
_INACTIVE: Final = ("0", "9")
_NOTHING: Final = pl.lit(None, pl.String)
_NO_DAY: Final = pl.lit(None, pl.Date)


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the table: when it holds, what follows, whose record says so, in which words."""

    holds: pl.Expr
    status: str
    detail: str | None
    since: pl.Expr
    source: pl.Expr
    word: pl.Expr


def _under(*proceedings: str) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """Whether one of the proceedings is under way, since when, and its label. `|` may lead the list."""
    found = rf"(?:^|\|)({'|'.join(proceedings)})(?:-AVOMFO)?(?:\$|\||$)"
    dated = rf"(?:^|\|)(?:{'|'.join(proceedings)})(?:-AVOMFO)?\$(\d{{4}}-\d{{2}}-\d{{2}})"
    text = pl.col("proceedings")
    label = codes.PROCEEDINGS.expr(text.str.extract(found))
    since = text.str.extract(dated).str.to_date("%Y-%m-%d", strict=False)
    return text.str.contains(found).fill_null(value=False), since, label


def _rules(today: date) -> tuple[Rule, ...]:
    removed, under_way = pl.col("deregistration_register"), pl.col("proceedings_register")
    reason = pl.coalesce(codes.DEREGISTRATIONS.expr("reason"), pl.col("reason"), pl.lit("avregistrerad"))
    gone = (pl.col("deregistered") <= today).fill_null(value=False)
    bankrupt, bankrupt_since, bankruptcy = _under("KK")
    ending, ending_since, liquidation = _under("LI")
    mending, mending_since, reorganisation = _under("FR", "AC")
    other = pl.col("proceedings").is_not_null()
    _, other_since, other_word = _under(*sorted(codes.PROCEEDINGS.codes))
    said, word = pl.col("activity"), pl.col("activity_word")
    silent = pl.col("bulk_seen").is_not_null() & said.is_null()
    old = (pl.col("registered") <= today - NEW).fill_null(value=False)
    return (
        Rule(gone, "dissolved", None, pl.col("deregistered"), removed, reason),
        Rule(bankrupt, "dormant", "bankruptcy", bankrupt_since, under_way, bankruptcy),
        Rule(ending, "dormant", "liquidation", ending_since, under_way, liquidation),
        Rule(mending, "active", "reorganisation", mending_since, under_way, reorganisation),
        Rule(other, "active", None, other_since, under_way, other_word),
        Rule(said == _ACTIVE, "active", None, _NO_DAY, pl.col("activity_register"), word),
        Rule(said.is_in(_INACTIVE), "dormant", "no_trading", _NO_DAY, pl.col("activity_register"), word),
        # SCB knows 99.5 % of what is registered; what it does not know after two months does not trade
        Rule(silent & old, "dormant", None, _NO_DAY, pl.col("name_register"), _NOTHING),
    )


def columns(today: date) -> list[pl.Expr]:
    """The status columns of `companies`. Whom only accounts tell of is active by no register's word."""
    rules = _rules(today)
    otherwise = Rule(pl.lit(value=True), "active", None, _NO_DAY, pl.col("name_register"), _NOTHING)

    def first(values: list[pl.Expr], last: pl.Expr) -> pl.Expr:
        for rule, value in reversed(list(zip(rules, values, strict=True))):
            last = pl.when(rule.holds.fill_null(value=False)).then(value).otherwise(last)
        return last

    return [
        first([pl.lit(rule.status) for rule in rules], pl.lit(otherwise.status)).alias("status"),
        first([pl.lit(rule.detail, pl.String) for rule in rules], _NOTHING).alias("status_detail"),
        first([rule.since for rule in rules], otherwise.since).alias("status_date"),
        first([rule.source for rule in rules], otherwise.source).alias("status_source"),
        first([rule.word for rule in rules], otherwise.word).alias("registry_status"),
        pl.when(rules[0].holds).then(rules[0].since).alias("dissolved_date"),
    ]
