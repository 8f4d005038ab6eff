"""`firm export` on a generated world, as a consumer has it: files, then the events of the API from where they end."""

import gzip
import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from shutil import which
from typing import Any

import httpx
import polars as pl
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sandbox import expected as sandbox_expected
from tests.firm.conftest import Firm
from tests.firm.inside import Inside, Told
from tests.firm.two_markets import two_markets
from tests.warehouse.helpers import ROOT

pytestmark = pytest.mark.slow
TABLES = ("companies", "details", "financials", "filings", "ownership", "events")
END = date.max
PARTS = "detail,identifiers,address,sources"


@dataclass(frozen=True)
class Lived:
    """Three days taken in; the export of the second and of the third, and the service over the third."""

    told: Told
    firm: Firm
    before: dict[str, Any]
    after: dict[str, Any]
    client: httpx.Client
    lake: Path


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    world = two_markets(tmp_path_factory)
    inside = world.loaded.copy(tmp_path_factory.mktemp("export") / "data")
    firm = Firm(inside.data)
    inside.ingest(world.days[1])
    lake = inside.data.with_name("lake")
    before = inside.run("export", "--json").report
    inside.run("export", "--iceberg", lake, "--json")
    inside.ingest(world.days[2])
    after = inside.run("export", "--json").report
    inside.run("export", "--iceberg", lake, "--json")
    with firm.serving() as client:
        yield Lived(world.told, firm, before, after, client, lake)


def exported(made: dict[str, Any], table: str) -> list[dict[str, Any]]:
    """The objects of one table of all markets."""
    return [json.loads(line) for line in raw(made, table)]


def raw(made: dict[str, Any], table: str) -> list[bytes]:
    return [
        line
        for one in made["exports"]
        for line in gzip.decompress((Path(one["folder"]) / f"{table}.ndjson.gz").read_bytes()).splitlines()
    ]


def everything(client: httpx.Client, path: str, **parameters: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = client.get(path, params={"limit": "100", **parameters, **cursor})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["data"]
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["next_cursor"]}


def test_every_company_is_there_as_it_is(lived: Lived) -> None:
    expected = sandbox_expected.expected_on_day(lived.told, lived.told["days"][-1])
    companies = exported(lived.after, "companies")
    assert {row["id"]: row for row in companies} == {key: state["profile"] for key, state in expected.items()}
    assert len(companies) == len(expected)
    assert [row["id"] for row in companies] == sorted(row["id"] for row in companies)


def test_figures_and_owners_are_the_truth(lived: Lived) -> None:
    expected = sandbox_expected.expected_on_day(lived.told, lived.told["days"][-1])
    financials = exported(lived.after, "financials")
    found = {(row["company_id"], row["period_end"], row["is_consolidated"]): row for row in financials}
    assert len(found) == len(financials) == sum(len(state["financials"]) for state in expected.values())
    for company_id, state in expected.items():
        for row in state["financials"]:
            served = found[company_id, row["period_end"], row["is_consolidated"]]
            known = {name: value for name, value in row.items() if name != "is_comparative"}
            assert {name: served[name] for name in known} == known
    owners = {(row["company_id"], row["holder_id"]): row for row in exported(lived.after, "ownership")}
    for company_id, state in expected.items():
        for row in state["owners"]:
            served = owners.pop((company_id, row["holder_id"]))
            known = {name: value for name, value in row.items() if name != "native_id"}
            assert {name: served[name] for name in known} == known
    assert owners == {}


