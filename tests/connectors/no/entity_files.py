"""Entities written by hand in the register's own formats, and reading them. Shared by the tests of no.enheter."""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from connectors.contract.dataset import ArchiveMember, Batch, Scope
from connectors.no import NORWAY

DATASET = NORWAY.dataset("no.enheter")
INSTANT = datetime(2026, 11, 20, 4, tzinfo=UTC)
EQUINOR, DNB, NUF = "923609016", "984851006", "999288774"

ROW = {
    "organisasjonsnummer": EQUINOR,
    "navn": "EKSEMPEL ASA",
    "organisasjonsform.kode": "ASA",
    "organisasjonsform.beskrivelse": "Allmennaksjeselskap",
    "naeringskode1.kode": "62.010",
    "naeringskode1.beskrivelse": "Programmeringstjenester",
    "harRegistrertAntallAnsatte": "true",
    "antallAnsatte": "12",
    "hjemmeside": "www.eksempel.no",
    "forretningsadresse.adresse": "c/o Noen AS/nGate 1",
    "forretningsadresse.poststed": "OSLO",
    "forretningsadresse.postnummer": "0151",
    "forretningsadresse.kommune": "OSLO",
    "forretningsadresse.kommunenummer": "0301",
    "forretningsadresse.land": "Norge",
    "forretningsadresse.landkode": "NO",
    "sisteInnsendteAarsregnskap": "2024",
    "registreringsdatoenhetsregisteret": "1995-03-12",
    "registrertIMvaRegisteret": "true",
    "konkurs": "false",
    "konkursdato": "",
    "underAvvikling": "false",
    "underAvviklingDato": "",
    "underTvangsavviklingEllerTvangsopplosning": "false",
    "tvangsopplostPgaManglendeRegnskapDato": "",
}

ELEMENT = {
    "organisasjonsnummer": EQUINOR,
    "navn": "EKSEMPEL ASA",
    "organisasjonsform": {"kode": "ASA", "beskrivelse": "Allmennaksjeselskap", "_links": {}},
    "historiskeNavn": [],
    "naeringskode1": {"kode": "62.100", "beskrivelse": "Programmering"},
    "antallAnsatte": 12,
    "harRegistrertAntallAnsatte": True,
    "forretningsadresse": {
        "land": "Norge",
        "landkode": "NO",
        "postnummer": "0151",
        "poststed": "OSLO",
        "adresse": ["Gate 1", None, "", " "],
        "kommune": "OSLO",
        "kommunenummer": "0301",
    },
    "registreringsdatoEnhetsregisteret": "1995-03-12",
    "erIKonsern": True,
    "konkurs": False,
    "underAvvikling": False,
    "underTvangsavviklingEllerTvangsopplosning": False,
    "respons_klasse": "Enhet",
    "_links": {"self": {"href": "x"}},
}


def piece(body: bytes, name: str = "enheter.csv") -> ArchiveMember:
    return ArchiveMember(DATASET.key, name, "0" * 64, INSTANT, Scope.PART, "b", lambda: io.BytesIO(body))


def sheet(*rows: Mapping[str, str]) -> bytes:
    """Rows as the bulk CSV writes them: every field quoted, names of the first row as the header."""
    lines = [",".join(rows[0])]
    lines += [",".join('"' + value.replace('"', '""') + '"' for value in row.values()) for row in rows]
    return ("\n".join(lines) + "\n").encode()


@dataclass
class Read:
    """All batches of a piece together."""

    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    rejects: list[tuple[str, str]] = field(default_factory=list)
    signals: dict[tuple[str, str], int] = field(default_factory=dict)
    examples: set[str] = field(default_factory=set)

    def add(self, batch: Batch) -> None:
        self.tables.setdefault(batch.table, []).extend(batch.rows.to_dicts())
        self.rejects += [(row["record"], row["reason"]) for row in batch.rejects.to_dicts()]
        for signal in batch.signals:
            key = (signal.code, signal.subject)
            self.signals[key] = self.signals.get(key, 0) + signal.count
            self.examples |= set(signal.examples)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return self.tables.get("no_enheter", [])

    @property
    def one(self) -> dict[str, Any]:
        (row,) = self.rows
        return row


def read(body: bytes, name: str = "enheter.csv") -> Read:
    found = Read()
    for part in DATASET.split_members(piece(body, name)):
        for batch in DATASET.read_batches(part):
            assert batch.rows.columns == list(DATASET.staged_tables[batch.table].names)
            found.add(batch)
    return found


def csv_of(**changes: str) -> Read:
    return read(sheet(ROW | changes))


def json_of(**changes: object) -> Read:
    element = {name: value for name, value in (ELEMENT | changes).items() if value is not ...}
    return read(json.dumps(element).encode(), "enhet.json")
