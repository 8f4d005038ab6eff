"""Danish companies as lines of JSON, split as a stream into staged rows, beside DuckDB's own `read_json` of the file.

Ours: the plain file → hits → staged batches of `dk.virksomhed`, companies and owners, rejects and signals included;
what is removed before the archive is timed by itself. The peer: `CREATE TABLE … AS SELECT * FROM read_json(file)` in a
memory database, all columns, schema detected by DuckDB, with as many threads as there are cores. Records are made here
in the shape of the register, as its `_source` filter answers: lists with periods, the newest values ready made, one
holder or three for three of four companies.
"""

from __future__ import annotations

import resource
import sys
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

from connectors.contract.dataset import ArchiveMember, Scope
from connectors.dk import DENMARK

DATASET = DENMARK.dataset("dk.virksomhed")
INSTANT = datetime(2026, 11, 21, 6, tzinfo=UTC)
ASKED = 3.0
COMPANIES = 100_000  # of the register's 2.3 million
_WEIGHTS = (2, 7, 6, 5, 4, 3, 2)
_CHANGED = "2024-02-21T22:56:20.000+01:00"


def run(rows: int = COMPANIES, rounds: int = 3) -> list[dict[str, object]]:
    """One result: median seconds of both, alternated."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "virksomhed.ndjson"
        write(path, rows)
        ours, peer = [], []
        for _ in range(rounds):
            peer.append(_timed(partial(_read_json, path)))
            ours.append(_timed(partial(_ours, path)))
        redacted = _timed(partial(_redacted, path))
        megabytes = path.stat().st_size >> 20
    return [
        {
            "name": f"Danish companies, {rows:,} lines ({megabytes} MiB), split as a stream",
            "against": "duckdb read_json",
            "ours_s": round(median(ours), 3),
            "peer_s": round(median(peer), 3),
            "ratio": round(median(one / other for one, other in zip(ours, peer, strict=True)), 2),
            "asked": f"<= {ASKED:g}",
            "unit": "s",
            "redacted_s": round(redacted, 3),
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
        database.execute("CREATE TABLE companies AS SELECT * FROM read_json(?)", [str(path)])
        found = database.execute("SELECT count(*) FROM companies").fetchone()
    return found[0] if found else 0


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
