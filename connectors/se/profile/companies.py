"""Combines the registers' statements into the shared table `companies`, column by column.

Belongs here: register precedence per field, place, address. Does not belong here: one register's rows
(`bulk.bolagsverket`, `bulk.scb`, `api.dataset`), the status table (`status`), or listing: no listing source is
loaded here, so no company is listed and the listing source is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Final

import polars as pl
from polars import selectors

from connectors.kit.field_origins import origin_texts
from connectors.kit.staging import complete_columns
from connectors.se import code_lists
from connectors.se.annual_reports.schema import KEY as REPORTS_KEY
from connectors.se.bulk.bolagsverket_schema import NUMBER
from connectors.se.bulk.scb_schema import KEY as SCB_KEY
from connectors.se.profile import postcodes, provenance, status
from connectors.se.register import MARKET, company_ids
from warehouse.schema.tables import COMPANIES

# Fields of a statement that belong together: the newer channel wins for the group as a whole.
GROUPS: Final = {
    "name": ("name", "name_since"),
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
_ANSWERED: Final = "_answer"
_LABEL: Final = "industry_label"
_THEIRS: Final = selectors.ends_with(_ANSWERED)
_LINES: Final = "\x1f"
_OWN: Final = pl.any_horizontal(pl.col(name).is_not_null() for name in ("street", "town", "postcode"))
# SCB's values are used only where Bolagsverket has none, which is rare.
_SPARE: Final = {
    **{f"scb_{name}": pl.col(name).is_null() for name in ("name", "registered")},
    "statistical_form": pl.col("form").is_null(),
    **dict.fromkeys(("scb_street", "scb_care_of", "scb_town", "scb_postcode"), ~_OWN),
}
_KEY: Final = "_number"
_PLACE: Final = "_place"


def join_statements(
    left: pl.DataFrame, right: pl.DataFrame, fallbacks: Mapping[str, pl.Expr] = MappingProxyType({})
) -> pl.DataFrame:
    """Full join of both sides by company number; without a comparison if the right side is empty, as is common.

    fallbacks: columns of the right needed for few rows of the left only, with the condition selecting those rows.
    """
    named = {name: f"{name}{_ANSWERED}" if name in left.columns else name for name in right.columns}
    if right.is_empty():
        return left.with_columns(
            pl.lit(None, right.schema[name]).alias(as_) for name, as_ in named.items() if name != NUMBER
        )
    key = pl.col(NUMBER).cast(pl.UInt64).alias(_KEY)  # ten digits compare faster as an integer
    theirs = right.rename(named | {NUMBER: NUMBER}).rechunk()
    # joined by number only: a join copies every column of both sides
    ours, wanted = left.select(key), theirs.select(key).with_row_index(_PLACE)
    place = ours.join(wanted, on=_KEY, how="left", maintain_order="left")[_PLACE]
    both = left.hstack(_gather_columns(left, theirs.drop(NUMBER), place, fallbacks))
    others = theirs.filter(pl.repeat(value=True, n=theirs.height, eager=True).scatter(place.drop_nulls(), False))
    return both if others.is_empty() else pl.concat([both, others], how="diagonal", rechunk=False)


def _gather_columns(
    left: pl.DataFrame, theirs: pl.DataFrame, place: pl.Series, spare: Mapping[str, pl.Expr]
) -> list[pl.Series]:
    """Columns of the right in the order of the left (a random-access gather is slow, hence `spare`)."""
    asked = left.select(pl.when(is_asked).then(place).alias(name) for name, is_asked in spare.items())
    places_ = {name: asked[name] if name in spare else place for name in theirs.columns}
    return theirs.select(pl.col(name).gather(places_[name]) for name in theirs.columns).get_columns()


def newest_statements(bulk: pl.DataFrame, api_rows: pl.DataFrame) -> pl.DataFrame:
    """Merges bulk and API statements: each group is taken as a whole from the newer one."""
    return _newest_groups(bulk, api_rows, GROUPS, "bulk_seen", "answer_seen").drop(_THEIRS)


def newest_statistics(bulk: pl.DataFrame, api_rows: pl.DataFrame) -> pl.DataFrame:
    """Merges SCB's bulk file and SCB data of the API: the newer of each group; the API's label of an equal code."""
    rows = _newest_groups(bulk, api_rows, STATISTICAL_GROUPS, "scb_seen", "statistics_seen")
    if _LABEL + _ANSWERED in rows.columns:
        same = pl.all_horizontal(pl.col(name) == pl.col(name + _ANSWERED) for name in ("industry", "industry_scheme"))
        rows = rows.with_columns(pl.coalesce(pl.when(same).then(_LABEL + _ANSWERED), _LABEL).alias(_LABEL))
    return rows.drop(_THEIRS)


def with_register(statistics: pl.DataFrame, register: pl.DataFrame) -> pl.DataFrame:
    """Adds SCB's register of enterprises: seat and employees, and its industry where it was stated last."""
    rows = join_statements(statistics, register)
    known = pl.when("industry_answered").then("statistics_seen").otherwise("scb_seen")
    is_later = (pl.col("register_seen") > known).fill_null(value=True) | pl.col("industry").is_null()
    later = (pl.col("register_industry").is_not_null() & is_later).fill_null(value=False)
    theirs = ("register_industry", "register_label", "register_scheme")
    industry = zip(STATISTICAL_GROUPS["industry"], theirs, strict=True)
    return rows.with_columns(pl.when(later).then(own).otherwise(name).alias(name) for name, own in industry).drop(
        theirs
    )


