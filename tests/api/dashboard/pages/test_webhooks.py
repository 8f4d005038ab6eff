"""Webhook pages: a subscription made, tried, paused, resumed and deleted; its log read, retried and replayed."""

import base64
import hashlib
import hmac
import json
import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

import pytest
from lxml import html

from api.database.engine import Database
from api.settings.webhooks import WebhookSettings
from tests.api.dashboard.conftest import Desk, hidden, texts
from tests.api.dashboard.subscribing import ALL, HOSTILE, facts, subscribed
from tests.api.fixtures.delivery_log import Log

TRIAL = WebhookSettings(allow_http=True, allow_networks=(ip_network("127.0.0.0/8"),))


class Hook(ThreadingHTTPServer):
    """An endpoint that answers 500 with a hostile body, and keeps what it got."""

    got: list[tuple[dict[str, str], bytes]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class Answering(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        self.server.got.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
        body = HOSTILE.encode()
        self.send_response(500)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Said", HOSTILE)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[Hook]:
    server = Hook(("127.0.0.1", 0), Answering)
    server.got = []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def desk(open_desk) -> Desk:
    return open_desk(webhooks=TRIAL)


@pytest.fixture
def log(desk: Desk, tmp_path) -> Iterator[Log]:
    database = Database(f"sqlite:///{tmp_path / 'control.sqlite'}")
    yield Log(database)
    database.close()


def test_a_subscription_from_its_making_to_its_end(desk: Desk, hook: Hook) -> None:
    browser = desk.signed_in()
    page, secret = subscribed(browser, hook.url, description=HOSTILE, entity_ids="firm:SE:5599999991, 999999999")
    shown = browser.get(page)
    assert secret not in shown.text
    assert html.fromstring(shown.text).xpath("//script | //img") == []
    assert facts(browser, page)["Status"] == "active"
    assert facts(browser, page)["Events"] == "filing.added, status.changed"
    (record,) = [row for row in texts(browser.get(ALL), "//tbody/tr") if hook.url in row]
    assert "active" in record
    paused = browser.submit(page, f"{page}/status")
    assert facts(browser, page)["Status"] == "paused: you paused it"
    assert texts(browser.get(paused.headers["location"]), "//*[@role='status']")[0].startswith("Paused.")
    browser.submit(page, f"{page}/status")
    assert facts(browser, page)["Status"] == "active"
    gone = browser.submit(page, f"{page}/delete")
    assert gone.headers["location"] == f"{ALL}?done=deleted"
    assert browser.get(page).status_code == 404
    assert texts(browser.get(ALL), "//tbody/tr") == []


def test_a_test_is_signed_sent_and_shown_as_it_came_back(desk: Desk, hook: Hook) -> None:
    browser = desk.signed_in()
    page, secret = subscribed(browser, hook.url)
    answer = browser.submit(page, f"{page}/test", event_type="filing.added")
    assert answer.status_code == 200
    ((headers, body),) = hook.got
    assert json.loads(body)["event_type"] == "filing.added"
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Service-Signature"] == f"sha256={digest}"
    tree = html.fromstring(answer.text)
    assert tree.xpath("//script | //img") == []
    assert HOSTILE in [one.text_content() for one in tree.xpath("//pre")]
    assert texts(answer, "//h3") == ["Attempt 1: failed (http_status)"]


def test_a_secret_is_replaced_and_the_former_one_signs_on(desk: Desk, hook: Hook) -> None:
    browser = desk.signed_in()
    page, former = subscribed(browser, hook.url)
    made = browser.follow(browser.submit(page, f"{page}/rotate", hours="1"))
    (written,) = re.findall(r'id="secret"[^>]* value="(whsec_[^"]+)"', made.text)
    secret = html.fromstring(f"<p>{written}</p>").text_content()
    assert secret != former
    assert "the previous one is valid until" in facts(browser, page)["Secret"]
    browser.submit(page, f"{page}/test", event_type="filing.added")
    signatures = {one.split(",")[1] for one in hook.got[0][0]["webhook-signature"].split(" ")}
    assert len(signatures) == 2
    signed = f"{hook.got[0][0]['webhook-id']}.{hook.got[0][0]['webhook-timestamp']}.".encode() + hook.got[0][1]
    for one in (secret, former):
        key = base64.b64decode(one.removeprefix("whsec_"))
        assert base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode() in signatures
    again = browser.submit(page, f"{page}/rotate", hours="1")
    assert again.status_code == 409
    assert browser.submit(page, f"{page}/rotate", hours="0").status_code == 303
    assert browser.submit(page, f"{page}/rotate", hours="1000").status_code == 400


def test_the_log_is_read_filtered_and_retried(desk: Desk, log: Log) -> None:
    browser = desk.signed_in()
    page, _ = subscribed(browser, "https://hooks.example.com/events")
    subscription = page.rpartition("/")[2]
    for number in range(27):
        status = "failed" if number % 9 == 0 else "succeeded"
        made = log.deliver(subscription, log.event(name=HOSTILE), status)
        log.at += timedelta(seconds=1)  # ids rise with time
    failed = log.deliver(subscription, log.event(), "failed", last_error="http_status", last_response_status=500)
    log.attempt(failed, response_body=HOSTILE, error_detail=HOSTILE)
    rows = texts(browser.get(page), "//tbody/tr")
    assert len(rows) == 25
    assert "http_status (500)" in rows[0]
    (older,) = html.fromstring(browser.get(page).text).xpath("//a[text()='Older deliveries']/@href")
    assert len(texts(browser.get(older), "//tbody/tr")) == 3
    assert len(texts(browser.get(f"{page}?status=failed"), "//tbody/tr")) == 4
    assert len(texts(browser.get(f"{page}?status=%3Cb&before=x&done=evil"), "//tbody/tr")) == 25
    assert HOSTILE.replace('"', '\\"') in "".join(texts(browser.get(f"{page}/deliveries/{made}"), "//pre"))
    detail = browser.get(f"{page}/deliveries/{failed}")
    assert html.fromstring(detail.text).xpath("//script | //img") == []
    assert HOSTILE in texts(detail, "//pre")
    retried = browser.submit(f"{page}/deliveries/{failed}", f"{page}/deliveries/{failed}/retry")
    assert texts(browser.get(retried.headers["location"]), "//*[@role='status']")[0].startswith("One more attempt")
    assert [(one[0], one[1]) for one in log.queue(subscription)] == [(failed, "manual")]


def test_what_was_held_is_delivered_again(desk: Desk, log: Log) -> None:
    browser = desk.signed_in()
    page, _ = subscribed(browser, "https://hooks.example.com/events")
    subscription = page.rpartition("/")[2]
    for status in ("held", "held", "failed", "succeeded"):
        log.deliver(subscription, log.event(), status)
    assert facts(browser, page)["Held"] == "2 deliveries"
    desk.made.hands.seconds += 1
    (since,) = html.fromstring(browser.get(page).text).xpath("//input[@name='since']/@value")
    told = browser.submit(page, f"{page}/replays", since=since, held="on")
    assert told.status_code == 303
    assert facts(browser, told.headers["location"])["Deliveries"] == "2"
    assert desk.signed_in("other@example.com").get(told.headers["location"]).status_code == 404
    assert facts(browser, page)["Held"] == "0 deliveries"
    for fields in ({"since": "x", "held": "on"}, {"since": "2020-01-01", "held": "on"}, {"since": since}):
        assert browser.submit(page, f"{page}/replays", **fields).status_code == 422
    browser.submit(page, f"{page}/status")
    assert browser.submit(page, f"{page}/replays", since=since, held="on").status_code == 409


def test_what_makes_no_subscription_is_said_by_the_forms_names(desk: Desk) -> None:
    browser, one = desk.signed_in(), {"type filing.added": "on"}
    hooks = {"endpoint_url": "https://hooks.example.com/"}
    for fields, said in (
        (one | hooks | {"max_per_second": "a"}, "Maximum per second"),
        (hooks, "Event types"),
        (one | {"endpoint_url": ""}, "Endpoint"),
        (one | {"endpoint_url": "ftp://x.example"}, "Endpoint"),
        (one | {"endpoint_url": "https://10.0.0.1/"}, "must resolve to public addresses"),
        (one | hooks | {"entity_ids": HOSTILE}, "Companies"),
    ):
        answer = browser.submit(ALL, ALL, **fields)
        assert answer.status_code == 422
        assert said in texts(answer, "//*[@role='alert']")[0]
        tree = html.fromstring(answer.text)
        assert tree.xpath("//script | //img") == []
        assert tree.xpath("//input[@id='endpoint_url']/@value") == [fields["endpoint_url"]]


def test_subscriptions_of_others_and_without_the_tier(desk: Desk, log: Log) -> None:
    owner = desk.signed_in()
    page, _ = subscribed(owner, "https://hooks.example.com/events")
    delivery = log.deliver(page.rpartition("/")[2], log.event(), "failed")
    desk.made.accounts.create_account("other@example.com", "pro")
    other = desk.signed_in("other@example.com")
    own = hidden(other.get(ALL), ALL) | {"status": "paused", "hours": "0", "event_type": "filing.added"}
    own |= {"since": "2026-11-20", "held": "on"}
    for path in (page, f"{page}/edit", f"{page}/deliveries/{delivery}"):
        assert other.get(path).status_code == 404
    posts = ("edit", "status", "rotate", "test", "delete", "replays", f"deliveries/{delivery}/retry")
    assert [other.post(f"{page}/{path}", own).status_code for path in posts] == 7 * [404]
    assert [other.post(f"{page}/{path}", own | {"form_token": "x"}).status_code for path in posts] == 7 * [403]
    assert facts(owner, page)["Status"] == "active"
    desk.made.accounts.set_tier("owner@example.com", "basic")
    assert facts(owner, page)["Status"] == "paused: your tier has no webhooks"
    own = hidden(owner.get(page), f"{page}/status") | {"status": "active"}
    assert owner.post(f"{page}/status", own).status_code == 403
    assert "has no webhooks" in owner.get(ALL).text
    desk.made.accounts.set_tier("owner@example.com", "pro")
    desk.made.accounts.set_status("owner@example.com", "suspended")
    assert owner.post(f"{page}/status", own).status_code == 403
    assert "This account is suspended" in owner.get(ALL).text
