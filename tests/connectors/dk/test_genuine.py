"""Genuine files of the register: every sample is read or named, and nothing of persons but owners is archived."""

import io
import re
from pathlib import Path

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile
from connectors.dk.code_lists import MUNICIPALITIES
from connectors.dk.register import has_check_digit
from tests.connectors.dk.records import COMPANIES, batches, rejects, shared, signals, staged

pytestmark = pytest.mark.sources
CPR = re.compile(rb"(?<![0-9])(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2])[0-9]{2}-[0-9]{4}(?![0-9])")


def bodies(sources: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((sources / "dk" / "cvr_virksomhed").glob("*.json"))]


def test_every_sample_is_read_or_named(sources: Path) -> None:
    found = {}
    for path in sorted((sources / "dk").rglob("*")):
        name = path.relative_to(sources / "dk").as_posix()
        if path.is_file() and "/" in name:
            found[name] = COMPANIES.recognise_file(name, path.read_bytes()[:65536])
    read = {name for name, one in found.items() if isinstance(one, RecognisedFile)}
    assert {name.partition("/")[0] for name in read} == {"cvr_virksomhed"}
    assert len(read) == 3
    reasons = [one.reason for one in found.values() if isinstance(one, NotApplicable)]
    assert len(reasons) == len(found) - 3 == 3
    assert not any("not an answer" in reason for reason in reasons)


def test_all_companies_of_three_editions_are_read_without_a_finding(sources: Path) -> None:
    found = [batch for body in bodies(sources) for batch in batches(COMPANIES, body)]
    rows = staged(found, "dk_virksomhed")
    assert (rows.height, rejects(found), signals(found)) == (6, [], {})
    assert all(has_check_digit(number) for number in rows["cvr_nummer"])
    made = shared(found)
    assert set(made["companies"]["status"]) == {"active"}
    assert made["companies"].null_count().row(0, named=True)["municipality"] == 0
    held = made["holdings"]
    assert held.height == 14  # one more than the members of the register: one changed its share
    assert made["holdings_earlier"].height == 1
    assert held.filter(held["holder_type"] == "person").height == 1
    assert held["pct_min"].null_count() == 0


def test_what_is_archived_of_genuine_records_reads_the_same(sources: Path) -> None:
    assert COMPANIES.redact is not None
    for body in bodies(sources):
        archived = COMPANIES.redact(io.BytesIO(body)).read()
        before, after = batches(COMPANIES, body), batches(COMPANIES, archived)
        assert [one.rows.rows() for one in before] == [one.rows.rows() for one in after]
        assert CPR.search(archived) is None
        for word in ("Reelle ejere", "Bestyrelse", "Direktion", 'kontaktoplysning":"7'):
            assert word.encode() not in archived


def test_municipalities_and_regions_are_those_of_the_post_codes(sources: Path) -> None:
    lines = (sources / "dk/reference_codes/geonames_postalcodes_DK.tsv").read_text(encoding="utf-8").splitlines()
    stated = {(cells[6], cells[3]) for cells in (line.split("\t") for line in lines) if cells[6]}
    english = {
        "Capital Region": "084",
        "Zealand": "085",
        "South Denmark": "083",
        "Central Jutland": "082",
        "North Denmark": "081",
    }
    regions = {f"Region {name}": code for name, code in (
        ("Hovedstaden", "084"), ("Sjælland", "085"), ("Syddanmark", "083"), ("Midtjylland", "082"), ("Nordjylland", "081"),
    )}  # fmt: skip
    found = {code: (english | regions)[region] for code, region in stated}
    assert len(found) == 98
    assert found == {code: MUNICIPALITIES.get(code, "region_code") for code in MUNICIPALITIES.codes - {"411"}}
