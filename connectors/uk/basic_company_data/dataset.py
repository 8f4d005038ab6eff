"""Dataset `uk.companies`: BasicCompanyData, the monthly file of all live companies (docs/formats/uk.md 3).

Belongs here: its columns, its files, reading it into the staged tables, and signals about its codes. Does
not belong here: what a status or an accounts category means (`profile.companies`), or finding the file on the web
(`bulk_download`).

Every row goes to one of two staged tables with the same columns: `uk_companies`, or `uk_companies_unmapped` if
the code list lacks its status term. The current row of the former is therefore always the last one with a known
status, and that status is kept when a later snapshot has an unmapped term.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, Cursor, FetchedFile, NotApplicable, RecognisedFile
from connectors.kit import staging
from connectors.kit.columns import text
from connectors.kit.csv import reader
from connectors.kit.http.client import HttpClient
from connectors.uk.bulk_download import BulkProduct, basename, fetch_bulk, recognise_by_name, split_required_members
from connectors.uk.code_lists import code_list_field, load_list, unlisted_words
from connectors.uk.register import DOWNLOADS, LICENCE, canonical_numbers
from warehouse.schema.types import Column, ColumnKind, Table, TurningDay

KEY: Final = "uk.companies"
_NAMES: Final = range(1, 11)

SIC_COLUMNS: Final = tuple(f"SICCode.SicText_{n}" for n in range(1, 5))

COLUMNS: Final = (
    "CompanyName",
    "CompanyNumber",
    *(
        f"RegAddress.{part}"
        for part in (
            "CareOf", "POBox", "AddressLine1", "AddressLine2", "PostTown", "County", "Country", "PostCode",
        )
    ),
    "CompanyCategory",
    "CompanyStatus",
    "CountryOfOrigin",
    "DissolutionDate",
    "IncorporationDate",
    "Accounts.AccountRefDay",
    "Accounts.AccountRefMonth",
    "Accounts.NextDueDate",
    "Accounts.LastMadeUpDate",
    "Accounts.AccountCategory",
    "Returns.NextDueDate",
    "Returns.LastMadeUpDate",
    "Mortgages.NumMortCharges",
    "Mortgages.NumMortOutstanding",
    "Mortgages.NumMortPartSatisfied",
    "Mortgages.NumMortSatisfied",
    *SIC_COLUMNS,
    "LimitedPartnerships.NumGenPartners",
    "LimitedPartnerships.NumLimPartners",
    "URI",
    *(f"PreviousName_{n}.{part}" for n in _NAMES for part in ("CONDATE", "CompanyName")),
    "ConfStmtNextDueDate",
    "ConfStmtLastMadeUpDate",
)  # fmt: skip
DATES: Final = (
    "DissolutionDate",
    "IncorporationDate",
    "Accounts.NextDueDate",
    "Accounts.LastMadeUpDate",
    "Returns.NextDueDate",
    "Returns.LastMadeUpDate",
    "ConfStmtNextDueDate",
    "ConfStmtLastMadeUpDate",
    *(f"PreviousName_{n}.CONDATE" for n in _NAMES),
)
# Spreadsheets drop leading zeros (docs/formats/uk.md 2); fewer digits more likely belong to another column.
_NUMBER: Final = r"\s*(?:[0-9]{5,8}|[A-Za-z]{2}[0-9]{4,6}|[A-Za-z0-9]{8})\s*"
_WHOLE_NUMBER: Final = r"^[A-Z0-9]{8}$"
_BREAKS: Final = r"[\r\n\t\x{00A0}]"
_LEADING_BLANK: Final = r"^[\s\x{00A0}]"
_SERVED: Final = (
    *(name for name in COLUMNS if name.startswith("RegAddress.")),
    "CompanyCategory",
    *(f"PreviousName_{n}.CompanyName" for n in _NAMES),
)
_DATE_BYTES: Final = 10
_YEAR: Final = 6  # place of the year's first digit

_STAGED: Final = tuple(
    Column(name, ColumnKind.TEXT, "docs/formats/uk.md 3", nullable=name not in {"CompanyName", "CompanyNumber"})
    for name in COLUMNS
)
_TURNING: Final = (TurningDay("DissolutionDate", after_days=-1, written="%d/%m/%Y"),)
COMPANIES: Final = Table(
    "uk_companies",
    "BasicCompanyData as delivered; header cells stripped.",
    ("CompanyNumber",),
    _STAGED,
    turning_days=_TURNING,
)
UNMAPPED: Final = Table(
    "uk_companies_unmapped",
    "Rows of BasicCompanyData with a CompanyStatus that the code list lacks.",
    ("CompanyNumber",),
    _STAGED,
    turning_days=_TURNING,
)
_LAYOUT: Final = reader.CsvFormat(
    table=COMPANIES,
    mandatory=("CompanyName", "CompanyNumber", "CompanyStatus", "CompanyCategory"),
    key="CompanyNumber",
    order=COLUMNS,
    patterns={"CompanyNumber": _NUMBER},
)
_STATUS: Final = "CompanyStatus"
_ENDED: Final = "DissolutionDate"
_CODED: Final = (
    ("unknown_status", "statuses", _STATUS),
    ("unknown_legal_form", "legal_forms", "CompanyCategory"),
    ("unknown_account_category", "account_categories", "Accounts.AccountCategory"),
    ("unknown_country", "countries", "RegAddress.Country"),
)

CELL: Final = SIC_COLUMNS[0]
NONE: Final = "none supplied"
PATTERN: Final = r"^\s*(\d{4,5})\s*(?:-\s*(.*))?$"
# The registry's list holds both; the older one is still used by companies that changed nothing since 2011. A code that
# it does not hold has no scheme: the next classification has five digits, too.
_SCHEMES: Final = {5: "UKSIC2007", 4: "UKSIC2003"}
FIELDS: Final = ("industry_code", "industry_label", "industry_scheme")


def with_industry(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds the FIELDS of the first cell; null if it is empty or malformed.

    Millions of rows have a few thousand distinct cells: each is parsed once. Row order is kept.
    """
    cell = pl.col("_cell")
    cells = rows.select(_cell=pl.col(CELL).unique()).drop_nulls()
    written, label = (cell.str.extract(PATTERN, group).str.strip_chars() for group in (1, 2))
    codes = load_list("sic")
    code = _with_lost_zero(written, label)
    schemes = {listed: _SCHEMES[len(listed)] for listed in sorted(codes.codes)}
    parts = cells.select(
        "_cell",
        industry_code=code,
        industry_label=pl.coalesce(pl.when(label != "").then(label), codes.expr(code, "label")),
        industry_scheme=code.replace_strict(schemes, default=None, return_dtype=pl.String),
    )
    return rows.join(parts, left_on=CELL, right_on="_cell", how="left", maintain_order="left")


