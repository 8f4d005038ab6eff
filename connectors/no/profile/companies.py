"""Maps staged entities to the shared table `companies` (docs/formats/no.md 13.1 to 13.3), column by column.

Belongs here: place, industry, employees, address, and joining a profile with the short body that may follow it.
Does not belong here: the status table (`status`), figures (`regnskap.mapping`), or listing (`no.euronext` sets
it later).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.no import code_lists
from connectors.no.enheter.schema import (
    ADDRESS_PARTS,
    BUSINESS,
    CODE_LIST,
    CONTRADICTING_EMPLOYEES,
    DELETED,
    EMPLOYEES,
    ENTITIES,
    FORM,
    FORMER_NAMES,
    HAS_EMPLOYEES,
    LINES,
    NAME,
    NUMBER,
    PLACE_PARTS,
    POSTAL,
    REMOVED,
)
from connectors.no.profile import status
from connectors.no.register import ENTITY_URL, LICENCE, MARKET, company_ids
from warehouse.schema import nace
from warehouse.schema.tables import COMPANIES

REGISTER: Final = "no.enheter"
SOURCE_FIELDS: Final = ("name", "sni_code", "sni_label", "municipality", "county", "registered_date", "status")
_NOT_STATED: Final = "00.000"  # «Uoppgitt»
# NACE classes of one revision alone: such a code tells its version, whatever the version of the file
_CLASSES, _NEW_CLASSES = nace.REVISION_2.counterparts.keys(), nace.REVISION_2_1.counterparts.keys()
_DECIDED_SCHEMES: Final = {
    **dict.fromkeys(_CLASSES - _NEW_CLASSES, "SN2007"),
    **dict.fromkeys(_NEW_CLASSES - _CLASSES, "SN2025"),
}
_SHORT: Final = status.SHORT


def map_companies(tables: Mapping[str, pl.LazyFrame], today: date) -> pl.DataFrame:
    """One row per entity on a day, from short bodies and profiles. A number without any name gives no row."""
    if ENTITIES.name not in tables and DELETED.name not in tables:
        return staging.empty_staged_frame(COMPANIES)
    rows = _merge_tables(tables).with_columns(status.ENDED, *status.FORCED).with_columns(_place_columns())
    profile = rows.select(
        *_identity_columns(),
        *_industry_columns(),
        *_address_columns(),
        *status.status_columns(REGISTER, today),
        *_remaining_columns(),
        *_source_columns(),
    )
    return staging.complete_columns(profile.filter(pl.col("name").is_not_null()), COMPANIES).collect()


def _merge_tables(tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    """Joins profiles, short bodies (columns prefixed) and former names: one row per number."""
    short = staging.present_rows(tables, DELETED).select(pl.all().name.prefix(_SHORT))
    rows = staging.present_rows(tables, ENTITIES).join(
        short, left_on=NUMBER, right_on=_SHORT + NUMBER, how="full", coalesce=True
    )
    if FORMER_NAMES.name not in tables:
        return rows.with_columns(pl.lit(None, pl.List(pl.String)).alias("historiskeNavn"))
    return rows.join(tables[FORMER_NAMES.name].select(FORMER_NAMES.names), on=NUMBER, how="left")


def _place_columns() -> list[pl.Expr]:
    """Columns `_part` of the address used for the company's place: the business address, else the postal one."""
    business = pl.any_horizontal(pl.col(f"forretningsadresse.{part}").is_not_null() for part in ADDRESS_PARTS)
    return [
        pl.when(business).then(pl.col(f"{BUSINESS}.{part}")).otherwise(pl.col(f"{POSTAL}.{part}")).alias(f"_{part}")
        for part in PLACE_PARTS
    ]


def _identity_columns() -> list[pl.Expr]:
    short, removed = pl.col(_SHORT + NAME), pl.col(_SHORT + "respons_klasse") == REMOVED
    # a 410 removes personal data; for a sole proprietor that includes the name
    hidden = status.IS_REMOVED & (pl.col(FORM) == code_lists.SOLE_PROPRIETOR)
    name = pl.when(status.IS_DELETED & short.is_not_null() & ~removed).then(short).otherwise(pl.col(NAME))
    return [
        company_ids(pl.col(NUMBER)).alias("company_id"),
        pl.col(NUMBER).alias("org_number"),
        pl.when(hidden).then(pl.col(NUMBER)).otherwise(_to_single_line(pl.coalesce(name, short))).alias("name"),
        pl.lit(MARKET).alias("country"),
        pl.col("registreringsdatoEnhetsregisteret").alias("registered_date"),
        pl.coalesce(FORM, _SHORT + FORM).alias("legal_form_code"),
        pl.coalesce("organisasjonsform.beskrivelse", f"{_SHORT}organisasjonsform.beskrivelse").alias(
            "legal_form_label"
        ),
    ]