def test_lines_are_the_bytes_of_the_api(lived: Lived) -> None:
    chosen = slice(None, None, 9)
    details = raw(lived.after, "details")[chosen]
    for line, more in zip(raw(lived.after, "companies")[chosen], details, strict=True):
        path = f"/api/v1/companies/{json.loads(line)['id']}"
        assert lived.client.get(path).content == line
        assert lived.client.get(path, params={"fields": "id", "include": PARTS}).content == more
    on = lived.after["exports"][0]["ownership_as_of"]
    lists = (
        ("financials", [{"consolidated": "true"}, {"consolidated": "false"}]),
        ("filings", [{}]),
        ("ownership", [{"as_of": on}]),
        ("events", [{"order": "asc"}]),
    )
    for table, asked in lists:
        lines = raw(lived.after, table)
        for company_id in sorted({json.loads(line)["company_id"] for line in lines})[chosen]:
            path = f"/api/v1/companies/{company_id}/{table}"
            answers = [lived.client.get(path, params={"limit": "100", **one}).content for one in asked]
            mine = [line for line in lines if json.loads(line)["company_id"] == company_id]
            assert mine
            for line in mine:
                inner = line if table == "events" else b"{" + line.partition(b",")[2]
                assert sum(answer.count(inner) for answer in answers) == 1


def test_the_day_between_two_exports_is_a_delta_that_the_command_lists(lived: Lived) -> None:
    keys = {"companies": "id", "details": "id"}
    for before, after in zip(lived.before["exports"], lived.after["exports"], strict=True):
        folder = Path(after["folder"])
        delta = folder.parent / "deltas" / f"{Path(before['folder']).name}-{folder.name}"
        for table in TABLES:
            key = keys.get(table, "company_id")
            gone = {row["company_id"] for row in zipped(delta / f"{table}.deletes.ndjson.gz")}
            kept = [row for row in zipped(Path(before["folder"]) / f"{table}.ndjson.gz") if row[key] not in gone]
            rows = [*kept, *zipped(delta / f"{table}.upserts.ndjson.gz")]
            assert sorted(rows, key=lambda row: row[key]) == zipped(folder / f"{table}.ndjson.gz"), table
    told = Inside(lived.firm.data).run("exports", "--json").report["files"]
    assert {one["base_release"] for one in told} == {None, lived.before["exports"][0]["release"]}
    assert "from release" in Inside(lived.firm.data).run("exports", "no").out


@pytest.mark.skipif(not (which("curl") and which("jq")), reason="the documented command needs curl and jq")
def test_the_documented_download_gets_the_newest_export_and_goes_on_where_it_broke_off(
    lived: Lived, tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "bulk.md").read_text(encoding="utf-8")
    command = text[text.index('curl -sS "$FIRMDATA_BASE_URL/api/v1/exports') :].partition("```")[0]
    inside = Inside(lived.firm.data)
    account = ("--account", "bulk@example.com")
    assert inside.run("accounts", "create", "--email", account[1], "--tier", "business").exit_code == 0
    key = inside.run("keys", "create", *account, "--kind", "live", "--json").report["key"]
    given = {**os.environ, "FIRMDATA_BASE_URL": str(lived.client.base_url), "FIRMDATA_API_KEY": key}
    [no] = [one for one in lived.after["exports"] if one["market"] == "NO"]
    expected = {
        f"NO-{no['release']}-{one['table']}.parquet": (Path(no["folder"]) / one["name"]).read_bytes()
        for one in no["files"]
        if one["format"] == "parquet"
    }
    name, content = next(iter(expected.items()))
    (tmp_path / name).write_bytes(content[:100])
    for code, said in ((0, b""), (22, b"curl: (22) The requested URL returned error: 416\n")):  # again: all is there
        done = subprocess.run(["bash", "-c", command], env=given, cwd=tmp_path, check=False, capture_output=True)
        assert (done.returncode, set(done.stderr.splitlines(keepends=True))) == (code, {said} - {b""})
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == expected


