"""Danish companies as lines of JSON, split as a stream into staged rows, beside DuckDB's own `read_json` of the file.

Both as in `json_peer`; then the same hits in pages, as the register answers, in worker processes, as the pipeline reads
the pages of a first load. What is removed before the archive is timed by itself. Records are made here in the shape of
the register, as its `_source` filter answers: lists with periods, the newest values ready made, one holder or three for
three of four companies.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.json_peer import alternate, archive_member, read_staged, timed
from connectors.dk import DENMARK
from connectors.dk.search import SIZE
from pipelines.runtime.parser_pool import MANY_BYTES, ParserPool

DATASET = DENMARK.dataset("dk.virksomhed")
ASKED = 3.0
CORES = os.cpu_count() or 1
COMPANIES = 100_000  # of the register's 2.3 million
_WEIGHTS = (2, 7, 6, 5, 4, 3, 2)
_CHANGED = "2024-02-21T22:56:20.000+01:00"


def run(rows: int = COMPANIES, rounds: int = 3) -> list[dict[str, object]]:
    """Two results, median seconds, alternated: the lines by one process, and pages by workers as in a first load."""
    what = f"Danish companies, {rows:,}"
    with tempfile.TemporaryDirectory() as folder, closing(ParserPool(CORES, 2)) as readers:
        path = Path(folder) / "virksomhed.ndjson"
        write(path, rows)
        lines = f"{what} lines ({path.stat().st_size >> 20} MiB), split as a stream"
        alone = alternate(partial(read_staged, DATASET, path), path, rounds, ASKED, lines)
        redacted = timed(partial(_redacted, path))
        pages = _pages(path, Path(folder))
        _read_pages(readers, pages[: 2 * CORES])  # the workers are started before
        paged = alternate(
            partial(_read_pages, readers, pages), path, rounds, ASKED, f"{what} in {len(pages):,} pages, by workers"
        )
    del paged["processor_s"]  # of this process, which waits
    return [{**alone, "redacted_s": round(redacted.passed, 3)}, paged]


def _read_pages(readers: ParserPool, pages: list[Path]) -> int:
    rows = 0
    members = [archive_member(DATASET, page) for page in pages]
    for outcome in readers.parse_members(DATASET.read_batches, members, MANY_BYTES):
        if outcome.reason is not None:
            raise ValueError(outcome.reason)
        rows += sum(batch.rows.height for batch in outcome.batches)
    return rows


def _pages(lines: Path, folder: Path) -> list[Path]:
    """The lines as answers of the index, as many hits each as a request asks for."""
    pages: list[Path] = []
    with lines.open("rb") as file:
        while hits := list(islice(file, SIZE)):
            page = folder / f"virksomhed-{len(pages):06}.json"
            page.write_bytes(
                b'{"took":1,"timed_out":false,"_shards":{"total":6,"failed":0},"hits":{"total":%d,"hits":[%b]}}'
                % (len(hits), b",".join(hit.rstrip() for hit in hits))
            )
            pages.append(page)
    return pages


def _redacted(path: Path) -> int:
    if DATASET.redact is None:
        raise ValueError(f"{DATASET.key} has no redaction to time")
    with path.open("rb") as body, DATASET.redact(body) as kept:
        return sum(map(len, iter(partial(kept.read, 1 << 20), b"")))


def valid_numbers(rows: int) -> list[int]:
    """CVR numbers with a valid check digit, ascending."""
    found: list[int] = []
    place = 1_000_000
    while len(found) < rows:
        place += 1
        check = -sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, f"{place:07}", strict=True)) % 11
        if check < 10:
            found.append(place * 10 + check)
    return found


def write(path: Path, rows: int) -> None:
    """One hit a line."""
    encode = msgspec.json.Encoder().encode
    with path.open("wb") as file:
        for place, number in enumerate(valid_numbers(rows)):
            record = _record(number, place)
            hit = {"_index": "cvr-v-20220630", "_type": "_doc", "_id": str(record["enhedsNummer"]), "_score": None}
            file.write(encode({**hit, "_source": {"Vrvirksomhed": record}}) + b"\n")


def _element(begun: str, ended: str | None = None, **of: Any) -> dict[str, Any]:
    return {**of, "periode": {"gyldigFra": begun, "gyldigTil": ended}, "sidstOpdateret": _CHANGED}


def _record(number: int, place: int) -> dict[str, Any]:
    """A company: every fifth with a former name, every tenth bankrupt, two of three with a holder, some with three."""
    name = _element("2015-03-01", navn=f"Eksempel nr. {place} ApS")
    former = [_element("2010-01-01", "2015-02-28", navn=f"Gammelt navn {place} ApS")] if place % 5 == 0 else []
    word = "UNDER KONKURS" if place % 10 == 0 else "NORMAL"
    status = _element("2015-03-01", status=word)
    form = _element("2015-03-01", virksomhedsformkode=80, kortBeskrivelse="APS", langBeskrivelse="Anpartsselskab")
    industry = _element(
        "2015-03-01", branchekode="620200", branchetekst="Konsulentbistand vedrørende informationsteknologi"
    )
    here, before = _address(place, "2018-10-26"), _address(place + 7, "2015-03-01")
    work = {"aar": 2026, "maaned": 9, "antalAarsvaerk": 8, "antalAnsatte": place % 40, "sidstOpdateret": _CHANGED}
    return {
        "cvrNummer": number,
        "reklamebeskyttet": place % 3 == 0,
        "navne": [*former, name],
        "beliggenhedsadresse": [here, before],
        "hjemmeside": [],
        "livsforloeb": [_element("2015-03-01")],
        "hovedbranche": [industry],
        "virksomhedsstatus": [status],
        "virksomhedsform": [form],
        "attributter": [
            {
                "sekvensnr": 0,
                "type": "KAPITAL",
                "vaerditype": "decimal",
                "vaerdier": [_element("2015-03-01", vaerdi="40000")],
            }
        ],
        "deltagerRelation": [_holder(place + unit) for unit in range((0, 1, 1, 3)[place % 4])],
        "virksomhedMetadata": {
            "nyesteNavn": name,
            "nyesteVirksomhedsform": form,
            "nyesteBeliggenhedsadresse": here,
            "nyesteHovedbranche": industry,
            "nyesteErstMaanedsbeskaeftigelse": work,
            "sammensatStatus": word,
            "stiftelsesDato": "2015-03-01",
            "virkningsDato": "2015-03-01",
        },
        "samtId": 17,
        "fejlRegistreret": False,
        "enhedsNummer": 4_000_000_000 + place,
        "enhedstype": "VIRKSOMHED",
        "sidstOpdateret": _CHANGED,
    }


def _address(place: int, begun: str) -> dict[str, Any]:
    kommune = {
        "kommuneKode": 210,
        "kommuneNavn": "FREDENSBORG",
        "periode": {"gyldigFra": "2007-01-01", "gyldigTil": None},
    }
    street = {"landekode": "DK", "fritekst": None, "vejkode": 205, "kommune": kommune, "husnummerFra": place % 99 + 1}
    more = {"adresseId": "c1017fed-e35b-4677-977b-76d861ecf50c", "sidstValideret": _CHANGED, "bogstavFra": None}
    rest = {"etage": None, "conavn": None, "vejnavn": "Gammel Strandvej", "postnummer": 2990, "postdistrikt": "Nivå"}
    return _element(begun, **street, **more, **rest)


def _holder(place: int) -> dict[str, Any]:
    share = [_element("2018-01-01", vaerdi="0.25"), _element("2015-03-01", "2017-12-31", vaerdi="0.1")]
    attributes = [
        {"sekvensnr": 0, "type": kind, "vaerditype": "decimal", "vaerdier": share}
        for kind in ("EJERANDEL_PROCENT", "EJERANDEL_STEMMERET_PROCENT")
    ]
    organ = {
        "enhedsNummerOrganisation": 4_003_845_027,
        "hovedtype": "REGISTER",
        "organisationsNavn": [_element("1903-01-01", navn="EJERREGISTER")],
        "medlemsData": [{"attributter": attributes}],
    }
    named = {"enhedsNummer": 4_100_000_000 + place, "enhedstype": "PERSON", "forretningsnoegle": None}
    lives = {"beliggenhedsadresse": [_element("2015-03-01", landekode="DK")], "adresseHemmelig": False}
    return {
        "deltager": {**named, "navne": [_element("2015-03-01", navn="Ejer Eksempel")], **lives},
        "organisationer": [organ],
    }


if __name__ == "__main__":
    print(run(int(sys.argv[1]) if sys.argv[1:] else COMPANIES, int(sys.argv[2]) if sys.argv[2:] else 3))
