"""The National Storage Mechanism: answers to rows, asking by days, the soft block, holdings (FORMAT uk 10.3)."""

import io
import json
import threading
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import polars as pl
import pytest

from connectors.declare import Cursor, NotOurs, Piece, Scope, Unreadable
from connectors.kit.errors import Unavailable, WrongBody
from connectors.kit.http import Http, HttpSettings
from connectors.kit.limits import Clock
from connectors.sandbox import World, nsm_desk
from connectors.uk import nsm, nsm_fetch, tr1_holdings
from tests.connectors.uk.test_uk_tr1 import LINES

AT = datetime(2026, 8, 22, tzinfo=UTC)
LEI = "213800PUHEBLCWDW9T74"


def item(identity="RNS-1", text=None, **source):
    told = {
        "type": "Holding(s) in Company",
        "type_code": "HOL",
        "lei": LEI,
        "company": "Example Group plc;",
        "submitted_date": "2026-08-21T16:53:58.383Z",
        "html_link": "NSM/RNS/1.html",
        **({} if text is None else {"document_content": text}),
        **source,
    }
    return {"_index": "fca-nsm-searchdata", "_id": identity, "_source": told}


def form(total="6.260000", before="N/A"):
    return LINES.format(now=f"{total}\n0.000000\n{total}\n60954321", before=before)


def answer(*items, took=77):
    return {"took": took, "timed_out": False, "hits": {"total": {"value": len(items)}, "hits": list(items)}}


def read(body, name="nsm-RNS-1.json"):
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    piece = Piece(nsm.KEY, name, "0" * 64, AT, Scope.PART, "1", lambda: io.BytesIO(text))
    batches = list(nsm.DATASET.read(piece))
    rows = {batch.table: batch.rows for batch in batches}
    signals = {signal.code for batch in batches for signal in batch.signals}
    return rows, pl.concat(batch.rejects for batch in batches), signals


def test_a_form_is_a_row_with_its_issuer_by_lei():
    rows, rejects, signals = read(item(text=form()))
    row = rows["uk_tr1"].row(0, named=True)
    assert (row["lei"], row["issuer"], row["isin"]) == (LEI, "EXAMPLE GROUP PLC", "GB00EXAMPLE1")
    assert (row["votes"], row["total"], row["is_below"]) == (Decimal("6.26"), Decimal("6.26"), False)
    assert rows["uk_nsm_items"].row(0, named=True)["company"] == "Example Group plc"
    assert (len(rejects), signals) == (0, set())


def test_a_holders_own_announcement_is_of_no_company_we_know():
    """A bank's announcements hold forms about others: they are not shares in the bank."""
    rows, _, signals = read(item(text=form(), company="Sample Bank plc"))
    assert rows["uk_tr1"]["lei"].to_list() == [None]
    assert signals == {"issuer_differs"}


def test_parts_that_do_not_add_up_and_a_missing_day_are_signalled():
    text = LINES.format(now="5.0\n1.0\n7.0\n1000", before="").replace("20-Aug-2026", "soon")
    assert read(item(text=text))[2] == {"does_not_add_up", "no_day"}


def test_a_text_without_a_form_is_a_reject_with_its_reason_and_stays_listed():
    rows, rejects, _ = read(item(text="See the attached TR-1."))
    assert rows["uk_tr1"].is_empty()
    assert len(rows["uk_nsm_items"]) == 1
    assert "no section" in rejects["reason"][0]


def test_other_types_are_listed_and_not_taken_apart(sources):
    body = (sources / "uk/fca_nsm/nsm_search_response_one_hit.json").read_bytes()
    rows, rejects, signals = read(body)
    assert rows["uk_nsm_items"]["type"].to_list() == ["Annual Financial Report"]
    assert (len(rows["uk_tr1"]), len(rejects), signals) == (0, 0, set())


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (answer(took=3), "soft block"),
        (answer() | {"timed_out": True}, "timed out"),
        ({"message": "Forbidden"}, "no list of hits"),
        (b'{"took": 77, "hits"', "does not parse"),
        (b"[]", "a list"),
    ],
)
def test_pitfall_20_the_soft_block_is_no_empty_day(body, why):
    with pytest.raises(Unreadable, match=why):
        read(body)


def test_files_of_another_kind_are_not_ours():
    assert isinstance(nsm.recognise("x.html", b"<html><body>Just a moment...</body></html>"), NotOurs)
    assert isinstance(nsm.recognise("x.json", b'{"items": []}'), NotOurs)
    assert not isinstance(nsm.recognise("x.json", json.dumps(answer()).encode()), NotOurs)


def test_the_sandbox_answers_as_the_mechanism_does():
    world = World(seed=6, companies=60, days=3, markets=("UK",))
    body = nsm_fetch.question(world.date(0) - timedelta(days=6), world.date(0))
    listed = json.loads(nsm_desk.posted(world, 0, "/search", body).body)
    found = nsm_fetch.hits(listed)
    assert len(found) == 5  # weekdays
    assert nsm_desk.posted(world, 0, "/search", body.replace(b"00Z", b"00.000Z")).status == 400
    ((pattern, told),) = nsm_desk.ROUTES
    asked = pattern.fullmatch(f"/details/{found[0]['_id']}")
    rows, rejects, signals = read(told(world, 0, {}, *asked.groups()).body)
    assert rows["uk_tr1"]["issuer"].to_list() == ["SANDBOX METALS PLC"]
    assert (len(rejects), signals) == (0, set())


