"""What the tests of the British connector share: pieces of bytes, everything read of one, present rows."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope, Signal
from connectors.uk import UNITED_KINGDOM, mapping
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.psc import dataset as psc_dataset

AT = datetime(2026, 11, 1, tzinfo=UTC)
RUN = date(2026, 11, 21)
KEYS = {
    table.name: list(table.key)
    for data in (basic_company_data_dataset.DATASET, psc_dataset.DATASET)
    for table in data.staged_tables.values()
}


@dataclass
class Everything:
    """All that reading one body gave."""

    rows: dict[str, pl.DataFrame] = field(default_factory=dict)
    rejects: list[tuple[str, str, str]] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)

    def add(self, batch: Batch) -> None:
        if len(batch.rows):
            held = self.rows.get(batch.table)
            self.rows[batch.table] = batch.rows if held is None else pl.concat([held, batch.rows])
        self.rejects.extend(batch.rejects.iter_rows())
        self.signals.extend(batch.signals)

    def signalled(self, code: str) -> dict[str, tuple[int, tuple[str, ...]]]:
        return {signal.subject: (signal.count, signal.examples) for signal in self.signals if signal.code == code}


PSC_LINES = "psc-snapshot-2026-11-01_1of2.txt"
CSV_NAME = "BasicCompanyDataAsOneFile-2026-11-01.csv"
INDIVIDUAL = "individual-person-with-significant-control"
USUAL = {
    "CompanyName": "EXAMPLE LIMITED",
    "CompanyNumber": "01234567",
    "RegAddress.PostTown": "LEEDS",
    "CompanyCategory": "Private Limited Company",
    "CompanyStatus": "Active",
    "CountryOfOrigin": "United Kingdom",
    "IncorporationDate": "06/04/2001",
    "URI": "http://business.data.gov.uk/id/company/01234567",
}


class PscBodies:
    """PSC records as the registry writes them."""

    @staticmethod
    def record(number="01234567", identity="AbC-1_x", kind=INDIVIDUAL, **data):
        """A snapshot line; `data` replaces or adds members, None leaves one out."""
        usual = {
            "kind": kind,
            "etag": "0" * 40,
            "links": {"self": f"/company/{number}/persons-with-significant-control/individual/{identity}"},
            "name": "Mrs Ann Example",
            "natures_of_control": ["ownership-of-shares-25-to-50-percent"],
            "notified_on": "2020-01-02",
        }
        kept = {key: value for key, value in {**usual, **data}.items() if value is not None}
        return {"company_number": number, "data": kept}

    @staticmethod
    def lines(*records):
        return b"".join(json.dumps(item).encode() + b"\n" for item in records)

    @staticmethod
    def event(data, uri, kind="changed", timepoint=7):
        return {
            "resource_kind": "company-psc-individual",
            "resource_uri": uri,
            "resource_id": uri.rpartition("/")[2],
            **({} if data is None else {"data": data}),
            "event": {"timepoint": timepoint, "published_at": "2021-08-20T13:58:02", "type": kind},
        }

    @staticmethod
    def zipped(body, name="psc.txt"):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, body)
        return file.getvalue()

    @staticmethod
    def exemption(key="disclosure_transparency_rules_chapter_five_applies", *periods):
        items = {
            key: {"exemption_type": key.replace("_", "-"), "items": list(periods) or [{"exempt_from": "2022-10-24"}]}
        }
        return PscBodies.record(
            kind="exemptions",
            links={"self": "/company/01234567/exemptions"},
            exemptions=items,
            name=None,
            natures_of_control=None,
            notified_on=None,
        )


class CsvBodies:
    """BasicCompanyData as the registry writes it."""

    @staticmethod
    def table(*rows, header=True, stripped=False, ending="\r\n"):
        """A csv in the source's own format: some header cells begin with a blank, as they do in every vintage."""
        lines = io.StringIO()
        writer = csv.writer(lines, quoting=csv.QUOTE_ALL, lineterminator=ending)
        odd = {"CompanyNumber", "RegAddress.AddressLine2", "ConfStmtLastMadeUpDate"}
        if header:
            cells = [name if stripped or name not in odd else f" {name}" for name in basic_company_data_dataset.COLUMNS]
            lines.write(",".join(cells) + ending)
        for row in rows:
            writer.writerow([{**USUAL, **row}.get(name, "") for name in basic_company_data_dataset.COLUMNS])
        return lines.getvalue().encode()

    @staticmethod
    def zipped(body, name="BasicCompanyData.csv"):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, body)
        return file.getvalue()


