"""The dashboard in Chromium, against the real service: what a customer does on it, and what holds of every page."""

import re
import statistics
from datetime import date
from urllib.parse import urlsplit

import pytest

from api.dashboard.pages import PAGES
from tests import browsing
from tests.api.dashboard.dashboard_scene import ANSWER, FORGED, OWNER, Seen, read_tour
from tests.api.dashboard.dashboard_tour import LABEL, make_tour
from tests.api.fixtures.mail_server import PostOffice
from tests.hostile import HOSTILE
from tests.once import made_once

pytestmark = pytest.mark.slow

BUDGET = 100_000
BUDGET_MILLISECONDS = 1_000
COMPANY_BUDGET = 160_000  # React, the components and what they read
ASSETS = "/dashboard/assets/{name:str}"
DATA = "/dashboard/api/v1/companies/{company_id:str}"
LOADED = {ASSETS, DATA, f"{DATA}/{{part:str}}", "/dashboard/companies/{company_id:str}/{table:str}"}
"""Loaded by pages, none themselves; the last is a file to keep."""
OWN_SCRIPT = re.compile(r'<script type="module" src="/dashboard/assets/company-[0-9A-Z]{8}\.js"></script>')
KEY = re.compile(r"firm_live_[0-9A-Za-z]{42}")


