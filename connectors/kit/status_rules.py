"""Decision table for a register's statuses: the first matching rule applies.

Belongs here: the table's structure and evaluation. Does not belong here: any register's rules
(`connectors/<cc>`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class StatusRule:
    """One rule: its condition and its result. `word` is the register's own term."""

    condition: pl.Expr
    status: str
    detail: str | None
    since: pl.Expr
    word: pl.Expr


def rule_columns(rules: Sequence[StatusRule], otherwise: StatusRule) -> dict[str, pl.Expr]:
    """Columns of `companies` from the first matching rule, else from `otherwise`."""
    told: dict[str, Callable[[StatusRule], pl.Expr]] = {
        "status": lambda rule: pl.lit(rule.status),
        "status_detail": lambda rule: pl.lit(rule.detail, pl.String),
        "status_date": lambda rule: rule.since,
        "registry_status": lambda rule: rule.word,
    }
    return {name: _first_matching(rules, otherwise, of) for name, of in told.items()}


def _first_matching(rules: Sequence[StatusRule], otherwise: StatusRule, of: Callable[[StatusRule], pl.Expr]) -> pl.Expr:
    found = of(otherwise)
    for rule in reversed(rules):
        found = pl.when(rule.condition).then(of(rule)).otherwise(found)
    return found
