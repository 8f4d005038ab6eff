"""Asking the SEC: both kinds of 403, one limit for all its hosts, what was asked and what arrives."""

import json

import pytest

import connectors
from connectors.contract.dataset import Cursor, Scope
from connectors.kit.formats import BodyFormat
from connectors.kit.http.client import FetchClock
from connectors.kit.http.errors import SourceUnavailableError, UnexpectedBodyError
from connectors.kit.http.rate_limit import HostRateLimiter
from connectors.us import UNITED_STATES, fetch_each, sec_http
from connectors.us.feeds.pending_filings import FeedFiling
from connectors.us.register import DATA_HOST, DATA_URL, FILES_HOST
from connectors.us.sec_http import BlockedError
from connectors.us.submissions import fetch as submissions_fetch
from connectors.us.symbols import company_tickers
from pipelines.sources.live import declared_limiters, declared_rates
from tests.connectors.us.conftest import NO_KEY, Answer
from tests.connectors.us.filer_bodies import CIK, accession, company, filer, filing, page, zipped

STORE_403 = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>'
RATE_403 = b"<!DOCTYPE html>\n<html><title>SEC.gov | Request Rate Threshold Exceeded</title></html>"
NAMELESS_403 = (
    b"<!DOCTYPE html>\n<html><title>SEC.gov | Your Request Originates from an Undeclared Automated Tool</title></html>"
)


@pytest.mark.parametrize("answer", [(404, NO_KEY), (403, STORE_403), (404, b"")])
def test_pitfall_01_a_missing_file_is_told_by_404_or_by_403_with_xml(answer, sec, http) -> None:
    sec.answer = lambda _: answer
    assert sec_http.fetch_if_exists(http, f"{DATA_URL}/submissions/CIK{CIK}.json", {BodyFormat.JSON}) is None


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (RATE_403, "send no requests for ten minutes"),
        (NAMELESS_403, "FIRM_USER_AGENT"),
        (b"<html>no</html>", "FIRM_USER_AGENT"),
        (b"", "FIRM_USER_AGENT"),
    ],
)
def test_pitfall_01_a_block_is_told_by_403_with_html_and_ends_the_asking(page, told, sec, http) -> None:
    sec.answer = lambda _: (403, page)
    with pytest.raises(BlockedError, match=told):
        sec_http.fetch_if_exists(http, f"{DATA_URL}/submissions/CIK{CIK}.json", {BodyFormat.JSON})
    subjects = [str(FeedFiling(accession(n), f"{n:010}", "8-K", "2026-01-05")) for n in range(1, 9)]
    with pytest.raises(BlockedError):
        list(submissions_fetch.fetch_responses(http, None, subjects))
    assert len(sec.asked) == 2  # nobody asks on


def test_who_asks_says_who_it_is(sec, http) -> None:
    sec_http.fetch_if_exists(http, f"{DATA_URL}/submissions/CIK{CIK}.json", {BodyFormat.JSON})
    assert sec.agents == {"test (test@example.com)"}


def test_an_answer_of_another_kind_is_no_answer(sec, http) -> None:
    sec.answer = lambda _: (200, b"<html>maintenance</html>")
    with pytest.raises(UnexpectedBodyError):
        sec_http.fetch_if_exists(http, f"{DATA_URL}/submissions/CIK{CIK}.json", {BodyFormat.JSON})
    sec.answer = lambda _: (503, b"<html>File Unavailable</html>")
    with pytest.raises(SourceUnavailableError):
        sec_http.fetch_if_exists(http, f"{DATA_URL}/submissions/CIK{CIK}.json", {BodyFormat.JSON})


class Ticking:
    """A clock that moves when it is slept on."""

    def __init__(self) -> None:
        self.at = 0.0

    def sleep(self, seconds: float) -> None:
        self.at += seconds


