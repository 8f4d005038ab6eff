"""What an operator reads about a quarantined dataset: the guard's figure, and the file, the reason and what to do."""

import json
from pathlib import Path

import pytest

from tests.connectors.no import entity_files
from tests.firm.inside import Inside

pytestmark = pytest.mark.slow
NUMBERS = ("923609016", "984851006", "810005912", "810059672")


def _day(root: Path, date: str, rows: list[dict[str, str]]) -> Path:
    path = root / date / "no/enheter_bulk_csv/enheter.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(entity_files.sheet(*rows))
    (root / date / "day.json").write_text(json.dumps({"date": date, "complete": ["no.enheter"]}))
    return root / date


def _rows(*numbers: str, name: str = "EKSEMPEL AS") -> list[dict[str, str]]:
    return [entity_files.ROW | {"organisasjonsnummer": number, "navn": name} for number in numbers]


def test_ingest_quarantined_dataset_names_file_reason_and_what_to_do(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    firm.ingest(_day(tmp_path, "2026-11-11", _rows(*NUMBERS)), "no")
    nameless = _day(tmp_path, "2026-11-12", [*_rows(*NUMBERS[:2]), *_rows(*NUMBERS[2:], name="")])
    said = firm.run("ingest", "no", "--from", nameless)
    assert said.exit_code == 4, said.out + said.err
    lines = said.err.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("QUARANTINED no.enheter: max_shrink"))
    told = "no.enheter: no/enheter_bulk_csv/enheter.csv: 2 records rejected, most of them: "
    assert lines[place + 1].startswith(told), said.err
    assert "correct the file" in lines[place + 1]
    fewer = _day(tmp_path, "2026-11-13", _rows(*NUMBERS[:2]))
    said = firm.run("ingest", "no", "--from", fewer)
    assert "no.enheter: no/enheter_bulk_csv/enheter.csv: all records were read" in said.err
    assert "add --accept-shrink no.enheter to the next ingest" in said.err
    assert firm.run("ingest", "no", "--from", fewer, "--accept-shrink", "no.enheter").exit_code == 0
