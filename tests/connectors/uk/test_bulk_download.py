"""Live fetching against a server on loopback that plays the documented pages."""

import io
import json
import threading
import zipfile
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from connectors.contract.dataset import Scope
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import FetchError, MissingResourceError, UnexpectedBodyError
from connectors.uk import bulk_download
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.psc import dataset as psc_dataset
from connectors.uk.psc import fetch

PAGE = """<html><body><link href="x.css"><a href="https://elsewhere/a.zip">a</a><ul>{}</ul></body></html>"""
ONE = "BasicCompanyDataAsOneFile-2026-02-01.zip"
SNAPSHOT = "persons-with-significant-control-snapshot-2026-02-09.zip"


def zipped(text="CompanyName, CompanyNumber\r\n"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("data.csv", text)
    return file.getvalue()


class Registry:
    """Answers by path and query; counts what it was asked."""

    def __init__(self):
        self.answers: dict[str, bytes | int] = {}
        self.asked: list[str] = []
        self.on_ask = {}

    def page(self, path, *names):
        self.answers[path] = PAGE.format("".join(f'<li><a href="{name}">{name}</a></li>' for name in names)).encode()

    def answer(self, path, conditional):
        self.asked.append(path)
        self.on_ask.pop(path, lambda: None)()
        found = self.answers.get(path, 404)
        if isinstance(found, int):
            return found, b"{}"
        return (304, b"") if conditional == '"one"' else (200, found)


@pytest.fixture
def registry():
    return Registry()


@pytest.fixture
def http(registry, tmp_path):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, body = registry.answer(self.path, self.headers.get("If-None-Match"))
            self.send_response(status)
            self.send_header("ETag", '"one"')
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    bases = {"download.companieshouse.gov.uk": base, "api.company-information.service.gov.uk": base}
    settings = HttpSettings(user_agent="test", download_folder=tmp_path, base_urls=bases, default_rate=10_000)
    with HttpClient(settings, FetchClock(sleep=lambda _: None)) as client:
        yield client
    server.shutdown()
    thread.join()
    server.server_close()


def fetched(arrivals):
    found = []
    for arrival in arrivals:
        with arrival.body as body:
            found.append((arrival, body.read()))
    return found


def test_the_one_file_is_taken_and_dated_by_its_name(registry, http):
    registry.page("/en_output.html", ONE, "BasicCompanyData-2026-02-01-part1_1.zip")
    registry.answers[f"/{ONE}"] = zipped()
    ((arrival, body),) = fetched(basic_company_data_dataset.DATASET.fetch(http, None, ()))
    assert (arrival.name, arrival.scope, body) == (ONE, Scope.FULL, zipped())
    assert arrival.observed_at == datetime(2026, 2, 1, tzinfo=UTC)
    assert arrival.url == f"https://download.companieshouse.gov.uk/{ONE}"


def test_the_same_file_is_not_taken_twice_and_a_new_one_is(registry, http):
    registry.page("/en_output.html", ONE)
    registry.answers[f"/{ONE}"] = zipped()
    ((arrival, _),) = fetched(basic_company_data_dataset.DATASET.fetch(http, None, ()))
    assert fetched(basic_company_data_dataset.DATASET.fetch(http, arrival.cursor, ())) == []
    new = ONE.replace("02-01", "03-01")
    registry.page("/en_output.html", ONE, new)
    registry.answers[f"/{new}"] = zipped()
    assert [
        arrival.name for arrival, _ in fetched(basic_company_data_dataset.DATASET.fetch(http, arrival.cursor, ()))
    ] == [new]


def test_all_parts_of_the_newest_date_where_there_is_no_one_file(registry, http):
    old = [f"psc-snapshot-2026-02-08_{part}of2.zip" for part in (1, 2)]
    new = [f"psc-snapshot-2026-02-09_{part}of11.zip" for part in range(1, 12)]
    registry.page("/en_pscdata.html", *old, *reversed(new))
    registry.answers |= {f"/{name}": zipped() for name in new}
    found = fetched(psc_dataset.DATASET.fetch(http, None, ()))
    assert [arrival.name for arrival, _ in found] == new
    assert {arrival.scope for arrival, _ in found} == {Scope.PART}
    assert {arrival.observed_at for arrival, _ in found} == {datetime(2026, 2, 9, tzinfo=UTC)}
    assert [arrival.cursor is not None for arrival, _ in found] == [False] * 10 + [True]
    registry.asked.clear()
    assert fetched(psc_dataset.DATASET.fetch(http, found[-1][0].cursor, ())) == []
    assert registry.asked == ["/en_pscdata.html", f"/{new[-1]}"]


def test_parts_of_a_later_date_come_before_a_whole_file_of_last_month(registry, http):
    new = [f"BasicCompanyData-2026-03-01-part{part}_2.zip" for part in (1, 2)]
    registry.page("/en_output.html", ONE, *new)
    registry.answers |= {f"/{name}": zipped() for name in (ONE, *new)}
    assert [arrival.name for arrival, _ in fetched(basic_company_data_dataset.DATASET.fetch(http, None, ()))] == new


def test_a_page_with_a_part_missing_is_not_believed(registry, http):
    registry.page("/en_pscdata.html", "psc-snapshot-2026-02-09_1of3.zip", "psc-snapshot-2026-02-09_3of3.zip")
    with pytest.raises(UnexpectedBodyError, match="2 of 3 parts"):
        fetched(psc_dataset.DATASET.fetch(http, None, ()))


@pytest.mark.parametrize("parts", ["9" * 5_000, "9" * 12])
def test_a_page_of_endless_parts_is_not_believed(registry, http, parts):
    """Neither a number that no machine reads, nor the list of all numbers up to it."""
    registry.page("/en_output.html", f"BasicCompanyData-2026-02-01-part1_{parts}.zip")
    with pytest.raises(UnexpectedBodyError, match="links 1 of 999999999 parts"):
        fetched(basic_company_data_dataset.DATASET.fetch(http, None, ()))


def test_a_page_that_links_nothing_is_not_believed(registry, http):
    registry.page("/en_output.html")
    with pytest.raises(UnexpectedBodyError, match="links no file"):
        fetched(basic_company_data_dataset.DATASET.fetch(http, None, ()))


def test_html_where_a_zip_was_due_is_not_believed(registry, http):
    registry.page("/en_output.html", ONE)
    registry.answers[f"/{ONE}"] = b"<html>busy</html>"
    with pytest.raises(FetchError):
        fetched(basic_company_data_dataset.DATASET.fetch(http, None, ()))


def test_pitfall_05_a_day_that_rolls_over_meanwhile_starts_again_and_never_mixes(registry, http):
    old = [f"psc-snapshot-2026-02-08_{part}of2.zip" for part in (1, 2)]
    new = [name.replace("02-08", "02-09") for name in old]
    registry.page("/en_pscdata.html", *old)
    registry.answers |= {f"/{name}": zipped() for name in (old[0], *new)}
    registry.on_ask[f"/{old[1]}"] = lambda: registry.page("/en_pscdata.html", *new)
    assert [arrival.name for arrival, _ in fetched(psc_dataset.DATASET.fetch(http, None, ()))] == new


def test_a_file_that_stays_away_is_an_error(registry, http):
    registry.page("/en_pscdata.html", SNAPSHOT)
    with pytest.raises(MissingResourceError):
        fetched(psc_dataset.DATASET.fetch(http, None, ()))


def page_of(items):
    return json.dumps({"items": items, "items_per_page": 100}).encode()


def test_single_companies_are_asked_for_page_by_page(registry, http):
    path = "/company/01234567/persons-with-significant-control"
    registry.answers |= {
        f"{path}?items_per_page=100&start_index=0": page_of([{"kind": "x"}] * 100),
        f"{path}?items_per_page=100&start_index=100": page_of([{"kind": "x"}] * 3),
        "/company/01234567/exemptions": b'{"kind": "exemptions"}',
    }
    found = fetched(psc_dataset.DATASET.fetch(http, None, ["01234567", "09999999"]))
    assert [arrival.name for arrival, _ in found] == [
        "rest/01234567/persons-with-significant-control-0.json",
        "rest/01234567/persons-with-significant-control-100.json",
        "rest/01234567/exemptions.json",
    ]
    assert {arrival.scope for arrival, _ in found} == {Scope.PART}
    assert {arrival.cursor for arrival, _ in found} == {None}
    assert "/en_pscdata.html" not in registry.asked


def test_an_answer_of_another_shape_is_not_believed(registry, http):
    path = "/company/01234567/persons-with-significant-control?items_per_page=100&start_index=0"
    registry.answers[path] = b'{"items": "many"}'
    with pytest.raises(UnexpectedBodyError):
        fetched(psc_dataset.DATASET.fetch(http, None, ["01234567"]))


def test_the_genuine_pages_link_what_we_look_for(sources):
    pages = sources / "uk" / "download_pages"
    one = bulk_download.latest_links((pages / "en_output.html").read_text(), basic_company_data_dataset.DOWNLOAD.whole)
    assert one == ["BasicCompanyDataAsOneFile-2026-02-01.zip"]
    parts = bulk_download.latest_links((pages / "en_output.html").read_text(), basic_company_data_dataset.DOWNLOAD.part)
    assert parts == [f"BasicCompanyData-2026-02-01-part{part}_7.zip" for part in range(1, 8)]
    snapshot = bulk_download.latest_links((pages / "en_pscdata.html").read_text(), fetch.PSC.whole)
    assert snapshot == ["persons-with-significant-control-snapshot-2022-02-09.zip"]
    parts = bulk_download.latest_links((pages / "en_pscdata.html").read_text(), fetch.PSC.part)
    assert parts == [f"psc-snapshot-2022-02-09_{part}of20.zip" for part in range(1, 21)]
