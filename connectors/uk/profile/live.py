"""Merges company profiles of stream and REST with rows of BasicCompanyData (docs/formats/uk.md 5.1, 11).

A profile is converted to the row that the bulk file would have for the company, so that one mapping serves both.
The bulk file describes the first day of its month, whenever it was fetched, a profile the time of its publication
or response; the newer one wins. A company missing from a later whole file has left the register, unless a profile
of that time or later has it, or an earlier one already states its dissolution and the date.
Does not belong here: what the columns mean (`companies`, `status`).
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.kit.columns.text import iso_date
from connectors.uk.basic_company_data.dataset import COMPANIES, KEY
from connectors.uk.code_lists import code_list_field, load_list, normalised_word
from connectors.uk.live_schema import PROFILES_KEY
from connectors.uk.stream_events import LONDON

DOOR: Final = "_door"  # dataset key of the row
TOLD: Final = "_told"  # publication time of a profile; null for bulk rows
_DAY: Final = pl.duration(days=1)
_OBSERVED: Final = pl.col("_observed_at").dt.date()
_LINES: Final = ("premises", "address_line_1")
_OF_ACCOUNTS: Final = ("Accounts.AccountCategory", "Accounts.LastMadeUpDate")
_META: Final = ("_company_id", "_observed_at", "_raw", "_retired_at")
_DISSOLVED: Final = ("dissolved", "converted-closed", "closed", "removed")
_ON_REGISTER: Final = tuple(sorted(load_list("profile_statuses").codes - set(_DISSOLVED)))


def with_profiles(register: pl.DataFrame, profiles: pl.DataFrame, today: date) -> pl.DataFrame:
    """Register rows (with `known_status`), replaced by newer profiles, plus companies known only from profiles."""
    nothing = pl.lit(None, register.schema["_observed_at"]).alias(TOLD)
    register = register.with_columns(pl.lit(KEY).alias(DOOR), nothing)
    known = profiles.filter(~pl.col("deleted"))
    if known.is_empty():
        return register
    as_rows = _to_register_columns(known, register, has_left_register(pl.lit(today)))
    bulk = register.select(
        "CompanyNumber",
        _since=bulk_instant(pl.coalesce("_retired_at", "_observed_at")),
        _last=bulk_instant(pl.col("_observed_at")),
        _before=pl.coalesce("known_status", "CompanyStatus"),
    )
    # absence also implies dissolution, but without a date
    since = pl.when(pl.col("DissolutionDate").is_not_null()).then("_last").otherwise("_since")
    newer = (
        as_rows.join(bulk, on="CompanyNumber", how="left")
        .filter((pl.col(TOLD) >= since).fill_null(value=True))
        .with_columns(known_status=pl.coalesce("known_status", "_before"))
        # the API has companies that left the register, too: an unknown word alone does not say that one is on it
        .filter(pl.any_horizontal(pl.col("known_status", "DissolutionDate").is_not_null()))
    )
    kept = register.join(newer, on="CompanyNumber", how="anti")
    return pl.concat([kept, newer.select(register.columns)])


def bulk_instant(at: pl.Expr) -> pl.Expr:
    """Reference time of a whole file: compiled up to the end, in London, of the month before that of its fetch."""
    return at.dt.convert_time_zone(LONDON.key).dt.truncate("1mo").dt.convert_time_zone("UTC")


def reported_at() -> pl.Expr:
    """Publication time of a stream or REST row, capped at its arrival."""
    return pl.min_horizontal("published_at", "_observed_at")


def _to_register_columns(profiles: pl.DataFrame, register: pl.DataFrame, has_left: pl.Expr) -> pl.DataFrame:
    """Profiles in the columns of BasicCompanyData; fields they lack keep the bulk value."""
    old = register.select(
        "CompanyNumber", *(pl.col(name).alias(f"_old_{name}") for name in (*_OF_ACCOUNTS, "SICCode.SicText_1"))
    )
    rows = profiles.with_columns(
        CompanyNumber="company_number", _status=_status_code(has_left), _sic=pl.col("sic_codes").list.first()
    ).join(old, on="CompanyNumber", how="left")
    word = pl.coalesce(code_list_field(rows, "_status", "profile_statuses", "word"), "company_status")
    fields = {
        "CompanyName": pl.col("company_name"),
        "CompanyCategory": _category(rows),
        "CompanyStatus": word,
        "known_status": code_list_field(rows, "_status", "profile_statuses", "word"),
        "DissolutionDate": pl.when(has_left).then(_bulk_date_text("date_of_cessation")),
        "IncorporationDate": _bulk_date_text("date_of_creation"),
        "SICCode.SicText_1": _industry_cell(rows),
        **_address_columns(),
        **_accounts_columns(),
        # newest first; names without a date keep that order
        **{
            f"PreviousName_{n}.CompanyName": pl.col("previous_names").list.get(n - 1, null_on_oob=True)
            for n in range(1, 11)
        },
        "PreviousName_1.CONDATE": _bulk_date_text("renamed_on"),
        DOOR: pl.lit(PROFILES_KEY),
        TOLD: reported_at(),
    }
    found = rows.with_columns(**fields)
    schema = staging.staged_schema(COMPANIES)
    return found.select(
        *(found.get_column(name, default=pl.lit(None, kind).alias(name)) for name, kind in schema.items()),
        *_META,
        "known_status",
        DOOR,
        TOLD,
    )  # fmt: skip


def _category(rows: pl.DataFrame) -> pl.Expr:
    """The bulk file's word for the type; community interest companies are limited companies of a subtype in the API."""
    of_type = pl.coalesce(code_list_field(rows, "type", "company_types", "category"), "type")
    is_interest = (pl.col("subtype") == "community-interest-company").fill_null(value=False)
    return pl.when(is_interest).then(pl.lit("Community Interest Company")).otherwise(of_type)


