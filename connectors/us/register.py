"""Shared by all SEC EDGAR datasets: hosts, licence, the CIK in every spelling, ids of companies and filings.

Does not belong here: the fields of one dataset, HTTP access to the SEC (`sec_http`), or building a profile from a
filer (`profile.companies`).
"""

from __future__ import annotations

import re
from typing import Final

import polars as pl

from connectors.contract.dataset import Licence
from warehouse.schema import ids
from warehouse.schema.identifiers import company_id

MARKET: Final = "US"
DATA_HOST: Final = "data.sec.gov"  # the JSON interfaces
FILES_HOST: Final = "www.sec.gov"  # files, Archives, browse-edgar
DATA_URL: Final = f"https://{DATA_HOST}"
FILES_URL: Final = f"https://{FILES_HOST}"
ARCHIVES_URL: Final = f"{FILES_URL}/Archives/edgar"
EDGAR: Final = "us.edgar"  # prefix of filing ids: an accession is the same filing in every source
PREFIX: Final = company_id(MARKET, MARKET)  # and the ten digits of the CIK

LICENCE: Final = Licence(
    name="US-public-domain",
    url="https://www.sec.gov/about/privacy-information#dissemination",
    attribution="Source: U.S. Securities and Exchange Commission, EDGAR",
)

_MARKET_MARK: Final = re.compile(r"US[-: ]?", re.IGNORECASE)
_CIK_MARK: Final = re.compile(r"CIK[-: ]?", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d{1,10}", re.ASCII)
_DIGITS: Final = 10
_ACCESSION: Final = r"^[0-9]{10}-[0-9]{2}-[0-9]{6}$"
_BARE_ACCESSION: Final = r"^([0-9]{10})([0-9]{2})([0-9]{6})$"


def central_index_key(value: str | int | None) -> str | None:
    """The ten digits of a CIK in any spelling (text, integer, padded or not); None for an invalid one.

    See docs/formats/us.md 2.

    `US` and `CIK` in front are dropped, one to ten digits must be left, and they may not all be zeros.
    """
    if value is None or isinstance(value, bool):
        return None
    text = str(value).strip()
    for mark in (_MARKET_MARK, _CIK_MARK):
        found = mark.match(text)
        text = text[found.end() :] if found else text
    if not _NUMBER.fullmatch(text) or not int(text):
        return None
    return text.zfill(_DIGITS)


def central_index_keys(values: pl.Expr) -> pl.Expr:
    """CIKs of a column, text or integer, as ten digits."""
    bare = values.cast(pl.String).str.strip_chars().str.replace(r"(?i)^US[-: ]?", "").str.replace(r"(?i)^CIK[-: ]?", "")
    holds = bare.str.contains(r"^[0-9]{1,10}$") & ~bare.str.contains(r"^0+$")
    return pl.when(holds).then(bare.str.zfill(_DIGITS))


def company_ids(cik: pl.Expr) -> pl.Expr:
    """`firm:US:US<CIK>` of a column of ten-digit CIKs."""
    return pl.lit(PREFIX) + cik


def filing_id(cik: str, accession: str) -> str:
    """The id of one filing as it concerns one filer.

    An accession may concern several filers (co-registrants, issuer and owner); each has its own row of it, and
    every source of the filing gives that row the same id.
    """
    return ids.filing_id(EDGAR, f"{cik}:{accession}")


def normalise_accessions(values: pl.Expr) -> pl.Expr:
    """Accession numbers with their dashes, from either form (docs/formats/us.md 2); null for invalid ones."""
    dashed = values.str.replace(_BARE_ACCESSION, "$1-$2-$3")
    return pl.when(dashed.str.contains(_ACCESSION)).then(dashed)


def filing_urls(cik: pl.Expr, accession: pl.Expr) -> pl.Expr:
    """URLs of filings' index pages: any CIK attached to the filing works in the path (docs/formats/us.md 4)."""
    return pl.concat_str(
        pl.lit(f"{ARCHIVES_URL}/data/"),
        cik.str.strip_chars_start("0"),
        pl.lit("/"),
        accession.str.replace_all("-", "", literal=True),
        pl.lit("/"),
        accession,
        pl.lit("-index.html"),
    )


def filer_url(cik: str) -> str:
    """URL of one filer's profile."""
    return f"{DATA_URL}/submissions/CIK{cik}.json"
