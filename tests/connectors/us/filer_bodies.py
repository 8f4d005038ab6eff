"""Submissions written by hand in the source's shape, and the market's own way from bodies to shared tables."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope
from connectors.kit import staging
from connectors.us import UNITED_STATES
from connectors.us.filing_headers.schema import DEREGISTERED
from connectors.us.submissions import dataset as submissions_dataset
from warehouse.schema.types import Table

AT = datetime(2026, 11, 20, 9, tzinfo=UTC)
TODAY = date(2026, 11, 20)
CIK = "0000999001"
COMPANY = f"firm:US:US{CIK}"


def accession(number: int, year: int = 26) -> str:
    return f"0000999900-{year:02}-{number:06}"


def filing(form: str, filed: str, **more: Any) -> dict[str, Any]:
    """One filing; its accession number is made of its day and form unless it is given."""
    number = sum(map(ord, form)) * 7 + int(filed.replace("-", "")) % 9973
    return {
        "accessionNumber": accession(number % 999_999, int(filed[2:4])),
        "filingDate": filed,
        "reportDate": "",
        "acceptanceDateTime": f"{filed}T16:30:00.000Z",
        "act": "34",
        "form": form,
        "fileNumber": "001-12345",
        "filmNumber": "26100001",
        "items": "",
        "core_type": form,
        "size": 1000,
        "isXBRL": 0,
        "isInlineXBRL": 0,
        "primaryDocument": "a.htm",
        "primaryDocDescription": form,
        **more,
    }


def page(filings: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    rows = list(filings)
    return {name: [row[name] for row in rows] for name in filing("8-K", "2026-01-02")}


def filer(filings: Iterable[Mapping[str, Any]] = (), files: Iterable[Mapping[str, Any]] = (), **more: Any) -> Any:
    """One filer's body: an operating company listed on NYSE, unless said otherwise."""
    address = {
        "street1": "1 EXAMPLE WAY",
        "street2": None,
        "city": "AUSTIN",
        "stateOrCountry": "TX",
        "zipCode": "78701",
        "stateOrCountryDescription": "TX",
        "isForeignLocation": None,
        "foreignStateTerritory": None,
        "country": None,
        "countryCode": None,
    }
    return {
        "cik": CIK,
        "entityType": "operating",
        "sic": "3571",
        "sicDescription": "Electronic Computers",
        "ownerOrg": "06 Technology",
        "insiderTransactionForOwnerExists": 0,
        "insiderTransactionForIssuerExists": 1,
        "name": "EXAMPLE COMPUTERS INC",
        "tickers": ["EXC"],
        "exchanges": ["NYSE"],
        "ein": "123456789",
        "lei": None,
        "description": "",
        "website": "",
        "investorWebsite": "",
        "category": "Large accelerated filer",
        "fiscalYearEnd": "1231",
        "stateOfIncorporation": "DE",
        "stateOfIncorporationDescription": "DE",
        "addresses": {"mailing": address, "business": address},
        "phone": "5125550100",
        "flags": "",
        "formerNames": [],
        "filings": {"recent": page(filings), "files": list(files)},
        **more,
    }


def person(**more: Any) -> Any:
    """An individual who files as an owner."""
    shape = {
        "cik": "0000999002",
        "entityType": "other",
        "sic": "",
        "sicDescription": "",
        "insiderTransactionForOwnerExists": 1,
        "insiderTransactionForIssuerExists": 0,
        "name": "DOE JANE",
        "tickers": [],
        "exchanges": [],
        "ein": None,
        "category": "",
        "fiscalYearEnd": None,
        "stateOfIncorporation": "",
    }
    return filer([filing("4", "2026-03-02")], **{**shape, **more})


def zipped(members: Mapping[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return held.getvalue()


def piece(body: Any, name: str = f"submissions/CIK{CIK}.json", dataset: str = "us.submissions") -> ArchiveMember:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ArchiveMember(dataset, name, "0" * 64, AT, Scope.PART, "batch", partial(io.BytesIO, raw))


def batches(
    body: Any, name: str = f"submissions/CIK{CIK}.json", dataset: Dataset = submissions_dataset.DATASET
) -> list[Batch]:
    return list(dataset.read_batches(piece(body, name, dataset.key)))


def rows(found: Iterable[Batch], table: Table) -> pl.DataFrame:
    frames = [batch.rows for batch in found if batch.table == table.name]
    return pl.concat(frames)


def signals(found: Iterable[Batch]) -> dict[tuple[str, str], int]:
    return {(one.code, one.subject): one.count for batch in found for one in batch.signals}


def rejects(found: Iterable[Batch]) -> list[tuple[Any, ...]]:
    return [row for batch in found for row in batch.rejects.iter_rows()]


def present(found: Iterable[Batch]) -> dict[str, pl.LazyFrame]:
    """Batches as the market's present rows, each key once, as pipelines keep them; headers of filings were loaded."""
    tables: dict[str, list[pl.DataFrame]] = {DEREGISTERED.name: [staging.empty_staged_frame(DEREGISTERED)]}
    for batch in found:
        tables.setdefault(batch.table, []).append(batch.rows)
    declared = {name: table for made in UNITED_STATES.datasets for name, table in made.staged_tables.items()}
    kept: dict[str, pl.LazyFrame] = {}
    for name, frames in tables.items():
        frame = pl.concat(frames).unique(list(declared[name].key), keep="last", maintain_order=True)
        kept[name] = frame.with_columns(
            UNITED_STATES.company_ids_of_rows(name, frame).alias("_company_id"),
            _observed_at=pl.lit(AT).cast(pl.Datetime("us", "UTC")),
            _raw=pl.lit("0" * 64),
            _retired_at=pl.lit(None, pl.Datetime("us", "UTC")),
        ).lazy()
    return kept


def shared(found: Iterable[Batch], today: date = TODAY) -> Mapping[str, pl.DataFrame]:
    return UNITED_STATES.to_shared_tables(present(found), today)


def company(body: Any, today: date = TODAY, more: Iterable[Batch] = ()) -> dict[str, Any] | None:
    """The profile that one filer's body makes; None where it is no company."""
    frame = shared([*batches(body), *more], today)["companies"]
    own = frame.filter(pl.col("org_number") == f"US{str(body['cik']).zfill(10)}")
    return own.row(0, named=True) if own.height else None
