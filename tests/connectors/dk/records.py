"""Records of companies in the register's own format, and reading them. Shared by the tests of Denmark."""

import io
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope
from connectors.dk import DENMARK, REGISTERS

COMPANIES = DENMARK.dataset("dk.virksomhed")
PUBLICATIONS = DENMARK.dataset("dk.offentliggoerelser")
REPORTS = DENMARK.dataset("dk.regnskaber")
INSTANT = datetime(2026, 11, 20, 4, tzinfo=UTC)
NUMBER, OTHER = "10150817", "24256790"
TODAY = date(2026, 11, 20)


def element(
    begun: str | None, ended: str | None = None, changed: str = "2020-01-01T00:00:00.000+01:00", **of: Any
) -> Any:
    """An element of a list, with its period."""
    return {**of, "periode": {"gyldigFra": begun, "gyldigTil": ended}, "sidstOpdateret": changed}


def company(number: str = NUMBER, **changes: Any) -> dict[str, Any]:
    """A record, without the ready-made newest values, so that its lists decide."""
    record = {
        "cvrNummer": int(number),
        "enhedsNummer": 4000000000 + int(number) % 1000,
        "samtId": 1,
        "sidstOpdateret": "2026-11-01T10:00:00.000+01:00",
        "reklamebeskyttet": False,
        "navne": [element("2001-02-03", navn="EKSEMPEL A/S")],
        "livsforloeb": [element("2001-02-03")],
        "virksomhedsstatus": [element("2001-02-03", status="NORMAL")],
        "virksomhedsform": [
            element("2001-02-03", virksomhedsformkode=60, kortBeskrivelse="A/S", langBeskrivelse="Aktieselskab")
        ],
        "hovedbranche": [element("2008-01-01", branchekode="620200", branchetekst="Konsulentbistand")],
        "beliggenhedsadresse": [address("2010-01-01")],
        "deltagerRelation": [],
    }
    return record | changes


def address(begun: str, **changes: Any) -> dict[str, Any]:
    """An address in Copenhagen."""
    kommune = {"kommuneKode": 101, "kommuneNavn": "KØBENHAVN"}
    place = {"landekode": "DK", "vejnavn": "Gade", "husnummerFra": 1, "postnummer": 800, "postdistrikt": "Høje"}
    return element(begun, **{**place, "kommune": kommune, **changes})


def owner(unit: int, *shares: Any, votes: Iterable[Any] = (), **holder: Any) -> dict[str, Any]:
    """A holder in the register of owners; shares and votes as elements with `vaerdi`."""
    kept = {"enhedsNummer": unit, "enhedstype": "PERSON", "forretningsnoegle": None, "beliggenhedsadresse": []}
    attributes = [
        {"type": "EJERANDEL_PROCENT", "vaerdier": list(shares)},
        {"type": "EJERANDEL_STEMMERET_PROCENT", "vaerdier": list(votes)},
    ]
    return {
        "deltager": {**kept, "navne": [element(None, navn=f"Ejer {unit}")], **holder},
        "organisationer": [organ("EJERREGISTER", attributes)],
    }


def organ(name: str, attributes: list[Any], kind: str = "REGISTER") -> dict[str, Any]:
    """An organ of a company."""
    return {
        "enhedsNummerOrganisation": 1,
        "hovedtype": kind,
        "organisationsNavn": [element("1903-01-01", navn=name)],
        "medlemsData": [{"attributter": attributes}],
    }


def answer(*records: Mapping[str, Any], kind: str = "Vrvirksomhed", **envelope: Any) -> bytes:
    """An answer of the search index with one hit for each record."""
    hits = [{"_id": str(one.get("enhedsNummer")), "_source": {kind: one}} for one in records]
    found = {
        "took": 1,
        "timed_out": False,
        "_shards": {"total": 6, "failed": 0},
        "hits": {"total": len(hits), "hits": hits},
    }
    return json.dumps(found | envelope).encode()


def piece(dataset: Dataset, body: bytes, name: str = "answer.json", at: datetime = INSTANT) -> ArchiveMember:
    """A body as the archive hands it over."""
    return ArchiveMember(dataset.key, name, "0" * 64, at, Scope.PART, "batch", partial(io.BytesIO, body))


def batches(dataset: Dataset, body: bytes, name: str = "answer.json", at: datetime = INSTANT) -> list[Batch]:
    """All batches of a body."""
    return list(dataset.read_batches(piece(dataset, body, name, at)))


def staged(found: Iterable[Batch], table: str) -> pl.DataFrame:
    """The rows of a staged table."""
    return pl.concat(batch.rows for batch in found if batch.table == table)


def signals(found: Iterable[Batch]) -> dict[tuple[str, str], int]:
    """Counts of signals by code and subject."""
    return {(one.code, one.subject): one.count for batch in found for one in batch.signals}


def rejects(found: Iterable[Batch]) -> list[tuple[str, str]]:
    """Rejected records with the reason."""
    return [row[:2] for batch in found for row in batch.rejects.iter_rows()]


def shared(
    *found: Iterable[Batch],
    at: datetime = INSTANT,
    retired_at: datetime | None = None,
    before: Iterable[Batch] = (),
    today: date = TODAY,
) -> Mapping[str, pl.DataFrame]:
    """What the registers' contribution makes of some batches.

    before: batches read a day earlier, whose rows stay unless a later one has their key.
    """
    earlier = _present_rows(before, at - timedelta(days=1), None)
    now = _present_rows([batch for part in found for batch in part], at, retired_at)
    present = {}
    for table in earlier | now:
        rows = pl.concat([frames[table] for frames in (earlier, now) if table in frames])
        keys = COMPANIES.staged_tables[table].key if table in COMPANIES.staged_tables else None
        present[table] = (rows if keys is None else rows.unique(keys, keep="last", maintain_order=True)).lazy()
    return REGISTERS.to_shared_tables(present, today)


def _present_rows(found: Iterable[Batch], at: datetime, retired_at: datetime | None) -> dict[str, pl.DataFrame]:
    frames: dict[str, list[pl.DataFrame]] = {}
    for batch in found:
        frames.setdefault(batch.table, []).append(batch.rows)
    instant = pl.Datetime("us", "UTC")
    present = {}
    for table, parts in frames.items():
        rows = pl.concat(parts)
        present[table] = rows.with_columns(
            DENMARK.company_ids_of_rows(table, rows),
            pl.lit(at, instant).alias("_observed_at"),
            pl.lit("0" * 64).alias("_raw"),
            pl.lit(retired_at, instant).alias("_retired_at"),
        )
    return present


def profile(**changes: Any) -> dict[str, Any]:
    """The profile of one company."""
    return shared(batches(COMPANIES, answer(company(**changes))))["companies"].row(0, named=True)
