"""Named faults of files: damage to a written file or to a response body.

Belongs here: pure functions of (file name, bytes). Faults of the connection (429, 503, slow drip, a body cut off)
belong to `http.server`. All damage is deterministic, so that a test can state the expected result.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from sandbox.uk.psc import compute_etag
from sandbox.us import faults as us_faults

PAGE: Final = (
    b"<!DOCTYPE html>\n<html><head><title>Service unavailable</title></head><body>Please wait.</body></html>\n"
)
_STRANGE: Final = {
    "CompanyStatus": "Suspended By Moonlight",
    "organisasjonsform.kode": "XQZ",
    "organisationsform": "XQZ-ORGFO",
    "JurForm": "77",
}
_MANDATORY: Final = ("CompanyStatus", "navn", "organisationsnamn", "Namn")
_FLICKERING: Final = (
    "registreringsdatoAntallAnsatteEnhetsregisteret",
    "registreringsdatoantallansatteNAVAaregisteret",
    "mFtgStat",
    "mNg1",
)
_SWEDISH_RECORD: Final = re.compile(r'(?m)^(?="\d{10,12}\$)')
_BOLAGSVERKET: Final = "organisationsidentitet;"
_SCB: Final = "ForAndrTyp\t"
_COMPANY_KEY: Final = "businessId"  # a key of every object in the Finnish bulk file
Rows = list[list[str]]
Objects = list[dict[str, Any]]


def damage_file(path: Path, fault: str) -> None:
    """Damages a written file in place; `fault` is one of `FILE_FAULTS`."""
    path.write_bytes(damage_body(path.name, path.read_bytes(), fault))


def damage_body(name: str, body: bytes, fault: str) -> bytes:
    """The damaged body of a file or response. Raises ValueError if the fault does not apply to such a file."""
    if fault in _WHOLE:
        return _WHOLE[fault](body)
    if fault not in _LINES and fault not in _CELLS:
        raise ValueError(f"unknown fault {fault!r}; known: {', '.join(FILE_FAULTS)}")
    return _damage_unpacked(name, body, fault)


def _damage_unpacked(name: str, body: bytes, fault: str) -> bytes:
    """Decompresses zip and gzip, damages the text, compresses again."""
    if body[:2] == b"PK":
        return _damage_zip(body, fault)
    if body[:2] == b"\x1f\x8b":
        return gzip.compress(_damage_unpacked(name, gzip.decompress(body), fault), mtime=0)
    if _is_swedish_bulk(body):
        lines = _LINES.get(fault)
        return _rewrite_records(body, lines) if lines else _rewrite_cells(body, _CELLS[fault])
    text = body.decode()
    if text.lstrip()[:1] in "[{" and not text.startswith('{"company_number"'):
        return _damage_json(text, fault).encode()
    if text.startswith('{"company_number"'):
        return _damage_json_lines(text, fault).encode()
    return _damage_table(text, fault).encode()


def _is_swedish_bulk(body: bytes) -> bool:
    """True if a text is one of the two Swedish bulk files."""
    return body.startswith((_BOLAGSVERKET.encode(), _SCB.encode()))


def _rewrite_records(body: bytes, change: Callable[[list[str]], list[str]]) -> bytes:
    """The file with changed records; a record may span several lines."""
    text, encoding = _decode_swedish(body)
    head, _, rest = text.partition("\n")
    records = _SWEDISH_RECORD.split(rest)[1:] if encoding == "utf-8" else rest.splitlines(keepends=True)
    return (f"{head}\n" + "".join(change(records))).encode(encoding)


def _rewrite_cells(body: bytes, change: Callable[[Rows], Rows]) -> bytes:
    """The file with changed cells, including the header's."""
    text, encoding = _decode_swedish(body)
    head, _, rest = text.partition("\n")
    if encoding == "utf-8":
        rows = [record.rstrip("\n")[1:-1].split('";"') for record in _SWEDISH_RECORD.split(rest)[1:]]
        names, *changed = change([head.split(";"), *rows])
        lines = [";".join(names), *('"' + '";"'.join(row) + '"' for row in changed)]
    else:  # every line ends with a tab, followed by an empty column
        cut = [line.removesuffix("\t").split("\t") for line in (head, *rest.splitlines())]
        lines = ["\t".join((*row, "")) for row in change(cut)]
    return "".join(f"{line}\n" for line in lines).encode(encoding)


def _decode_swedish(body: bytes) -> tuple[str, str]:
    encoding = "utf-8" if body.startswith(_BOLAGSVERKET.encode()) else "cp1252"
    return body.decode(encoding), encoding


