"""Subscribing on the dashboard, and what its pages say of a subscription: for the tests of its pages."""

import re

from lxml import html

from tests.api.dashboard.conftest import Browser

ALL = "/dashboard/webhooks"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def facts(browser: Browser, page: str) -> dict[str, str]:
    tree = html.fromstring(browser.get(page).text)
    return {
        one.xpath("./dt")[0].text_content(): " ".join(one.xpath("./dd")[0].text_content().split())
        for one in tree.xpath("//dl/div")
    }


def subscribed(browser: Browser, url: str, **more: str) -> tuple[str, str]:
    """Its page and its secret."""
    fields = {"endpoint_url": url, "type status.changed": "on", "type filing.added": "on"} | more
    made = browser.follow(browser.submit(ALL, ALL, **fields))
    (page,) = re.findall(r'href="(/dashboard/webhooks/whs_[0-9a-z]+)"', made.text)
    (secret,) = re.findall(r'id="secret"[^>]* value="(whsec_[^"]+)"', made.text)
    return page, html.fromstring(f"<p>{secret}</p>").text_content()
