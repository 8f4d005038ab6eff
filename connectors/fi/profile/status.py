"""The status of a Finnish company (docs/formats/fi.md 7): one decision table, first match wins.

The `status` of the business id is «2» for all and is ignored: the status follows from the end of the registration,
the code of the Trade Register and its newest entry. Does not belong here: the rest of the profile.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.fi.ytj import schema as f
from connectors.kit.status_rules import StatusRule, rule_columns

_situation: Final = pl.col("companySituation")
_since: Final = pl.col("companySituation.registrationDate")
_newest: Final = pl.col("tradeRegister.type")
_register_code: Final = pl.col("tradeRegisterStatus")

# the newest entry of the Trade Register goes on, and began after the stated end: the end was undone
_RESTORED: Final = (
    _newest.is_in(f.REGISTERED)
    & pl.col("tradeRegister.endDate").is_null()
    & (pl.col("tradeRegister.registrationDate") > pl.col("endDate"))
).fill_null(value=False)
_CEASED: Final = (_newest == f.CEASED) & pl.col("tradeRegister.endDate").is_null()
IS_DISSOLVED: Final = (
    (pl.col("endDate").is_not_null() & ~_RESTORED)
    | (_register_code == f.CEASED).fill_null(value=False)
    | _CEASED.fill_null(value=False)
)
DISSOLVED_DATE: Final = pl.coalesce("endDate", pl.when(_newest == f.CEASED).then("tradeRegister.registrationDate"))

# Companies that were in a tax register and are in none now: the registry has no term for it. Housing and
# real-estate companies are excluded: they often never employ or sell.
_SUSPENDED: Final = (
    _newest.is_in(f.REGISTERED)
    & pl.col("tradeRegister.endDate").is_null()
    & ~pl.col("companyForm.type").is_in(list(f.PROPERTY_FORMS)).fill_null(value=False)
    & (pl.col("taxRegisters.open") == 0)
    & pl.col("taxRegisters.endDate").is_not_null()
).fill_null(value=False)


def _has_situation(situation: str) -> pl.Expr:
    return (_situation == situation).fill_null(value=False)


RULES: Final = (
    StatusRule(IS_DISSOLVED, "dissolved", None, DISSOLVED_DATE, _register_code),
    StatusRule(_has_situation("KONK"), "dormant", "bankruptcy", _since, _situation),
    StatusRule(_has_situation("SELTILA"), "dormant", "liquidation", _since, _situation),
    StatusRule(_has_situation("SANE"), "active", "reorganisation", _since, _situation),
    StatusRule(_SUSPENDED, "dormant", "business_suspended", pl.col("taxRegisters.endDate"), _register_code),
)
# What each code of the registers means by itself; of the Trade Register and of situations, in lower case
REGISTRY_STATUSES: Final = {
    **dict.fromkeys(f.REGISTERED, "active"),
    f.CEASED: "dissolved",
    "konk": "dormant",
    "seltila": "dormant",
    "sane": "active",
}
# Date of becoming active again: the end of the last situation, the entry that superseded a deletion, or the new
# entry in a tax register; otherwise unknown.
_BACK: Final = pl.max_horizontal(
    pl.col("companySituation.endDate"),
    pl.when(pl.col("tradeRegister.ceased").is_not_null() | _RESTORED).then("tradeRegister.registrationDate"),
    pl.when(pl.col("taxRegisters.registrationDate") > pl.col("taxRegisters.endDate")).then(
        "taxRegisters.registrationDate"
    ),
)
_OTHERWISE: Final = StatusRule(pl.lit(value=True), "active", None, _BACK, _register_code)


def status_columns(known: pl.Expr, register: str) -> list[pl.Expr]:
    """Status columns of `companies`; a company known from statements only is active, without a source."""
    found = rule_columns(RULES, _OTHERWISE)
    return [
        pl.when(known).then(found.pop("status")).otherwise(pl.lit("active")).alias("status"),
        *(pl.when(known).then(column).alias(name) for name, column in found.items()),
        pl.when(known).then(pl.lit(register)).alias("status_source"),
        pl.when(known & IS_DISSOLVED).then(DISSOLVED_DATE).alias("dissolved_date"),
    ]
