"""Maps staged companies to the shared table `companies` (docs/formats/dk.md 3), column by column.

Belongs here: place, industry and its edition, employees, address, sources. Does not belong here: the status table
(`status`), figures (`regnskaber.mapping`), or listing (`connectors.listings` sets it later).
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.dk import code_lists
from connectors.dk.profile import status
from connectors.dk.register import LICENCE, MARKET, PROTECTED_LICENCE, PUBLIC_PAGE, company_ids
from connectors.dk.virksomhed.schema import FROM_DAY, KEY, NUMBER
from connectors.kit import staging
from connectors.kit.field_origins import origin_texts
from warehouse.schema import nace
from warehouse.schema.tables import COMPANIES

_NEW_EDITION: Final = date(2025, 1, 1)  # first day of DB25
_OLD, _NEW = "DB07", "DB25"
_OLD_CLASSES, _NEW_CLASSES = nace.REVISION_2.counterparts.keys(), nace.REVISION_2_1.counterparts.keys()
# classes of one revision alone tell the edition
_DECIDED_SCHEMES: Final = {
    **dict.fromkeys(_OLD_CLASSES - _NEW_CLASSES, _OLD),
    **dict.fromkeys(_NEW_CLASSES - _OLD_CLASSES, _NEW),
}
_NOT_STATED: Final = "999999"  # «Uoplyst»
_FIELDS: Final = '["name","sni_code","sni_label","municipality","county","registered_date","status"]'
_HOME: Final = "DK"


def map_companies(rows: pl.LazyFrame, to_come: pl.LazyFrame, today: date) -> pl.DataFrame:
    """One row per company on a day, from present rows of `dk_virksomhed` and `dk_virksomhed_senere`."""
    profile = status.with_meanings(_rows_of_day(rows, to_come, today), today).select(
        company_id=company_ids(pl.col(NUMBER)),
        org_number=pl.col(NUMBER),
        name=pl.col("navn"),
        country=pl.lit(MARKET),
        registered_date=pl.coalesce("stiftelses_dato", "livsforloeb_fra"),
        legal_form_code=pl.col("form_kode"),
        legal_form_label=pl.coalesce("form_tekst", code_lists.LEGAL_FORMS.expr("form_kode")),
        employees=pl.col("antal_ansatte"),
        is_listed=pl.lit(value=False),
        website=pl.col("hjemmeside"),
        previous_names=pl.col("tidligere_navne"),
        field_origins=_origins(),
        sources=_source_texts(),
        observed_at=pl.col("_observed_at"),
        **_place_columns(),
        **_industry_columns(),
        **status.status_columns(KEY),
    )
    return staging.complete_columns(profile, COMPANIES).collect()


def _rows_of_day(rows: pl.LazyFrame, to_come: pl.LazyFrame, today: date) -> pl.LazyFrame:
    """The rows; for what has come since the record was read, the newest row of it that the same version states."""
    version = [NUMBER, "samt_id", "sidst_opdateret"]
    has_come = pl.col("_retired_at").is_null() & (pl.col(FROM_DAY) <= today)
    come = to_come.filter(has_come).sort(FROM_DAY).unique(NUMBER, keep="last", maintain_order=True)
    origin = ("_company_id", "_observed_at", "_raw", "_retired_at")
    found = come.drop(origin).join(rows.select(*version, *origin), on=version, nulls_equal=True, how="inner")
    kept = rows.join(found.select(NUMBER), on=NUMBER, how="anti")
    return pl.concat([kept, found.select(rows.collect_schema().names())])


def _place_columns() -> dict[str, pl.Expr]:
    """Municipality and region of Danish addresses; the region follows from the municipality."""
    is_here = (pl.col("landekode") == _HOME).fill_null(pl.col("kommune_kode").is_not_null())
    code = pl.when(is_here).then(pl.col("kommune_kode"))
    municipalities = code_lists.MUNICIPALITIES
    # a municipality that is not listed (of before 2007) is served as the register calls it
    name = pl.coalesce(municipalities.expr(code), pl.when(is_here).then(pl.col("kommune_navn").str.to_titlecase()))
    return {
        "municipality": name,
        "municipality_code": code,
        "county": municipalities.expr(code, "region"),
        "county_code": municipalities.expr(code, "region_code"),
        "address_lines": pl.col("adresse"),
        "postal_code": pl.col("postnummer"),
        "post_town": pl.col("postdistrikt"),
        "address_country": pl.col("landekode"),
    }


def _industry_columns() -> dict[str, pl.Expr]:
    """Code, label and edition.

    A record does not name the edition: a class of one revision alone does, else the day on which the code was given, or
    on which the record was read. A code of both editions that was given before 2025 may be either.
    """
    code = pl.col("branche_kode")
    is_stated = code.is_not_null() & (code != _NOT_STATED)
    own_class = code.str.slice(0, nace.CLASS_DIGITS)
    decided = own_class.replace_strict(_DECIDED_SCHEMES, default=None, return_dtype=pl.String)
    in_both = own_class.is_in(sorted(_OLD_CLASSES & _NEW_CLASSES))
    by_day = (
        pl.when(pl.col("branche_fra") >= _NEW_EDITION)
        .then(pl.lit(_NEW))
        .when(pl.col("_observed_at").dt.date() < _NEW_EDITION)
        .then(pl.lit(_OLD))
    )
    return {
        "industry_code": pl.when(is_stated).then(code),
        "industry_label": pl.when(is_stated).then(pl.col("branche_tekst")),
        "industry_scheme": pl.when(is_stated).then(pl.coalesce(decided, pl.when(in_both).then(by_day))),
    }


def _origins() -> pl.Expr:
    """The days that the register gives of a value."""
    address = pl.col("adresse_fra")
    days = {
        "name": pl.col("navn_fra"),
        "sni_code": pl.col("branche_fra"),
        **dict.fromkeys(("municipality", "county", "address"), address),
        "legal_form_code": pl.col("form_fra"),
    }
    return origin_texts({}, days)


def _source_texts() -> pl.Expr:
    """The register's record; the licence says where a company is protected from advertising."""
    seen = pl.col("_observed_at")
    licence = pl.when("reklamebeskyttet").then(pl.lit(PROTECTED_LICENCE)).otherwise(pl.lit(LICENCE.name))
    return pl.concat_str(
        pl.lit(f'[{{"register":"{KEY}","native_id":"'),
        pl.col(NUMBER),
        pl.lit(f'","url":"{PUBLIC_PAGE}'),
        pl.col(NUMBER),
        pl.lit('","retrieved_at":"'),
        # formatted once per distinct instant: millions of rows have a handful
        seen.first().dt.strftime("%Y-%m-%dT%H:%M:%SZ").over(seen),
        pl.lit('","licence":"'),
        licence,
        pl.lit(f'","fields":{_FIELDS}}}]'),
    )