def _to_single_line(name: pl.Expr) -> pl.Expr:
    """Joins a name that the register split over lines."""
    return name.str.replace_all("\r", "", literal=True).str.replace_all("\n", " ", literal=True)


def _industry_columns() -> list[pl.Expr]:
    """Code, label and version. The file's version decides only where the code's class is in both revisions of NACE."""
    code = pl.col("naeringskode1.kode")
    stated = code.is_not_null() & (code != _NOT_STATED)
    bare = code.str.replace(".", "", literal=True)
    own_class = bare.str.slice(0, nace.CLASS_DIGITS)
    decided = own_class.replace_strict(_DECIDED_SCHEMES, default=None, return_dtype=pl.String)
    in_both = own_class.is_in(sorted(_CLASSES & _NEW_CLASSES))
    return [
        pl.when(stated).then(bare).alias("industry_code"),
        pl.when(stated).then(pl.col("naeringskode1.beskrivelse")).alias("industry_label"),
        pl.when(stated).then(pl.coalesce(decided, pl.when(in_both).then(CODE_LIST))).alias("industry_scheme"),
    ]


def _address_columns() -> list[pl.Expr]:
    """Municipality and county, of Norwegian addresses only (foreign ones have no municipality)."""
    norwegian = (pl.col("_landkode") == MARKET).fill_null(pl.col("_kommunenummer").is_not_null())
    number = pl.when(norwegian).then(pl.col("_kommunenummer"))
    county_code = number.str.slice(0, 2)
    county = code_lists.COUNTIES.expr(county_code)
    address = f"{BUSINESS}."
    hidden = status.IS_REMOVED
    return [
        pl.when(norwegian).then(pl.col("_kommune")).alias("municipality"),
        number.alias("municipality_code"),
        county.alias("county"),
        pl.when(county.is_not_null()).then(county_code).alias("county_code"),
        pl.when(~hidden).then(pl.col(address + "adresse").str.split(LINES)).alias("address_lines"),
        pl.when(~hidden).then(pl.col(address + "postnummer")).alias("postal_code"),
        pl.when(~hidden).then(pl.col(address + "poststed")).alias("post_town"),
        pl.when(~hidden).then(pl.col(address + "landkode")).alias("address_country"),
    ]


def _remaining_columns() -> list[pl.Expr]:
    none_registered = ~pl.col(HAS_EMPLOYEES)
    return [
        pl.lit(value=False).alias("is_listed"),
        # true without a number means one to four, withheld: null, never 0
        pl.when(CONTRADICTING_EMPLOYEES)
        .then(pl.lit(None, pl.Int64))
        .when(pl.col(EMPLOYEES).is_not_null())
        .then(pl.col(EMPLOYEES))
        .when(none_registered)
        .then(pl.lit(0, pl.Int64))
        .alias("employees"),
        pl.when(~status.IS_REMOVED).then(pl.col("hjemmeside")).alias("website"),
        pl.when(~status.IS_REMOVED).then(pl.col("historiskeNavn")).alias("previous_names"),
    ]


def _source_columns() -> list[pl.Expr]:
    seen = pl.max_horizontal("_observed_at", f"{_SHORT}_observed_at")
    fields = '","'.join(SOURCE_FIELDS)
    text = pl.concat_str(
        pl.lit(f'[{{"register":"{REGISTER}","native_id":"'),
        pl.col(NUMBER),
        pl.lit(f'","url":"{ENTITY_URL}'),
        pl.col(NUMBER),
        pl.lit('","retrieved_at":"'),
        # formatted once per distinct instant: a million rows have a handful
        seen.first().dt.strftime("%Y-%m-%dT%H:%M:%SZ").over(seen),
        pl.lit(f'","licence":"{LICENCE.name}","fields":["{fields}"]}}]'),
    )
    return [text.alias("sources"), seen.alias("observed_at")]
