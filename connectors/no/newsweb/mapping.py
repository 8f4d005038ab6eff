"""Maps announcements to shared filings, holdings and listing identifiers (docs/formats/no.md 8, 13.4, 13.5).

A report is a filing, with its period if a text states one, and without figures: none are read from prose or pages.
The same report in two languages is two documents of one period, and one event. A major holding notice is an
observation of the holder on the day of the crossing; the newest counts. Does not belong here: the issuer's company
(`Jurisdiction.links`), or parsing texts (`periods`, `major_holdings`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.dataset import AbsenceRule
from connectors.kit import staging
from connectors.no.aksjonaerregister.schema import CLASS, HAS_UNREAD, YEAR
from connectors.no.enheter.schema import SHARE_COUNT
from connectors.no.newsweb import schema as f
from connectors.no.regnskap.dataset import DATASET as REGNSKAP
from connectors.no.regnskap.schema import END as ACCOUNTS_END
from name_matching.name_columns import fold_texts
from warehouse.schema.ids import filing_id
from warehouse.schema.tables import FILINGS, HOLDINGS

_OSLO: Final = "Europe/Oslo"
_PRELIMINARY: Final = r"(?i)\bpreliminary\b|\bforeløpig"
_INTERIM: Final = list(f.INTERIM)
_PERCENT: Final = pl.Decimal(9, 4)
_DECEMBER: Final = 12
_NO_ACCOUNTS: Final = pl.LazyFrame(schema={"_company_id": pl.String(), ACCOUNTS_END: pl.Date()})
# legal forms at the end of a name: the holder is not a person
_COMPANY: Final = (
    r"(?i)\b(?:as|asa|ab|a/s|oyj?|ltd\.?|limited|plc|llc|l\.l\.c\.|llp|l\.?p\.?|inc\.?|corp\.?|corporation|gmbh|ag|"
    r"s\.?a\.?|sarl|s\.à r\.l\.|sicav(?: luxembourg)?|n\.?v\.?|b\.?v\.?|se|sparebank|bank|fonder ab|trust|"
    r"company|group|fund|funds)\W*$"
)


# A bare year is the calendar year, unless accounts of the company have another one
CALENDAR_YEARS: Final = AbsenceRule(
    name="no.filings.calendar_years",
    reads=(REGNSKAP,),
    undecided=(pl.col("register") == f.KEY) & pl.col("period_end").is_null(),
    table=FILINGS.name,
)


def map_filings(messages: pl.LazyFrame, texts: pl.LazyFrame, accounts: pl.LazyFrame | None) -> pl.DataFrame:
    """Shared filings of annual and interim reports. Announcements without attachment are skipped: no document.

    accounts: None if accounts were never loaded, so that nothing is known of financial years (`CALENDAR_YEARS`).
    """
    stated = texts.select(
        f.ID, *(pl.col(name).alias(f"_{name}") for name in (f.START, f.END, f.IS_DATED)), pl.lit(True).alias("_is_read")
    )
    of_year = pl.col("category").list.contains(f.ANNUAL)
    of_part = pl.col("category").list.eval(pl.element().is_in(_INTERIM)).list.any()
    reports = (
        messages.filter(
            of_year | of_part,
            pl.col("numbAttachments") > 0,
            ~pl.col("title").str.contains(_PRELIMINARY).fill_null(value=False),
        )
        .join(_corrected_messages(messages), on=f.ID, how="anti")
        .join(stated, on=f.ID, how="left")
        .join(_broken_years(accounts if accounts is not None else _NO_ACCOUNTS), on="_company_id", how="left")
        .with_columns(
            filing_type=pl.when(of_year).then(pl.lit("annual_report")).otherwise(pl.lit("interim_report")),
            _local=pl.col("publishedTime").dt.convert_time_zone(_OSLO),
        )
        .with_columns(*_period_columns(knows_years=accounts is not None))
        .collect()
    )
    return staging.cast_to_table(_with_filing_columns(_merge_language_twins(reports)), FILINGS)


def _corrected_messages(messages: pl.LazyFrame) -> pl.LazyFrame:
    """Ids of messages that a later one corrects: either may say so, as a message read before is not read again."""
    told = messages.filter(pl.col("correctedByMessageId").is_not_null()).select(f.ID)
    corrections = messages.filter(pl.col("correctionForMessageId") != pl.col(f.ID))
    return pl.concat([told, corrections.select(pl.col("correctionForMessageId").alias(f.ID))])


def _broken_years(accounts: pl.LazyFrame) -> pl.LazyFrame:
    """Companies with a financial year not ending in December, where a bare year is not the calendar year."""
    months = pl.col(ACCOUNTS_END).dt.month()
    return accounts.group_by("_company_id").agg((~(months == _DECEMBER).any()).alias("_broken_year"))


def _period_columns(*, knows_years: bool) -> list[pl.Expr]:
    """Period columns; the text's period overrides the headline's even if null (the two contradict each other)."""
    is_read = pl.col("_is_read").fill_null(value=False)
    is_dated = pl.when(is_read).then(pl.col(f"_{f.IS_DATED}")).otherwise(pl.col(f.IS_DATED))
    is_calendar_year = pl.lit(knows_years) & ~pl.col("_broken_year").fill_null(value=False)
    known = is_dated.fill_null(value=False) | is_calendar_year
    return [
        pl.when(known).then(pl.when(is_read).then(pl.col(f"_{name}")).otherwise(pl.col(name))).alias(name)
        for name in (f.START, f.END)
    ]


def _merge_language_twins(reports: pl.DataFrame) -> pl.DataFrame:
    """Merges language versions: a missing period is taken from the twin; if both lack one, one is kept."""
    twins = ["_company_id", pl.col("publishedTime").dt.truncate("1m"), "filing_type"]
    filled = reports.with_columns(
        pl.coalesce(name, pl.col(name).drop_nulls().first().over(twins)).alias(name) for name in (f.START, f.END)
    )
    first = pl.col(f.ID).cast(pl.Int64).rank("ordinal").over(twins) == 1
    return filled.filter(pl.col(f.END).is_not_null() | first)


def _with_filing_columns(reports: pl.DataFrame) -> pl.DataFrame:
    ids = pl.Series("filing_id", [filing_id(f.KEY, native) for native in reports[f.ID]], dtype=pl.String)
    return reports.with_columns(
        ids,
        *staging.ORIGIN,
        pl.col(f.ID).alias("native_id"),
        pl.col("_local").dt.date().alias("filed_at"),
        pl.col("correctionForMessageId").is_not_null().alias("is_amendment"),
        (pl.lit(f.PAGE_URL) + pl.col(f.ID)).alias("document_url"),
        pl.lit(f.KEY).alias("register"),
    )


def map_holdings(
    flags: pl.LazyFrame, messages: pl.LazyFrame, entities: pl.LazyFrame, shareholders: pl.LazyFrame
) -> pl.DataFrame:
    """Every notice that no later one corrects as a shared holding, oldest first; the newest of each holder counts."""
    standing = flags.join(_corrected_messages(messages), on=f.ID, how="anti")
    ordered = standing.sort("crossed_on", "publishedTime", pl.col(f.ID).cast(pl.Int64))
    counted = entities.select("_company_id", SHARE_COUNT)
    rows = (
        ordered.join(counted, on="_company_id", how="left", maintain_order="left")
        .join(_single_class_companies(shareholders), on="_company_id", how="left", maintain_order="left")
        .select(*staging.ORIGIN, **_holding_columns())
        .collect()
    )
    return staging.complete_columns(rows, HOLDINGS)


def _single_class_companies(shareholders: pl.LazyFrame) -> pl.LazyFrame:
    """Companies with a single share class in the newest yearly list, if no line of it was rejected."""
    newest = shareholders.filter(pl.col(YEAR) == pl.col(YEAR).max().over("_company_id"))
    return newest.group_by("_company_id").agg(
        ((pl.col(CLASS).n_unique() == 1) & ~pl.col(HAS_UNREAD).any()).alias("_one_class")
    )


def _holding_columns() -> dict[str, pl.Expr]:
    # one vote per share: then the share of votes equals the share of capital
    even = (pl.col("total_votes") == pl.col(SHARE_COUNT)) | pl.col("_one_class")
    votes = pl.col("votes_pct")
    below = pl.col("votes_below")
    capital = pl.coalesce("capital_pct", pl.when(even.fill_null(value=False)).then(votes))
    lowest = pl.lit(0).cast(_PERCENT)
    # neither capital nor votes: whoever lends shares or holds proxies has one of them
    gone = pl.max_horizontal(votes, capital) == lowest
    basis = (
        pl.when(pl.coalesce(votes, capital).is_not_null())
        .then(pl.lit("exact"))
        .when(below.is_not_null())
        .then(pl.lit("band"))
    )
    return {
        "register": pl.lit(f.KEY),
        "native_id": pl.col("name").map_batches(fold_texts, return_dtype=pl.String),
        "holder_name": pl.col("name"),
        "holder_type": pl.when(pl.col("name").str.contains(_COMPANY))
        .then(pl.lit("company"))
        .otherwise(pl.lit("unknown")),
        "holder_country": pl.col("country"),
        **dict.fromkeys(("pct", "pct_min", "pct_max"), capital),
        "votes_pct": votes,
        "votes_min": pl.when(votes.is_not_null()).then(votes).when(below.is_not_null()).then(lowest),
        "votes_max": pl.coalesce(votes, below),
        "basis": basis,
        "controls": pl.lit([], pl.List(pl.String)),
        "valid_from": pl.col("crossed_on"),
        "ended_on": pl.when(gone).then(pl.col("crossed_on")),
        "url": pl.lit(f.PAGE_URL) + pl.col(f.ID),
    }