def _newest_groups(
    bulk: pl.DataFrame, answers: pl.DataFrame, groups: Mapping[str, tuple[str, ...]], seen: str, told: str
) -> pl.DataFrame:
    """Merges by group; `<group>_answered` is true where the API is newer."""
    if answers.is_empty():
        never = (pl.lit(value=False).alias(f"{group}_answered") for group in groups)
        return bulk.with_columns(*never, pl.lit(None, pl.Datetime("us", "UTC")).alias(told))
    chosen: list[pl.Expr] = []
    for group, names in groups.items():
        there = pl.col(f"{group}_seen")
        later = there.is_not_null() & (pl.col(seen).is_null() | (there > pl.col(seen)))
        chosen += [
            later.alias(f"{group}_answered"),
            *(pl.when(later).then(f"{name}{_ANSWERED}").otherwise(name).alias(name) for name in names),
        ]
    last = pl.max_horizontal(f"{group}_seen" for group in groups).alias(told)
    rows = join_statements(bulk, answers).with_columns(*chosen, last)
    return rows.drop(f"{group}_seen" for group in groups)


def map_companies(
    registered: pl.DataFrame, statistics: pl.DataFrame, reported: pl.DataFrame, today: date, *, reads_scb: bool
) -> pl.DataFrame:
    """One row per company with a name, from `newest_statements` and `with_register`.

    reported: names from annual reports, for companies missing from every register file read so far. reads_scb: as in
    `status.with_status`.
    """
    rows = join_statements(join_statements(registered, statistics, _SPARE), reported)
    return _map_profiles(rows, today, reads_scb=reads_scb)


def _map_profiles(rows: pl.DataFrame, today: date, *, reads_scb: bool) -> pl.DataFrame:
    """Converts joined statements to profiles, row by row."""
    rows = rows.with_columns(_address_parts())
    code = postcodes.clean_postcodes(rows["_code"]).alias(postcodes.POSTCODE)
    located = rows.hstack([code, *postcodes.locate_postcodes(code)]).with_columns(*_seat_columns())
    told = status.with_status(provenance.with_sources(located), today, reads_scb=reads_scb)
    profile = told.lazy().select(
        *_identity_columns(),
        pl.col("industry").alias("industry_code"),
        "industry_label",
        pl.when(pl.col("industry").is_not_null()).then("industry_scheme").alias("industry_scheme"),
        *_address_columns(),
        *status.COLUMNS,
        pl.lit(value=False).alias("is_listed"),
        pl.col("register_employees").alias("employees"),
        "sources",
        "observed_at",
        _origin_column(),
    )
    # the registers give current names only
    return complete_columns(profile.filter(pl.col("name").is_not_null()), COMPANIES).collect()