@pytest.fixture(scope="session")
def seen(post_office: PostOffice, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """One tour of a browser, made by the first process that asks."""
    browsing.tools()
    browsing.chromium()
    return read_tour(made_once(tmp_path_factory, "dashboard", lambda into: make_tour(post_office, into)))


def pattern_of(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{\w+:str\}", "[^/]+", path))


def test_every_page_is_visited_and_every_form_is_sent(seen: Seen) -> None:
    """A page that is made and not toured is named here: extend `dashboard_tour`."""
    asked = {(method, urlsplit(url).path) for method, url, _ in seen.visited}
    known = {(method, path) for page in PAGES for path in page.paths for method in page.http_methods & {"GET", "POST"}}
    missed = {
        (method, path)
        for method, path in known
        if (method, path) not in {("GET", one) for one in LOADED}
        and not any(method == other and pattern_of(path).fullmatch(met) for other, met in asked)
    }
    assert missed == set()
    pages = {path for method, path in known if method == "GET" and path not in LOADED}
    looked = {urlsplit(look["address"]).path for look in seen.looks.values()}
    assert {path for path in pages if not any(pattern_of(path).fullmatch(one) for one in looked)} == set()


def test_nothing_failed_on_the_way(seen: Seen) -> None:
    assert [one for one in seen.visited if one[2] >= 500] == []
    refused = {status for *_, status in seen.visited if status >= 400}
    assert refused == {403, 404, 410, 422}  # what the tour asks for


def test_a_key_is_made_by_keyboard_alone_and_works_at_once(seen: Seen) -> None:
    """Without JavaScript too, as all of the tour but the hostile pages."""
    assert KEY.fullmatch(seen.facts["key"])
    assert f"Your new key: {LABEL}" in seen.looks["key-made"]["text"]
    assert OWNER in seen.looks["usage-new"]["text"]
    assert (seen.facts["before"], seen.facts["answers"]) == (402, [200, 200, 200])  # without a plan, and with
    assert "3 of 60,000" in seen.looks["usage"]["text"]
    assert seen.facts["key"] not in seen.looks["keys"]["text"]
    assert "no longer valid" in seen.looks["link-spent"]["text"]


def test_a_trial_is_begun_and_cancelled(seen: Seen) -> None:
    assert "You have no plan yet." in seen.looks["plan-none"]["text"]
    assert "Your plan is active." in seen.looks["plan-begun"]["text"]
    assert "nothing will be charged, because you have cancelled" in seen.looks["plan-cancelled"]["text"]


def test_only_the_page_that_says_so_leads_elsewhere(seen: Seen) -> None:
    """Nothing of other hosts is asked for, but where a customer is led to Stripe."""
    strayed = {name: look["strayed"] for name, look in seen.looks.items() if look["strayed"]}
    (address,) = strayed.pop("leaving")
    assert address.startswith("https://checkout.stripe.com/")
    assert [one for found in strayed.values() for one in found if "https://billing.stripe.com/" not in one] == []


def test_a_subscription_is_made_tried_paused_and_resumed(seen: Seen) -> None:
    text = {name: look["text"] for name, look in seen.looks.items()}
    assert "has no webhooks" in text["webhooks-no-tier"]
    assert "must resolve to public addresses" in text["webhooks-refused"]
    assert "for everybody in here" in text["webhook-changed"]
    assert "Attempt 1: failed (http_status)" in text["tested"]
    assert "you paused it" in text["webhook-paused"]
    assert re.search(r"Held\s+[1-9]\d* deliver", text["webhook-held"])
    assert "you paused it" not in text["webhook-resumed"]
    assert "Completed " in text["replay-complete"]
    assert seen.facts["secret"].startswith("whsec_")
    assert seen.facts["secret_after"] not in ("", seen.facts["secret"])


def test_a_delivery_shows_its_attempts_what_was_sent_and_what_came_back(seen: Seen) -> None:
    text = seen.looks["delivery"]["text"]
    assert "Attempt 1: failed (http_status)" in text
    assert "Attempt 2: succeeded" in text
    assert '"event_type": "filing.added"' in text
    assert ANSWER in text
    assert 2 in seen.facts["deliveries"].values()


def test_what_others_wrote_stays_text_where_scripts_would_run(seen: Seen) -> None:
    for name in ("delivery-scripts", "delivery", "operation-answer"):
        assert HOSTILE.replace('"', '\\"') in seen.looks[name]["text"]
    for name in ("tested-scripts", "tested", "delivery"):
        assert ANSWER in seen.looks[name]["text"]


def test_no_page_has_what_would_run_or_runs_anything(seen: Seen) -> None:
    """Neither elements that were smuggled in, nor anything that a policy had to stop, nor an error."""
    foreign = {name: [one for one in look["foreign"] if not is_own(name, one)] for name, look in seen.looks.items()}
    assert {name: found for name, found in foreign.items() if found} == {}
    assert {name: look["broken"] for name, look in seen.looks.items() if look["broken"]} == {}


def is_own(look: str, element: str) -> bool:
    """Whether it is the script of company pages, on one of them."""
    return look.startswith("compan") and OWN_SCRIPT.fullmatch(element) is not None


def test_a_company_is_found_watched_and_subscribed_to_by_keyboard_and_its_event_arrives(seen: Seen) -> None:
    text = {name: look["text"] for name, look in seen.looks.items()}
    assert seen.facts["company_address"].endswith(
        f"/dashboard/companies/{seen.facts['company_id'].replace(':', '%3A')}"
    )
    assert "Choose with the arrow keys." in text["companies-suggested"]
    assert "Watched: events of this company" in text["company-watched"]
    assert '"event_type": "filing.added"' in text["company-delivered"]
    assert seen.facts["company_id"] in text["company-delivered"]
    assert seen.facts["company_copied"].strip() == "Copied."
    assert seen.facts["company_id"] in text["companies-found"] or "Results" in text["companies-found"]
    assert len(seen.facts["company_csv"]) == 4


def test_a_company_page_shows_what_the_api_says(seen: Seen) -> None:
    shown, api = seen.facts["company"], seen.facts["company_api"]
    profile, periods, owners, group, filings, events = api.values()
    assert shown["failures"] == []
    assert profile["name"] in seen.looks["company"]["text"]
    for name, values in shown["figures"].items():
        assert values == [str(period[name]) for period in periods["data"] if period[name] is not None], name
    assert shown["bars"]
    assert shown["holders"] == [owner["holder_id"] for owner in owners["data"]]
    assert shown["children"] == [line["company_id"] for line in group["children"]["data"]]
    assert shown["filings"] == [filing["filing_id"] for filing in filings["data"]]
    assert shown["events"] == [event["event_id"] for event in events["data"]]
    assert "retrieved" in seen.facts["company_source"]


def test_a_past_day_is_shown_by_every_component(seen: Seen) -> None:
    day = date.fromisoformat(seen.facts["company_day"])
    assert f"Shown as of {day.day} {day:%B %Y}:" in seen.looks["company-past"]["text"]
    assert seen.facts["company_past"]["filings"] == seen.facts["company_past_filings"]
    read = [url for url, _ in seen.looks["company-past"]["asked"] if "/api/v1/" in url]
    assert read
    assert [url for url in read if not re.search("as_of=|until=|[?&]to=", url)] == []
    assert set(seen.facts["company_past"]["failures"]) <= {"company_not_known_then"}


def test_a_company_is_printed_without_what_is_pressed(seen: Seen) -> None:
    printed = seen.facts["company_print"]
    assert printed["overhang"] == 0
    assert "Revenue and result" in printed["text"]
    for word in ("Sign out", "Notify me", "Quarters", "Skip to content"):
        assert word not in printed["text"], word


def test_no_page_shows_its_cookies_to_scripts(seen: Seen) -> None:
    assert {look["cookies"] for look in seen.looks.values()} == {""}


def test_a_page_of_the_same_site_neither_frames_nor_forges(seen: Seen) -> None:
    """Browsers send it the cookies; the policy and the form's token are what stops it."""
    assert seen.facts["framed"] == ["chrome-error://chromewebdata/"]
    assert "frame-ancestors" in " ".join(seen.facts["stopped"])
    assert "This form has expired" in seen.looks["forged"]["text"]
    assert LABEL in seen.looks["keys-after-attack"]["text"]
    assert FORGED not in seen.looks["keys-after-attack"]["text"]


def test_signing_out_from_another_browser_holds(seen: Seen) -> None:
    assert "(this one)" in seen.looks["sessions"]["text"]
    assert seen.facts["signed_out"] == f"{seen.base}/dashboard/sign-in"


def test_axe_finds_nothing_on_any_page(seen: Seen) -> None:
    faults = {
        (name, view): fault
        for name, look in seen.looks.items()
        for view, found in look["views"].items()
        for fault in found["faults"]
    }
    assert faults == {}


def test_no_page_is_wider_than_its_window_or_a_sheet(seen: Seen) -> None:
    wider = {
        (name, view): found["overhang"]
        for name, look in seen.looks.items()
        for view, found in look["views"].items()
        if found["overhang"] > 0
    }
    assert wider == {}
    assert {name: look["paper"] for name, look in seen.looks.items() if (look["paper"] or 0) > 0} == {}


def test_no_title_or_fact_of_a_page_is_cut_off(seen: Seen) -> None:
    views = [(name, view, found) for name, look in seen.looks.items() for view, found in look["views"].items()]
    assert {(name, view): found["cut"] for name, view, found in views if found["cut"]} == {}


def test_pages_are_soon_there(seen: Seen) -> None:
    """The usual page: what else the machine does delays one or the other of fifty."""
    painted = {name: look["painted"] for name, look in seen.looks.items() if look["painted"] is not None}
    assert len(painted) > 40
    assert 0 < statistics.median(painted.values()) < BUDGET_MILLISECONDS


def test_pages_are_small_and_of_this_service_alone(seen: Seen) -> None:
    for name, look in seen.looks.items():
        assert look["bytes"] < (COMPANY_BUDGET if name.startswith("compan") else BUDGET), name
        assert len(look["asked"]) > 1, name  # the page and its style sheet
        assert [
            url for url, _ in look["asked"] if not url.startswith((f"{seen.base}/dashboard", f"{seen.base}/companies/"))
        ] == [], name
        allowed = {200, 404} if name == "company-past" else {200}  # before the world, the company was not known
        assert [url for url, status in look["asked"][1:] if status not in allowed] == [], name


def test_the_account_that_is_suspended_reads_why(seen: Seen) -> None:
    assert "This account is suspended" in seen.looks["suspended"]["text"]
