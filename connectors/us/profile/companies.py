"""Maps staged filers to the shared `companies`, `identifiers` and `listings`, one row per filer.

See docs/formats/us.md 12.1.

A filer is a company if it operates, reports on itself, or has an industry of its own; individuals, funds that
report nothing and mere holders are not. Filers without a profile are named from the list of symbols or another
part's documents. Does not belong here: the status (`status`) or figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import PresentRows
from connectors.kit.staging import ORIGIN, complete_columns, present_rows
from connectors.us import form_types
from connectors.us.code_lists import INDUSTRIES, PLACES
from connectors.us.profile import status as profile_status
from connectors.us.register import DATA_URL, LICENCE, MARKET, company_ids
from connectors.us.submissions import schema as f
from connectors.us.submissions.status_evidence import COVERED, SILENT_MONTHS
from connectors.us.symbols.company_tickers import KEY as SYMBOLS_KEY
from connectors.us.symbols.company_tickers import TICKERS, present_symbols
from warehouse.schema.tables import COMPANIES, IDENTIFIERS, LISTINGS

EXCHANGES: Final = {"Nasdaq": "XNAS", "NYSE": "XNYS", "CBOE": "XCBO"}  # operators: NYSE includes American and Arca
_LISTED: Final = sorted(EXCHANGES)
# American depositary receipts are a bank's shell for another issuer's shares; a foreign government is no
# company
_DEPOSITARY: Final = "8880"
_GOVERNMENT: Final = "8888"
_FIELDS: Final = ("name", "sni_code", "sni_label", "municipality", "county", "registered_date", "status")
_SUFFIX: Final = r"(?i)(?:\s*[/\\][A-Z]{2,3}[/\\])+$|\s*[/\\][A-Z]{2}$|\s*/ FA$|\s\\$"


def map_companies(present: PresentRows, name_frames: Iterable[pl.LazyFrame], today: date) -> pl.DataFrame:
    """One row per company; `name_frames`: filer names from other parts' documents (cik, name, observed_at)."""
    found = _filers_with_names(present, name_frames).join(profile_status.status_facts(present), on=f.CIK, how="left")
    found = found.join(_listing_evidence(present), on=f.CIK, how="left").with_columns(_is_company())
    status = found.filter("_is_company").with_columns(*profile_status.status_columns(today, f.KEY))
    profile = status.select(
        *_identity_columns(),
        *_industry_columns(),
        *_address_columns(),
        *(pl.col(name) for name in _STATUS),
        *_listing_columns(today),
        *_source_columns(),
    )
    named_so = profile.filter(pl.col("name").is_not_null())
    return complete_columns(named_so, COMPANIES).sort("company_id").collect()


_STATUS: Final = ("status", "status_detail", "status_date", "status_source", "registry_status", "dissolved_date")


def _filers_with_names(present: PresentRows, named: Iterable[pl.LazyFrame]) -> pl.LazyFrame:
    """Profiles, and names of filers without one: the first part's name, else the one in the list of symbols."""
    listed = (
        present_symbols(present)
        .sort("cik", "ticker")
        .group_by("cik", maintain_order=True)
        .agg(pl.col("name").drop_nulls().first(), pl.col("_observed_at").max().alias("observed_at"))
    )
    schema = pl.Schema({"cik": pl.String(), "name": pl.String(), "observed_at": pl.Datetime("us", "UTC")})
    names = [frame.select(schema.names()).cast(schema) for frame in (*named, listed)]
    other = pl.concat(names).filter(pl.col("name").is_not_null()).unique("cik", keep="first", maintain_order=True)
    told = other.rename({"name": "_told", "observed_at": "_told_at"})
    return (
        present_rows(present, f.FILERS)
        .with_columns(_known=pl.lit(value=True))
        .join(told, on=f.CIK, how="full", coalesce=True)
        .with_columns(pl.col("_known").fill_null(value=False))
    )


