"""Bulk files over HTTP: listed with links, downloaded whole and in ranges, and told apart from what is no link."""

import base64
import hashlib
import json

import pytest

from api.exports.file_response import PIECE, requested_range
from api.problems.problem import ProblemError
from tests.tables import check_cases
from warehouse.exports import schemas
from warehouse.exports.delta_writer import PARTS as DELTA_PARTS
from warehouse.exports.exports import FORMATS as WRITTEN
from warehouse.exports.exports import ExportStore
from warehouse.exports.formats import TABLE_FORMATS
from warehouse.reader.export_files import FORMATS, PARTS, TABLES

ALL = "/api/v1/exports"


@pytest.fixture(scope="module")
def service(shared_serve, world):
    service = shared_serve(world)
    service.accounts.set_tier("owner@example.com", "business")
    folder = service.parts.settings.data / "exports"
    list(ExportStore(world.layout, folder=folder).write(["SE", "NO"], WRITTEN))
    plant_delta(folder / "SE")
    return service


def plant_delta(folder):
    """A delta as the next export leaves it: the tests of deltas themselves are in `tests/warehouse`."""
    export = json.loads((folder / "latest.json").read_bytes())["folder"]
    manifest = json.loads((folder / export / "manifest.json").read_bytes())
    content = b"x" * (2 * PIECE + 1)
    files = [
        {
            "name": f"companies.{part}.parquet",
            "table": "companies",
            "format": "parquet",
            "compression": "zstd",
            "rows": 1,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "part": part,
        }
        for part in DELTA_PARTS
    ]
    delta = folder / "deltas" / f"{export}-{int(export) + 1:010d}"
    delta.mkdir(parents=True)
    for entry in files:
        (delta / entry["name"]).write_bytes(content)
    told = manifest | {"base_release": manifest["release"], "release": manifest["release"] + 1, "files": files}
    (delta / "manifest.json").write_text(json.dumps(told))


def listed(service, query="", limit=500):
    found, cursor = [], ""
    while True:
        answer = service.get(f"{ALL}?limit={limit}{query}{cursor}")
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += page["data"]
        if not page["has_more"]:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def path_of(file):
    assert file["url"].startswith("https://api.example.com/")
    return file["url"].removeprefix("https://api.example.com")


def test_the_words_are_those_of_the_files():
    assert tuple(table.name for table in schemas.TABLES) == TABLES
    assert (WRITTEN, ("rows", *DELTA_PARTS)) == (FORMATS, PARTS)


def test_every_file_is_listed_newest_release_first(service):
    files = listed(service)
    assert len(files) == 2 + 2 * (len(TABLES) * len(TABLE_FORMATS) + 1)
    assert [(one["table"], one["part"]) for one in files[:2]] == [("companies", "deletes"), ("companies", "upserts")]
    assert files[0]["base_release"] == files[0]["release"] - 1
    assert {one["base_release"] for one in files[2:]} == {None}
    assert [one["market"] for one in files[2:]] == ["NO"] * 19 + ["SE"] * 19
    assert files[0]["expires_at"] == "2026-11-21T09:15:00Z"
    assert [path_of(one) == "" for one in files] == [False] * len(files)
    by_pages = [{**one, "url": None} for one in listed(service, limit=7)]
    assert by_pages == [{**one, "url": None} for one in files]


def test_filters(service):
    assert {one["market"] for one in listed(service, "&market=NO")} == {"NO"}
    [one] = listed(service, "&market=SE&table=filings&format=csv")
    assert (one["part"], one["compression"]) == ("rows", "gzip")
    assert [one["part"] for one in listed(service, "&part=upserts,deletes")] == ["deletes", "upserts"]
    assert listed(service, "&release=9999") == []
    assert service.get(f"{ALL}?table=owners").json()["errors"][0]["code"] == "unknown_value"
    [announced] = service.get(f"{ALL}?market=DK").json()["errors"]
    assert (announced["code"], announced["parameter"]) == ("market_not_available", "market")
    cursor = service.get(f"{ALL}?limit=1").json()["next_cursor"]
    assert service.get(f"{ALL}?market=SE&cursor={cursor}").json()["code"] == "cursor_mismatch"


def test_a_download_is_the_file_without_a_key(service):
    for file in listed(service, "&market=SE&table=companies&part=rows"):
        answer = service.client.get(path_of(file))
        assert answer.status_code == 200
        assert hashlib.sha256(answer.content).hexdigest() == file["sha256"]
        assert int(answer.headers["content-length"]) == len(answer.content) == file["bytes"]
        assert answer.headers["etag"] == f'"{file["sha256"]}"'
        assert answer.headers["accept-ranges"] == "bytes"
        assert f'filename="companies.{file["format"]}' in answer.headers["content-disposition"]
        assert "ratelimit" not in answer.headers
        head = service.client.head(path_of(file))
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == answer.headers["content-length"]


def test_a_head_with_a_range_is_answered_by_the_headers_of_the_whole_file(service):
    [file] = listed(service, "&market=SE&table=companies&part=upserts")
    for asked in ("bytes=2-4", f"bytes={file['bytes']}-"):
        head = service.client.head(path_of(file), headers={"Range": asked})
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == str(file["bytes"])
        assert "content-range" not in head.headers


