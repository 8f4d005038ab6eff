"""Statements of the registers to the shared `companies`: whole columns, per company.

Belongs here: which register's word counts for which field, place, address. Does not belong here: one
register's rows (`registered`, `statistics`, `organisationer`), the status table (`statuses`), or listing: no
listing source is loaded, so nobody is listed yet and the source of that statement is null.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.se import codes, places, sources, statuses
from connectors.se.bolagsverket_fields import NUMBER
from connectors.se.organisationer_fields import KEY as ANSWERS
from connectors.se.register import MARKET, company_ids
from warehouse.schema.tables import COMPANIES

# Fields of a statement that belong together: the newer door's word counts for the group as a whole.
GROUPS: Final = {
    "name": ("name",),
    "form": ("form",),
    "country": ("country",),
    "deregistration": ("deregistered", "reason"),
    "proceedings": ("proceedings",),
    "registration": ("registered",),
    "address": ("street", "care_of", "town", "postcode", "address_country"),
}
STATISTICAL_GROUPS: Final = {
    "activity": ("activity", "activity_word"),
    "statistical_form": ("statistical_form",),
    "industry": ("industry", "industry_label", "industry_scheme"),
}
_ANSWERED: Final = "_answered"
_LINES: Final = "\x1f"


def bulk_statements(rows: pl.LazyFrame) -> pl.LazyFrame:
    """`registered.statements` with every group of the one register, seen at the one instant."""
    marks = [
        mark
        for group in GROUPS
        for mark in (
            pl.col("register").alias(f"{group}_register"),
            pl.col("seen").alias(f"{group}_seen"),
        )
    ]
    return rows.with_columns(*marks).rename({"seen": "bulk_seen"}).drop("register")


def joined(left: pl.LazyFrame, right: pl.DataFrame | pl.LazyFrame) -> pl.LazyFrame:
    """All companies of both. Most of the time one side has nothing to say of any: then nothing is compared."""
    right = right.lazy().collect()
    if right.is_empty():
        ours = left.collect_schema()
        named = {name: f"{name}{_ANSWERED}" if name in ours else name for name in right.columns}
        blank = [pl.lit(None, right.schema[name]).alias(as_) for name, as_ in named.items() if name != NUMBER]
        return left.with_columns(blank)
    return left.join(right.lazy(), on=NUMBER, how="full", coalesce=True, suffix=_ANSWERED)


def newest(bulk: pl.LazyFrame, answered: pl.LazyFrame) -> pl.LazyFrame:
    """Bulk and API as one statement: of each group the word that was said last, as a whole."""
    rows = joined(bulk, answered)
    chosen: list[pl.Expr] = []
    for group, names in GROUPS.items():
        here, there = pl.col(f"{group}_seen"), pl.col(f"{group}_seen{_ANSWERED}")
        later = there.is_not_null() & (here.is_null() | (there > here))
        register = pl.when(later).then(pl.lit(ANSWERS)).otherwise(f"{group}_register")
        chosen += [
            register.alias(f"{group}_register"),
            *(_later(later, name) for name in (*names, f"{group}_seen")),
        ]
    answer = pl.max_horizontal(f"{group}_seen{_ANSWERED}" for group in GROUPS).alias("answer_seen")
    return rows.with_columns(*chosen, answer)


def newest_statistics(bulk: pl.LazyFrame, answered: pl.LazyFrame) -> pl.LazyFrame:
    """SCB's bulk and what the API answers of SCB: the later of each group; labels where the code is the same."""
    rows = joined(bulk, answered)
    chosen: list[pl.Expr] = []
    for group, names in STATISTICAL_GROUPS.items():
        there = pl.col(f"{group}_seen")
        later = there.is_not_null() & (pl.col("scb_seen").is_null() | (there > pl.col("scb_seen")))
        chosen += [_later(later, name) for name in names]
        if group == "activity":
            chosen.append(
                pl.when(later).then(pl.lit(ANSWERS)).otherwise("scb_register").alias("activity_register")
            )
    same = (pl.col("industry") == pl.col(f"industry{_ANSWERED}")) & (
        pl.col("industry_scheme") == pl.col(f"industry_scheme{_ANSWERED}")
    )
    label = pl.coalesce("industry_label", pl.when(same).then(f"industry_label{_ANSWERED}"))
    seen = pl.max_horizontal(f"{group}_seen" for group in STATISTICAL_GROUPS).alias("statistics_seen")
    return rows.with_columns(*chosen, seen).with_columns(industry_label=label)


