"""Norwegian bulk CSV, from the RAW object to SHARED Parquet, beside a bare polars read of the same rows.

Ours: the zstd object in the archive → read → staged Parquet → normalise → shared Parquet.
The peer: `pl.read_csv` of the same plain CSV, all columns.
Rows are genuine ones where the sample files lie beside the project, else written here, repeated under new
valid organisation numbers.
"""

from __future__ import annotations

import csv
import io
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import median

import polars as pl

from connectors.contract.dataset import ArchiveMember, FetchedFile, Scope
from connectors.no import NORWAY
from connectors.no.register import has_check_digit
from warehouse.raw.archive import RawArchive, RawBody
from warehouse.schema.types import Table
from warehouse.staged.store import StagedStore
from warehouse.storage import parquet
from warehouse.storage.layout import Layout

DATASET = NORWAY.dataset("no.enheter")
SAMPLES = Path(__file__).resolve().parents[2] / "shared" / "sources" / "no" / "enheter_bulk_csv"
BATCH = "20261121T060000000Z"
INSTANT = datetime(2026, 11, 21, 6, tzinfo=UTC)
ASKED = 3.0


def run(rows: int = 1_000_000, rounds: int = 5) -> list[dict[str, object]]:
    """One result: median seconds of both, alternated."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        plain = root / "enheter.csv"
        _write(plain, rows)
        piece = _archived(root, plain)
        ours, peer = [], []
        for number in range(rounds):
            peer.append(_timed(lambda: pl.read_csv(plain).height))
            ours.append(_timed(lambda at=root / f"round{number}": _ours(at, piece)))
    ratio = median(one / other for one, other in zip(ours, peer, strict=True))
    return [
        {
            "name": f"Norwegian bulk CSV, RAW to SHARED, {rows:,} rows, against pl.read_csv",
            "ours_s": round(median(ours), 3),
            "peer_s": round(median(peer), 3),
            "ratio": round(ratio, 2),
            "asked": f"<= {ASKED:g}",
            "met": ratio <= ASKED,
            "unit": "s",
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
    ]


def _timed(work: Callable[[], int]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _ours(root: Path, raw: RawBody) -> int:
    """What a first ingest does with the file, without history."""
    piece = ArchiveMember(raw.dataset, raw.name, raw.sha256, raw.observed_at, Scope(raw.scope), raw.batch, raw.open)
    lake = StagedStore(Layout(root))
    tables = {table.name: table for table in DATASET.staged_tables.values()}
    with lake.write_batch(DATASET.key, BATCH) as writer:
        for part in DATASET.split_members(piece):
            for batch in DATASET.read_batches(part):
                if batch.rows.height:
                    writer.add_rows(tables[batch.table], part, batch.rows)
                writer.add_rejects(part, batch.table, batch.rejects)
                writer.add_signals(batch.signals)
    index = lake.index(DATASET.key, BATCH)
    present = {name: _present(lake, tables[name]) for name in index.tables} if index else {}
    shared = NORWAY.to_shared_tables(present, date(2026, 11, 21))
    written = 0
    for name, frame in shared.items():
        if frame.height:
            parquet.write_parquet(frame, root / f"{name}.parquet")
            written += frame.height
    return written


def _present(lake: StagedStore, table: Table) -> pl.LazyFrame:
    """Staged rows as history gives them."""
    rows = lake.read_rows(DATASET.key, BATCH, table)
    return rows.with_columns(
        pl.lit(None, pl.String).alias("_company_id"), pl.lit(None, pl.Datetime("us", "UTC")).alias("_retired_at")
    )


def _archived(root: Path, plain: Path) -> RawBody:
    with plain.open("rb") as body:
        arrival = FetchedFile("enheter.csv", body, Scope.FULL, INSTANT)
        piece = RawArchive(Layout(root / "data")).store_body(DATASET.key, arrival, BATCH)
    if piece is None:
        raise RuntimeError("the archive took the body for an old one")
    return piece


def _write(path: Path, rows: int) -> None:
    header, records = genuine_or_written()
    number = header.index("organisasjonsnummer")
    numbers = valid_numbers(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        file.write(",".join(header) + "\n")
        for place, new in enumerate(numbers):
            record = records[place % len(records)]
            writer.writerow([*record[:number], new, *record[number + 1 :]])


def valid_numbers(count: int) -> Iterator[str]:
    """Valid organisation numbers from 800000000 upwards."""
    found = 0
    for start in range(800_000_000, 1_000_000_000, 1_000_000):
        numbers = pl.select(pl.int_range(start, start + 1_000_000).cast(pl.String).alias("n"))
        for value in numbers.filter(has_check_digit(pl.col("n")))["n"]:
            if found == count:
                return
            found += 1
            yield value


def genuine_or_written() -> tuple[list[str], list[list[str]]]:
    """Header and records: genuine ones where they lie beside the project."""
    files = sorted(SAMPLES.glob("*.csv"))
    if not files:
        return written()
    records: list[list[str]] = []
    header: list[str] = []
    for path in files:
        with path.open(encoding="utf-8", newline="") as file:
            header, *more = csv.reader(file)
            records += more
    return header, records


def written() -> tuple[list[str], list[list[str]]]:
    """A record in the 54 columns of 2024, where no genuine ones are at hand."""
    text = io.StringIO(HEADER + "\n" + RECORD)
    header, record = csv.reader(text)
    return header, [record]


_ADDRESS = ("adresse", "poststed", "postnummer", "kommune", "kommunenummer", "land", "landkode")
HEADER = ",".join(
    (
        "organisasjonsnummer,navn,organisasjonsform.kode,organisasjonsform.beskrivelse",
        *(f"naeringskode{place}.kode,naeringskode{place}.beskrivelse" for place in (1, 2, 3)),
        "hjelpeenhetskode.kode,hjelpeenhetskode.beskrivelse,harRegistrertAntallAnsatte,antallAnsatte,hjemmeside",
        *(f"{kind}.{part}" for kind in ("postadresse", "forretningsadresse") for part in _ADDRESS),
        "institusjonellSektorkode.kode,institusjonellSektorkode.beskrivelse,sisteInnsendteAarsregnskap",
        "registreringsdatoenhetsregisteret,stiftelsesdato,registrertIMvaRegisteret",
        "frivilligMvaRegistrertBeskrivelser,registrertIFrivillighetsregisteret,registrertIForetaksregisteret",
        "registrertIStiftelsesregisteret,konkurs,konkursdato,underAvvikling,underAvviklingDato",
        "underTvangsavviklingEllerTvangsopplosning,tvangsopplostPgaManglendeDagligLederDato",
        "tvangsopplostPgaManglendeRevisorDato,tvangsopplostPgaManglendeRegnskapDato",
        "tvangsopplostPgaMangelfulltStyreDato,tvangsavvikletPgaManglendeSlettingDato,overordnetEnhet,maalform",
        "vedtektsdato,vedtektsfestetFormaal,aktivitet",
    )
)
RECORD = (
    "800000000,EKSEMPEL BYGG AS,AS,Aksjeselskap,41.200,Oppføring av bygninger,,,,,,,true,12,www.eksempel.no,"
    "Postboks 1,OSLO,0125,OSLO,0301,Norge,NO,Eksempelveien 1/n3. etasje,BERGEN,5003,BERGEN,4601,Norge,NO,"
    "2100,Private aksjeselskaper mv.,2022,2014-03-12,2014-01-02,true,,false,true,false,false,,false,,false,"
    ",,,,,,Bokmål,2014-01-02,Bygging av hus.,Bygging av hus og det som naturlig faller sammen med dette."
)
