"""Maps staged companies to the shared `companies` and `identifiers` (docs/formats/fi.md 7).

Belongs here: names, industry, place, listing, sources. Does not belong here: the status table (`status`) or
figures. A company that leaves the bulk keeps its last state: `endDate` marks dissolution, and an id that vanished
was merged or corrected (docs/formats/fi.md 2.3).
"""

from __future__ import annotations

import json
from typing import Final

import polars as pl

from connectors.fi.profile import status
from connectors.fi.register import COMPANIES_URL, LICENCE, MARKET, MUNICIPALITIES, company_ids
from connectors.fi.xbrl.schema import KEY as STATEMENTS
from connectors.fi.ytj import schema as f
from connectors.kit.field_origins import origin_texts
from connectors.kit.staging import ORIGIN, complete_columns
from warehouse.schema.tables import COMPANIES, IDENTIFIERS

_KNOWN: Final = pl.col("_observed_at").is_not_null()
_FIELDS: Final = ("name", "sni_code", "sni_label", "municipality", "county", "registered_date", "status")
_FIGURES: Final = ("latest_revenue", "latest_currency", "latest_year")


def map_companies(ytj: pl.LazyFrame, stated: pl.LazyFrame) -> pl.DataFrame:
    """One row per company that has a name; `stated`: names from statements (`xbrl.mapping.statement_names`)."""
    rows = ytj.join(stated, on=f.NUMBER, how="full", coalesce=True)
    profile = rows.select(
        *_identity_columns(),
        *_industry_columns(),
        *_address_columns(),
        *status.status_columns(_KNOWN, f.KEY),
        *_remaining_columns(),
        *_source_columns(),
        _origin_column(),
    )
    return complete_columns(profile.filter(pl.col("name").is_not_null()), COMPANIES).collect()


def map_identifiers(ytj: pl.LazyFrame) -> pl.DataFrame:
    """EUIDs, and VAT numbers of companies with an open entry in the VAT register (docs/formats/fi.md 1)."""
    number = pl.lit(MARKET) + pl.col(f.NUMBER).str.replace("-", "", literal=True)
    values = {"euid": pl.col("euId"), "vat": pl.when(pl.col("vat")).then(number)}
    parts = [
        ytj.select(*ORIGIN, scheme=pl.lit(scheme), value=value, register=pl.lit(f.KEY))
        for scheme, value in values.items()
    ]
    return pl.concat(parts).filter(pl.col("value").is_not_null()).select(IDENTIFIERS.names).collect()


def _identity_columns() -> list[pl.Expr]:
    return [
        company_ids(pl.col(f.NUMBER)).alias("company_id"),
        pl.col(f.NUMBER).alias("org_number"),
        pl.coalesce("name", "stated_name").alias("name"),
        pl.lit(MARKET).alias("country"),
        pl.coalesce("registrationDate", "businessId.registrationDate").alias("registered_date"),
        pl.col("companyForm.type").alias("legal_form_code"),
        pl.col("companyForm.description").alias("legal_form_label"),
    ]


def _industry_columns() -> list[pl.Expr]:
    scheme = pl.col("mainBusinessLine.typeCodeSet").replace_strict(f.SCHEMES, default=None, return_dtype=pl.String)
    return [
        pl.col("mainBusinessLine.type").alias("industry_code"),
        pl.col("mainBusinessLine.description").alias("industry_label"),
        scheme.alias("industry_scheme"),
    ]


def _address_columns() -> list[pl.Expr]:
    """Municipality columns, as an approximation of the registered office, which the open data lack."""
    code = pl.col("address.municipalityCode")
    name = MUNICIPALITIES.expr(code)
    known = name.is_not_null()  # ceased companies keep codes of merged municipalities
    return [
        name.alias("municipality"),
        pl.when(known).then(code).alias("municipality_code"),
        MUNICIPALITIES.expr(code, "region_label").alias("county"),
        MUNICIPALITIES.expr(code, "region").alias("county_code"),
        pl.col("address.lines").alias("address_lines"),
        pl.col("address.postCode").alias("postal_code"),
        pl.col("address.city").alias("post_town"),
        _country_column().alias("address_country"),
    ]


def _country_column() -> pl.Expr:
    """The country if it is a code; Finland for an address with a post office and no country."""
    written = pl.col("address.country").str.to_uppercase()
    domestic = written.is_null() & pl.col("address.postCode").is_not_null()
    return pl.when(domestic).then(pl.lit(MARKET)).when(written.str.contains("^[A-Z]{2}$")).then(written)


def _remaining_columns() -> list[pl.Expr]:
    return [
        pl.lit(value=False).alias("is_listed"),
        pl.col("website.url").alias("website"),
        pl.when(pl.col("previousNames").list.len() > 0).then("previousNames").alias("previous_names"),
    ]


def _origin_column() -> pl.Expr:
    """Days that the register gives of its values; a statement where it has no name."""
    days = {
        "name": "name.registrationDate",
        "sni_code": "mainBusinessLine.registrationDate",
        "legal_form_code": "companyForm.registrationDate",
        "address": "address.registrationDate",
    }
    registers = {"name": pl.when(pl.col("name").is_null()).then(pl.lit(STATEMENTS))}
    return origin_texts(registers, {field: pl.col(column) for field, column in days.items()})


def _source_columns() -> list[pl.Expr]:
    entries = [
        _source_entry(f.KEY, pl.col("_observed_at"), _FIELDS, f"{COMPANIES_URL}/companies?businessId="),
        _source_entry(STATEMENTS, pl.col("stated_at"), _FIGURES, None),
    ]
    listed = pl.concat_str(*entries, separator=",", ignore_nulls=True)
    return [
        pl.concat_str(pl.lit("["), listed, pl.lit("]")).alias("sources"),
        pl.max_horizontal("_observed_at", "stated_at").alias("observed_at"),
    ]


def _source_entry(register: str, at: pl.Expr, fields: tuple[str, ...], url: str | None) -> pl.Expr:
    """One register as JSON text; null if it has no data."""
    number = pl.col(f.NUMBER)
    address = pl.lit("null") if url is None else pl.concat_str(pl.lit(f'"{url}'), number, pl.lit('"'))
    return pl.concat_str(
        pl.lit(f'{{"register":"{register}","native_id":"'),
        number,
        pl.lit('","url":'),
        address,
        pl.lit(',"retrieved_at":"'),
        at.first().dt.strftime("%Y-%m-%dT%H:%M:%SZ").over(at),
        pl.lit(f'","licence":"{LICENCE.name}","fields":{json.dumps(fields, separators=(",", ":"))}}}'),
    )
