"""A subscription changed on its page: everything of it, by whom it belongs to, and by nobody who looked too long ago."""

from lxml import html

from tests.api.dashboard.conftest import Desk, hidden, texts
from tests.api.dashboard.subscribing import HOSTILE, facts, subscribed


def test_a_subscription_is_changed(desk: Desk) -> None:
    browser = desk.signed_in()
    page, _ = subscribed(browser, "https://hooks.example.com/events", entity_ids="firm:SE:5599999991")
    edit = f"{page}/edit"
    tree = html.fromstring(browser.get(edit).text)
    assert tree.xpath("//input[@type='checkbox' and @checked]/@name") == ["type filing.added", "type status.changed"]
    assert tree.xpath("//textarea")[0].text_content().strip() == "firm:SE:5599999991"
    changed = {"endpoint_url": "https://other.example.com/", "type news.published": "on", "entity_ids": ""}
    changed |= {"description": HOSTILE, "max_per_second": "7"}
    assert browser.submit(edit, edit, **changed).headers["location"] == f"{page}?done=changed"
    assert facts(browser, page)["Events"] == "news.published"
    shown = browser.get(page)
    assert texts(shown, "//h1") == ["https://other.example.com/"]
    assert HOSTILE in texts(shown, "//main/p")
    tree = html.fromstring(browser.get(edit).text)
    assert tree.xpath("//input[@id='max_per_second']/@value") == ["7"]
    assert tree.xpath("//textarea")[0].text_content().strip() == ""
    emptied = dict.fromkeys(("description", "max_per_second", "entity_ids"), "")
    same = {"endpoint_url": "https://other.example.com/", "type news.published": "on"}
    assert browser.submit(edit, edit, **emptied | same).status_code == 303
    assert HOSTILE not in browser.get(page).text


def test_a_change_that_makes_no_sense_or_comes_late_changes_nothing(desk: Desk) -> None:
    browser = desk.signed_in()
    page, _ = subscribed(browser, "https://hooks.example.com/events")
    edit = f"{page}/edit"
    form = hidden(browser.get(edit), edit)
    good = {"endpoint_url": "https://hooks.example.com/events", "type filing.added": "on"}
    for fields, said in (
        ({"endpoint_url": good["endpoint_url"]}, "Event types"),
        (good | {"endpoint_url": "https://10.0.0.1/"}, "Endpoint"),
        (good | {"entity_ids": HOSTILE}, "Companies"),
        (good | {"max_per_second": "1000"}, "Maximum per second"),
    ):
        refused = browser.post(edit, form | fields)
        assert refused.status_code == 422
        assert said in texts(refused, "//*[@role='alert']")[0]
        assert html.fromstring(refused.text).xpath("//script | //img") == []
        assert hidden(refused, edit, 422) == form
    assert facts(browser, page)["Events"] == "filing.added, status.changed"
    assert browser.post(edit, form | good).status_code == 303
    late = browser.post(edit, form | {"endpoint_url": good["endpoint_url"], "type news.published": "on"})
    assert late.status_code == 412
    for revision in ("", "*", '1", *, "', '"*"'):
        assert browser.post(edit, form | good | {"revision": revision}).status_code == 412
    assert facts(browser, page)["Events"] == "filing.added"


def test_a_form_holds_all_companies_that_a_tier_allows(desk: Desk) -> None:
    """More than the forms of other pages may have: 413 there."""
    browser = desk.signed_in()
    page, _ = subscribed(browser, "https://hooks.example.com/events")
    companies = "\r\n".join(f"firm:US:US{number:010d}" for number in range(1, 1_001))
    good = {"endpoint_url": "https://hooks.example.com/events", "type filing.added": "on"}
    assert browser.submit(f"{page}/edit", f"{page}/edit", **good, entity_ids=companies).status_code == 303
    text = html.fromstring(browser.get(f"{page}/edit").text).xpath("//textarea")[0].text_content()
    assert text.split() == companies.split()
    assert browser.submit(page, f"{page}/status", x=companies).status_code == 413
