"""Maps BasicCompanyData and facts from accounts to shared companies.

See docs/formats/uk.md 3, 11; docs/contract/contract.md «Status».

Belongs here: source precedence per field. Does not belong here: the status (`status`), reading files
(`basic_company_data.dataset`), figures (`accounts.dataset`), or when a company counts as listed (`psc.holdings`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Final

import polars as pl

from connectors.kit.columns.parallel import map_slices_parallel
from connectors.kit.columns.text import is_too_far_in_future
from connectors.kit.field_origins import origin_texts
from connectors.kit.staging import cast_to_table
from connectors.uk.accounts.schema import KEY as ACCOUNTS
from connectors.uk.basic_company_data.dataset import CELL, COLUMNS, parse_day, with_industry
from connectors.uk.code_lists import code_list_field
from connectors.uk.live_schema import INSOLVENCY_KEY
from connectors.uk.profile import status
from connectors.uk.profile.live import DOOR, with_profiles
from connectors.uk.psc.schema import KEY as PSC
from connectors.uk.register import CODE, LICENCE, PUBLIC_PAGE, company_ids
from warehouse.schema import tables

_STREET: Final = ("RegAddress.CareOf", "RegAddress.POBox", "RegAddress.AddressLine1", "RegAddress.AddressLine2")
_USED: Final = (
    *_STREET,
    "CompanyName",
    "CompanyNumber",
    "RegAddress.PostTown",
    "RegAddress.County",
    "RegAddress.Country",
    "RegAddress.PostCode",
    "CompanyCategory",
    "CompanyStatus",
    "DissolutionDate",
    "IncorporationDate",
    "Accounts.LastMadeUpDate",
    "Accounts.AccountCategory",
    CELL,
)
_UNUSED_COLUMNS: Final = tuple(name for name in COLUMNS if name not in _USED)  # former names are extracted first
_UNIT: Final = "\x1f"  # joining and splitting texts is ten times as fast as building lists from columns
_FORMER: Final = range(1, 11)
_FORMERLY: Final = tuple(f"PreviousName_{n}.{part}" for n in _FORMER for part in ("CONDATE", "CompanyName"))
_LATEST: Final = ("latest_revenue", "latest_currency", "latest_year")
_EXTRA_SOURCES: Final = (
    (INSOLVENCY_KEY, status.CASE_AT, ("status",)),
    (ACCOUNTS, "facts_at", _LATEST),
    (PSC, "listed_at", ("is_listed",)),
)
_NO_PLACES: Final = ("N/A", "NA", "NONE", "NULL", "UNKNOWN", "NOT APPLICABLE", "NOT AVAILABLE", "-", "--", ".", "..")
# as forms spell it: a list of all spellings costs less than one spelling of millions of towns
_WORDS_FOR_NO_PLACE: Final = sorted({one for word in _NO_PLACES for one in (word, word.lower(), word.title())})
_OF_REGISTER: Final = ("name", "sni_code", "sni_label", "municipality", "county", "registered_date", "status")


def map_companies(
    register: pl.DataFrame,
    unmapped: pl.DataFrame,
    facts: pl.DataFrame,
    traded: pl.DataFrame,
    live: StreamTables,
    *,
    reads_accounts: bool,
) -> pl.DataFrame:
    """Builds shared companies: everything on the register, plus companies known only from accounts.

    register, unmapped: rows with a known and an unknown status. facts: per company from its newest accounts:
    company_id, org_number, name, dormant, balance_date, facts_at. traded: companies with an exemption in force, and
    listed_at. live: rows of streams and REST responses. reads_accounts: as in `status.with_status`.
    """
    registered = with_profiles(_newest_rows(register, unmapped), live.profiles, live.today)
    newest = status.with_cases(registered, live.cases, live.today)
    beside = (  # joined by id only: a join copies every column
        newest.select("CompanyNumber", company_id=company_ids(pl.col("CompanyNumber")))
        .join(facts.drop("org_number", "name"), on="company_id", how="left", maintain_order="left")
        .join(traded, on="company_id", how="left", maintain_order="left")
        .join(_former_names(newest), on="CompanyNumber", how="left", maintain_order="left")
    )
    rows = newest.drop(_UNUSED_COLUMNS).hstack(beside.drop("CompanyNumber"))
    unregistered = facts.join(rows, on="company_id", how="anti").join(traded, on="company_id", how="left")
    to_companies = partial(_map_registered, today=live.today, reads_accounts=reads_accounts)
    return pl.concat([map_slices_parallel(rows, to_companies), _companies_from_accounts(unregistered)])


@dataclass(frozen=True, slots=True)
class StreamTables:
    """Current rows of `uk_profiles` and `uk_insolvency`; today: the logical date, by which their days have come."""

    profiles: pl.DataFrame
    cases: pl.DataFrame
    today: date


def _newest_rows(register: pl.DataFrame, unmapped: pl.DataFrame) -> pl.DataFrame:
    """Newest row of each company; with an unmapped status term also the last known status.

    A full snapshot with an unmapped row soft-deletes the company's mapped row: the newer one counts.
    """
    mapped = register.with_columns(known_status=pl.lit(None, pl.String))
    if unmapped.is_empty():
        return mapped
    words = register.select("CompanyNumber", known_status="CompanyStatus")
    strange = unmapped.join(words, on="CompanyNumber", how="left")
    both = pl.concat([mapped, strange]).sort("_observed_at", maintain_order=True)
    return both.unique("CompanyNumber", keep="last", maintain_order=True)


def _map_registered(rows: pl.DataFrame, *, today: date, reads_accounts: bool) -> pl.DataFrame:
    """Converts register rows to companies, row by row."""
    street = pl.concat_str(*_STREET, separator=_UNIT, ignore_nulls=True)
    number = pl.col("CompanyNumber")
    return cast_to_table(
        with_industry(status.with_status(rows, today, reads_accounts=reads_accounts)).with_columns(
            org_number=pl.col("CompanyNumber"),
            name=pl.col("CompanyName"),
            country=pl.lit(CODE),
            municipality=_named_place("RegAddress.PostTown"),
            county=_named_place("RegAddress.County"),
            registered_date=parse_day("IncorporationDate"),
            legal_form_code=pl.col("CompanyCategory"),
            legal_form_label=code_list_field(rows, "CompanyCategory", "legal_forms", "label"),
            address_lines=pl.when(street != "").then(street.str.split(_UNIT)),
            postal_code=_named_place("RegAddress.PostCode"),
            post_town=_named_place("RegAddress.PostTown"),
            address_country=code_list_field(rows, "RegAddress.Country", "countries", "country"),
            field_origins=origin_texts({}, {"name": pl.col("name_since")}),
            previous_names=pl.col("previous_names").fill_null(pl.lit([], dtype=pl.List(pl.String))),
            observed_at=pl.max_horizontal("_observed_at", "facts_at", "listed_at", status.CASE_AT),
            sources=_source_list(
                _source_entry(pl.col(DOOR), number, pl.col("_observed_at"), _OF_REGISTER),
                *(
                    _source_entry(register, number, pl.col(at), fields)
                    for register, at, fields in _EXTRA_SOURCES
                    if rows[at].null_count() < len(rows)  # most bulk rows have no other source
                ),
            ),
            **_listing_columns(),
        ),
        tables.COMPANIES,
    )


def _named_place(column: str) -> pl.Expr:
    """A part of an address; null for a word that says there is none."""
    return pl.when(~pl.col(column).is_in(_WORDS_FOR_NO_PLACE)).then(column)


def _companies_from_accounts(facts: pl.DataFrame) -> pl.DataFrame:
    """Companies with accounts that are in no register file read so far."""
    number = pl.col("org_number")
    return cast_to_table(
        facts.filter(pl.col("name").is_not_null()).with_columns(
            country=pl.lit(CODE),
            status=pl.when(pl.col("dormant")).then(pl.lit("dormant")).otherwise(pl.lit("active")),
            status_detail=pl.when(pl.col("dormant")).then(pl.lit("no_trading")),
            observed_at=pl.max_horizontal("facts_at", "listed_at"),
            sources=_source_list(
                _source_entry(ACCOUNTS, number, pl.col("facts_at"), ("name", "status", *_LATEST)),
                _source_entry(PSC, number, pl.col("listed_at"), ("is_listed",)),
            ),
            **_listing_columns(),
        ),
        tables.COMPANIES,
    )


def _listing_columns() -> dict[str, pl.Expr]:
    """Listing columns; true only on evidence."""
    listed = pl.col("listed_at").is_not_null()
    return {"is_listed": listed, "is_listed_source": pl.when(listed).then(pl.lit(PSC))}


def _former_names(register: pl.DataFrame) -> pl.DataFrame:
    """Former names by company, newest first, and the day the newest ended; separately, since few companies have any."""
    renamed = register.select("CompanyNumber", "_observed_at", *_FORMERLY).filter(
        pl.any_horizontal(pl.col(f"PreviousName_{n}.CompanyName").is_not_null() for n in _FORMER)
    )
    names = pl.concat(
        renamed.select(
            "CompanyNumber",
            name=pl.col(f"PreviousName_{n}.CompanyName"),
            until=_plausible_day(f"PreviousName_{n}.CONDATE"),
            place=pl.lit(n),
        )
        for n in _FORMER
    ).drop_nulls("name")
    ordered = names.sort("CompanyNumber", "until", "place", descending=[False, True, False], nulls_last=True)
    return ordered.group_by("CompanyNumber", maintain_order=True).agg(
        previous_names="name", name_since=pl.col("until").first()
    )


def _plausible_day(column: str) -> pl.Expr:
    """A day of a former name; null if far ahead: it says neither order nor since when the present name is borne."""
    day = parse_day(column)
    return pl.when(~is_too_far_in_future(day)).then(day)


def _source_entry(
    register: str | pl.Expr, number: pl.Expr, at: pl.Expr, fields: tuple[str, ...]
) -> tuple[pl.Expr, ...]:
    """Parts of the JSON text of one `sources` entry; one part is null if the register contributed nothing."""
    ending = f'","licence":{json.dumps(LICENCE.name)},"fields":{json.dumps(fields, separators=(",", ":"))}}}'
    return (
        pl.lit('{"register":"'),
        pl.lit(register) if isinstance(register, str) else register,
        pl.lit('","native_id":"'),
        number,
        pl.lit(f'","url":"{PUBLIC_PAGE}'),
        number,
        pl.lit('","retrieved_at":"'),
        at.dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
        pl.lit(ending),
    )


def _source_list(first: tuple[pl.Expr, ...], *more: tuple[pl.Expr, ...]) -> pl.Expr:
    """JSON list of the non-null entries; `first` must be present if no others are given."""
    if not more:
        return pl.concat_str(pl.lit("["), *first, pl.lit("]"))
    entries = (pl.concat_str(*parts) for parts in (first, *more))
    joined = pl.concat_str(*entries, separator=",", ignore_nulls=True)
    return pl.concat_str(pl.lit("["), joined, pl.lit("]"))
