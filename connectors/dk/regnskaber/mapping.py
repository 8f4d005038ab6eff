"""Maps publications and their documents to shared filings and figures (docs/formats/dk.md 5).

A publication is a filing, whether or not a program can read its documents; of several documents the one with the most
figures is read. Group figures are a filing of their own. A document whose publication is not known (a loose file) is a
filing by its bytes. Does not belong here: which fact is which figure (`figures`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.dk.offentliggoerelser.schema import KEY as INDEX
from connectors.dk.offentliggoerelser.schema import PUBLICATION
from connectors.dk.regnskaber.schema import KEY, REPORTS
from connectors.kit import staging
from warehouse.schema.codes import FIGURES
from warehouse.schema.ids import filing_id, filing_id_of_bytes
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

ANNUAL: Final = "annual_report"
INTERIM: Final = "interim_report"
_GROUP: Final = ":group"
_HAS_FIGURES: Final = pl.any_horizontal(pl.col(name).is_not_null() for name in FIGURES)


def map_filings_and_financials(publications: pl.DataFrame, reports: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """`filings` and `financials_reported` from the present rows of companies, each with `_company_id`."""
    listed = publications.filter(pl.col("er_aarsrapport"), pl.col("_company_id").is_not_null())
    documents = _with_publications(reports.filter(pl.col("_company_id").is_not_null()), listed)
    rows = _with_ids(_fullest_documents(documents))
    filings = pl.concat([_read_filings(rows), _unread_filings(listed, rows)])
    return {FILINGS.name: filings, FINANCIALS_REPORTED.name: _map_financials(rows)}


def _with_publications(reports: pl.DataFrame, listed: pl.DataFrame) -> pl.DataFrame:
    """Documents with what the index says of their publication, where it is the same company's."""
    columns = {"dag": "_filed", "omgoerelse": "_corrects", "pdf": "_pdf", "_observed_at": "_listed_at"}
    told = listed.select(PUBLICATION, "_company_id", *(pl.col(name).alias(new) for name, new in columns.items()))
    return reports.select(*REPORTS.names, "_company_id", "_raw", "_observed_at").join(
        told, on=[PUBLICATION, "_company_id"], how="left", maintain_order="left"
    )


def _fullest_documents(documents: pl.DataFrame) -> pl.DataFrame:
    """Of each publication the rows of the document with the most figures; all loose documents."""
    is_listed = pl.col("_filed").is_not_null()
    best = (
        documents.filter(is_listed)
        .sort("size", "nummer", "document_sha256", descending=[True, False, False])
        .unique(["_company_id", PUBLICATION], keep="first", maintain_order=True)
        .select("_company_id", PUBLICATION, "document_sha256")
    )
    chosen = documents.filter(is_listed).join(best, on=best.columns, how="semi", maintain_order="left")
    return pl.concat([chosen, documents.filter(~is_listed)])


def _with_ids(rows: pl.DataFrame) -> pl.DataFrame:
    ids = [
        filing_id_of_bytes(company, end, is_group, sha256)
        if filed is None
        else filing_id(INDEX, publication + (_GROUP if is_group else ""))
        for company, end, is_group, sha256, filed, publication in rows.select(
            "_company_id", "balance_date", "is_consolidated", "document_sha256", "_filed", PUBLICATION
        ).iter_rows()
    ]
    return rows.with_columns(filing_id=pl.Series(ids, dtype=pl.String))


def _read_filings(rows: pl.DataFrame) -> pl.DataFrame:
    """Filings with a document that was read: one per scope."""
    own = rows.sort("is_comparative", "period_start", descending=[False, True])
    first = own.unique("filing_id", keep="first", maintain_order=True)
    filings = first.select(
        filing_id="filing_id",
        company_id="_company_id",
        filing_type=pl.when("is_interim").then(pl.lit(INTERIM)).otherwise(pl.lit(ANNUAL)),
        native_id=pl.when(pl.col("_filed").is_not_null()).then(PUBLICATION),
        document_sha256="document_sha256",
        period_start=pl.when(~pl.col("is_comparative")).then("period_start"),
        period_end="balance_date",
        filed_at="_filed",
        is_amendment=pl.col("_corrects").fill_null(value=False),
        document_url="_pdf",
        register=pl.lit(KEY),
        raw="_raw",
        observed_at=pl.max_horizontal("_observed_at", "_listed_at"),
    )
    return staging.cast_to_table(filings, FILINGS)


def _unread_filings(listed: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Publications of which no document was read: scanned reports, and those that did not come yet."""
    alone = listed.join(rows.select("_company_id", PUBLICATION), on=["_company_id", PUBLICATION], how="anti")
    filings = alone.select(
        filing_id=pl.Series([filing_id(INDEX, one) for one in alone[PUBLICATION]], dtype=pl.String),
        company_id="_company_id",
        filing_type=pl.lit(ANNUAL),
        native_id=PUBLICATION,
        period_start="periode_start",
        period_end="periode_slut",
        filed_at="dag",
        is_amendment="omgoerelse",
        document_url="pdf",
        register=pl.lit(INDEX),
        raw="_raw",
        observed_at="_observed_at",
    )
    return staging.cast_to_table(filings, FILINGS)


def _map_financials(rows: pl.DataFrame) -> pl.DataFrame:
    figures = rows.filter(_HAS_FIGURES).with_columns(
        company_id="_company_id",
        accounting_standard="standard",
        derived=pl.lit([], dtype=pl.List(pl.String)),
        register=pl.lit(KEY),
        raw="_raw",
        observed_at="_observed_at",
    )
    return staging.cast_to_table(figures, FINANCIALS_REPORTED)