def _damage_zip(body: bytes, fault: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(body)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for info in source.infolist():
            member = source.read(info)
            tabular = info.filename.endswith((".csv", ".txt", ".json"))
            archive.writestr(info, _damage_unpacked(info.filename, member, fault) if tabular else member)
    return target.getvalue()


def _damage_table(text: str, fault: str) -> str:
    if fault in _LINES:
        head, *lines = text.splitlines(keepends=True)
        return head + "".join(_LINES[fault](lines))
    rows = list(csv.reader(io.StringIO(text)))
    target = io.StringIO()
    csv.writer(target, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(_CELLS[fault](rows))
    return target.getvalue()


def _damage_json_lines(text: str, fault: str) -> str:
    *lines, trailer = text.splitlines(keepends=True)
    if fault == "clock_flicker":
        return "".join(map(_new_etag, lines)) + trailer
    if fault not in _LINES:
        raise ValueError(f"{fault} needs a table, not lines of JSON")
    return "".join(_LINES[fault](lines)) + trailer


def _new_etag(line: str) -> str:
    return re.sub(r'"etag":"(\w+)"', lambda found: f'"etag":"{compute_etag(found[1], "flicker")}"', line)


def _damage_json(text: str, fault: str) -> str:
    objects = json.loads(text)
    if isinstance(objects, dict):
        is_hit = fault in us_faults.OBJECT and us_faults.KEY in objects
        return json.dumps(us_faults.OBJECT[fault](objects)) if is_hit else text
    if fault in _COMPANY_OBJECTS and objects and _COMPANY_KEY in objects[0]:
        return json.dumps(_COMPANY_OBJECTS[fault](objects), ensure_ascii=False)
    if fault not in _LINES:
        raise ValueError(f"{fault} needs a table, not a JSON array")
    elements = [json.dumps(element, ensure_ascii=False) for element in objects]
    return json.dumps([json.loads(element) for element in _LINES[fault](elements)], ensure_ascii=False)


def _truncate_body(body: bytes) -> bytes:
    return body[: len(body) * 3 // 5]


def _drop_half(lines: list[str]) -> list[str]:
    return lines[: len(lines) // 2]


def _duplicate_lines(lines: list[str]) -> list[str]:
    """Repeats every tenth record, and reorders all of them."""
    return [*reversed(lines), *lines[::10]]


def _new_column(rows: Rows) -> Rows:
    return [[*rows[0], "nyttFelt"], *([*row, "x"] for row in rows[1:])]


def _column_position(header: list[str], wanted: tuple[str, ...]) -> int:
    for place, cell in enumerate(header):
        if cell.strip() in wanted:
            return place
    raise ValueError(f"no column of {', '.join(wanted)}")


def _missing_column(rows: Rows) -> Rows:
    """Removes a mandatory column with its header."""
    place = _column_position(rows[0], _MANDATORY)
    return [row[:place] + row[place + 1 :] for row in rows]


def _shifted_column(rows: Rows) -> Rows:
    """Keeps the header, and shifts every value from the second column on one column to the left."""
    return [rows[0], *([row[0], *row[2:], ""] for row in rows[1:])]


def _unknown_status(rows: Rows) -> Rows:
    """Gives the first three records a code that is in no list."""
    place = _column_position(rows[0], tuple(_STRANGE))
    strange = _STRANGE[rows[0][place].strip()]
    return [rows[0], *([*row[:place], strange, *row[place + 1 :]] for row in rows[1:4]), *rows[4:]]


def _clock_flicker(rows: Rows) -> Rows:
    """Changes only the counting dates, if the record has them."""
    places = [place for place, cell in enumerate(rows[0]) if cell in _FLICKERING]
    for row in rows[1:]:
        for place in places:
            row[place] = row[place] and "2026-12-24"
    return rows


def _without_company_key(objects: Objects) -> Objects:
    """Removes a mandatory key everywhere."""
    return [{name: value for name, value in item.items() if name != _COMPANY_KEY} for item in objects]


def _unknown_trade_status(objects: Objects) -> Objects:
    """Gives the first three objects a code that is in no list."""
    return [{**item, "tradeRegisterStatus": "XQZ"} for item in objects[:3]] + objects[3:]


_WHOLE: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "truncated": _truncate_body,
    "html": lambda _body: PAGE,
    "empty": lambda _body: b"",
}
_LINES: Final[Mapping[str, Callable[[list[str]], list[str]]]] = {
    "half_rows": _drop_half,
    "duplicated": _duplicate_lines,
}
_CELLS: Final[Mapping[str, Callable[[Rows], Rows]]] = {
    "new_column": _new_column,
    "missing_column": _missing_column,
    "shifted_column": _shifted_column,
    "unknown_status": _unknown_status,
    "clock_flicker": _clock_flicker,
}
_COMPANY_OBJECTS: Final[Mapping[str, Callable[[Objects], Objects]]] = {
    "new_column": lambda objects: [{**item, "uusiKentta": "x"} for item in objects],
    "missing_column": _without_company_key,
    "unknown_status": _unknown_trade_status,
    "clock_flicker": lambda objects: [{**item, "lastModified": "2026-12-24T00:00:00"} for item in objects],
}
FILE_FAULTS: Final = (*_WHOLE, *_LINES, *_CELLS)
