"""Statements of the generated world: every holder and relation that the registers state and no other, valid by the
standard's own library."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox import expected as sandbox_expected
from tests.firm.lived_world import lived_world
from warehouse.exports.exports import ExportStore
from warehouse.schema.markets import MARKETS
from warehouse.storage.layout import Layout

pytestmark = pytest.mark.slow
# the library, and what of its needs is not there already: those of `requirements-dev.lock` are used
LIBRARY = ("libcovebods==0.16.0", "libcove2==0.2.1", "ijson", "jscc==0.5.0", "json-merge-patch", "jsonpointer")
LIBRARY += ("jsonref", "pycountry", "rfc3987")
FAULTS = {
    "schema": lambda one: one["recordDetails"].pop("isComponent"),
    "fields": lambda one: one.update(holder="Somebody"),
    "checks": lambda one: one.update(declarationSubject="firm:NO:000000000"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Path]]:
    """What the world tells, and its statements as a file of each market."""
    folder = lived_world(tmp_path_factory)
    files: dict[str, Path] = {}
    for made in ExportStore(Layout(folder / "data")).write((), ("bods",)):
        files[made.market] = folder / f"{made.market}.json"
        files[made.market].write_bytes(gzip.decompress((made.folder / "ownership.bods.json.gz").read_bytes()))
    return json.loads((folder / "truth.json").read_text()), files


def test_every_owner_and_relation_and_no_other(world: tuple[dict[str, Any], dict[str, Path]]) -> None:
    told, files = world
    stated = [one for path in files.values() for one in json.loads(path.read_bytes())]
    records = {one["recordId"]: one for one in stated}
    details = {one: it["recordDetails"] for one, it in records.items() if it["recordType"] == "relationship"}
    companies = sandbox_expected.expected_on_day(told, told["days"][-1])
    owners = {(one, row["holder_id"]): row for one, state in companies.items() for row in state["owners"]}
    assert details.keys() == {f"{held}/{holder_id}" for held, holder_id in owners}
    for (held, holder_id), row in owners.items():
        _check_owner(details[f"{held}/{holder_id}"], row, records)
    for row in told["relations"]:
        one = details[f"{row['held']}/{row['holder_id']}"]
        [interest] = one["interests"]
        kind = "shareholding" if row["relation"] == "shareholding" else "otherInfluenceOrControl"
        assert (one["interestedParty"], interest["type"]) == (row["holder"], kind)
        assert row["is_line"] or interest["directOrIndirect"] == "indirect"
    parties = {it["interestedParty"] for it in details.values() if isinstance(it["interestedParty"], str)}
    subjects = {it["subject"] for it in details.values()}
    assert parties | subjects == {one for one, it in records.items() if it["recordType"] != "relationship"}


def _check_owner(details: dict[str, Any], row: dict[str, Any], records: dict[str, dict[str, Any]]) -> None:
    """The world tells of each owner what its market's registers state."""
    if row.get("holder_type") == "person":
        [name] = records[details["interestedParty"]]["recordDetails"]["names"]
        assert (details["interestedParty"], name) == (row["holder_id"], {"fullName": row["holder_name"]})
    elif row.get("holder_company_id") is not None:
        assert details["interestedParty"] == row["holder_company_id"]
    least, most = row["pct_min"], row["pct_max"]
    expected = [{"exact": least}] if least == most else [{"minimum": least, "maximum": most}]
    shares = [one["share"] for one in details["interests"] if one["type"] == "shareholding"]
    assert shares == ([] if least is None else expected)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library of the standard's authors, beside the installed packages."""
    folder = tmp_path_factory.mktemp("library")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps"]
    done = subprocess.run([*pip, "--target", folder, *LIBRARY], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no package index: {done.stderr.splitlines()[-1]}")
    return folder


def _reviewed(library: Path, *files: Path) -> dict[str, dict[str, Any]]:
    codes = ["XI-LEI", *filter(None, (market.register.code for market in MARKETS.values()))]
    ran = subprocess.run(
        [sys.executable, Path(__file__).with_name("bods_review.py"), ",".join(codes), *files],
        env=os.environ | {"PYTHONPATH": str(library)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, dict[str, Any]] = json.loads(ran.stdout)
    return found


def test_the_standards_library_finds_no_fault(
    world: tuple[dict[str, Any], dict[str, Path]], library: Path, tmp_path: Path
) -> None:
    _, files = world
    damaged: dict[str, Path] = {}
    for fault, spoil in FAULTS.items():
        statements = json.loads(files["NO"].read_bytes())
        spoil(statements[0])
        damaged[fault] = tmp_path / f"{fault}.json"
        damaged[fault].write_text(json.dumps(statements))
    found = _reviewed(library, *files.values(), *damaged.values())
    for path in files.values():
        assert found[str(path)] == {"version": "0.4", "schema": [], "fields": {}, "checks": []}
    for fault, path in damaged.items():
        assert found[str(path)][fault], fault