def has_left_register(today: pl.Expr = _OBSERVED) -> pl.Expr:
    """Whether a profile states that the company has left the register by a day, else by that of the profile.

    A known status word decides: a company that was restored is active and keeps its old date of cessation. The date
    decides where there is no word, or one that is not known, once it has come.
    """
    word = _status_word().fill_null("")
    by_date = pl.col("date_of_cessation").is_not_null() & ~word.is_in(_ON_REGISTER)
    tomorrow = today + _DAY  # in London the day may have begun
    has_come = iso_date(pl.col("date_of_cessation")) <= tomorrow
    return word.is_in(_DISSOLVED) | (by_date & has_come.fill_null(value=False))


def _status_word() -> pl.Expr:
    return normalised_word("company_status")


def _status_code(has_left: pl.Expr) -> pl.Expr:
    """Status, or the status detail if the bulk file uses it as a status."""
    detail = pl.col("company_status_detail")
    striking = (_status_word() == "active") & (detail == "active-proposal-to-strike-off")
    return (
        pl.when(striking.fill_null(value=False))
        .then(detail)
        .when(has_left & pl.col("company_status").is_null())
        .then(pl.lit("dissolved"))
        .otherwise("company_status")
    )


def _bulk_date_text(column: str) -> pl.Expr:
    return iso_date(pl.col(column)).dt.strftime("%d/%m/%Y")


def _industry_cell(rows: pl.DataFrame) -> pl.Expr:
    """`code - label`, with the bulk file's text if the code is the same."""
    old, code = pl.col("_old_SICCode.SicText_1"), pl.col("_sic")
    label = code_list_field(rows, "_sic", "sic", "label")
    same = (old.str.extract(r"^(\d{4,5})") == code).fill_null(value=False)
    return pl.when(same).then(old).otherwise(pl.concat_str(code, label, separator=" - ", ignore_nulls=True))


def _address_columns() -> dict[str, pl.Expr]:
    """Address in capitals as in the bulk file, so that a town is spelt the same in every channel."""
    street = pl.concat_str(*_LINES, separator=" ", ignore_nulls=True)
    return {
        "RegAddress.CareOf": pl.col("care_of").str.to_uppercase(),
        "RegAddress.POBox": pl.col("po_box").str.to_uppercase(),
        "RegAddress.AddressLine1": pl.when(street != "").then(street.str.to_uppercase()),
        "RegAddress.AddressLine2": pl.col("address_line_2").str.to_uppercase(),
        "RegAddress.PostTown": pl.col("locality").str.to_uppercase(),
        "RegAddress.County": pl.col("region").str.to_uppercase(),
        "RegAddress.Country": pl.col("country"),
        "RegAddress.PostCode": pl.col("postal_code"),
    }


def _accounts_columns() -> dict[str, pl.Expr]:
    """Type and date of the newest accounts, both from one channel (events of older years have neither)."""
    says = pl.col("accounts_type").is_not_null() | pl.col("accounts_made_up_to").is_not_null()
    category, made_up = _OF_ACCOUNTS
    return {
        category: pl.when(says).then(account_category()).otherwise(f"_old_{category}"),
        made_up: pl.when(says).then(_bulk_date_text("accounts_made_up_to")).otherwise(f"_old_{made_up}"),
    }


def account_category() -> pl.Expr:
    """The bulk file's word for the type of a profile's newest accounts."""
    kind = pl.col("accounts_type").str.replace_all("-", " ").str.to_uppercase()
    return kind.replace("NO ACCOUNTS TYPE AVAILABLE", "ACCOUNTS TYPE NOT AVAILABLE")
