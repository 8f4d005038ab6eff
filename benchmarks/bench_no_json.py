"""Norwegian bulk JSON: one array, split as a stream into staged rows, beside DuckDB's own `read_json` of the file.

Ours: the plain file → stretches of whole elements → staged batches of `no.enheter`, rejects and signals
included. The peer: `CREATE TABLE … AS SELECT * FROM read_json(file)` in a memory database, all columns, schema
detected by DuckDB, with as many threads as there are cores. Elements are made here of the rows the CSV benchmark
repeats (genuine ones where the samples lie beside the project), in the shape of the JSON bulk and its order, which
is not that of the CSV.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import msgspec

from benchmarks.bench_no_csv import genuine_or_written, valid_numbers
from benchmarks.changing import endings
from connectors.contract.dataset import ArchiveMember, Scope
from connectors.no import NORWAY
from connectors.no.enheter.structs import RegisteredEntity

DATASET = NORWAY.dataset("no.enheter")
INSTANT = datetime(2026, 11, 21, 6, tzinfo=UTC)
ASKED = 3.0


def run(rows: int = 110_000, rounds: int = 5) -> list[dict[str, object]]:
    """One result: median seconds of both, alternated."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "enheter_alle.json"
        write(path, rows)
        ours, peer = [], []
        for _ in range(rounds):
            peer.append(_timed(partial(_read_json, path)))
            ours.append(_timed(partial(_ours, path)))
        megabytes = path.stat().st_size >> 20
    return [
        {
            "name": f"Norwegian bulk JSON, {rows:,} entities ({megabytes} MiB), split as a stream",
            "against": "duckdb read_json",
            "ours_s": round(median(ours), 3),
            "peer_s": round(median(peer), 3),
            "ratio": round(median(one / other for one, other in zip(ours, peer, strict=True)), 2),
            "asked": f"<= {ASKED:g}",
            "unit": "s",
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
    ]


def _timed(work: Callable[[], int]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _ours(path: Path) -> int:
    piece = ArchiveMember(DATASET.key, path.name, "0" * 64, INSTANT, Scope.FULL, "bench", partial(path.open, "rb"))
    return sum(batch.rows.height for part in DATASET.split_members(piece) for batch in DATASET.read_batches(part))


def _read_json(path: Path) -> int:
    with duckdb.connect() as database:
        database.execute("CREATE TABLE entities AS SELECT * FROM read_json(?)", [str(path)])
        found = database.execute("SELECT count(*) FROM entities").fetchone()
    return found[0] if found else 0


def write(path: Path, rows: int, day: int = 0) -> None:
    """The bulk's array. day: as in `changing`, who gets another name."""
    header, found = genuine_or_written()
    elements = [_element(dict(zip(header, record, strict=True))) for record in found]
    encode = msgspec.json.Encoder().encode
    otherwise = endings(day)
    with path.open("wb") as file:
        for place, number in enumerate(valid_numbers(rows)):
            element = {"organisasjonsnummer": number} | elements[place % len(elements)]
            if place % 100 in otherwise:
                element["navn"] = f"{element['navn']} {place % 100}"
            file.write((b"," if place else b"[") + encode(element))
        file.write(b"]")


_NAMES = {  # the CSV's own spelling -> the JSON's
    "registreringsdatoenhetsregisteret": "registreringsdatoEnhetsregisteret",
    "registrertIMvaRegisteret": "registrertIMvaregisteret",
    "registreringsdatoantallansatteNAVAaregisteret": "registreringsdatoAntallAnsatteNAVAaregisteret",
}
_ORDER = {field.encode_name: place for place, field in enumerate(msgspec.structs.fields(RegisteredEntity))}
_TEXTS = ("vedtektsfestetFormaal", "aktivitet", "frivilligMvaRegistrertBeskrivelser")


def _element(row: dict[str, str]) -> dict[str, Any]:
    """A row of the CSV as an element: nested, empty values left out, booleans and lists as such."""
    element: dict[str, Any] = {}
    for name, text in row.items():
        if text and name != "organisasjonsnummer":
            head, _, tail = _NAMES.get(name, name).partition(".")
            value = _value(head, tail, text)
            if tail:
                element.setdefault(head, {})[tail] = value
            else:
                element[head] = value
    return dict(sorted((element | {"links": []}).items(), key=lambda member: _ORDER[member[0]]))


def _value(head: str, tail: str, text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    if head == "antallAnsatte":
        return int(text)
    if tail == "adresse":
        return text.split("/n")
    return [text] if head in _TEXTS else text
