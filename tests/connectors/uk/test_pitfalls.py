"""The format page: those pitfalls that no test of one module is named after, and that each of them has its test.

See docs/formats/uk.md 13.
"""

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.uk import live_schema as streaming_api_schema
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.register import API_URL
from connectors.uk.rest_api import fetch as rest_api_fetch
from connectors.uk.stream_events import HOST as STREAMS
from connectors.uk.streaming_api import datasets
from tests.connectors.uk.conftest import CSV_NAME, KEYS, Bench
from tests.tables import check_cases

KEYS |= {table.name: list(table.key) for data in datasets.DATASETS for table in data.staged_tables.values()}
NUMBER = "01234567"
LATER = datetime(2026, 11, 9, 20, tzinfo=UTC)
PROFILE = {"company_name": "EXAMPLE LIMITED", "company_number": NUMBER, "company_status": "active", "type": "ltd"}


def changed(**members: object) -> bytes:
    """A profile as the stream tells it."""
    event = {"timepoint": 7, "published_at": "2026-11-09T12:00:00", "type": "changed"}
    told = {"resource_kind": "company-profile", "resource_uri": f"/company/{NUMBER}", "resource_id": NUMBER}
    return json.dumps({**told, "data": {**PROFILE, **members}, "event": event}).encode() + b"\n"


class Register(BaseHTTPRequestHandler):
    """Notes who asks for what with which key; `/away` is elsewhere."""

    asked: list[tuple[str, str]]
    elsewhere = ""

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Authorization", "")))
        away = self.path.endswith("/away")
        body = b"" if away else json.dumps(PROFILE).encode()
        self.send_response_only(302 if away else 200)
        if away:
            self.send_header("Location", self.elsewhere)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def register() -> Iterator[tuple[type[Register], str]]:
    handler = type("Own", (Register,), {"asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield handler, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def client(folder: Path, base: str, **credentials: str) -> HttpClient:
    hosts = {"api": API_URL.removeprefix("https://"), "stream": STREAMS}
    return HttpClient(
        HttpSettings(
            "t (t@example.com)",
            folder,
            base_urls=dict.fromkeys(hosts.values(), base),
            credentials={hosts[name]: (key, "") for name, key in credentials.items()},
            default_rate=10_000,
        )
    )


BASIC = {"REST": "Basic UkVTVDo=", "STREAM": "Basic U1RSRUFNOg=="}


def test_pitfall_06_each_host_gets_its_own_key_and_one_without_a_key_none(register, tmp_path):
    handler, base = register
    with client(tmp_path, base, api="REST", stream="STREAM") as http:
        list(rest_api_fetch.fetch(http, None, [f"profile:{NUMBER}"]))
        list(http.stream_lines(f"https://{STREAMS}/companies"))
    assert [key for _, key in handler.asked] == [BASIC["REST"], BASIC["STREAM"]]
    handler.asked.clear()
    with client(tmp_path, base, stream="STREAM") as http:
        assert list(rest_api_fetch.fetch(http, None, [f"profile:{NUMBER}"])) == []
    assert handler.asked == []


@check_cases("day", [{"day": "30", "month": "09"}, {"day": 30, "month": 9}, {}, None, "30"])
def test_pitfall_10_the_accounting_reference_date_is_text_or_number(day):
    bench = Bench()
    accounts = {"accounting_reference_date": day, "last_accounts": {"type": "full", "made_up_to": "2025-09-30"}}
    read = bench.upsert(datasets.PROFILE_STREAM, changed(accounts=accounts), "e.jsonl", LATER)
    row = read.rows[streaming_api_schema.PROFILES.name].row(0, named=True)
    assert (read.rejects, row["accounts_type"], row["accounts_made_up_to"]) == ([], "full", "2025-09-30")


@pytest.mark.parametrize(("told", "held"), [("null", None), (None, None), ("dormant", "dormant")])
def test_pitfall_11_the_word_null_is_no_type_of_accounts(bench, told, held):
    accounts = {"last_accounts": {"type": told}}
    read = bench.upsert(datasets.PROFILE_STREAM, changed(accounts=accounts), "e.jsonl", LATER)
    assert read.rows[streaming_api_schema.PROFILES.name]["accounts_type"].to_list() == [held]
    assert bench.normalise()["companies"]["status"].to_list() == ["dormant" if held else "active"]


def test_pitfall_19_a_redirect_to_another_host_gets_no_key(register, tmp_path):
    """A document's content lies elsewhere, under a signed address that a key would spoil."""
    handler, base = register
    handler.elsewhere = base.replace("127.0.0.1", "localhost") + "/signed?X-Amz-Signature=1"
    with client(tmp_path, base, api="REST") as http:
        assert http.get(f"{API_URL}/document/1/away").status == 200
    assert handler.asked == [("/document/1/away", BASIC["REST"]), ("/signed?X-Amz-Signature=1", "")]


def test_pitfall_24_a_restored_company_comes_back_under_its_number(sheet, bench):
    """By the next whole file, or by a profile before that."""
    bench.upsert(basic_company_data_dataset.DATASET, sheet.table({}), CSV_NAME)
    gone = LATER - timedelta(days=5)
    bench.retire("uk_companies", "CompanyNumber", [NUMBER], gone)
    found = bench.normalise()["companies"].row(0, named=True)
    assert (found["status"], found["dissolved_date"]) == ("dissolved", gone.date())
    bench.upsert(datasets.PROFILE_STREAM, changed(), "e.jsonl", LATER)
    found = bench.normalise()["companies"].row(0, named=True)
    assert (found["company_id"], found["status"], found["dissolved_date"]) == (f"firm:UK:{NUMBER}", "active", None)
    bench.upsert(basic_company_data_dataset.DATASET, sheet.table({}), CSV_NAME, LATER + timedelta(days=22))
    found = bench.normalise()["companies"].row(0, named=True)
    assert (found["company_id"], found["status"], found["dissolved_date"]) == (f"firm:UK:{NUMBER}", "active", None)


def test_pitfall_25_converted_is_gone_and_not_insolvent(bench):
    told = changed(company_status="converted-closed", date_of_cessation="2026-10-01")
    bench.upsert(datasets.PROFILE_STREAM, told, "e.jsonl", LATER)
    found = bench.normalise()["companies"].row(0, named=True)
    assert (found["status"], found["status_detail"], str(found["dissolved_date"])) == ("dissolved", None, "2026-10-01")


def test_every_pitfall_has_a_test_named_after_it():
    folder = Path(__file__).parent
    names = re.compile(r"^def test_pitfall_(\d+)(?:_and_(\d+))?_", re.MULTILINE)
    found = {
        int(number)
        for path in folder.rglob("test_*.py")
        for numbers in names.findall(path.read_text(encoding="utf-8"))
        for number in numbers
        if number
    }
    assert set(range(1, 26)) - found == set()
