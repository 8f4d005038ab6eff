"""Sub-units in every shape they come in; they belong to their parents and are no companies.

See docs/formats/no.md 2.
"""

import gzip
import io
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, Batch, NotApplicable, Scope, UnreadableFileError
from connectors.no import NORWAY
from connectors.no.underenheter.dataset import DATASET

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
UNIT = {
    "organisasjonsnummer": "973160834",
    "navn": "AVD ALTA",
    "organisasjonsform": {"kode": "BEDR", "beskrivelse": "Underenhet"},
    "naeringskode1": {"kode": "64.190", "beskrivelse": "Banker"},
    "antallAnsatte": 16,
    "overordnetEnhet": "984851006",
    "oppstartsdato": "1975-01-01",
    "registreringsdatoEnhetsregisteret": "1995-02-23",
    "beliggenhetsadresse": {"kommunenummer": "5601"},
    "respons_klasse": "Underenhet",
}
DELETED = {
    "organisasjonsnummer": "973160834",
    "navn": "AVD ALTA",
    "organisasjonsform": {"kode": "BEDR"},
    "slettedato": "2026-11-02",
    "nedleggelsesdato": "2026-11-01",
    "respons_klasse": "SlettetUnderEnhet",
}
HEADER = "organisasjonsnummer,navn,organisasjonsform.kode,overordnetEnhet,registreringsdatoIEnhetsregisteret"


def read(body: Any, name: str = "973160834.json") -> list[Batch]:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    piece = ArchiveMember("no.underenheter", name, "0" * 64, NOW, Scope.PART, "b", lambda: io.BytesIO(text))
    return list(DATASET.read_batches(piece))


def rows(batches: list[Batch]) -> list[dict[str, Any]]:
    return pl.concat([batch.rows for batch in batches]).to_dicts()


@pytest.mark.parametrize(
    "body", [UNIT, [UNIT], {"_embedded": {"underenheter": [UNIT]}, "_links": {}, "page": {"totalElements": 1}}]
)
def test_a_sub_unit_belongs_to_its_parent(body: Any) -> None:
    batches = read(body)
    (row,) = rows(batches)
    assert (row["organisasjonsnummer"], row["overordnetEnhet"]) == ("973160834", "984851006")
    assert (row["oppstartsdato"], row["respons_klasse"]) == (date(1975, 1, 1), None)
    assert [batch.signals for batch in batches] == [()]
    touched = NORWAY.company_ids_of_rows("no_underenheter", batches[0].rows)
    assert touched.to_list() == ["firm:NO:984851006"]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("body", [UNIT, [UNIT]])
def test_the_mark_of_utf_8_before_json_is_none_of_it(body: Any, packed: bool) -> None:
    text = b"\xef\xbb\xbf" + json.dumps(body).encode()
    text = gzip.compress(text) if packed else text
    assert not isinstance(DATASET.recognise_file("underenheter/x.json", text), NotApplicable)
    assert rows(read(text)) == rows(read(body))


def test_a_deleted_one_belongs_to_nobody() -> None:
    batches = read(DELETED)
    (row,) = rows(batches)
    assert (row["slettedato"], row["respons_klasse"]) == (date(2026, 11, 2), "SlettetUnderEnhet")
    assert NORWAY.company_ids_of_rows("no_underenheter", batches[0].rows).to_list() == [None]


@pytest.mark.parametrize("body", [b"", b'{"status":410,"error":"Gone"}'])
def test_one_that_was_removed_is_known_by_the_name_of_its_answer(body: bytes) -> None:
    (row,) = rows(read(body, "973160834-20261103T040000-410.json"))
    assert (row["organisasjonsnummer"], row["respons_klasse"]) == ("973160834", "Fjernet")


@pytest.mark.parametrize("packed", [False, True])
def test_the_bulk_has_its_own_spelling(packed: bool) -> None:
    text = f'{HEADER},nytt\n"973160834","A, B","BEDR","984851006","1995-02-23","x"\n'.encode()
    batches = read(gzip.compress(text) if packed else text, "underenheter.csv")
    (row,) = rows(batches)
    assert (row["navn"], row["registreringsdatoEnhetsregisteret"]) == ("A, B", date(1995, 2, 23))
    found = {(signal.code, signal.subject) for batch in batches for signal in batch.signals}
    assert ("unknown_column", "nytt") in found


def test_what_cannot_be_kept_is_a_reject() -> None:
    lines = (
        '"97316083","A","BEDR","984851006",""',
        '"973160834","A","BEDR","",""',
        '"973160834","A","Underenhet","984851006",""',
        '"973160834","A","XYZ","984851006","31.12.2020"',
    )
    batches = read("\n".join((HEADER, *lines, "")).encode(), "underenheter.csv")
    reasons = pl.concat([batch.rejects for batch in batches])["reason"].to_list()
    assert len(reasons) == 3
    assert {"no parent: the sub-unit belongs to no entity", "the legal form is not a code"} < set(reasons)
    found = {(signal.code, signal.subject) for batch in batches for signal in batch.signals}
    assert {("unknown_legal_form", "XYZ")} < found
    assert ("unreadable_value", "registreringsdatoEnhetsregisteret") in found


@pytest.mark.parametrize("body", [b"<html>", b"[{", b"organisasjonsnummer,navn\n", b"%PDF-1.4"])
def test_what_is_none_is_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        read(body, "underenheter.csv")


@pytest.mark.parametrize(
    "body", [b"", b'{"status":404,"error":"x"}', b'{"_links":{},"page":{"totalElements":0}}', b'{"a":1}']
)
def test_what_is_not_ours_is_listed(body: bytes) -> None:
    assert isinstance(DATASET.recognise_file("underenheter/x.json", body), NotApplicable)


@pytest.mark.sources
def test_the_genuine_files(sources: Path) -> None:
    bulk = read((sources / "no/underenheter_bulk_csv/underenheter-sample-2024.csv").read_bytes(), "u.csv")
    assert sum(batch.rows.height for batch in bulk) == 2463
    assert sum(batch.rejects.height for batch in bulk) == 0
    assert not [signal for batch in bulk for signal in batch.signals]
    documented = read((sources / "no/documented_examples/BrregSubEntity.json").read_bytes())
    assert len(rows(documented)) == 1
    (alta,) = rows(read((sources / "no/underenheter/underenhet-973160834.json").read_bytes()))
    assert alta["beliggenhetsadresse.kommunenummer"] == "5601"
