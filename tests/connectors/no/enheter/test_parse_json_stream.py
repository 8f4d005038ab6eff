"""The bulk JSON as a stream: the same rows however it is cut, and the benchmark's own smallest run."""

import io
import json

import pytest

from connectors.contract.dataset import ArchiveMember, Scope
from connectors.kit.json import chunks, structs
from connectors.no import NORWAY
from connectors.no.enheter.structs import RegisteredEntity
from tests.connectors.no.entity_files import ELEMENT, INSTANT

DATASET = NORWAY.dataset("no.enheter")


def bulk(count: int) -> bytes:
    elements = [ELEMENT | {"organisasjonsnummer": f"9{place:08}", "links": []} for place in range(count)]
    return json.dumps(elements).encode()


def piece(body: bytes) -> ArchiveMember:
    return ArchiveMember(
        "no.enheter", "enheter_alle.json", "0" * 64, INSTANT, Scope.FULL, "b", lambda: io.BytesIO(body)
    )


@pytest.mark.parametrize("block", [2_000, 7_777, chunks.BLOCK])
def test_an_array_is_whole_however_it_is_cut(block: int) -> None:
    tally_free = piece(bulk(50))
    found = [
        record.organisasjonsnummer
        for part in structs.decode_chunks(
            tally_free, RegisteredEntity, _tally(), key="organisasjonsnummer", block=block
        )
        for record in part.records
    ]
    assert found == [f"9{place:08}" for place in range(50)]


def _tally() -> structs.SignalCounter:
    return structs.SignalCounter("no.enheter")


def test_every_element_is_a_row_with_the_same_values() -> None:
    rows = [
        row
        for batch in DATASET.read_batches(piece(bulk(3)))
        if batch.table == "no_enheter"
        for row in batch.rows.to_dicts()
    ]
    assert len(rows) == 3
    first = rows[0]
    assert (first["navn"], first["antallAnsatte"], first["konkurs"]) == ("EKSEMPEL ASA", 12, False)
    assert first["forretningsadresse.adresse"] == "Gate 1"
    assert (first["naeringskodeverk"], first["erIKonsern"]) == ("SN2025", True)


def test_the_benchmark_measures_reading_of_what_it_writes() -> None:
    bench = pytest.importorskip("benchmarks.bench_no_json")
    (result,) = bench.run(rows=200, rounds=1)
    assert result["asked"] == "<= 3"
    assert result["ours_s"] > 0