def _origin_column() -> pl.Expr:
    """SCB where it stands in for Bolagsverket, which `sources` does not say; a report where no register has a name."""
    of_scb, of_report = pl.lit(SCB_KEY), pl.when(pl.col("report_name").is_not_null()).then(pl.lit(REPORTS_KEY))
    spare_address = pl.any_horizontal(pl.col(f"scb_{name}").is_not_null() for name in ("street", "town", "postcode"))
    spare_name = pl.when(pl.col("scb_name").is_not_null()).then(of_scb).otherwise(of_report)
    registers = {
        "name": pl.when(pl.col("name").is_null()).then(spare_name),
        "legal_form_code": pl.when(pl.col("form").is_null() & pl.col("statistical_form").is_not_null()).then(of_scb),
        "address": pl.when(~_OWN & spare_address).then(of_scb),
    }
    return origin_texts(registers, {"name": pl.col("name_since")})


def _seat_columns() -> list[pl.Expr]:
    """The place: the seat that SCB's register states, else what the post code tells; never parts of both."""
    stated = {
        postcodes.MUNICIPALITY: "seat_code",
        postcodes.MUNICIPALITY_NAME: "seat_name",
        postcodes.COUNTY: "seat_county",
        postcodes.COUNTY_NAME: "seat_county_name",
    }
    has_seat = pl.col("seat_county").is_not_null()
    return [pl.when(has_seat).then(seat).otherwise(name).alias(name) for name, seat in stated.items()]


def _address_parts() -> list[pl.Expr]:
    """Bolagsverket's address if there is one, else SCB's; parts are never mixed."""

    def part(mine: str, theirs: str) -> pl.Expr:
        return pl.when(_OWN).then(pl.col(mine)).otherwise(pl.col(theirs))

    # a foreign address has no municipality, even if the digits look like a post code
    is_foreign = (pl.col("address_country") != MARKET).fill_null(value=False)
    return [
        part("street", "scb_street").alias("_street"),
        part("care_of", "scb_care_of").alias("_care_of"),
        part("town", "scb_town").alias("_town"),
        pl.when(~is_foreign).then(part("postcode", "scb_postcode")).alias("_code"),
        part("postcode", "scb_postcode").alias("_any_code"),
        pl.when(_OWN).then(pl.col("address_country")).alias("_country"),
    ]


def _identity_columns() -> list[pl.Expr]:
    form = pl.coalesce("form", "statistical_form")
    other = pl.when(pl.col("form").is_null()).then("statistical_form")
    label = pl.coalesce(code_lists.LEGAL_FORMS.expr("form"), code_lists.STATISTICAL_FORMS.expr(other))
    return [
        company_ids(pl.col(NUMBER)).alias("company_id"),
        pl.col(NUMBER).alias("org_number"),
        pl.coalesce("name", "scb_name", "report_name").alias("name"),
        pl.lit(MARKET).alias("country"),
        pl.coalesce("registered", "scb_registered").alias("registered_date"),
        form.alias("legal_form_code"),
        label.alias("legal_form_label"),
    ]


def _address_columns() -> list[pl.Expr]:
    two = pl.col("_care_of").is_not_null() & pl.col("_street").is_not_null()
    # building a one-column list needs no copy, and nearly all addresses have one line
    texts = (pl.when(two).then(name) for name in ("_care_of", "_street"))
    both = pl.concat_str(*texts, separator=_LINES).str.split(_LINES)
    line = pl.coalesce("_street", "_care_of")
    lines = pl.when(two).then(both).when(line != "").then(pl.concat_list(line))
    return [
        pl.col(postcodes.MUNICIPALITY_NAME).alias("municipality"),
        pl.col(postcodes.MUNICIPALITY).alias("municipality_code"),
        pl.col(postcodes.COUNTY_NAME).alias("county"),
        pl.col(postcodes.COUNTY).alias("county_code"),
        lines.alias("address_lines"),
        pl.coalesce(postcodes.POSTCODE, "_any_code").alias("postal_code"),
        pl.col("_town").alias("post_town"),
        pl.col("_country").alias("address_country"),
    ]
