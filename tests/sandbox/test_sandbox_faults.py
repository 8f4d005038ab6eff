"""Damage of written files: each named fault does what its name says, and nothing by chance."""

import csv
import io
import json
import zipfile

import pytest

from sandbox import FILE_FAULTS, World, damage_file, write_day
from sandbox.faults.files import damage_body
from tests.tables import check_cases

CSV = "no/enheter_bulk_csv/enheter_alle.csv"
COMPANIES = "uk/basic_company_data/BasicCompanyDataAsOneFile-2026-11-02.zip"
PSC = "uk/psc_snapshot/persons-with-significant-control-snapshot-2026-11-02.zip"


@pytest.fixture(scope="module")
def bodies(tmp_path_factory):
    folder = write_day(World(companies=400, days=1), 0, tmp_path_factory.mktemp("faults"))
    return {name: (folder / name).read_bytes() for name in (CSV, COMPANIES, PSC)}


def text(body: bytes) -> str:
    if body[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            return archive.read(archive.namelist()[0]).decode()
    return body.decode()


def table(body: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text(body))))


@check_cases("fault", FILE_FAULTS)
@check_cases("name", [CSV, COMPANIES])
def test_faults_are_the_same_every_time_and_change_something(bodies, fault, name):
    damaged = damage_body(name, bodies[name], fault)
    assert damaged == damage_body(name, bodies[name], fault)
    unmoved = fault == "clock_flicker" and name == COMPANIES  # that file carries no dates of counting
    assert (table(damaged) == table(bodies[name])) if unmoved else damaged != bodies[name]


def test_truncated_zip_cannot_be_opened(bodies):
    with pytest.raises(zipfile.BadZipFile):
        zipfile.ZipFile(io.BytesIO(damage_body(PSC, bodies[PSC], "truncated")))


def test_html_instead_of_data(bodies):
    assert damage_body(PSC, bodies[PSC], "html").startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize("name", [CSV, COMPANIES])
def test_half_the_rows(bodies, name):
    before, after = table(bodies[name]), table(damage_body(name, bodies[name], "half_rows"))
    assert after == before[: 1 + (len(before) - 1) // 2]


def test_half_of_a_snapshot_keeps_its_trailer(bodies):
    lines = text(damage_body(PSC, bodies[PSC], "half_rows")).splitlines()
    counted = json.loads(lines[-1])["data"]["persons_of_significant_control_count"]
    assert len(lines) < counted


@pytest.mark.parametrize("name", [CSV, COMPANIES])
def test_columns(bodies, name):
    before = table(bodies[name])
    new, missing, shifted = (
        table(damage_body(name, bodies[name], fault)) for fault in ("new_column", "missing_column", "shifted_column")
    )
    assert [row[:-1] for row in new] == before
    assert new[0][-1] == "nyttFelt"
    gone = set(before[0]) - set(missing[0])
    assert gone in ({"navn"}, {"CompanyStatus"})
    assert shifted[0] == before[0]
    assert shifted[1][1] == before[1][2]
    assert {len(row) for row in shifted} == {len(before[0])}


def test_unknown_status(bodies):
    column = [cell.strip() for cell in table(bodies[COMPANIES])[0]].index("CompanyStatus")
    words = [row[column] for row in table(damage_body(COMPANIES, bodies[COMPANIES], "unknown_status"))[1:]]
    assert words[:3] == ["Suspended By Moonlight"] * 3
    assert words[3:] == [row[column] for row in table(bodies[COMPANIES])[4:]]


def test_duplicates_out_of_order(bodies):
    before, after = table(bodies[CSV])[1:], table(damage_body(CSV, bodies[CSV], "duplicated"))[1:]
    assert len(after) == len(before) + -(-len(before) // 10)
    assert {row[0] for row in after} == {row[0] for row in before}
    assert after[0] == before[-1]


def test_clock_flicker_moves_only_clocks(bodies):
    before, after = table(bodies[CSV]), table(damage_body(CSV, bodies[CSV], "clock_flicker"))
    moved = {
        before[0][place]
        for old, new in zip(before[1:], after[1:], strict=True)
        for place in range(len(old))
        if old[place] != new[place]
    }
    assert moved == {"registreringsdatoAntallAnsatteEnhetsregisteret", "registreringsdatoantallansatteNAVAaregisteret"}
    lines = [
        [json.loads(line) for line in text(body).splitlines()]
        for body in (bodies[PSC], damage_body(PSC, bodies[PSC], "clock_flicker"))
    ]
    assert lines[0] != lines[1]
    for old, new in zip(*lines, strict=True):
        old["data"].pop("etag", None)
        new["data"].pop("etag", None)
        assert old == new


def test_damage_in_place(bodies, tmp_path):
    path = tmp_path / "enheter_alle.csv"
    path.write_bytes(bodies[CSV])
    damage_file(path, "half_rows")
    assert len(table(path.read_bytes())) < len(table(bodies[CSV]))


def test_unknown_fault_and_wrong_kind_of_file_say_so(bodies):
    with pytest.raises(ValueError, match="known: truncated"):
        damage_body(CSV, bodies[CSV], "gremlins")
    with pytest.raises(ValueError, match="needs a table"):
        damage_body(PSC, bodies[PSC], "shifted_column")
    with pytest.raises(ValueError, match="needs a table"):
        damage_body("x.json", b'[{"a": 1}]', "new_column")


def test_json_arrays_can_lose_and_repeat_elements():
    body = json.dumps([{"n": n} for n in range(20)]).encode()
    assert len(json.loads(damage_body("x.json", body, "half_rows"))) == 10
    assert len(json.loads(damage_body("x.json", body, "duplicated"))) == 22
