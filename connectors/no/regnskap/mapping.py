"""Maps staged accounts to the shared `filings` and `financials_reported` (docs/formats/no.md 13.4).

The open API and the mass file are two channels of one register: a submission delivered by both is one document.
Its id is made of `no.regnskap` and `journalnr:regnskapstype` for either channel. Figures come from the newer
record, gaps are filled from the other one. The open API lacks the filing date: the change feed has it, in UTC
(docs/formats/no.md 3.1), while days are in Norwegian time. It reports that a newer year was registered, not which
document: the date applies to the first document of the year, and only if its number has the same year of
registration. Does not belong here: versions of a period (pipelines), reading the feed (`oppdateringer.rows`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.kit.currencies import CURRENCIES
from connectors.no import code_lists
from connectors.no.oppdateringer import schema as feed
from connectors.no.register import ACCOUNTS_URL, company_ids
from connectors.no.regnskap import schema as f
from warehouse.schema.codes import FIGURES
from warehouse.schema.ids import filing_id
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

REGISTER: Final = "no.regnskap"  # in the ids of documents of both channels
MASS_REGISTER: Final = "no.regnskap_masse"
FILING_TYPE: Final = "annual_report"
_DERIVED: Final = "_derived_"
_ZONE: Final = "Europe/Oslo"
_SAME: Final = ("company_id", "_year")
_YEAR: Final = ["org_number", "period_end"]
_REGISTERED: Final = pl.col("native_id").str.slice(0, 4)  # a journalnr begins with the year
_COLUMNS: Final = (
    "org_number",
    "native_id",
    "register",
    "period_start",
    "period_end",
    "is_consolidated",
    "currency",
    "accounting_standard",
    "filed_at",
    "is_comparative",
    "raw",
    "observed_at",
    *(name for name in FIGURES if name != "employees"),
    f"{_DERIVED}operating_result",
    f"{_DERIVED}equity",
)
_AMOUNTS: Final = _COLUMNS[12:17]


@dataclass(frozen=True, slots=True)
class PostColumns:
    """Column names, in one channel, of the posts that figures are computed from."""

    revenue: str
    sales: str
    costs: str
    operating_result: str
    net_result: str
    equity: str
    paid_in: str
    retained: str
    assets: str
    equity_and_debt: str
    debt: str

    def figures(self) -> list[pl.Expr]:
        """Figures with their fallbacks; missing ones stay null. Computed ones are marked."""
        return [
            pl.coalesce(self.revenue, self.sales).alias("revenue"),
            *_computed_columns("operating_result", self.operating_result, pl.col(self.revenue) - pl.col(self.costs)),
            pl.col(self.net_result).alias("net_result"),
            *_computed_columns(
                "equity",
                self.equity,
                pl.coalesce(
                    pl.col(self.paid_in) + pl.col(self.retained), pl.col(self.equity_and_debt) - pl.col(self.debt)
                ),
            ),
            pl.coalesce(self.assets, self.equity_and_debt).alias("total_assets"),
        ]


def _computed_columns(name: str, post: str, computation: pl.Expr) -> list[pl.Expr]:
    derived = pl.col(post).is_null() & computation.is_not_null()
    return [pl.coalesce(pl.col(post), computation).alias(name), derived.alias(_DERIVED + name)]


def _post_column(code: int) -> str:
    return f"{f.POST}{code}"


API_POSTS: Final = PostColumns(
    f.REVENUE,
    f.SALES,
    f.COSTS,
    f.OPERATING_RESULT,
    f.NET_RESULT,
    f.EQUITY,
    f.PAID_IN,
    f.RETAINED,
    f.ASSETS,
    f.EQUITY_AND_DEBT,
    f.DEBT,
)
MASS_POSTS: Final = PostColumns(*map(_post_column, (72, 1340, 17126, 146, 172, 250, 3730, 9702, 219, 251, 1119)))
MASS_PRIOR: Final = {
    "revenue": 6972,
    "operating_result": 7026,
    "net_result": 7054,
    "equity": 7142,
    "total_assets": 7127,
}


def map_filings_and_financials(staged_tables: Mapping[str, pl.LazyFrame]) -> dict[str, pl.DataFrame]:
    """Builds `filings` and `financials_reported` of the given accounts."""
    doors = []
    if f.ACCOUNTS.name in staged_tables:
        doors.append(_api_rows(staged_tables[f.ACCOUNTS.name]))
    if f.MASS.name in staged_tables:
        mass = staged_tables[f.MASS.name]
        doors += [_current_year_rows(mass), _comparative_rows(mass)]
    if not doors:
        return {
            FILINGS.name: staging.empty_staged_frame(FILINGS),
            FINANCIALS_REPORTED.name: staging.empty_staged_frame(FINANCIALS_REPORTED),
        }
    merged = _merge_per_period(_with_stated_starts(pl.concat(doors).collect()))
    is_known = pl.col("currency").is_in(list(CURRENCIES.codes))  # only now: amounts of an unknown one fill no gaps
    rows = _with_ids(merged.with_columns(currency=pl.when(is_known).then("currency")))
    filings = _map_filings(rows)
    if feed.ACCOUNTS_TOLD.name in staged_tables:
        filings = fill_filing_dates(filings, staged_tables[feed.ACCOUNTS_TOLD.name])
    return {FILINGS.name: filings, FINANCIALS_REPORTED.name: _map_financials(rows)}


def _api_rows(rows: pl.LazyFrame) -> pl.LazyFrame:
    small = pl.when(pl.col(f.SMALL)).then(pl.lit(code_lists.SMALL_COMPANY_STANDARD))
    stated = pl.col(f.RULES).replace_strict(code_lists.STANDARDS, default=None, return_dtype=pl.String)
    return rows.select(
        pl.col(f.NUMBER).alias("org_number"),
        (pl.col(f.JOURNAL) + ":" + pl.col(f.TYPE)).alias("native_id"),
        pl.lit(REGISTER).alias("register"),
        pl.col(f.START).alias("period_start"),
        pl.col(f.END).alias("period_end"),
        (pl.col(f.TYPE) == "KONSERN").alias("is_consolidated"),
        pl.col(f.CURRENCY).alias("currency"),
        pl.coalesce(stated, small).alias("accounting_standard"),
        pl.lit(None, pl.Date).alias("filed_at"),  # the open API has no filing date
        pl.lit(value=False).alias("is_comparative"),
        pl.col("_raw").alias("raw"),
        pl.col("_observed_at").alias("observed_at"),
        *API_POSTS.figures(),
    ).select(_COLUMNS)


def _map_mass_rows(rows: pl.LazyFrame, figures: list[pl.Expr], comparative: bool) -> pl.LazyFrame:
    scope = pl.col(f.TYPE).replace_strict({"S": "SELSKAP", "K": "KONSERN"}, return_dtype=pl.String)
    start = pl.col("startdato")
    return rows.select(
        pl.col("orgnr").alias("org_number"),
        (pl.col(f.JOURNAL) + ":" + scope).alias("native_id"),
        pl.lit(MASS_REGISTER).alias("register"),
        (pl.lit(None, pl.Date) if comparative else start).alias("period_start"),
        (start.dt.offset_by("-1d") if comparative else pl.col("avslutningsdato")).alias("period_end"),
        (pl.col(f.TYPE) == "K").alias("is_consolidated"),
        pl.col("valutakode").alias("currency"),
        pl.when(pl.col("regler_smaa") == "J")
        .then(pl.lit(code_lists.SMALL_COMPANY_STANDARD))
        .alias("accounting_standard"),
        pl.col("mottatt_dato").alias("filed_at"),
        pl.lit(comparative).alias("is_comparative"),
        pl.col("_raw").alias("raw"),
        pl.col("_observed_at").alias("observed_at"),
        *figures,
    ).select(_COLUMNS)


def _current_year_rows(rows: pl.LazyFrame) -> pl.LazyFrame:
    return _map_mass_rows(rows, MASS_POSTS.figures(), comparative=False)


def _comparative_rows(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Comparatives (the previous year as the accounts repeat it) with at least one figure. They have no first day."""
    given = pl.any_horizontal(pl.col(_post_column(code)).is_not_null() for code in MASS_PRIOR.values())
    figures = [pl.col(_post_column(code)).alias(name) for name, code in MASS_PRIOR.items()]
    marks = [pl.lit(value=False).alias(name) for name in _COLUMNS if name.startswith(_DERIVED)]
    return _map_mass_rows(rows.filter(given), [*figures, *marks], comparative=True)


