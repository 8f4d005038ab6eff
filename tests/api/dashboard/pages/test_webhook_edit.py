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


def test_a_destination_is_made_changed_and_its_key_never_shown(desk: Desk) -> None:
    browser = desk.signed_in()
    key = {"access_key_id": "AKIAEXAMPLEEXAMPLE01", "secret_access_key": "never-to-be-seen/anywhere+0123456789ab"}
    queue = "https://sqs.eu-north-1.amazonaws.com/123456789012/events"
    page, _ = subscribed(browser, "", kind="sqs", queue_url=queue, region="eu-north-1", **key)
    assert facts(browser, page)["Destination"] == "queue of Amazon SQS, in eu-north-1, by the access key …LE01"
    edit = f"{page}/edit"
    shown = html.fromstring(browser.get(edit).text)
    assert shown.xpath("//select[@id='kind']/option[@selected]/@value") == ["sqs"]
    assert shown.xpath("//input[@id='queue_url']/@value") == [queue]
    kept = {"type filing.added": "on", "kind": "sqs", "queue_url": queue, "region": "eu-north-1", "endpoint_url": ""}
    assert browser.submit(edit, edit, **kept, description="x").status_code == 303
    assert facts(browser, page)["Destination"].endswith("…LE01"), "the key stays"
    bucket = kept | {"kind": "s3", "bucket": "acme", "prefix": "firm"}
    refused = browser.post(edit, hidden(browser.get(edit), edit) | bucket | {"access_key_id": key["access_key_id"]})
    assert refused.status_code == 422
    assert texts(refused, "//*[@role='alert']//li") == [
        "Secret access key: 'secret_access_key' is required for kind s3"
    ]
    assert browser.submit(edit, edit, **bucket, **key).status_code == 303
    assert texts(browser.get(page), "//h1") == ["https://acme.s3.eu-north-1.amazonaws.com/firm/"]
    emptied = bucket | {"prefix": "", "access_key_id": "AKIA2", "secret_access_key": "another-secret"}
    assert browser.submit(edit, edit, **emptied).status_code == 303
    assert facts(browser, page)["Destination"] == "bucket of Amazon S3, in eu-north-1, by the access key …KIA2"
    assert texts(browser.get(page), "//h1") == ["https://acme.s3.eu-north-1.amazonaws.com/"]
    for one in (browser.get(page), browser.get(edit), refused):
        assert key["secret_access_key"] not in one.text
        assert key["access_key_id"] not in one.text
    assert (
        browser.submit(edit, edit, **kept | {"kind": "https", "endpoint_url": "https://a.example.com/"}).status_code
        == 303
    )
    assert facts(browser, page)["Destination"] == "https endpoint"
    unknown = browser.post(edit, hidden(browser.get(edit), edit) | kept | {"kind": "kafka"})
    assert texts(unknown, "//*[@role='alert']//li") == ["Destination: must be one of https, sqs, s3"]
