"""Maps current reports, late filings and ends of listing to the shared news and notices.

See docs/formats/us.md 9.

News is an 8-K about results, Regulation FD or other events with a press release in it, or a 6-K with one: the
contract shows its item as headline; nothing of the release itself is kept. Notices are reports to a supervisor or
exchange: bankruptcy, delisting, restatements to come, changes of control, late and amended annual reports, ends of
listing and registration. Does not belong here: status (`profile.status`), or which are events (`pipelines`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.us import form_types
from connectors.us.filing_headers import form8k
from connectors.us.filing_headers import schema as f
from connectors.us.register import EDGAR, company_ids, filing_urls
from connectors.us.submissions import schema as s
from warehouse.schema.ids import natural_id
from warehouse.schema.tables import NEWS, NOTICES

PUBLISHER: Final = "SEC EDGAR"
AUTHORITY: Final = "U.S. Securities and Exchange Commission"
CATEGORIES: Final = {"2.02": "earnings", "7.01": "disclosure", "8.01": "other"}
NOTICED: Final = ("1.03", "3.01", "4.02", "5.01")
FOREIGN: Final = "6-K"
_REVOKED: Final = "REVOKED"
_AMENDED: Final = "Amendment: "
_FORMS: Final = {  # by form, where the form alone decides
    "NT 10-K": "Notification of late filing of an annual report (NT 10-K)",
    "NT 10-Q": "Notification of late filing of a quarterly report (NT 10-Q)",
    "NT 20-F": "Notification of late filing of an annual report (NT 20-F)",
    "25": "Removal of a class of securities from listing (Form 25)",
    "25-NSE": "Removal of a class of securities from listing by its exchange (Form 25-NSE)",
    _REVOKED: "Registration revoked",
    **{
        form: f"Registration ended or reporting suspended for a class of securities (Form {form})"
        for form in sorted(form_types.ENDING - {_REVOKED})
    },
}
_TITLES: Final = {
    **_FORMS,
    **{f"{form}/A": f"{_AMENDED}{title}" for form, title in _FORMS.items() if form[:2] in ("25", "15")},
    "10-K/A": "Amendment of an annual report (10-K/A)",
}


def map_news(headers: pl.LazyFrame) -> pl.DataFrame:
    """`map_news` of the companies that filed a report with a press release. Amendments are left out as repeats."""
    listed, is_current = _listed_items(CATEGORIES)
    has_release = pl.col(f.EXHIBITS).list.eval(pl.element().str.starts_with("EX-99")).list.any()
    rows = (
        headers.filter(
            pl.col(f.ROLE) == "FILER",
            is_current | (pl.col(f.FORM) == FOREIGN),
            has_release,
            pl.coalesce(f.ACCEPTED, f.FILED).is_not_null(),
        )
        .with_columns(_listed=listed.list.eval(pl.element().sort()))
        .collect()
    )
    items = pl.col("_listed").list.eval(_replace_codes(CATEGORIES))
    foreign = pl.col(f.FORM) == FOREIGN
    found = _with_ids(rows, "nws", "news_id").with_columns(
        title=pl.when(foreign).then(pl.lit("Report of a foreign private issuer")).otherwise(_item_titles(CATEGORIES)),
        categories=pl.when(foreign).then(pl.lit(["other"])).otherwise(items),
        publisher=pl.lit(PUBLISHER),
        language=pl.lit("en"),  # filings are in English or with a translation (17 CFR 232.306)
        published_at=pl.coalesce(f.ACCEPTED, _at_midnight(pl.col(f.FILED))),
        told_by=pl.concat_list(pl.concat_str(pl.lit(f"{f.KEY}:"), pl.col(f.ACCESSION))),
        register=pl.lit(f.KEY),
    )
    return staging.cast_to_table(found, NEWS)


def map_notices(filed: pl.LazyFrame) -> pl.DataFrame:
    """`map_notices` from a company's list of filings."""
    listed, is_current = _listed_items(NOTICED)
    rows = (
        filed.filter(
            is_current | pl.col(s.FORM).is_in(sorted(_TITLES)),
            # an exchange's own list contains its notices about other companies
            form_types.is_about_filer_itself(pl.col(s.CIK), pl.col(s.FORM), pl.col(s.ACCESSION)),
        )
        .with_columns(_listed=listed.list.eval(pl.element().sort()))
        .collect()
    )
    revoked = pl.col(s.FORM) == _REVOKED
    found = _with_ids(rows, "ntc", "notice_id").with_columns(
        authority=pl.lit(AUTHORITY),
        authority_country=pl.lit("US"),
        action_type=pl.when(revoked).then(pl.lit("enforcement")).otherwise(pl.lit("announcement")),
        title=pl.coalesce(
            pl.col(s.FORM).replace_strict(list(_TITLES), list(_TITLES.values()), default=None), _item_titles(NOTICED)
        ),
        published_at=_at_midnight(pl.col(s.FILED)),
        register=pl.lit(s.KEY),
    )
    return staging.cast_to_table(found, NOTICES)


def _listed_items(codes: Collection[str]) -> tuple[pl.Expr, pl.Expr]:
    """Items of a filing that are among some, and whether it is a current report with any of them."""
    listed = pl.col(f.ITEMS).list.set_intersection(list(codes))
    return listed, pl.col(f.FORM).is_in(sorted(form_types.CURRENT)) & (listed.list.len() > 0)


def _item_titles(codes: Collection[str]) -> pl.Expr:
    """Titles of the items in `_listed`."""
    titles = {code: form8k.ITEMS.get(code) or code for code in codes}
    return pl.col("_listed").list.eval(_replace_codes(titles)).list.join("; ")


def _with_ids(rows: pl.DataFrame, prefix: str, name: str) -> pl.DataFrame:
    """Columns common to both tables: ids, URL, provenance; ids do not depend on the source a filing came from."""
    parts = rows.select(f.CIK, f.ACCESSION).iter_rows()
    ids = [natural_id(prefix, EDGAR, accession, cik) for cik, accession in parts]
    return rows.with_columns(
        pl.Series(name, ids, dtype=pl.String),
        company_ids(pl.col(f.CIK)).alias("company_id"),
        filing_urls(pl.col(f.CIK), pl.col(f.ACCESSION)).alias("url"),
        pl.col(f.ACCESSION).alias("native_id"),
        pl.col("_raw").alias("raw"),
        pl.col("_observed_at").alias("observed_at"),
    )


def _replace_codes(words: dict[str, str]) -> pl.Expr:
    return pl.element().replace_strict(list(words), list(words.values()), default=None, return_dtype=pl.String)


def _at_midnight(day: pl.Expr) -> pl.Expr:
    return day.cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