def _listing_evidence(present: PresentRows) -> pl.LazyFrame:
    """Listed symbols of each filer, and whether a recent enough report covers an exchange."""
    listed = present_rows(present, TICKERS).filter(pl.col("_retired_at").is_null())
    symbols = listed.group_by("cik").agg(_listed_on=pl.col("exchange").drop_nulls())
    covered = pl.col(f.FILE_NUMBER).str.starts_with(COVERED) & form_types.is_in_family(
        pl.col(f.FORM), form_types.ANNUAL
    )
    covers = present_rows(present, f.FILED_TABLE).filter(covered).group_by(f.CIK).agg(_covered=pl.col(f.FILED).max())
    return symbols.join(covers, on=f.CIK, how="full", coalesce=True)


def _is_company() -> pl.Expr:
    """Whether a filer is a company: never an individual; never one that only issues receipts or holds shares.

    See docs/formats/us.md 3, 4.
    """
    kind, sic = pl.col("entity_type"), pl.col("sic")
    reports = pl.col("_reports_itself").fill_null(value=False)
    industry = sic.is_not_null() & (sic != _DEPOSITARY)
    own = (
        (kind == "operating").fill_null(value=False)
        | reports
        | (industry & (kind != "investment").fill_null(value=True))
    )
    person = pl.col("is_person").fill_null(value=False)
    state = (sic == _GOVERNMENT).fill_null(value=False)
    return (~person & ~state & (own | ~pl.col("_known"))).alias("_is_company")


def _identity_columns() -> list[pl.Expr]:
    cik = pl.col(f.CIK)
    return [
        company_ids(cik).alias("company_id"),
        (pl.lit(MARKET) + cik).alias("org_number"),
        display_name(pl.coalesce(f.NAME, "_told")).alias("name"),
        pl.lit(MARKET).alias("country"),
        pl.col("website"),
        pl.col("first_filed").alias("registered_date"),
        _previous_names().alias("previous_names"),
    ]


def _previous_names() -> pl.Expr:
    """Former names as they are shown, each once in its newest spelling, without spellings of the present one."""
    shown = pl.concat_list(f.NAME, "former_names").list.eval(display_name(pl.element()))
    letters = pl.element().str.to_lowercase().str.replace_all(r"[^a-z0-9]", "")
    former = shown.list.eval(pl.element().filter(letters.is_first_distinct())).list.slice(1)
    return pl.when(former.list.len() > 0).then(former)


def display_name(name: pl.Expr) -> pl.Expr:
    """The conformed name without a trailing state mark, blanks collapsed; never empty."""
    plain = name.str.replace_all(r"\s+", " ").str.strip_chars()
    short = plain.str.replace(_SUFFIX, "").str.strip_chars()
    return pl.when(short.str.len_chars() > 0).then(short).otherwise(plain)


def _industry_columns() -> list[pl.Expr]:
    sic = pl.col("sic")
    return [
        sic.alias("industry_code"),
        pl.when(sic.is_not_null()).then(pl.coalesce("sic_label", INDUSTRIES.expr(sic))).alias("industry_label"),
        pl.when(sic.is_not_null()).then(pl.lit("SIC")).alias("industry_scheme"),
    ]


def _address_columns() -> list[pl.Expr]:
    """City and state of the business address. A place code is not ISO: CA is California, 2M Germany."""
    place = pl.col("place")
    subdivision = PLACES.expr(place, "subdivision")
    return [
        pl.col("city").alias("municipality"),
        pl.when(subdivision.is_not_null()).then(PLACES.expr(place)).alias("county"),
        subdivision.alias("county_code"),
        pl.col("lines").alias("address_lines"),
        pl.col("postal_code"),
        pl.col("city").alias("post_town"),
        PLACES.expr(place, "country").alias("address_country"),
    ]