def test_pitfall_01_all_hosts_together_stay_below_ten_a_second() -> None:
    time = Ticking()
    clock = FetchClock(monotonic=lambda: time.at, sleep=time.sleep)
    rates = HostRateLimiter(declared_rates(), 1e6, clock, declared_limiters())
    asked = []
    for turn in range(100):
        rates.wait((DATA_HOST, FILES_HOST)[turn % 2])
        asked.append(time.at)
    most = max(sum(start <= at < start + 1 for at in asked) for start in asked)
    assert 7 <= most < 10


def test_a_pause_that_one_host_asks_for_holds_for_all() -> None:
    time = Ticking()
    clock = FetchClock(monotonic=lambda: time.at, sleep=time.sleep)
    rates = HostRateLimiter({}, 5.0, clock, {"a": "both", "b": "both"})
    rates.pause("a", 600)
    rates.wait("b")
    assert time.at >= 600


def test_every_dataset_of_the_sec_declares_the_limit() -> None:
    others = {"us.symdir", "us.isin", "us.wires", "us.cftc"}  # hosts of their own
    asking = [made for made in UNITED_STATES.datasets if made.fetch is not None and made.key not in others]
    assert {made.host for made in asking} == {DATA_HOST, FILES_HOST}
    declared = {limit.host: (limit.per_second, limit.limiter) for limit in UNITED_STATES.host_limits}
    assert {declared[made.host] for made in asking} == {(8.0, "sec.gov")}


def test_the_nightly_archive_comes_once(sec, http) -> None:
    sec.answer = lambda _: (200, zipped({f"CIK{CIK}.json": json.dumps(filer()).encode()}))
    sec.headers = {"ETag": '"one"'}
    (arrival,) = submissions_fetch.fetch_bulk(http, None, ())
    assert sec.asked == ["/Archives/edgar/daily-index/bulkdata/submissions.zip"]
    assert (arrival.name, arrival.scope) == ("submissions.zip", Scope.PART)
    assert list(submissions_fetch.fetch_bulk(http, arrival.cursor, ())) == []
    sec.answer, sec.headers = lambda _: (403, RATE_403), {}
    with pytest.raises(BlockedError):
        list(submissions_fetch.fetch_bulk(http, None, ()))


def test_the_list_of_symbols_comes_whole(sec, http) -> None:
    sec.answer = lambda _: (200, b'{"fields":["cik","name","ticker","exchange"],"data":[]}')
    sec.headers = {"ETag": '"one"'}
    (arrival,) = company_tickers.DATASET.fetch(http, None, ())
    assert (sec.asked, arrival.scope) == (["/files/company_tickers_exchange.json"], Scope.FULL)
    assert list(company_tickers.DATASET.fetch(http, arrival.cursor, ())) == []


def _served(path: str) -> Answer:
    files = [{"name": f"CIK{CIK}-submissions-001.json", "filingCount": 1}]
    bodies = {
        f"/submissions/CIK{CIK}.json": filer([filing("8-K", "2026-01-05")], files),
        f"/submissions/CIK{CIK}-submissions-001.json": page([filing("10-K", "1999-03-01")]),
    }
    body = bodies.get(path)
    return (404, NO_KEY) if body is None else (200, json.dumps(body).encode())


def test_a_filer_is_asked_about_once_for_all_its_filings_and_its_pages_once_for_ever(sec, http) -> None:
    sec.answer = _served
    first = [str(FeedFiling(accession(n), CIK, "8-K", "2026-01-05")) for n in (1, 2)]
    unknown = str(FeedFiling(accession(9), "0000000009", "8-K", "2026-01-05"))
    arrivals = list(submissions_fetch.fetch_responses(http, None, [*first, unknown, "nonsense"]))
    names = [f"CIK{CIK}.json", f"CIK{CIK}-submissions-001.json"]
    assert [arrival.name for arrival in arrivals] == names
    assert [arrival.cursor is None for arrival in arrivals] == [True, False]
    assert len(sec.asked) == 3
    cursor = arrivals[-1].cursor
    assert list(submissions_fetch.fetch_responses(http, cursor, first)) == []
    more = [str(FeedFiling(accession(3), CIK, "10-Q", "2026-04-05"))]
    again = list(submissions_fetch.fetch_responses(http, cursor, [*first, *more]))
    assert [arrival.name for arrival in again] == names[:1]