def _with_stated_starts(rows: pl.DataFrame) -> pl.DataFrame:
    """Gives comparatives the first day that the company's own accounts of that year state; the others are dropped."""
    own = rows.filter(~pl.col("is_comparative")).sort("observed_at", descending=True, maintain_order=True)
    stated = own.unique(_YEAR, keep="first", maintain_order=True).select(*_YEAR, _stated="period_start")
    joined = rows.join(stated, on=_YEAR, how="left", maintain_order="left")
    start = pl.when("is_comparative").then("_stated").otherwise("period_start")
    return joined.with_columns(period_start=start).filter(pl.col("period_start").is_not_null()).select(_COLUMNS)


def _merge_per_period(rows: pl.DataFrame) -> pl.DataFrame:
    """Merges to one row per document and period.

    The newer record wins (on a tie the open API); gaps are filled from the other, unless it is in another currency.
    """
    key = ["org_number", "native_id", "period_start", "period_end", "is_consolidated"]
    if not rows.select(pl.struct(key).is_duplicated().any()).item():
        return rows
    ordered = rows.sort("observed_at", pl.col("register") == REGISTER, descending=True, maintain_order=True)
    currency = pl.col("currency")
    ordered = ordered.filter(currency.is_null() | (currency == currency.drop_nulls().first().over(key)))
    filled = (*_AMOUNTS, "currency", "accounting_standard", "filed_at")
    marks = {_DERIVED + name: name for name in _AMOUNTS if _DERIVED + name in _COLUMNS}
    return ordered.group_by(key, maintain_order=True).agg(
        *(pl.col(name).drop_nulls().first() for name in filled),
        *(
            pl.col(mark).filter(pl.col(name).is_not_null()).first().fill_null(value=False)
            for mark, name in marks.items()
        ),
        *(pl.col(name).first() for name in ("register", "raw", "observed_at")),
        pl.col("is_comparative").all(),
    )