def test_a_download_goes_on_where_it_broke_off(service):
    [file] = listed(service, "&market=SE&table=companies&part=upserts")
    content, path = service.client.get(path_of(file)).content, path_of(file)
    assert len(content) == 2 * PIECE + 1
    got = b""
    for end in (0, PIECE - 1, PIECE + 5, None):
        last = "" if end is None else end
        answer = service.client.get(path, headers={"Range": f"bytes={len(got)}-{last}"})
        assert answer.status_code == 206
        stop = len(content) - 1 if end is None else end
        assert answer.headers["content-range"] == f"bytes {len(got)}-{stop}/{len(content)}"
        got += answer.content
    assert got == content
    assert service.client.get(path, headers={"Range": "bytes=-3"}).content == content[-3:]
    beyond = service.client.get(path, headers={"Range": f"bytes={len(content)}-"})
    assert (beyond.status_code, beyond.json()["code"]) == (416, "range_not_satisfiable")
    assert beyond.headers["content-range"] == f"bytes */{len(content)}"
    kept = service.client.get(path, headers={"Range": "bytes=5-", "If-Range": f'"{file["sha256"]}"'})
    other = service.client.get(path, headers={"Range": "bytes=5-", "If-Range": '"0000"'})
    assert (kept.status_code, other.status_code) == (206, 200)


@check_cases(
    "text, expected",
    [
        (b"bytes=0-0", (0, 0)),
        (b"bytes=9-", (9, 9)),
        (b"bytes=3-99", (3, 9)),
        (b"bytes=-4", (6, 9)),
        (b"bytes=-99", (0, 9)),
        (b"bytes= 1-2 ", (1, 2)),
        (b"bytes=5-2", None),
        (b"bytes=-", None),
        (b"bytes=1-2,4-5", None),
        (b"lines=1-2", None),
        (b"bytes=1-" + b"9" * 19, None),
        (b"", None),
    ],
)
def test_ranges(text, expected):
    found = requested_range({b"range": text}, 10, b'"t"')
    assert (None if found is None else (found.first, found.last)) == expected


@check_cases("text, size", [(b"bytes=10-", 10), (b"bytes=-0", 10), (b"bytes=0-", 0)])
def test_ranges_that_no_file_of_the_size_has(text, size):
    with pytest.raises(ProblemError, match="416"):
        requested_range({b"range": text}, size, b'"t"')


def test_what_is_no_link_any_more(own_service, world):
    own_service.accounts.set_tier("owner@example.com", "business")
    folder = own_service.parts.settings.data / "exports"
    assert listed(own_service) == []
    list(ExportStore(world.layout, folder=folder).write(["SE"], ["csv"]))
    [file] = listed(own_service, "&table=events")
    path = path_of(file)
    own_service.hands.seconds += 899
    assert own_service.client.get(path).status_code == 200
    own_service.hands.seconds += 1
    late = own_service.client.get(path)
    assert (late.status_code, late.json()["code"]) == (404, "export_not_available")
    assert "expired" in late.json()["detail"]
    [file] = listed(own_service, "&table=events")
    stored = next(folder.glob("SE/*/events.csv.gz"))
    stored.write_bytes(stored.read_bytes()[:-1])
    assert "not the one that was exported" in own_service.client.get(path_of(file)).json()["detail"]
    stored.unlink()
    assert "no longer kept" in own_service.client.get(path_of(file)).json()["detail"]
    for text in ("firm_link_00", "firm_link_zz", "x", "firm_link_" + "0" * 2_000, path.rpartition("/")[2][:-2]):
        answer = own_service.client.get(f"{ALL}/files/{text}")
        assert (answer.status_code, answer.json()["code"]) == (404, "export_not_available"), text


def test_a_manifest_that_is_not_understood_is_left_out_and_logged_once(own_service, world, caplog):
    own_service.accounts.set_tier("owner@example.com", "business")
    folder = own_service.parts.settings.data / "exports"
    list(ExportStore(world.layout, folder=folder).write(["SE", "NO"], ["csv"]))
    [manifest] = folder.glob("SE/0*/manifest.json")
    told = json.loads(manifest.read_bytes())
    words = [{"table": "directors"}, {"format": "orc"}, {"part": "changes"}, {"name": "../latest.json"}]
    for entry, change in zip(told["files"], words, strict=False):
        entry.update(change)
    manifest.write_text(json.dumps(told))
    plain = [one["table"] for one in listed(own_service, "&market=SE")]
    assert plain == ["ownership", "events"]
    assert len(listed(own_service, "&market=NO")) == len(TABLES)
    assert caplog.messages == [
        f"left out of the list of exports: {manifest}: {name}: {fault}"
        for name, fault in (
            ("companies.csv.gz", "unknown table 'directors'"),
            ("details.csv.gz", "unknown format 'orc'"),
            ("financials.csv.gz", "unknown part 'changes'"),
            ("../latest.json", "not a name of a file in its folder"),
        )
    ]
    for damaged in (b"{", b"[]", b'{"files":[]}', json.dumps(told | {"release": "42"}).encode(), b'"\xff"'):
        manifest.write_bytes(damaged)
        assert {one["market"] for one in listed(own_service)} == {"NO"}, damaged
        assert caplog.messages[-1].startswith(f"left out of the list of exports: {manifest}: ")
        assert own_service.client.get("/dashboard/exports").status_code != 500
    list(ExportStore(world.layout, folder=folder).write(["SE"], ["csv"]))  # the next export mends it
    assert len(listed(own_service, "&market=SE")) == len(TABLES)


def test_a_sealed_text_of_another_purpose_is_no_link(service):
    text = '["webhook secret","SE/latest.json","00",99999999999]'
    token = base64.urlsafe_b64decode(service.parts.secret_box.seal(text)).hex()
    assert service.client.get(f"{ALL}/files/firm_link_{token}").json()["code"] == "export_not_available"


def test_only_business_lists_and_only_secret_keys(own_service):
    refused = own_service.get(ALL)
    assert (refused.status_code, refused.json()["code"]) == (403, "tier_required")
    assert refused.json()["required_tiers"] == ["business"]
    assert own_service.client.get(ALL).status_code == 401