def _later(later: pl.Expr, name: str) -> pl.Expr:
    return pl.when(later).then(f"{name}{_ANSWERED}").otherwise(name).alias(name)


def companies(
    registered: pl.LazyFrame, statistics: pl.LazyFrame, reported: pl.LazyFrame, today: date
) -> pl.DataFrame:
    """One row per company that has a name. `registered`: groups with `<group>_register` and `<group>_seen`.

    reported: names that annual reports give, for companies that no register file read so far holds.
    """
    rows = joined(joined(registered, statistics), reported).with_columns(_address())
    coded = rows.with_columns(places.digits(pl.col("_code")).alias(places.POSTCODE))
    located = coded.with_columns(places.placed(pl.col(places.POSTCODE)))
    profile = sources.with_sources(located).select(
        *_identity(),
        *_industry(),
        *_where(),
        *statuses.columns(today),
        *_rest(),
        "sources",
        "observed_at",
    )
    return profile.filter(pl.col("name").is_not_null()).select(COMPANIES.names).collect()


def _address() -> list[pl.Expr]:
    """Bolagsverket's address where it has one, else SCB's: never one part from each."""
    own = pl.any_horizontal(pl.col(name).is_not_null() for name in ("street", "town", "postcode"))

    def part(mine: str, theirs: str) -> pl.Expr:
        return pl.when(own).then(pl.col(mine)).otherwise(pl.col(theirs))

    return [
        part("street", "scb_street").alias("_street"),
        part("care_of", "scb_care_of").alias("_care_of"),
        part("town", "scb_town").alias("_town"),
        pl.when(~_foreign()).then(part("postcode", "scb_postcode")).alias("_code"),
        part("postcode", "scb_postcode").alias("_any_code"),
        pl.when(own).then(pl.col("address_country")).alias("_country"),
    ]


def _foreign() -> pl.Expr:
    """A foreign address has no municipality here, whatever its digits look like."""
    return (pl.col("address_country") != MARKET).fill_null(value=False)


def _identity() -> list[pl.Expr]:
    form = pl.coalesce("form", "statistical_form")
    label = pl.coalesce(
        codes.LEGAL_FORMS.expr("form"),
        pl.when(pl.col("form").is_null()).then(codes.STATISTICAL_FORMS.expr("statistical_form")),
    )
    return [
        company_ids(pl.col(NUMBER)).alias("company_id"),
        pl.col(NUMBER).alias("org_number"),
        pl.coalesce("name", "scb_name", "report_name").alias("name"),
        pl.lit(MARKET).alias("country"),
        pl.coalesce("registered", "scb_registered").alias("registered_date"),
        form.alias("legal_form_code"),
        label.alias("legal_form_label"),
    ]


def _industry() -> list[pl.Expr]:
    return [
        pl.col("industry").alias("industry_code"),
        pl.col("industry_label"),
        pl.when(pl.col("industry").is_not_null()).then("industry_scheme").alias("industry_scheme"),
    ]


def _where() -> list[pl.Expr]:
    lines = pl.concat_str("_care_of", "_street", separator=_LINES, ignore_nulls=True)
    return [
        pl.col(places.MUNICIPALITY_NAME).alias("municipality"),
        pl.col(places.MUNICIPALITY).alias("municipality_code"),
        pl.col(places.COUNTY_NAME).alias("county"),
        pl.col(places.COUNTY).alias("county_code"),
        pl.when(lines != "").then(lines.str.split(_LINES)).alias("address_lines"),
        pl.coalesce(places.POSTCODE, "_any_code").alias("postal_code"),
        pl.col("_town").alias("post_town"),
        pl.col("_country").alias("address_country"),
    ]


def _rest() -> list[pl.Expr]:
    return [
        pl.lit(value=False).alias("is_listed"),
        pl.lit(None, pl.String).alias("is_listed_source"),
        pl.lit(None, pl.Int64).alias("employees"),  # no open file of the country carries it
        pl.lit(None, pl.String).alias("website"),
        pl.lit(None, pl.List(pl.String)).alias("previous_names"),  # the registers give present names only
    ]