def _with_ids(rows: pl.DataFrame) -> pl.DataFrame:
    ids = {native: filing_id(REGISTER, native) for native in rows["native_id"].unique()}
    return rows.with_columns(
        pl.col("native_id").replace_strict(ids, return_dtype=pl.String).alias("filing_id"),
        company_ids(pl.col("org_number")).alias("company_id"),
    )


def _map_filings(rows: pl.DataFrame) -> pl.DataFrame:
    url = pl.concat_str(
        pl.lit(f"{ACCOUNTS_URL}aarsregnskap/kopi/"), "org_number", pl.lit("/"), pl.col("period_end").dt.year()
    )
    own = rows.filter(~pl.col("is_comparative")).sort("period_end", "observed_at")
    filings = own.unique("filing_id", keep="last", maintain_order=True).with_columns(
        pl.lit(FILING_TYPE).alias("filing_type"), pl.lit(value=False).alias("is_amendment"), url.alias("document_url")
    )
    return staging.cast_to_table(filings, FILINGS)


def _map_financials(rows: pl.DataFrame) -> pl.DataFrame:
    marks = [
        pl.when(pl.col(name)).then(pl.lit(name.removeprefix(_DERIVED)))
        for name in _COLUMNS
        if name.startswith(_DERIVED)
    ]
    figures = rows.with_columns(pl.concat_list(marks).list.drop_nulls().alias("derived"))
    return staging.cast_to_table(figures, FINANCIALS_REPORTED)


def fill_filing_dates(filings: pl.DataFrame, change_feed: pl.LazyFrame) -> pl.DataFrame:
    """Fills `filed_at` of filings from the feed if no other source has it."""
    days = (
        change_feed.select(
            company_ids(pl.col(feed.NUMBER)).alias("company_id"),
            pl.col(feed.YEAR).alias("_year"),
            pl.col(feed.TIME).dt.convert_time_zone(_ZONE).dt.date().alias("_day"),
        )
        .group_by(_SAME)
        .agg(pl.col("_day").min())
        .collect()
    )
    if days.is_empty() or filings.is_empty():
        return filings
    document = pl.col("native_id").str.split(":").list.first()
    rows = filings.with_columns(
        pl.col("period_end").dt.year().cast(pl.String).alias("_year"), document.alias("_document")
    ).join(days, on=_SAME, how="left", maintain_order="left")
    first = pl.col("_document") == pl.col("_document").min().over(_SAME)
    same_year = pl.col("_day").dt.year().cast(pl.String) == _REGISTERED
    known = pl.when(first & same_year & (pl.col("_day") > pl.col("period_end"))).then(pl.col("_day"))
    return rows.with_columns(pl.coalesce("filed_at", known).alias("filed_at")).select(FILINGS.names)
