"""Pages of companies: what their scripts read by the session, a past day, watching, downloads, text to copy."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from lxml import html

from api.dashboard.company_code import company_code
from api.dashboard.pages.company_tables import TABLES, csv_text
from api.settings.parsers import parse_publishable_key
from tests.api.dashboard.conftest import Browser, Desk, hidden, texts

COMPANIES, DATA = "/dashboard/companies", "/dashboard/api/v1/companies"
KNOWN, UNKNOWN = "firm:SE:5599999991", "firm:NO:900000000"
PARTS = ("", "/financials", "/ownership", "/group", "/filings", "/events")


@pytest.fixture
def browser(desk: Desk) -> Browser:
    return desk.signed_in()


def key_made(browser: Browser) -> str:
    made = browser.follow(browser.submit("/dashboard/keys", "/dashboard/keys", kind="live", label="", domains=""))
    return html.fromstring(made.text).xpath("//input[starts-with(@value, 'firm_live_')]")[0].get("value")


def asked_with_key(desk: Desk, browser: Browser, path: str) -> Any:
    """What the API answers to a key of the same account."""
    key = key_made(browser)
    return browser.http.get(f"{desk.base}{path}", headers={"authorization": f"Bearer {key}"})


def used(desk: Desk, browser: Browser) -> int:
    """Requests of the account that were counted, by the headers of one more."""
    answer = browser.get(f"{DATA}/{UNKNOWN}/events")
    tiers, tier = desk.made.parts.settings.tiers, desk.made.parts.account_service.account("owner@example.com").tier
    quota = tiers.tier_by_name(tier).monthly_requests
    (left,) = [part for part in answer.headers["ratelimit"].split(", ") if part.startswith('"month"')]
    return quota - int(left.partition("r=")[2].partition(";")[0])


def test_scripts_read_what_the_api_says_and_it_counts(desk: Desk, browser: Browser) -> None:
    before = used(desk, browser)
    answers = [browser.get(f"{DATA}/{KNOWN}{part}") for part in PARTS]
    assert used(desk, browser) == before + len(PARTS) + 1
    for part, answer in zip(PARTS, answers, strict=True):
        told = asked_with_key(desk, browser, f"/api/v1/companies/{KNOWN}{part}")
        assert (answer.status_code, answer.json()) == (200, told.json()), part
        assert answer.headers["etag"] == told.headers["etag"]
        assert "x-ratelimit-limit" not in answer.headers
    found = browser.get(f"{DATA}/suggest?q=exempel&limit=3").json()
    assert KNOWN in [one["id"] for one in found["data"]]


def test_an_answer_that_is_current_is_confirmed_and_does_not_count(desk: Desk, browser: Browser) -> None:
    answer = browser.get(f"{DATA}/{KNOWN}?include=sources")
    before = used(desk, browser)
    again = browser.get(f"{DATA}/{KNOWN}?include=sources", if_none_match=answer.headers["etag"])
    assert (again.status_code, again.content) == (304, b"")
    assert used(desk, browser) == before + 1


def test_errors_of_the_api_are_those_of_the_data(browser: Browser) -> None:
    for path, code in (
        (f"{DATA}/{UNKNOWN}", "company_not_found"),
        (f"{DATA}/{KNOWN}?depth=1", "unknown_parameter"),
        (f"{DATA}/{KNOWN}/financials?years=0", "invalid_parameter"),
    ):
        assert browser.get(path).json()["code"] == code, path


@pytest.mark.parametrize(
    "path", ["../usage", "..%2f..%2fusage", f"{KNOWN}/holdings", f"{KNOWN}/..", f"{KNOWN}%2fevents/x"]
)
def test_no_path_leads_to_other_operations(browser: Browser, path: str) -> None:
    answer = browser.get(f"{DATA}/{path}")
    assert answer.status_code in {400, 404}, answer.text
    assert "monthly" not in answer.text


def test_pages_of_other_sites_read_nothing(desk: Desk, browser: Browser) -> None:
    other = browser.get(f"{DATA}/{KNOWN}", sec_fetch_site="same-site")
    assert other.status_code == 403
    assert browser.get(f"{DATA}/{KNOWN}", sec_fetch_site="same-origin").status_code == 200
    assert browser.get(f"{DATA}/{KNOWN}", origin="https://evil.example").status_code == 403
    ended = desk.browser().get(f"{DATA}/{KNOWN}")
    assert (ended.status_code, ended.headers["content-type"]) == (401, "application/problem+json")


def test_the_quota_and_the_plan_hold_for_pages_too(desk: Desk, browser: Browser) -> None:
    accounts = desk.made.parts.account_service
    accounts.set_status("owner@example.com", "payment_required")
    assert browser.get(f"{DATA}/{KNOWN}").json()["code"] == "payment_required"


def test_a_page_has_its_company_and_the_scripts_by_their_content(browser: Browser) -> None:
    answer = browser.get(f"{COMPANIES}/559999-9991")
    assert texts(answer, "//h1") == ["Exempelbolaget AB"]
    assert f'data-company="{KNOWN}"' in answer.text
    for kind in ("js", "css"):
        (name,) = {
            word.split('"')[0]
            for word in answer.text.split("/dashboard/assets/")
            if f'.{kind}"' in word[:40] and "company-" in word[:9]
        }
        asset = browser.get(f"/dashboard/assets/{name}", accept_encoding="gzip")
        assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert asset.headers["content-encoding"] == "gzip"
        assert int(asset.headers["content-length"]) < 125_000
    assert browser.get(f"{COMPANIES}/{UNKNOWN}").status_code == 404
    assert browser.get(f"{COMPANIES}/nothing").status_code == 400


def test_a_past_day_is_the_whole_pages(browser: Browser) -> None:
    answer = browser.get(f"{COMPANIES}/{KNOWN}?as_of=2026-11-20")
    assert 'data-day="2026-11-20"' in answer.text
    assert texts(answer, "//*[@data-copy='curl']")[0].count("as_of=2026-11-20") == 4
    assert f"{COMPANIES}/{KNOWN}/events.csv?as_of=2026-11-20" in answer.text
    assert 'data-day=""' in browser.get(f"{COMPANIES}/{KNOWN}?as_of=2026-11-21").text  # today
    for day in ("2026-11-22", "yesterday", "2026-02-30"):
        assert browser.get(f"{COMPANIES}/{KNOWN}?as_of={day}").status_code == 422, day


def test_a_company_is_watched_on_a_new_list_and_on_another_and_no_longer(browser: Browser) -> None:
    page, deed = f"{COMPANIES}/{KNOWN}", f"{COMPANIES}/{KNOWN}/watch"
    done = browser.follow(browser.submit(page, deed, watchlist=""))
    assert "Watched: events of this company" in done.text
    (watchlist,) = texts(done, "//form[contains(@action, '/watch')]//a")
    assert watchlist == "Watched companies"
    again = browser.get(page)
    fields = hidden(again, deed) | {"unwatch": "1"}
    assert "No longer watched." in browser.follow(browser.post(deed, fields)).text
    assert texts(browser.get(page), "//form[contains(@action, '/watch')]//a") == []
    assert browser.submit(page, deed, watchlist="wl_" + "0" * 26).status_code == 404


def test_downloads_have_the_rows_of_the_api(browser: Browser) -> None:
    for file, part in (
        ("financials", "/financials"),
        ("owners", "/ownership"),
        ("filings", "/filings"),
        ("events", "/events"),
    ):
        answer = browser.get(f"{COMPANIES}/{KNOWN}/{file}.csv")
        assert answer.headers["content-disposition"] == f'attachment; filename="firm-SE-5599999991-{file}.csv"'
        assert answer.content.startswith(b"\xef\xbb\xbf"), "else Excel takes it for another encoding"
        rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
        told = browser.get(f"{DATA}/{KNOWN}{part}?limit=100").json()["data"]
        assert rows or not told
        for row, period in zip(rows, told, strict=True):
            for name, cell in row.items():
                value = " ".join(period[name]) if isinstance(period[name], list) else period[name]
                assert cell == (
                    "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
                ), name
    assert browser.get(f"{COMPANIES}/{KNOWN}/secrets.csv").status_code == 404


def test_cells_run_nothing_in_a_spreadsheet_and_unknown_is_empty() -> None:
    rows = [{"name": '=HYPERLINK("x")', "revenue": -5, "ok": True}, {"name": None, "revenue": 0, "ok": False}]
    assert csv_text(("name", "revenue", "ok"), rows) == (
        'name,revenue,ok\r\n"\'=HYPERLINK(""x"")",-5,true\r\n,0,false\r\n'
    )


def test_downloads_say_which_rows_and_figures_are_no_plain_ones() -> None:
    """Computed figures, lengths of periods, classes of shares, indirect holdings: without them sums are wrong."""
    assert {"derived", "period_months"} <= {*TABLES["financials.csv"].columns}
    assert {"share_class", "is_direct"} <= {*TABLES["owners.csv"].columns}
    rows = [{"revenue": 5, "derived": ["revenue", "equity"]}, {"revenue": 6, "derived": []}]
    assert csv_text(("revenue", "derived"), rows) == "revenue,derived\r\n5,revenue equity\r\n6,\r\n"


def test_a_search_without_scripts_leads_to_pages(browser: Browser) -> None:
    answer = browser.get(f"{COMPANIES}?q=Exempelbolaget")
    assert f'href="{COMPANIES}/{KNOWN}"' in answer.text
    assert "No company is found." in browser.get(f"{COMPANIES}?q=zzzzzz").text
    hostile = browser.get(COMPANIES + "?q=%22%3E%3Cscript%3E")
    assert "<script>" not in hostile.text


def test_the_program_to_copy_runs(desk: Desk, browser: Browser, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("FIRMDATA_API_KEY", key_made(browser))
    code = company_code(desk.base, KNOWN, None)
    run: Callable[..., None] = exec
    run(code.python, {})
    assert "Exempelbolaget AB" in capsys.readouterr().out
    assert code.curl.count("$FIRMDATA_API_KEY") == len(PARTS)


def test_public_pages_exist_where_a_publishable_key_is_set_and_show_no_other(open_desk: Callable[..., Desk]) -> None:
    key = "firm_public_" + "a" * 42
    desk = open_desk(public_companies_key=key)
    stranger = desk.browser()
    answer = stranger.get(f"/companies/{KNOWN}?as_of=2026-11-20")
    assert texts(answer, "//h1") == ["Exempelbolaget AB"]
    assert answer.text.count(f'data-key="{key}"') == 2
    assert 'data-day="2026-11-20"' in answer.text
    assert stranger.set_by == []
    assert stranger.get(f"/companies/{UNKNOWN}").status_code == 404
    assert stranger.get(f"/companies/{KNOWN}?as_of=2099-01-01").status_code == 422
    assert key not in desk.signed_in().get(f"{COMPANIES}/{KNOWN}").text


def test_without_a_key_there_are_no_public_pages(desk: Desk) -> None:
    assert desk.browser().get(f"/companies/{KNOWN}").status_code == 404


@pytest.mark.parametrize("text", ["firm_live_" + "a" * 42, "firm_public_", "firm_secret_" + "a" * 42, "x"])
def test_a_key_that_is_not_publishable_is_no_setting(text: str) -> None:
    with pytest.raises(ValueError, match="publishable"):
        parse_publishable_key(text)
