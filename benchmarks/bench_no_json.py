"""Norwegian bulk JSON: one array, split as a stream into staged rows, beside DuckDB's `read_json` (`json_peer`).

Elements are made here of the rows the CSV benchmark repeats (genuine ones where the samples lie beside the project), in
the shape of the JSON bulk and its order, which is not that of the CSV.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.bench_no_csv import genuine_or_written, valid_numbers
from benchmarks.changing import endings
from benchmarks.json_peer import alternate, read_staged
from connectors.no import NORWAY
from connectors.no.enheter.structs import RegisteredEntity

DATASET = NORWAY.dataset("no.enheter")
ASKED = 3.0


def run(rows: int = 110_000, rounds: int = 5) -> list[dict[str, object]]:
    """One result: median seconds of both, alternated."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "enheter_alle.json"
        write(path, rows)
        name = f"Norwegian bulk JSON, {rows:,} entities ({path.stat().st_size >> 20} MiB), split as a stream"
        return [alternate(partial(read_staged, DATASET, path), path, rounds, ASKED, name)]


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
