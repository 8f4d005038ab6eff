"""A link that the command line prints lets its owner in: once, for as long as it says, whoever opens it."""

import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from litestar.testing import TestClient
from lxml import html

from api.app import create_app
from api.common.clock import Clock
from api.settings.service import ApiSettings
from firm.bootstrap import Installation
from warehouse.reader.reader import ReleaseReader

EMAIL, LIFETIME = "new@example.com", timedelta(hours=1)
ONCE = "This link is no longer valid"


def opened(client: TestClient[Any], link: str) -> tuple[str, str]:
    """What the page behind a link says, and what its button leads to."""
    page = html.fromstring(client.get(link).content)
    said = page.xpath("//h1")[0].text_content()
    if said == ONCE:
        return said, ""
    fields = {one.get("name"): one.get("value") for one in page.xpath("//main//input")}
    answer = client.post("/dashboard/sign-in/link", data=fields, follow_redirects=False)
    return said, answer.headers["location"]


def test_a_link_lets_in_who_has_just_got_an_account_once_and_not_for_long(tmp_path: Path) -> None:
    installation = Installation({}, ApiSettings(data=tmp_path, operators=frozenset({EMAIL})))
    with installation.accounts() as accounts:
        accounts.create_account(EMAIL, "pro")
    good, late = (installation.sign_in_link(EMAIL, LIFETIME) for _ in range(2))
    later, settings = [0.0], installation.settings
    clock = Clock(wall=lambda: time.time() + later[0])
    with installation.database() as database, closing(ReleaseReader(installation.layout)) as reader:
        app = create_app(settings, reader, database, installation.secrets(), clock)
        with TestClient(app, base_url=settings.public_url) as client:
            assert opened(client, good) == (f"Sign in as {EMAIL}?", "/dashboard")
            assert client.get("/dashboard/operator").status_code == 200
            client.cookies.clear()
            assert opened(client, good) == (ONCE, "")
            later[0] = LIFETIME.total_seconds() + 1
            assert opened(client, late) == (ONCE, "")