def _with_lost_zero(code: pl.Expr, label: pl.Expr) -> pl.Expr:
    """Codes, with the leading zero that a spreadsheet took: four digits with the words of the code of five."""
    listed, words = load_list("sic"), label.str.to_lowercase()
    padded = pl.lit("0") + code
    is_cut = (listed.expr(padded).str.to_lowercase() == words) & (
        listed.expr(code).str.to_lowercase() != words
    ).fill_null(value=True)
    return pl.when(is_cut.fill_null(value=False)).then(padded).otherwise(code)


def unknown_industry_cells(cells: pl.Series) -> list[str]:
    """Distinct cells that are neither empty nor a code of the registry's lists."""
    given = cells.drop_nulls().to_frame("cell")
    listed = pl.col("cell").str.extract(PATTERN, 1).is_in(sorted(load_list("sic").codes))
    says_none = pl.col("cell").str.strip_chars().str.to_lowercase() == NONE
    return given.filter(~(listed.fill_null(value=False) | says_none))["cell"].to_list()


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises any csv or zip of this folder; the name gives the snapshot date."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] == b"<":
        # Left to `read_batches`, which reports it: an error page with a data file's name must not be skipped silently.
        return recognise_by_name(name)
    if not basename(name).lower().endswith((".csv", ".zip", ".txt", ".gz")):
        return NotApplicable("neither a csv nor a zip of BasicCompanyData")
    return recognise_by_name(name)