def test_what_arrived_before_a_failure_is_kept(sec, http) -> None:
    def answer(path: str) -> Answer:
        return _served(path) if CIK in path else (503, b"")

    sec.answer = answer
    subjects = [
        str(FeedFiling(accession(1), CIK, "8-K", "2026-01-05")),
        str(FeedFiling(accession(2), "0000000002", "8-K", "2026-01-05")),
    ]
    arriving = submissions_fetch.fetch_responses(http, None, subjects)
    arrived = [next(arriving), next(arriving)]
    with pytest.raises(SourceUnavailableError):
        next(arriving)
    assert len(arrived) == 2
    assert arrived[-1].cursor is not None


def test_a_filer_that_fails_keeps_no_other_from_being_asked_about(sec, http) -> None:
    sec.answer = lambda path: (200, b'{"filings": 1}') if "CIK0000000002" in path else _served(path)
    subjects = [str(FeedFiling(accession(n), f"{n:010}", "8-K", "2026-01-05")) for n in (2, 3)]
    arriving = submissions_fetch.fetch_responses(
        http, None, [*subjects, str(FeedFiling(accession(1), CIK, "8-K", "2026-01-05"))]
    )
    arrived = [next(arriving), next(arriving)]
    with pytest.raises(UnexpectedBodyError):
        next(arriving)
    asked = submissions_fetch.FetchedFilers(arrived[-1].cursor).filings
    assert [asked.has_filing(accession(n)) for n in (1, 2, 3)] == [True, False, True]
    sec.answer = lambda _: (503, b"")
    sec.asked.clear()
    many = [str(FeedFiling(accession(n), f"{n:010}", "8-K", "2026-01-05")) for n in range(1, 20)]
    with pytest.raises(SourceUnavailableError):
        list(submissions_fetch.fetch_responses(http, None, many))
    assert len(sec.asked) == fetch_each.PATIENCE


def test_a_filer_may_have_no_list_of_continuation_files(sec, http) -> None:
    body = filer([filing("8-K", "2026-01-05")])
    body["filings"]["files"] = None
    sec.answer = lambda _: (200, json.dumps(body).encode())
    (arrival,) = submissions_fetch.fetch_responses(
        http, None, [str(FeedFiling(accession(1), CIK, "8-K", "2026-01-05"))]
    )
    assert company(json.loads(arrival.body.read())) is not None


def test_one_run_at_a_time_asks_the_sec_and_one_limit_is_for_all_its_hosts() -> None:
    """Limits hold within a process; runs of a market exclude each other by its lock (`pipelines.ingest.run`)."""
    asking = {
        market.code for market in connectors.JURISDICTIONS for made in market.datasets if made.host.endswith("sec.gov")
    }
    assert asking == {"US"}


def test_a_cursor_that_does_not_read_asks_again(sec, http) -> None:
    sec.answer = _served
    subject = str(FeedFiling(accession(1), CIK, "8-K", "2026-01-05"))
    assert len(list(submissions_fetch.fetch_responses(http, Cursor("nonsense"), [subject]))) == 2


def test_a_page_with_a_hostile_name_is_not_asked_for(sec, http) -> None:
    body = filer(files=[{"name": "../../etc/passwd"}, {"name": "a?b=c"}])
    sec.answer = lambda _: (200, json.dumps(body).encode())
    list(submissions_fetch.fetch_responses(http, None, [str(FeedFiling(accession(1), CIK, "8-K", "2026-01-05"))]))
    assert sec.asked == [f"/submissions/CIK{CIK}.json"]
