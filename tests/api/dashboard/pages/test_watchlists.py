"""Watchlists on the dashboard: made, filled, emptied, renamed, deleted, by their account alone; filters by them."""

import re

from lxml import html

from tests.api.dashboard.conftest import Desk, hidden, texts
from tests.api.dashboard.subscribing import HOSTILE, facts, subscribed

LISTS = "/dashboard/watchlists"
KNOWN, UNKNOWN = "firm:SE:5599999991", "firm:NO:900000000"


def made(browser, name="Suppliers"):
    """The page of a new watchlist."""
    answer = browser.submit(LISTS, LISTS, name=name)
    assert answer.headers["location"].endswith("?done=created")
    return answer.headers["location"].partition("?")[0]


def companies(browser, page):
    return [one.split()[-1] for one in texts(browser.get(page), "//tbody//th")]


def test_a_watchlist_is_made_filled_renamed_and_deleted(desk: Desk) -> None:
    browser = desk.signed_in()
    assert "No watchlists yet" in browser.get(LISTS).text
    page = made(browser, HOSTILE)
    assert texts(browser.get(LISTS), "//tbody//th") == [HOSTILE]
    added = browser.submit(page, f"{page}/companies", companies=f"559999-9991, {UNKNOWN}\r\n{KNOWN}")
    assert added.headers["location"] == f"{page}?done=changed"
    assert companies(browser, page) == [UNKNOWN, KNOWN]
    assert facts(browser, page)["Companies"] == "2"
    assert "not known yet" in browser.get(page).text
    browser.submit(page, f"{page}/companies/{UNKNOWN}/remove")
    assert companies(browser, page) == [KNOWN]
    browser.submit(page, f"{page}/rename", name=" Customers ")
    assert texts(browser.get(page), "//h1") == ["Customers"]
    assert browser.submit(page, f"{page}/delete").headers["location"] == f"{LISTS}?done=deleted"
    assert browser.get(page).status_code == 404


def test_what_is_refused_is_told_and_changes_nothing(desk: Desk) -> None:
    browser = desk.signed_in()
    page = made(browser)
    for path, form, said in (
        (f"{page}/companies", {"companies": f"{KNOWN} 12ab"}, "«12ab»: must be a company id or number"),
        (f"{page}/companies", {"companies": " "}, "Companies: leave it out instead"),
        (f"{page}/companies", {"companies": HOSTILE}, "«<script>alert(1)</script><img»"),
        (f"{page}/rename", {"name": " "}, "Name: must not be empty or blank"),
    ):
        refused = browser.submit(page, path, **form)
        assert refused.status_code == 422
        assert said in texts(refused, "//*[@role='alert']")[0], path
        assert html.fromstring(refused.text).xpath("//script | //img") == []
    empty = browser.submit(LISTS, LISTS, name="")
    assert (empty.status_code, "Name" in texts(empty, "//*[@role='alert']")[0]) == (422, True)
    assert (companies(browser, page), texts(browser.get(page), "//h1")) == ([], ["Suppliers"])
    some = " ".join(f"firm:NO:{number}" for number in range(900_000_000, 900_000_101))
    assert browser.submit(page, f"{page}/companies", companies=some).status_code == 303
    assert len(companies(browser, page)) == 100
    (more,) = html.fromstring(browser.get(page).text).xpath("//a[text()='More companies']/@href")
    assert companies(browser, more) == ["firm:NO:900000100"]


def test_another_accounts_watchlist_is_not_found(desk: Desk) -> None:
    page = made(desk.signed_in())
    other = desk.signed_in("other@example.com")
    token = hidden(other.get(LISTS), LISTS)
    assert other.get(page).status_code == 404
    for path in ("/rename", "/companies", f"/companies/{KNOWN}/remove", "/delete"):
        answer = other.post(f"{page}{path}", token | {"name": "x", "companies": KNOWN})
        assert answer.status_code == 404, path


def test_a_subscription_is_filtered_by_every_filter_of_its_form(desk: Desk) -> None:
    browser = desk.signed_in()
    listed = made(browser).rsplit("/", 1)[1]
    form = {
        "watchlist_id": listed, "country SE": "on", "country NO": "on", "industries": "62, 64.2",
        "is_listed": "true", "min_change_pct": "2,5", "threshold 50": "on", "changed revenue": "on",
    }  # fmt: skip
    page, _ = subscribed(browser, "https://hooks.example.com/events", **form)
    assert facts(browser, page)["Filters"] == (
        "companies of SE or NO; industry codes beginning with 62 or 642; listed companies; shares that change by 2.5 "
        "points or more; shares that cross 50 percent; changes of revenue; the watchlist «Suppliers»"
    )
    used = browser.submit(f"{LISTS}/{listed}", f"{LISTS}/{listed}/delete")
    assert (used.status_code, page.rsplit("/", 1)[1] in used.text) == (409, True)
    edit = f"{page}/edit"
    tree = html.fromstring(browser.get(edit).text)
    ticked = tree.xpath("//details[@open]//input[@checked]/@name")
    assert ticked == ["country SE", "country NO", "threshold 50", "changed revenue"]
    assert tree.xpath("//details//select/option[@selected]/@value") == [listed, "true"]
    assert tree.xpath("//input[@id='industries' or @id='min_change_pct']/@value") == ["62 642", "2.5"]
    same = {"endpoint_url": "https://hooks.example.com/events", "type filing.added": "on"}
    refused = browser.submit(edit, edit, **same, industries="62", min_change_pct="much")
    said = texts(refused, "//*[@role='alert']")[0]
    assert (refused.status_code, "Change of a share: must be a number" in said) == (422, True)
    wrong = browser.submit(edit, edit, **same, industries="62")
    assert re.search("Classification: is required", texts(wrong, "//*[@role='alert']")[0])
    assert browser.submit(edit, edit, **same).status_code == 303
    assert "Filters" not in facts(browser, page)
    assert html.fromstring(browser.get(edit).text).xpath("//details[@open]") == []
    assert browser.submit(f"{LISTS}/{listed}", f"{LISTS}/{listed}/delete").status_code == 303
