"""Maps staged filings and reports of a market to the shared `filings` and `financials_reported`.

One document per report: language versions of one report count once. Figures are the group's, under IFRS. Does
not belong here: versions of a period (pipelines), or the company of a filing (links).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.contract.dataset import MAPPING_SIGNALS, MAPPING_SIGNALS_SCHEMA, PresentRows
from connectors.esef import schema
from connectors.esef.schema import PRIOR_YEAR_PREFIX, SITE
from connectors.kit import staging
from warehouse.schema.codes import ANNUAL_DAYS, FIGURES
from warehouse.schema.ids import filing_id
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

ANNUAL: Final = "annual_report"
INTERIM: Final = "interim_report"
STANDARD: Final = "IFRS"
_CHAINS: Final = {
    "revenue": schema.REVENUE,
    "operating_result": schema.OPERATING_RESULT,
    "net_result": schema.NET_RESULT,
    "equity": schema.EQUITY,
    "total_assets": schema.ASSETS,
    "employees": schema.EMPLOYEES,
}
_PERIOD: Final = ("_company_id", "period_start", "period_end")
_VERSIONS: Final = [*_PERIOD, "_found"]


def map_filings_and_financials(market: str, present: PresentRows) -> dict[str, pl.DataFrame]:
    """`filings` and `financials_reported` of the present reports; signals of versions that contradict each other."""
    index = staging.present_linked_rows(present, schema.index_table(market)).collect()
    reports = staging.present_linked_rows(present, schema.report_table(market)).collect()
    nothing = index.is_empty() and reports.is_empty()
    merged = index if nothing else _fullest_first(_merge_documents(index, reports))
    documents = index if nothing else _unique_documents(merged)
    if documents.is_empty():
        return {table.name: staging.empty_staged_frame(table) for table in (FILINGS, FINANCIALS_REPORTED)}
    register = schema.dataset_key(market)
    ids = {native: filing_id(register, native) for native in documents["native_id"]}
    rows = documents.with_columns(
        pl.col("native_id").replace_strict(ids, return_dtype=pl.String).alias("filing_id"),
        pl.col("_company_id").alias("company_id"),
        pl.lit(register).alias("register"),
        pl.col("_raw").alias("raw"),
        # the site's own time; else a first load in several runs would announce events of past years
        pl.min_horizontal("_processed", "_observed_at").alias("observed_at"),
    )
    own, before = _map_financials(rows, ""), _map_financials(rows, PRIOR_YEAR_PREFIX)
    return {
        FILINGS.name: _map_filings(rows),
        FINANCIALS_REPORTED.name: pl.concat([own, before]),
        MAPPING_SIGNALS: pl.concat([_contradiction_signals(register, merged), _issuer_signals(register, merged)]),
    }


def _merge_documents(index: pl.DataFrame, reports: pl.DataFrame) -> pl.DataFrame:
    """Every report with its entry, and entries without a report. A report's own dates take precedence."""
    listed = index.with_columns(_file=_file_stem(pl.col("json_url")))
    named = listed.select(pl.col("fxo_id").alias("report"), "lei", pl.col("fxo_id").alias("_entry"))
    filed = listed.select(pl.col("_file").alias("report"), "lei", pl.col("fxo_id").alias("_entry"))
    entries = pl.concat([named, filed.drop_nulls()]).unique(["report", "lei"], keep="first", maintain_order=True)
    with_entry = reports.join(entries, on=["report", "lei"], how="left")
    facts = with_entry.with_columns(native_id=pl.coalesce("_entry", "report"), _told=pl.lit(value=True))
    listing = listed.select(
        pl.col("fxo_id").alias("native_id"),
        pl.col("period_end").alias("_listed_end"),
        pl.col("date_added").alias("_added"),
        pl.col("processed").alias("_processed"),
        pl.col("json_url").is_null().alias("_failed"),
        pl.col("sha256").alias("document_sha256"),
        pl.col("lei").alias("_listed_lei"),
        (pl.lit(SITE) + pl.coalesce("report_url", "viewer_url", "package_url")).alias("document_url"),
        *(pl.col(name).alias(f"_listed{name}") for name in ("_company_id", "_observed_at", "_raw")),
    )
    both = facts.join(listing, on="native_id", how="full", coalesce=True)
    return both.with_columns(
        *(pl.coalesce(name, f"_listed{name}") for name in ("_company_id", "_observed_at", "_raw")),
        pl.coalesce("period_end", "_listed_end").alias("period_end"),
        pl.col("_told").fill_null(value=False),
    ).filter(pl.col("_told") | _is_plausible())


def _file_stem(path: pl.Expr) -> pl.Expr:
    """The name of a report's file without extension, by which a copy is recognised."""
    return path.str.extract(r"([^/]+)$").str.extract(r"^([^.]+)")