def held(*items):
    rows = pl.concat(read(one)[0]["uk_tr1"] for one in items).with_columns(
        _company_id=pl.lit("firm:UK:01234567"),
        _observed_at=pl.lit(AT),
        _raw=pl.lit("0"),
        _retired_at=pl.lit(None),
    )
    return tr1_holdings.holdings(rows)


def test_of_one_holder_the_newest_notification_counts():
    old = item("RNS-1", form("4.99"))
    new = item(
        "RNS-2", form("5.0").replace("20-Aug-2026", "24-Aug-2026").replace("City of Sample", "CITY OF SAMPLE")
    )
    row = held(new, old).row(0, named=True)
    assert len(held(new, old)) == 1
    assert (row["pct"], row["votes_pct"], row["basis"]) == (Decimal(5), Decimal(5), "exact")
    assert (row["valid_from"], row["ended_on"]) == (date(2026, 8, 24), None)
    assert (row["holder_type"], row["holder_country"]) == ("company", "GB")
    assert row["url"] == "https://data.fca.org.uk/artefacts/NSM/RNS/1.html"


@pytest.mark.parametrize("row", ["Below 3%\n0\nBelow 3%", "0.00\n0.00\n0.00\n0"])
def test_below_the_lowest_threshold_closes_the_holding(row):
    found = held(item(text=LINES.format(now=row, before="3.1"))).row(0, named=True)
    assert found["ended_on"] == date(2026, 8, 20)


class Mechanism:
    """What the server was asked, and what it answers."""

    def __init__(self):
        self.asked, self.details, self.items, self.took = [], [], [], 77

    def search(self, body):
        self.asked.append((body, json.loads(body)))
        span = self.asked[-1][1]["criteriaObj"]["dateCriteria"][0]["value"]
        found = [one for one in self.items if span["from"] <= one["_source"]["submitted_date"] < span["to"]]
        return answer(*found, took=self.took)


@pytest.fixture
def mechanism():
    return Mechanism()


@pytest.fixture
def http(mechanism, tmp_path):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self._send(mechanism.search(self.rfile.read(int(self.headers["Content-Length"]))))

        def do_GET(self):
            mechanism.details.append(self.path)
            self._send(item(self.path.rpartition("/")[2].partition("?")[0], form()))

        def _send(self, body):
            text = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    settings = HttpSettings(
        user_agent="test", folder=tmp_path, bases={"api.data.fca.org.uk": base}, rate=10_000
    )
    with Http(settings, Clock(sleep=lambda _: None, now=lambda: AT)) as client:
        yield client
    server.shutdown()
    thread.join()
    server.server_close()


def asked_of(http, after):
    found = []
    for arrival in nsm_fetch.announcements(http, after, ()):
        with arrival.body as body:
            found.append((arrival.name, arrival.cursor, body.read()))
    return found


def test_lists_are_asked_by_days_and_texts_one_by_one(mechanism, http):
    mechanism.items = [item("RNS/1"), item("ACS", type="Annual Financial Report")]
    found = asked_of(http, Cursor("2026-08-21"))
    assert [(name, cursor and cursor.value) for name, cursor, _ in found] == [
        ("nsm-2026-08-19-2026-08-22.json", None),
        ("nsm-RNS%2F1.json", "2026-08-22"),
    ]
    assert mechanism.details == ["/details/RNS%2F1?index=fca-nsm-searchdata"]
    told, question = mechanism.asked[0]
    assert b"." not in told.partition(b'"dateCriteria"')[2]  # dates with milliseconds are refused
    assert question["criteriaObj"]["dateCriteria"][0]["value"] == {
        "from": "2026-08-19T00:00:00Z",
        "to": "2026-08-23T00:00:00Z",
    }


def test_a_quiet_day_moves_the_cursor_and_a_blocked_one_does_not(mechanism, http):
    assert [cursor.value for _, cursor, _ in asked_of(http, Cursor("2026-08-21"))] == ["2026-08-22"]
    mechanism.took = 2
    with pytest.raises(Unavailable, match="soft block"):
        asked_of(http, Cursor("2026-08-21"))


def test_a_fortnight_of_silence_is_a_filter_that_holds_no_longer(mechanism, http):
    with pytest.raises(WrongBody, match="type_code"):
        asked_of(http, Cursor("2026-07-20"))


@pytest.mark.parametrize("cursor", [None, Cursor("yesterday")])
def test_the_first_time_a_year_is_asked(mechanism, http, cursor):
    with pytest.raises(WrongBody):
        asked_of(http, cursor)
    assert mechanism.asked[0][1]["criteriaObj"]["dateCriteria"][0]["value"]["from"] == "2025-08-22T00:00:00Z"