def zipped(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_a_consumer_goes_on_with_events_and_misses_and_repeats_none(lived: Lived) -> None:
    """Loads the second day, asks the API for what came after, and holds what the export of the third day says."""
    assert {one["as_of_sequence"] for one in lived.before["exports"]} == {
        max(row["sequence"] for row in exported(lived.before, "events"))
    }
    held = {row["sequence"]: row for row in exported(lived.before, "events")}
    status = {row["id"]: row["status"] for row in exported(lived.before, "companies")}
    since = {one["market"]: (one["as_of_sequence"], one["released_at"]) for one in lived.before["exports"]}
    for company_id in status:
        last, released_at = since[company_id.split(":")[1]]
        path = f"/api/v1/companies/{company_id}/events"
        for event in everything(lived.client, path, order="asc", since=released_at):
            if event["sequence"] > last:
                assert event["sequence"] not in held
                held[event["sequence"]] = event
                if event["event_type"] == "status.changed":
                    status[company_id] = event["data"]["change"]["current_status"]
    after = exported(lived.after, "events")
    assert held == {row["sequence"]: row for row in after}
    assert len(held) > len(exported(lived.before, "events"))
    assert status.items() <= {row["id"]: row["status"] for row in exported(lived.after, "companies")}.items()
    assert {row["event_id"] for row in after} == {
        event["event_id"] for event in sandbox_expected.truth_events(lived.told)
    }


def test_iceberg_tables_are_what_the_api_answers(lived: Lived) -> None:
    """After a first export and a merged day, for one company in nine; and at the tag of the day before."""
    tables = {name: lake_rows(lived.lake, name) for name in ("companies", "financials", "owners", "events")}
    day = date.fromisoformat(lived.after["exports"][0]["ownership_as_of"])
    owners = [
        row for row in tables["owners"] if row["as_of"] <= day < min(row["valid_to"] or END, row["ended_on"] or END)
    ]
    for company in tables["companies"][::9]:
        path, company_id = f"/api/v1/companies/{company['company_id']}", company["company_id"]
        served = lived.client.get(path, params={"include": PARTS}).json()
        renamed = {"id": "company_id", "sni_code": "industry_code", "sni_label": "industry_label"}
        for name in ("id", "name", "status", "sni_code", "sni_label", "is_listed", "employees", "post_town"):
            expected = served["address"][name] if name == "post_town" else served[name]
            assert company[renamed.get(name, name)] == expected
        assert json.loads(company["sources"]) == served["sources"]
        figures = [
            row
            for flag in ("true", "false")
            for row in everything(lived.client, f"{path}/financials", consolidated=flag)
        ]
        mine = [row for row in tables["financials"] if row["company_id"] == company_id and row["is_current"]]
        assert {(row["filing_id"], row["revenue"], row["equity"]) for row in mine if row["period_type"]} == {
            (row["filing_id"], row["revenue"], row["equity"]) for row in figures
        }
        held = everything(lived.client, f"{path}/ownership", as_of=day.isoformat())
        assert {(row["holder_id"], row["holder_name"]) for row in owners if row["company_id"] == company_id} == {
            (row["holder_id"], row["holder_name"]) for row in held
        }
        events = everything(lived.client, f"{path}/events", order="asc")
        assert [json.loads(row["data"]) for row in tables["events"] if row["company_id"] == company_id] == [
            event["data"] for event in events
        ]
    earlier = {row["company_id"]: row["name"] for row in lake_rows(lived.lake, "companies", "release-2")}
    assert earlier == {row["id"]: row["name"] for row in exported(lived.before, "companies")}


def lake_rows(lake: Path, name: str, tag: str = "main") -> list[dict[str, Any]]:
    """A table of the first catalogue by pyiceberg, in the order of its first columns."""
    catalog = SqlCatalog("firmdata", uri=f"sqlite:///{lake}/catalog.sqlite")
    table = catalog.load_table(f"firmdata.{name}")
    snapshot = table.snapshot_by_name(tag)
    assert snapshot is not None
    rows = table.scan(snapshot_id=snapshot.snapshot_id).to_arrow().to_pylist()
    catalog.close()
    return sorted(rows, key=lambda row: (row.get("sequence", 0), row["company_id"]))


def test_terms_of_every_dataset(lived: Lived) -> None:
    for one in lived.after["exports"]:
        assert one["datasets"], one["market"]
        for dataset in one["datasets"]:
            assert dataset["licence"], dataset
            assert dataset["attribution"], dataset


def test_words_and_formats(lived: Lived, tmp_path: Path) -> None:
    said = lived.firm.run("export", "no", "--format", "parquet", "--to", tmp_path / "files")
    head, *rows = [line.split("\t") for line in said.stdout.splitlines()]
    assert head == ["market", "file", "rows", "bytes", "sha256"]
    assert [row[1] for row in rows[:-1]] == [f"{table}.parquet" for table in TABLES]
    assert said.stdout.endswith(f"{tmp_path}/files/NO/0000000003 written\n")
    assert said.stderr.splitlines() == [f"NO: {table}" for table in TABLES if table != "details"]
    again = lived.firm.run("export", "NO", "--format", "parquet", "--to", tmp_path / "files")
    assert again.stdout.endswith("NO/0000000003 already existed\n")
    asked = lived.firm.run("export", "no", "--format", "bods", "--to", tmp_path / "files")
    assert [line.split("\t")[1] for line in asked.stdout.splitlines()[1:-1]][-1] == "ownership.bods.json.gz"
    companies = pl.read_parquet(tmp_path / "files" / "NO" / "*" / "companies.parquet")
    assert companies["id"].to_list() == [
        row["id"] for row in exported(lived.after, "companies") if row["country"] == "NO"
    ]


def test_what_it_says_when_it_cannot(lived: Lived, tmp_path: Path) -> None:
    empty = Inside(tmp_path / "data")
    said = empty.run("export")
    assert (said.exit_code, said.out) == (1, "")
    assert said.err == "firm: no release yet: run `firm ingest`\n"
    assert not empty.data.exists()
    said = empty.run("export", "xx")
    assert (said.exit_code, said.out) == (2, "")
    assert said.err == "firm: unknown market 'xx'; known: US, SE, NO, FI, UK\n"
    assert empty.run("export", "--format", "xlsx").exit_code == 2
    said = empty.run("export", FIRM_EXPORT_FORMATS="parquet,xlsx")
    assert said.exit_code == 2
    assert "must list formats, separated by commas, out of parquet, ndjson, csv, bods, not 'parquet,xlsx'" in said.err
    said = empty.run("export", FIRM_KEEP_EXPORTS="0")
    assert (said.exit_code, said.out) == (2, "")
    assert said.err == "firm: FIRM_KEEP_EXPORTS must be a whole number from 1, not '0'\n"
    inside = Inside(lived.firm.data)
    said = inside.run("export", "se")
    assert (said.exit_code, said.out) == (1, "")
    assert "market SE is not in release 3, which has NO, UK" in said.err
    (tmp_path / "taken").write_text("")
    said = inside.run("export", "--to", tmp_path / "taken")
    assert (said.exit_code, said.out) == (1, "")
    assert "Not a directory; free space or give another folder" in said.err
    assert "the previous export is unchanged" in said.err


def test_what_it_says_when_tables_cannot_be_kept(lived: Lived, tmp_path: Path) -> None:
    empty, inside = Inside(tmp_path / "data"), Inside(lived.firm.data)
    (tmp_path / "taken").write_text("")
    for options in (["--rewrite"], ["--iceberg", "x", "--to", "y"], ["--iceberg", "x", "--postgres", "y"]):
        assert "--rewrite needs one" in empty.run("export", *options).err
    said = empty.run("export", "--iceberg", "gs://bucket")
    assert (said.exit_code, said.err) == (
        2,
        "firm: --iceberg must be a folder or s3://bucket/prefix, not 'gs://bucket'\n",
    )
    said = empty.run("export", "--iceberg", "x", FIRM_ICEBERG_CATALOG="mysql://u:hidden@h/d")
    assert (said.exit_code, "hidden" in said.err) == (2, False)
    assert "FIRM_ICEBERG_CATALOG must be postgresql://" in said.err
    said = inside.run("export", "--iceberg", tmp_path / "taken")
    assert (said.exit_code, said.out) == (1, "")
    assert "firm: cannot write Iceberg tables to file://" in said.err
    unreachable = "postgresql://u:hidden@127.0.0.1:1/d"
    for options, given in ((["--iceberg", "x"], unreachable), (["--postgres", unreachable], "")):
        said = inside.run("export", *options, FIRM_ICEBERG_CATALOG=given)
        assert (said.exit_code, "hidden" in said.err, "refused" in said.err) == (1, False, True)