class Bench:
    """Reads bodies as the pipelines would and keeps the newest row of each key."""

    def __init__(self) -> None:
        self._present: dict[str, pl.DataFrame] = {}

    def piece(
        self, dataset: Dataset, body: bytes, name: str, at: datetime = AT, scope: Scope = Scope.PART
    ) -> ArchiveMember:
        sha256 = hashlib.sha256(body).hexdigest()
        return ArchiveMember(dataset.key, name, sha256, at, scope, "batch", lambda: io.BytesIO(body))

    def read(
        self, dataset: Dataset, body: bytes, name: str, at: datetime = AT, scope: Scope = Scope.PART
    ) -> Everything:
        if dataset.redact is not None:
            body = dataset.redact(io.BytesIO(body)).read()
        everything = Everything()
        for piece in dataset.split_members(self.piece(dataset, body, name, at, scope)):
            for batch in dataset.read_batches(piece):
                everything.add(batch)
        return everything

    def upsert(self, dataset: Dataset, body: bytes, name: str, at: datetime = AT) -> Everything:
        """Read, and let newer rows replace older ones of the same key."""
        everything = self.read(dataset, body, name, at)
        for table, rows in everything.rows.items():
            staged = with_meta(table, rows, at)
            held = self._present.get(table)
            both = staged if held is None else pl.concat([held, staged])
            ordered = both.sort("_observed_at", maintain_order=True)
            self._present[table] = ordered.unique(KEYS[table], keep="last", maintain_order=True)
        return everything

    def retire(self, table: str, column: str, gone: Iterable[str], at: datetime) -> None:
        """What a whole edition without these rows does."""
        retired = pl.when(pl.col(column).is_in(list(gone))).then(pl.lit(at)).otherwise(pl.col("_retired_at"))
        kind = pl.Datetime("us", "UTC")
        self._present[table] = self._present[table].with_columns(retired.cast(kind).alias("_retired_at"))

    def holding(self, *records: object) -> dict[str, object]:
        """The holding that records of one holder make."""
        self.upsert(psc_dataset.DATASET, PscBodies.lines(*records), PSC_LINES)
        return self.normalise()["holdings"].row(0, named=True)

    def company(self, *rows: dict[str, str]) -> dict[str, object]:
        """The company that rows of one number make."""
        self.upsert(basic_company_data_dataset.DATASET, CsvBodies.table(*rows), CSV_NAME)
        return self.normalise()["companies"].row(0, named=True)

    def present(self) -> dict[str, pl.DataFrame]:
        """The newest rows by staged table."""
        return dict(self._present)

    def normalise(self, today: date = RUN) -> dict[str, pl.DataFrame]:
        present = {name: rows.lazy() for name, rows in self._present.items()}
        return dict(mapping.map_registers(present, max(today, *self._observed_days())))

    def _observed_days(self) -> Iterator[date]:
        """Days of rows: none is later than the day on which they are mapped."""
        yield RUN
        for rows in self._present.values():
            yield from rows["_observed_at"].dt.date()


def with_meta(table: str, rows: pl.DataFrame, at: datetime) -> pl.DataFrame:
    kind = pl.Datetime("us", "UTC")
    return rows.with_columns(
        UNITED_KINGDOM.company_ids_of_rows(table, rows).alias("_company_id"),
        pl.lit(at).cast(kind).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
        pl.lit(None, kind).alias("_retired_at"),
    )


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture(scope="session")
def make() -> type[PscBodies]:
    return PscBodies


@pytest.fixture(scope="session")
def sheet() -> type[CsvBodies]:
    return CsvBodies
