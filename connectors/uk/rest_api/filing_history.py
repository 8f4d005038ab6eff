"""Maps accounts in filing histories to shared filings, and pairs them with bulk documents.

See docs/formats/uk.md 5.2, 11, 12.

Only accounts are filings of the contract (docs/contract/contract.md 4.6); other forms stay in
`uk_filing_history`. A bulk document and its filing history item are one filing with the register's own id, so
that it is published once, whichever arrives first. Does not belong here: figures (`accounts.mapping`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit.columns.text import iso_date
from connectors.uk.live_schema import FILINGS_KEY
from connectors.uk.register import PUBLIC_PAGE, company_ids
from warehouse.schema.ids import filing_id
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

_AMENDED: Final = "AAMD"
_FORMS: Final = ("AA", _AMENDED)
_INTERIM: Final = r"accounts-type-(?:interim|initial)$"
_SAME: Final = ("company_id", "period_end", "is_amendment")


def merge_filing_history(
    filings: pl.DataFrame, figures: pl.DataFrame, history: pl.DataFrame, profiles: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Filings and financials; a document gets the register's id if exactly one history item matches it."""
    listed = _listed_accounts(history, profiles)
    if listed.is_empty():
        return filings, figures
    pairs = _document_item_pairs(filings, figures, listed)
    renamed = pairs.select("filing_id", listed_id="_listed")
    documents = (
        filings.join(pairs, on="filing_id", how="left", maintain_order="left")
        .with_columns(
            filing_id=pl.coalesce("_listed", "filing_id"),
            native_id=pl.coalesce("_native", "native_id"),
            filed_at=pl.coalesce("_filed", "filed_at"),
            document_url=pl.coalesce("_url", "document_url"),
        )
        .select(FILINGS.names)
    )
    alone = listed.join(documents, on="filing_id", how="anti")
    stated = (
        figures.join(renamed, on="filing_id", how="left", maintain_order="left")
        .with_columns(filing_id=pl.coalesce("listed_id", "filing_id"))
        .select(FINANCIALS_REPORTED.names)
    )
    return pl.concat([documents, alone]), stated


def _listed_accounts(history: pl.DataFrame, profiles: pl.DataFrame) -> pl.DataFrame:
    """`filings` rows of accounts in filing histories; the newest gets its first day from the profile."""
    newest = profiles.filter(~pl.col("deleted")).select(
        "company_number", made_up_date="accounts_made_up_to", _start=iso_date(pl.col("accounts_period_start"))
    )
    found = history.filter(~pl.col("deleted"), (pl.col("category") == "accounts") & pl.col("type").is_in(_FORMS)).join(
        newest, on=["company_number", "made_up_date"], how="left", maintain_order="left"
    )
    ids = [filing_id(FILINGS_KEY, native) for native in found["transaction_id"]]
    interim = pl.col("description").str.contains(_INTERIM).fill_null(value=False)
    return found.select(
        filing_id=pl.Series(ids, dtype=pl.String),
        company_id=company_ids(pl.col("company_number")),
        filing_type=pl.when(interim).then(pl.lit("interim_report")).otherwise(pl.lit("annual_report")),
        native_id="transaction_id",
        document_sha256=pl.lit(None, pl.String),
        period_start="_start",
        period_end=iso_date(pl.col("made_up_date")),
        filed_at=iso_date(pl.col("date")),
        is_amendment=pl.col("type") == _AMENDED,
        document_url=pl.lit(PUBLIC_PAGE) + pl.col("company_number") + pl.lit("/filing-history"),
        register=pl.lit(FILINGS_KEY),
        raw="_raw",
        observed_at="_observed_at",
    ).select(FILINGS.names)


def _document_item_pairs(filings: pl.DataFrame, figures: pl.DataFrame, listed: pl.DataFrame) -> pl.DataFrame:
    """Pairs filing_id of a document with its history item: one of each per company, last day and kind.

    A document with group figures has two filings; the company's own is the one in the history.
    """
    groups = figures.filter("is_consolidated").select(pl.col("filing_id").unique(), _is_group=pl.lit(value=True))
    documents = filings.join(groups, on="filing_id", how="left").with_columns(
        pl.col("_is_group").fill_null(value=False)
    )
    own = documents.sort("_is_group", "filing_id").unique(
        ["company_id", "document_sha256"], keep="first", maintain_order=True
    )
    items = listed.select(*_SAME, _listed="filing_id", _native="native_id", _filed="filed_at", _url="document_url")
    single = pl.len().over(_SAME) == 1
    return (
        own.drop_nulls("period_end").filter(single).select("filing_id", *_SAME)
        .join(items.drop_nulls("period_end").filter(single), on=_SAME)
        .drop(_SAME)
    )  # fmt: skip
