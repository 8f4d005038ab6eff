"""The status of an entity (docs/formats/no.md 13.2): one decision table, first match wins.

The register has no «dormant». Bankruptcy and winding-up are mapped to it, since such companies are still
registered; the register's own term and date are kept with it. A day to come is no day of a status, and of the states
that a day alone tells none has begun before it. Does not belong here: the rest of the profile.
"""

from __future__ import annotations

from datetime import date
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


def _past_day(name: str, today: pl.Expr) -> pl.Expr:
    """A stated day; null for one to come: in Oslo the next day may have begun."""
    return pl.when(pl.col(name) <= today + pl.duration(days=1)).then(pl.col(name))


_no_day: Final = pl.lit(None, pl.Date)
_ENDS: Final = (
    StatusRule(
        IS_DELETED,
        "dissolved",
        None,
        # the register has deleted it: a day after that is a slip, whatever day it is now
        pl.coalesce(_past_day(f"{SHORT}slettedato", _short_seen.dt.date()), _short_seen.dt.date()),
        pl.col(f"{SHORT}respons_klasse"),
    ),
    StatusRule(_RETIRED, "dissolved", None, pl.col("_retired_at").dt.date(), pl.lit(None, pl.String)),
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


def _proceeding_rules(today: pl.Expr) -> tuple[StatusRule, ...]:
    """The lines about proceedings: of those that a day alone tells none has begun before it."""
    return (
        StatusRule(
            _flag_or_false("konkurs"), "dormant", "bankruptcy", _past_day("konkursdato", today), pl.lit("konkurs")
        ),
        StatusRule(
            _flag_or_false("underTvangsavviklingEllerTvangsopplosning"),
            "dormant",
            "forced_dissolution",
            _past_day(_FORCED_DATE, today),
            pl.col(_FORCED_REASON),
        ),
        StatusRule(
            _flag_or_false("underAvvikling"),
            "dormant",
            "liquidation",
            _past_day("underAvviklingDato", today),
            pl.lit("underAvvikling"),
        ),
        StatusRule(
            _past_day("underUtenlandskInsolvensbehandlingDato", today).is_not_null(),
            "dormant",
            "foreign_insolvency",
            _past_day("underUtenlandskInsolvensbehandlingDato", today),
            pl.lit("underUtenlandskInsolvensbehandling"),
        ),
        StatusRule(
            _past_day("underRekonstruksjonsforhandlingDato", today).is_not_null(),
            "active",
            "reorganisation",
            _past_day("underRekonstruksjonsforhandlingDato", today),
            pl.lit("underRekonstruksjonsforhandling"),
        ),
    )


def status_columns(register: str, today: date) -> list[pl.Expr]:
    """The status columns of `companies` on a day."""
    found = rule_columns((*_ENDS, *_proceeding_rules(pl.lit(today))), _OTHERWISE)
    return [
        *(column.alias(name) for name, column in found.items()),
        pl.lit(register).alias("status_source"),
        pl.when(IS_DELETED | _RETIRED).then(found["status_date"]).alias("dissolved_date"),
    ]
