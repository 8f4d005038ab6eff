"""The status of an entity (docs/formats/no.md 13.2): one decision table, first match wins.

The register has no «dormant». Bankruptcy and winding-up are mapped to it, since such companies are still
registered; the register's own term and date are kept with it. Does not belong here: the rest of the profile.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit.status_rules import StatusRule, rule_columns
from connectors.no.enheter.schema import FORCED_DATES, REMOVED

SHORT: Final = "short."  # prefix of the short body's columns, joined to the profile's

_profile_seen: Final = pl.col("_observed_at")
_short_seen: Final = pl.col(f"{SHORT}_observed_at")
_FORCED_DATE: Final = "_forced_date"
_FORCED_REASON: Final = "_forced_reason"
_DELETED: Final = "_deleted"
_REMOVED: Final = "_removed"

IS_DELETED: Final = pl.col(_DELETED)
IS_REMOVED: Final = pl.col(_REMOVED)

# A short body counts until a newer profile shows that the entity is back. It wins a tie: a bulk file is from the
# night before.
_ended: Final = _short_seen.is_not_null() & (_profile_seen.is_null() | (_short_seen >= _profile_seen))
ENDED: Final = _ended.alias(_DELETED)

_first: Final = pl.min_horizontal(*FORCED_DATES)
FORCED: Final = (
    (_ended & (pl.col(f"{SHORT}respons_klasse") == REMOVED)).fill_null(value=False).alias(_REMOVED),
    _first.alias(_FORCED_DATE),
    pl.coalesce(
        *(pl.when(pl.col(name) == _first).then(pl.lit(name)) for name in FORCED_DATES),
        pl.lit("underTvangsavviklingEllerTvangsopplosning"),
    ).alias(_FORCED_REASON),
)


# absent from a complete bulk, which lists every active entity, and not seen since
_RETIRED: Final = (pl.col("_retired_at") >= _profile_seen).fill_null(value=False)


def _flag_or_false(name: str) -> pl.Expr:
    return pl.col(name).fill_null(value=False)


_no_day: Final = pl.lit(None, pl.Date)
RULES: Final = (
    StatusRule(
        IS_DELETED,
        "dissolved",
        None,
        pl.coalesce(f"{SHORT}slettedato", _short_seen.dt.date()),
        pl.col(f"{SHORT}respons_klasse"),
    ),
    StatusRule(_RETIRED, "dissolved", None, pl.col("_retired_at").dt.date(), pl.lit(None, pl.String)),
    StatusRule(_flag_or_false("konkurs"), "dormant", "bankruptcy", pl.col("konkursdato"), pl.lit("konkurs")),
    StatusRule(
        _flag_or_false("underTvangsavviklingEllerTvangsopplosning"),
        "dormant",
        "forced_dissolution",
        pl.col(_FORCED_DATE),
        pl.col(_FORCED_REASON),
    ),
    StatusRule(
        _flag_or_false("underAvvikling"),
        "dormant",
        "liquidation",
        pl.col("underAvviklingDato"),
        pl.lit("underAvvikling"),
    ),
    StatusRule(
        pl.col("underUtenlandskInsolvensbehandlingDato").is_not_null(),
        "dormant",
        "foreign_insolvency",
        pl.col("underUtenlandskInsolvensbehandlingDato"),
        pl.lit("underUtenlandskInsolvensbehandling"),
    ),
    StatusRule(
        pl.col("underRekonstruksjonsforhandlingDato").is_not_null(),
        "active",
        "reorganisation",
        pl.col("underRekonstruksjonsforhandlingDato"),
        pl.lit("underRekonstruksjonsforhandling"),
    ),
)
# What each word of the register means by itself, in lower case
REGISTRY_STATUSES: Final = {
    **{
        word.casefold(): "dormant"
        for word in (
            "konkurs",
            *FORCED_DATES,
            "underTvangsavviklingEllerTvangsopplosning",
            "underAvvikling",
            "underUtenlandskInsolvensbehandling",
        )
    },
    "underRekonstruksjonsforhandling".casefold(): "active",
    "SlettetEnhet".casefold(): "dissolved",
    REMOVED.casefold(): "dissolved",
}
_OTHERWISE: Final = StatusRule(pl.lit(value=True), "active", None, _no_day, pl.lit(None, pl.String))


def status_columns(register: str) -> list[pl.Expr]:
    """The status columns of `companies`."""
    found = rule_columns(RULES, _OTHERWISE)
    return [
        *(column.alias(name) for name, column in found.items()),
        pl.lit(register).alias("status_source"),
        pl.when(IS_DELETED | _RETIRED).then(found["status_date"]).alias("dissolved_date"),
    ]