def split_members(member: ArchiveMember) -> Iterator[ArchiveMember]:
    """Yields the csv of a zip, or a plain csv as one piece."""
    return split_required_members(member, (".csv", ".txt"), "a csv")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields rows, rejects and signals of one csv."""
    tally = staging.SignalCounter(KEY)
    numbers: list[pl.Series] = []  # as hashes: millions of texts would cost ten times the memory
    for raw in reader.read_csv(member, _LAYOUT):
        batch = _with_clean_names(_with_canonical_numbers(_without_blank_cells(raw), tally))
        numbers.append(batch.rows["CompanyNumber"].hash())
        strange_words = _count_anomalies(batch.rows, tally)
        if not strange_words:
            yield batch
        else:
            unmapped = pl.col(_STATUS).is_in(strange_words, nulls_equal=True)
            yield replace(batch, rows=batch.rows.filter(~unmapped))
            yield staging.make_batch(UNMAPPED, batch.rows.filter(unmapped))
    _count_repeated_numbers(member, numbers, tally)
    yield staging.make_batch(COMPANIES, staging.empty_staged_frame(COMPANIES), None, tally.drain())


def _count_repeated_numbers(piece: ArchiveMember, hashes: list[pl.Series], tally: staging.SignalCounter) -> None:
    """Counts rows beyond the first of each number: of rows that differ the last one counts."""
    every = pl.concat(hashes)
    repeated = every.len() - every.n_unique()
    if repeated:
        tally.add("repeated_number", "CompanyNumber", piece.name, repeated)


def _with_canonical_numbers(batch: Batch, tally: staging.SignalCounter) -> Batch:
    """Normalises company numbers; checking first costs less than rewriting all of them."""
    number = pl.col("CompanyNumber")
    if batch.rows["CompanyNumber"].str.contains(_WHOLE_NUMBER).all():
        return batch
    rows = batch.rows.with_columns(canonical_numbers(number).alias("CompanyNumber"))
    short = batch.rows.filter(~number.str.contains(_WHOLE_NUMBER))
    staging.count_subjects(
        tally, "short_number", short.select(subject=pl.lit("CompanyNumber"), example="CompanyNumber")
    )
    refused = batch.rows.filter(rows["CompanyNumber"].is_null())["CompanyNumber"]
    reason = "CompanyNumber is no number of the register"
    rejects = pl.concat([batch.rejects, staging.reject_rows((number, reason, number) for number in refused)])
    return replace(batch, rows=rows.drop_nulls("CompanyNumber"), rejects=rejects)


def _without_blank_cells(batch: Batch) -> Batch:
    """Trims served texts that begin with a blank; one of blanks alone is empty, and no town of that name."""
    led = [name for name in _SERVED if batch.rows[name].str.contains(_LEADING_BLANK).any()]
    return replace(batch, rows=batch.rows.with_columns(text.clean_text(pl.col(name)) for name in led)) if led else batch


def _with_clean_names(batch: Batch) -> Batch:
    """Strips names and puts them on one line; a row without a name becomes a reject."""
    name = batch.rows["CompanyName"]
    odd = name.is_null() | name.str.starts_with(" ") | name.str.ends_with(" ") | name.str.contains(_BREAKS)
    if not odd.any():
        return batch
    rows = batch.rows.with_columns(
        CompanyName=pl.when(odd).then(text.clean_text(pl.col("CompanyName"))).otherwise("CompanyName")
    )
    nameless = rows.filter(pl.col("CompanyName").is_null())["CompanyNumber"]
    rejects = staging.reject_rows((f"company {number}", "CompanyName is empty", number) for number in nameless)
    return replace(batch, rows=rows.drop_nulls("CompanyName"), rejects=pl.concat([batch.rejects, rejects]))


def _count_anomalies(rows: pl.DataFrame, tally: staging.SignalCounter) -> list[str | None]:
    """Counts unknown terms, bad dates, malformed industry codes, dissolutions of companies that the register lists.

    Returns unknown status terms.
    """
    filled = [name for name in DATES if rows[name].null_count() < rows.height]
    words = [column for _, _, column in _CODED]
    # all columns in one call, so that polars uses all threads; finding distinct days costs less than parsing them
    found = rows.select(pl.col(name).unique().implode() for name in (*words, *SIC_COLUMNS, *filled))
    missing = rows.filter(pl.col(_STATUS).is_null())
    staging.count_subjects(tally, "unknown_status", missing.select(subject=pl.lit("(empty)"), example="CompanyNumber"))
    for code, listed, column in _CODED:
        _count_cells(tally, code, rows, column, unlisted_words(found[column].item(), listed))
    for name in filled:
        if found[name].item().to_frame(name).select(_is_bad_date(name).any()).item():
            hits = rows.filter(_is_bad_date(name))
            staging.count_subjects(tally, "bad_date", hits.select(subject=pl.lit(name), example="CompanyNumber"))
    if _ENDED in filled:
        on_register = code_list_field(rows, _STATUS, "statuses", "status") != "dissolved"
        hits = rows.filter(pl.col(_ENDED).is_not_null() & on_register)
        staging.count_subjects(
            tally, "contradicting_status", hits.select(subject=pl.lit(_ENDED), example="CompanyNumber")
        )
    for name in SIC_COLUMNS:
        _count_cells(tally, "unknown_industry_code", rows, name, unknown_industry_cells(found[name].item()))
    return [*unlisted_words(found[_STATUS].item(), "statuses"), *([] if missing.is_empty() else [None])]


def _count_cells(tally: staging.SignalCounter, code: str, rows: pl.DataFrame, column: str, cells: list[str]) -> None:
    if cells:
        hits = rows.filter(pl.col(column).is_in(cells))
        staging.count_subjects(tally, code, hits.select(subject=column, example="CompanyNumber"))


def parse_day(column: str) -> pl.Expr:
    """Parses 31/05/2024, without a regular expression (18 columns of millions). 01/01/0001 is no day of a company."""
    written = pl.col(column)
    is_day = (written.str.len_bytes() == _DATE_BYTES) & (written.str.slice(_YEAR, 1) != "0")
    return pl.when(is_day).then(written.str.to_date("%d/%m/%Y", strict=False))


def _is_bad_date(column: str) -> pl.Expr:
    return pl.col(column).is_not_null() & parse_day(column).is_null()


DOWNLOAD: Final = BulkProduct(
    f"https://{DOWNLOADS}/en_output.html",
    re.compile(r"BasicCompanyDataAsOneFile-[\d-]+\.zip", re.IGNORECASE),
    re.compile(r"BasicCompanyData-[\d-]+-part\d+_\d+\.zip", re.IGNORECASE),
)


def fetch_companies(http: HttpClient, after: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the newest BasicCompanyData; yields nothing if unchanged. There are no single-company requests."""
    del subjects
    yield from fetch_bulk(http, DOWNLOAD, after)


DATASET: Final = Dataset(
    key=KEY,
    title="Companies House: BasicCompanyData",
    licence=LICENCE,
    cadence=Cadence(
        cron="30 7 2-8 * *", stale_after_hours=24 * 50
    ),  # published within 5 working days after the end of the month
    guard_limits=GuardLimits(max_rows=9_000_000),  # 5,695,465 rows in 2026-08
    host=DOWNLOADS,
    staged_tables={COMPANIES.name: COMPANIES, UNMAPPED.name: UNMAPPED},
    file_patterns=("basic_company_data/**/*", "BasicCompanyData*"),
    recognise_file=recognise_file,
    split_members=split_members,
    read_batches=read_batches,
    fetch=fetch_companies,
)
