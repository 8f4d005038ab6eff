"""Damaged bytes never raise anything but UnreadableFileError, and what is read keeps its schema."""

import gzip
import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import (
    ArchiveMember,
    Dataset,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.kit import staging
from connectors.no import NORWAY

CSV = (
    "organisasjonsnummer,navn,organisasjonsform.kode,naeringskode1.kode,harRegistrertAntallAnsatte,antallAnsatte,"
    "forretningsadresse.adresse,forretningsadresse.kommune,forretningsadresse.kommunenummer,"
    "forretningsadresse.landkode,registreringsdatoenhetsregisteret,konkurs,underAvvikling,"
    "underTvangsavviklingEllerTvangsopplosning\n"
    '"923609016","EKSEMPEL ASA","ASA","62.010","true","12","c/o A/nGate 1","OSLO","0301","NO","1995-03-12","false","false","false"\n'
    '"984851006","NAVN ÆØÅ AS","AS","00.000","false","","","","","","2001-01-01","true","false","false"\n'
).encode()
ENTITY = {
    "organisasjonsnummer": "923609016",
    "navn": "EKSEMPEL ASA",
    "organisasjonsform": {"kode": "ASA"},
    "historiskeNavn": [{"navn": "FØR AS", "tilDato": "2001-01-01 00:00:00"}],
    "forretningsadresse": {"adresse": ["Gate 1", None], "kommunenummer": "0301", "landkode": "NO"},
    "antallAnsatte": 12,
    "konkurs": False,
}
ACCOUNTS = {
    "id": 1,
    "journalnr": "2026635024",
    "regnskapstype": "SELSKAP",
    "virksomhet": {"organisasjonsnummer": "923609016"},
    "regnskapsperiode": {"fraDato": "2025-01-01", "tilDato": "2025-12-31"},
    "valuta": "NOK",
    "eiendeler": {"sumEiendeler": 1000.0},
    "egenkapitalGjeld": {"sumEgenkapitalGjeld": 1000, "egenkapital": {}},
}
MASS = (
    "<?xml version='1.0' encoding='ISO-8859-1'?><deler><ant_poster>1</ant_poster><del><hode><orgnr>923609016</orgnr>"
    "<regnskapstype>S</regnskapstype><regnaar>2025</regnaar><valutakode>NOK</valutakode>"
    "<regnskap_dokumenttype>BAL</regnskap_dokumenttype><startdato>20250101</startdato>"
    "<avslutningsdato>20251231</avslutningsdato><journalnr>1</journalnr></hode><info><feltkode>219</feltkode>"
    "<sum>1000.00</sum><post nr='1'><tall>1000.00</tall><fritekst>Lønn</fritekst></post></info></del></deler>"
).encode("iso-8859-1")
BODIES = [
    ("no.enheter", CSV),
    ("no.enheter", gzip.compress(CSV, mtime=0)),
    ("no.enheter", json.dumps([ENTITY, ENTITY | {"slettedato": "2026-01-01"}]).encode()),
    ("no.enheter", json.dumps(ENTITY).encode()),
    ("no.enheter", json.dumps({"_embedded": {"enheter": [ENTITY]}, "_links": {}}).encode()),
    ("no.regnskap", json.dumps([ACCOUNTS]).encode()),
    ("no.regnskap", b"<ArrayList><item><journalnr>1</journalnr><valuta>NOK</valuta></item></ArrayList>"),
    ("no.regnskap_masse", MASS),
]


def run(dataset: Dataset, body: bytes) -> None:
    assert isinstance(dataset.recognise_file("x", body[:65536]), RecognisedFile | NotApplicable)
    piece = ArchiveMember(
        dataset.key, "x", "0" * 64, datetime(2026, 1, 1, tzinfo=UTC), Scope.PART, "b", lambda: io.BytesIO(body)
    )
    try:
        for part in dataset.split_members(piece):
            for batch in dataset.read_batches(part):
                assert batch.rows.schema == staging.staged_schema(dataset.staged_tables[batch.table])
                assert batch.rejects.schema == staging.REJECTS
    except UnreadableFileError:
        return


@pytest.mark.parametrize(("key", "body"), BODIES)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_cut_and_changed_bytes(key: str, body: bytes, data: st.DataObject) -> None:
    damaged = bytearray(body[: data.draw(st.integers(0, len(body)))])
    for _ in range(data.draw(st.integers(0, 4))):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    run(NORWAY.dataset(key), bytes(damaged))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(("key", "record"), [("no.enheter", ENTITY), ("no.regnskap", ACCOUNTS)])
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_members_of_other_kinds(key: str, record: dict[str, object], data: st.DataObject) -> None:
    changed = dict(record)
    for name in data.draw(st.lists(st.sampled_from(sorted(record)), max_size=4)):
        changed[name] = data.draw(VALUES)
    body: object = data.draw(
        st.sampled_from(
            [changed, [changed], [record, changed], {"_embedded": changed}, {"_embedded": {"enheter": changed}}]
        )
    )
    run(NORWAY.dataset(key), json.dumps(body).encode())


@pytest.mark.parametrize("key", [dataset.key for dataset in NORWAY.datasets])
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(body=st.binary(max_size=200) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_anything_at_all(key: str, body: bytes) -> None:
    run(NORWAY.dataset(key), body)