def _listing_columns(today: date) -> list[pl.Expr]:
    """Listing status from evidence: Nasdaq, NYSE or CBOE; over the counter is unlisted (docs/formats/us.md 12.1).

    A symbol without an exchange counts while an annual report of the last 18 months covers an exchange.
    """
    own = pl.col("exchanges").list.eval(pl.element().is_in(_LISTED)).list.any().fill_null(value=False)
    unstated = pl.col("exchanges").list.contains("").fill_null(value=False)
    listed = pl.col("_listed_on").list.eval(pl.element().is_in(_LISTED)).list.any().fill_null(value=False)
    fallback = listed & (~pl.col("_known") | unstated)
    since = pl.col("_covered").dt.offset_by(f"{SILENT_MONTHS}mo")
    # a filer that changed exchanges was removed from the old one before the report that covers the new one
    stays = (pl.col("_removed") < pl.col("_covered")) | (pl.col("_effective") > pl.lit(today))
    covered = unstated & (since >= pl.lit(today)).fill_null(value=False) & stays.fill_null(value=True)
    alive = pl.col("status") != "dissolved"
    source = pl.when(own | (covered & ~fallback)).then(pl.lit(f.KEY)).when(fallback).then(pl.lit(SYMBOLS_KEY))
    stated = pl.when("_known").then(pl.lit(f.KEY)).when(pl.col("_listed_on").is_not_null()).then(pl.lit(SYMBOLS_KEY))
    return [
        ((own | fallback | covered) & alive).alias("is_listed"),
        pl.coalesce(source, stated).alias("is_listed_source"),
    ]


def _source_columns() -> list[pl.Expr]:
    cik, at = pl.col(f.CIK), pl.col("_observed_at")
    entry = pl.concat_str(
        pl.lit(f'[{{"register":"{f.KEY}","native_id":"'),
        cik,
        pl.lit(f'","url":"{DATA_URL}/submissions/CIK'),
        cik,
        pl.lit('.json","retrieved_at":"'),
        at.first().dt.strftime("%Y-%m-%dT%H:%M:%SZ").over(at),
        pl.lit(f'","licence":"{LICENCE.name}","fields":{json.dumps(_FIELDS, separators=(",", ":"))}}}]'),
    )
    return [
        pl.coalesce(entry, pl.lit("[]")).alias("sources"),
        pl.coalesce("_observed_at", "_told_at").alias("observed_at"),
    ]


def map_identifiers(present: PresentRows) -> pl.DataFrame:
    """CIK, LEI and symbols of filers; symbols of the list where there is no profile."""
    filers = present_rows(present, f.FILERS).filter(~pl.col("is_person"))
    symbols = filers.explode("tickers").filter(pl.col("tickers").is_not_null())
    listed = present_symbols(present).filter(pl.col("_retired_at").is_null()).join(filers, on="cik", how="anti")
    parts = [
        _identifier_rows(filers, "cik", pl.col(f.CIK), f.KEY),
        _identifier_rows(filers, "lei", pl.col("lei"), f.KEY),
        _identifier_rows(symbols, "ticker", pl.col("tickers"), f.KEY),
        _identifier_rows(listed, "ticker", pl.col("ticker"), SYMBOLS_KEY),
    ]
    found = pl.concat(parts).filter(pl.col("value").is_not_null()).unique(list(IDENTIFIERS.key), keep="first")
    return found.sort(IDENTIFIERS.key).select(IDENTIFIERS.names).collect()


def _identifier_rows(frame: pl.LazyFrame, scheme: str, value: pl.Expr, register: str) -> pl.LazyFrame:
    return frame.select(
        *ORIGIN, pl.lit(scheme).alias("scheme"), value.alias("value"), pl.lit(register).alias("register")
    )


def map_listings(present: PresentRows) -> pl.DataFrame:
    """Symbols on an exchange; none over the counter."""
    pairs = (
        present_rows(present, f.FILERS)
        .explode("tickers", "exchanges")
        .select(
            "_company_id", "_raw", "_observed_at", f.CIK, ticker="tickers", exchange="exchanges", register=pl.lit(f.KEY)
        )
    )
    listed = present_rows(present, TICKERS).filter(pl.col("_retired_at").is_null())
    others = listed.join(present_rows(present, f.FILERS), on=f.CIK, how="anti").select(
        "_company_id", "_raw", "_observed_at", f.CIK, "ticker", "exchange", register=pl.lit(SYMBOLS_KEY)
    )
    traded = pl.concat([pairs, others]).filter(pl.col("exchange").is_in(_LISTED))
    rows = traded.select(
        *ORIGIN,
        "register",
        pl.col("ticker").alias("native_id"),
        pl.col("exchange").replace_strict(EXCHANGES, return_dtype=pl.String).alias("exchange_mic"),
        "ticker",
        pl.lit("regulated").alias("level"),
    )
    return complete_columns(rows, LISTINGS).sort(LISTINGS.key).collect()