def _is_plausible() -> pl.Expr:
    """True if an entry without a report counts as a filing (docs/formats/fi.md 5.1).

    Its date is the latest one tagged, not a sure year end. So it counts only if processing failed, as no report
    will then give a better date, and if the date is not in the future.
    """
    past = pl.col("period_end") <= pl.col("_added").dt.date()
    return pl.col("_failed") & pl.col("period_end").is_not_null() & past


def _fullest_first(documents: pl.DataFrame) -> pl.DataFrame:
    """Documents with the day on which they were found: the fullest first, then by id."""
    told = pl.sum_horizontal(pl.col(name).is_not_null() for name in _own_figures(documents))
    return documents.with_columns(
        _figures=told, _found=pl.coalesce(pl.col("_added").dt.date(), pl.col("_observed_at").dt.date())
    ).sort("_told", "_figures", "native_id", descending=[True, True, False])


def _own_figures(documents: pl.DataFrame) -> list[str]:
    return [name for name in documents.columns if name in schema.CONCEPTS]


def _contradiction_signals(register: str, ordered: pl.DataFrame) -> pl.DataFrame:
    """Figures in which a version differs from the one that counts for the same period and day.

    It may be a corrected report and not a language: nothing in it says which.
    """
    kept = ordered.unique(_VERSIONS, keep="first", maintain_order=True)
    pairs = ordered.join(kept, on=_VERSIONS, suffix="_kept")
    found = [
        pairs.filter(pl.col(name) != pl.col(f"{name}_kept")).select(
            pl.lit(register).alias("dataset"),
            pl.lit("contradicting_documents").alias("code"),
            pl.lit(name).alias("subject"),
            pl.col("_company_id").alias("company_id"),
        )
        for name in _own_figures(ordered)
    ]
    return pl.concat([MAPPING_SIGNALS_SCHEMA.to_frame(), *found])


def _issuer_signals(register: str, documents: pl.DataFrame) -> pl.DataFrame:
    """Reports whose facts are of another issuer than their entry names: they are the one's of the facts."""
    other = documents.filter("_told", pl.col("lei") != pl.col("_listed_lei"))
    found = other.select(
        pl.lit(register).alias("dataset"),
        pl.lit("other_issuer").alias("code"),
        pl.lit("lei").alias("subject"),
        pl.col("_company_id").alias("company_id"),
    )
    return found.cast(MAPPING_SIGNALS_SCHEMA)


def _unique_documents(ordered: pl.DataFrame) -> pl.DataFrame:
    """Removes language versions: of one period and discovery day the fullest is kept, then the lowest id.

    A later one with the same figures is another copy; an entry without a report counts only if there is no
    report of that year.
    """
    figures = _own_figures(ordered)
    once = ordered.unique(_VERSIONS, keep="first", maintain_order=True)
    first = once.sort("_found", "native_id")
    other = first.unique([*_PERIOD, "currency", *figures], keep="first", maintain_order=True)
    years = other.filter("_told").select("_company_id", "period_end")
    alone = other.filter(~pl.col("_told")).join(years, on=["_company_id", "period_end"], how="anti")
    single = alone.unique(["_company_id", "period_end"], keep="first", maintain_order=True)
    return pl.concat([other.filter("_told"), single])


def _map_filings(rows: pl.DataFrame) -> pl.DataFrame:
    days = (pl.col("period_end") - pl.col("period_start")).dt.total_days() + 1
    short = pl.coalesce("is_interim", days < ANNUAL_DAYS[0])
    # `filed_at` stays null: the site states when it found a report, not when it was filed
    filings = rows.with_columns(
        pl.when(short).then(pl.lit(INTERIM)).otherwise(pl.lit(ANNUAL)).alias("filing_type"),
        pl.lit(value=False).alias("is_amendment"),
    )
    return staging.cast_to_table(filings, FILINGS)


def _map_financials(rows: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """The figures of the report's own year, or with `prefix` of the year before."""
    chains = [
        pl.coalesce(prefix + concept for concept in concepts).alias(figure) for figure, concepts in _CHAINS.items()
    ]
    told = rows.filter("_told")
    if prefix:
        told = told.with_columns(
            pl.col(f"{prefix}start").alias("period_start"), pl.col(f"{prefix}end").alias("period_end")
        )
    made = told.with_columns(
        *chains,
        pl.lit(value=True).alias("is_consolidated"),
        pl.lit(value=bool(prefix)).alias("is_comparative"),
        pl.lit(STANDARD).alias("accounting_standard"),
        pl.lit([], pl.List(pl.String)).alias("derived"),
    )
    stated = pl.any_horizontal(pl.col(FIGURES).is_not_null())
    kept = made.filter(pl.col("period_start").is_not_null(), stated if prefix else pl.lit(value=True))
    return staging.cast_to_table(kept, FINANCIALS_REPORTED)
