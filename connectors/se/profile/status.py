"""The status of a company (docs/formats/se.md 12 and the contract): one decision table, first match wins.

Bankruptcy and liquidation are `dormant`, since such companies are still registered; other proceedings leave a
company `active`. A company missing from SCB's register does not trade, but only where that register was loaded: else
nothing is known, and the company is active without a status source. So it is where SCB's code is blank or unknown,
which is shown as the register's word. Does not belong here: the rest of the profile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import AbsenceRule
from connectors.kit.status_rules import StatusRule
from connectors.se import code_lists
from connectors.se.api.schema import KEY as ANSWERS
from connectors.se.bulk.bolagsverket_schema import GRACE_PERIOD
from connectors.se.bulk.bolagsverket_schema import KEY as BULK
from connectors.se.bulk.scb import DATASET as SCB
from connectors.se.bulk.scb_schema import KEY as STATISTICS
from connectors.se.profile.proceedings import proceedings_under_way

_ACTIVE: Final = "1"
_INACTIVE: Final = ("0", "9")
_NOTHING: Final = pl.lit(None, pl.String)
_NO_DAY: Final = pl.lit(None, pl.Date)
_RULE: Final = "_rule"
_REGISTERS: Final = (BULK, STATISTICS, ANSWERS)
COLUMNS: Final = ("status", "status_detail", "status_date", "status_source", "registry_status", "dissolved_date")
_NO_SOURCE: Final = pl.lit(None, pl.UInt8)

MISSING_FROM_SCB: Final = AbsenceRule(
    name="se.status.missing_from_scb",
    reads=(SCB,),
    undecided=pl.col("status_source").is_null() & pl.col("registered_date").is_not_null(),
    needs_full=True,
)
_ENDING: Final = ("KK", "LI")
# What each word of the registers means by itself, in lower case
REGISTRY_STATUSES: Final = {
    **{label.casefold(): "dissolved" for label in code_lists.DEREGISTRATIONS.columns["label"].values()},
    **{
        label.casefold(): "dormant" if code in _ENDING else "active"
        for code, label in code_lists.PROCEEDINGS.columns["label"].items()
    },
    "avregistrerad": "dissolved",
    **{f"ftgstat {code}": "dormant" for code in _INACTIVE},
    f"ftgstat {_ACTIVE}": "active",
    "verksamorganisation nej": "dormant",
    "verksamorganisation ja": "active",
}


@dataclass(frozen=True, slots=True)
class _SourcedRule(StatusRule):
    """One line of the table, with the index of the register that it comes from."""

    source: pl.Expr


def _open_proceeding(today: date, *proceedings: str) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """Whether one of the proceedings is ongoing, since when, and its label. The list may start with `|`.

    What goes on has begun: a day to come is a slip, and no day.
    """
    found = rf"(?:^|\|)({'|'.join(proceedings)})(?:-AVOMFO)?(?:\$|\||$)"
    dated = rf"(?:^|\|)(?:{'|'.join(proceedings)})(?:-AVOMFO)?\$(\d{{4}}-\d{{2}}-\d{{2}})"
    text = pl.col("proceedings")
    label = code_lists.PROCEEDINGS.expr(text.str.extract(found))
    since = text.str.extract(dated).str.to_date("%Y-%m-%d", strict=False)
    return text.str.contains(found).fill_null(value=False), pl.when(since <= today).then(since), label


def _deciding_register(group: str) -> pl.Expr:
    """Index of the source that counts for a group: the API if newer, else the bulk file."""
    is_answer = pl.col(f"{group}_answered").fill_null(value=False)
    is_bulk = pl.col("scb_seen" if group == "activity" else "bulk_seen").is_not_null()
    bulk = STATISTICS if group == "activity" else BULK
    place_of = {register: pl.lit(place, pl.UInt8) for place, register in enumerate(_REGISTERS)}
    return pl.when(is_answer).then(place_of[ANSWERS]).when(is_bulk).then(place_of[bulk])


def _status_rules(today: date, with_proceedings: bool, reads_scb: bool) -> tuple[_SourcedRule, ...]:
    """The decision table; `with_proceedings` False leaves out the lines about proceedings.

    reads_scb: whether being missing from SCB's register says anything (`MISSING_FROM_SCB`).
    """
    removed, named, active = map(_deciding_register, ("deregistration", "name", "activity"))
    reason = pl.coalesce(code_lists.DEREGISTRATIONS.expr("reason"), pl.col("reason"), pl.lit("avregistrerad"))
    # the register has a reason without a day, or with one that does not read: the end's day is unknown
    undated = pl.col("deregistered").is_null() & code_lists.names_an_end("reason")
    said, word = pl.col("activity"), pl.col("activity_word")
    # a row with a blank or unknown code is no row that is missing, and no statement of a state
    has_row = pl.col("scb_seen").is_not_null() | word.is_not_null()
    silent = pl.col("bulk_seen").is_not_null() & said.is_null()
    missing = silent & (pl.col("registered") <= today - GRACE_PERIOD)
    return (
        _SourcedRule(pl.col("deregistered") <= today, "dissolved", None, pl.col("deregistered"), reason, removed),
        _SourcedRule(undated, "dissolved", None, _NO_DAY, reason, removed),
        *(_proceeding_rules(today) if with_proceedings else ()),
        _SourcedRule(said == _ACTIVE, "active", None, _NO_DAY, word, active),
        _SourcedRule(said.is_in(_INACTIVE), "dormant", "no_trading", _NO_DAY, word, active),
        _SourcedRule(has_row, "active", None, _NO_DAY, word, _NO_SOURCE),
        # SCB has 99.5 % of registered companies; those still missing after two months do not trade
        _SourcedRule(missing, "dormant", None, _NO_DAY, _NOTHING, named)
        if reads_scb
        else _SourcedRule(missing, "active", None, _NO_DAY, _NOTHING, _NO_SOURCE),
        # known from accounts only: active without a register's statement
        _SourcedRule(pl.lit(value=True), "active", None, _NO_DAY, _NOTHING, named),
    )


def _proceeding_rules(today: date) -> tuple[_SourcedRule, ...]:
    under_way = _deciding_register("proceedings")
    bankrupt, bankrupt_since, bankruptcy = _open_proceeding(today, "KK")
    ending, ending_since, liquidation = _open_proceeding(today, "LI")
    mending, mending_since, reorganisation = _open_proceeding(today, "FR", "AC")
    other, other_since, other_word = _open_proceeding(today, *sorted(code_lists.PROCEEDINGS.codes))
    return (
        _SourcedRule(bankrupt, "dormant", "bankruptcy", bankrupt_since, bankruptcy, under_way),
        _SourcedRule(ending, "dormant", "liquidation", ending_since, liquidation, under_way),
        _SourcedRule(mending, "active", "reorganisation", mending_since, reorganisation, under_way),
        _SourcedRule(other, "active", None, other_since, other_word, under_way),
    )


def with_status(rows: pl.DataFrame, today: date, *, reads_scb: bool) -> pl.DataFrame:
    """Adds the status columns of `companies`; rules on proceedings run only on rows that have some that go on."""
    told = _status_columns(rows, _status_rules(today, with_proceedings=False, reads_scb=reads_scb))
    has = rows["proceedings"].is_not_null()
    if has.any():
        some = rows.filter(has)
        some = some.with_columns(proceedings_under_way(some["proceedings"], today))
        others = _status_columns(some, _status_rules(today, with_proceedings=True, reads_scb=reads_scb))
        told = told.with_columns(told[name].scatter(has.arg_true(), others[name]) for name in COLUMNS)
    return rows.hstack(told.get_columns())


def _status_columns(rows: pl.DataFrame, rules: tuple[_SourcedRule, ...]) -> pl.DataFrame:
    """Status columns: the matching rule is found once, its values are looked up."""
    last = pl.lit(len(rules) - 1, pl.UInt8)
    for place in range(len(rules) - 2, -1, -1):
        holds = rules[place].condition.fill_null(value=False)
        last = pl.when(holds).then(pl.lit(place, pl.UInt8)).otherwise(last)
    ruled = rows.with_columns(last.alias(_RULE))
    rule = pl.col(_RULE)

    def word(texts: Sequence[str | None], place: pl.Expr) -> pl.Expr:
        return pl.lit(pl.Series(texts, dtype=pl.String)).gather(place)

    return ruled.select(
        word([rule.status for rule in rules], rule).alias("status"),
        word([rule.detail for rule in rules], rule).alias("status_detail"),
        _chosen_value([rule.since for rule in rules]).alias("status_date"),
        word(_REGISTERS, _chosen_value([rule.source for rule in rules])).alias("status_source"),
        _chosen_value([rule.word for rule in rules]).alias("registry_status"),
        pl.when(rule == 0).then(rules[0].since).alias("dissolved_date"),
    )


def _chosen_value(values: list[pl.Expr]) -> pl.Expr:
    """Value of the matching rule; rules with the same value are tested together."""
    shared: dict[int, list[int]] = {}
    for place, value in enumerate(values):
        shared.setdefault(id(value), []).append(place)
    *some, rest = shared.values()
    chosen = values[rest[0]]
    for places in reversed(some):
        holds = pl.col(_RULE).is_in(places) if len(places) > 1 else pl.col(_RULE) == places[0]
        chosen = pl.when(holds).then(values[places[0]]).otherwise(chosen)
    return chosen
