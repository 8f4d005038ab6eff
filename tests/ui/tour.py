"""One tour of a browser through the gallery on a live service, and what the service itself says of the same.

Belongs here: the world, the service, the pages that are visited. Does not belong here: what must hold of them
(`test_ui_browser`).
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import httpx

from api.accounts.service import AccountService
from api.settings.service import ApiSettings
from firm.bootstrap import Installation
from sandbox import sufficient_companies, write_days
from tests.browsing import Run, keep_screenshots
from tests.firm.conftest import Firm
from tests.hostile import HOSTILE, HostileWorld

MARKETS = ("FI",)  # one market has every kind of event, and little to load
DAYS = 2
WIDE, NARROW = 1280, 360
COMPONENTS, PUBLIC_COMPONENTS = 10, 8  # drawn in the gallery, and on a page of a company
SECRET = "firm_live_" + "a" * 42
UNKNOWN_KEY = "firm_public_" + "a" * 42
UNKNOWN_COMPANY = "9999999-2"
CHANGES = "filing.added,ownership.changed,status.changed"  # what the gallery asks its feed of changes for
HERE = ("http://127.0.0.1:*",)  # the gallery's origin
ELSEWHERE = ("shop.example.com",)
SMALL = "\n[tiers.small]\nmonthly_requests = 1\nburst_per_second = 100\nburst_capacity = 100\n"
Component = dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """What a browser found on each page, by the names of the visits, and what the API answered."""

    base: str
    gallery: str
    key: str
    pages: dict[str, Any]
    answers: dict[str, Any]

    def page(self, name: str) -> dict[str, Component]:
        return {one["kind"]: one for one in self.pages[name]["components"]}


@dataclass(frozen=True)
class Chosen:
    """Companies of the world that have much to show, and one that has little."""

    filed: str  # with the most accounts
    told: str  # with news
    owned: str  # with the most owners, and events
    grouped: str  # with the most companies above and below it
    without: str  # with neither owners nor events
    hostile: str  # with a name that is made to break out of a page


class Metered(Firm):
    """`firm` with a tier besides whose month is spent at once, and pages of companies for everybody once there is a key."""

    @property
    def environment(self) -> dict[str, str]:
        usual = super().environment
        path = self.data.with_name("metered.toml")
        path.write_text(Path(usual["FIRM_TIERS"]).read_text() + SMALL)
        key = self.public_key_file.read_text() if self.public_key_file.exists() else ""
        return usual | {"FIRM_TIERS": str(path), "FIRM_PUBLIC_COMPANIES_KEY": key}

    @property
    def public_key_file(self) -> Path:
        return self.data.with_name("public.key")


@dataclass(frozen=True)
class Keys:
    """Publishable keys, by what stands in their way."""

    usual: str
    elsewhere: str
    unpaid: str
    spent: str


def make_tour(run: Run, browser: str, into: Path) -> None:
    """Fills a folder with seen.json and, where they are kept, a screenshot of every page."""
    firm = Metered(into / "data")
    world = HostileWorld(
        every=5, seed=23, companies=sufficient_companies(DAYS, MARKETS), days=DAYS, markets=MARKETS, press=MARKETS
    )
    for day in write_days(world, into / "days"):
        firm.ingest(day, *(market.lower() for market in MARKETS))
    firm.public_key_file.write_text(_made_public_key(firm))
    with firm.serving() as client, gallery_at(run, into / "gallery") as gallery:
        base = str(client.base_url).rstrip("/")
        keys, chosen = _keys(firm), _choose(client)
        page = {"Authorization": f"Bearer {keys.spent}", "Origin": gallery}
        the_one = client.get("/api/v1/companies?limit=1", headers=page)  # of its month
        assert the_one.status_code == 200
        visits = list(_visits(gallery, base, keys, chosen))
        asked = {"browser": browser, "folder": str(into), "visits": visits}
        done = run("node", Path(__file__).with_name("visit.mjs"), given=json.dumps(asked))
        assert done.returncode == 0, done.stdout + done.stderr
        seen = Seen(base, gallery, keys.usual, json.loads(done.stdout), _answers(client, chosen))
    (into / "seen.json").write_text(json.dumps(asdict(seen)))
    keep_screenshots(into, "components")


def read_tour(folder: Path) -> Seen:
    return Seen(**json.loads((folder / "seen.json").read_text()))


def _visits(gallery: str, base: str, keys: Keys, chosen: Chosen) -> Iterator[dict[str, Any]]:
    """Each page: its address, the width of the window, the colours, whether a day of the calendar is pressed."""
    usual = {"base": base, "key": keys.usual}

    def page(name: str, width: int = WIDE, colours: str = "light", *, press: bool = False, **changed: str) -> Any:
        url = f"{gallery}/?{urlencode(usual | {'company': chosen.filed} | changed)}"
        return {"name": name, "url": url, "width": width, "colours": colours, "press": press, "components": COMPONENTS}

    yield page("wide")
    yield page("narrow", NARROW)
    yield page("dark", colours="dark", locale="sv")
    yield page("told", company=chosen.told)
    yield page("owned", company=chosen.owned, press=True)
    yield page("grouped", company=chosen.grouped)
    yield page("owned-narrow", NARROW, company=chosen.owned)
    yield page("empty", company=chosen.without)
    yield page("hostile", company=chosen.hostile)
    yield page("no-company", company=UNKNOWN_COMPANY)
    yield page("other-domain", NARROW, key=keys.elsewhere)
    yield page("unpaid", key=keys.unpaid)
    yield page("spent", NARROW, key=keys.spent)
    yield page("unknown-key", key=UNKNOWN_KEY)
    yield page("secret-key", key=SECRET)
    public = {"url": f"{base}/companies/{chosen.filed}", "components": PUBLIC_COMPONENTS, "measured": True}
    yield page("public") | public
    yield page("public-narrow", NARROW, "dark") | public
    yield page("no-service", base="http://127.0.0.1:1")


def _answers(client: httpx.Client, chosen: Chosen) -> dict[str, Any]:
    """What the API itself says of what the pages show, with a secret key and no component between."""
    return {
        "profile": _get(client, chosen.filed, include="detail"),
        "hostile": _get(client, chosen.hostile),
        "periods": _data(client, chosen.filed, "/financials", period_type="annual", years=5),
        "chart": _data(client, chosen.filed, "/financials", period_type="annual", years=8),
        "group": _get(client, f"{chosen.grouped}/group", limit=50),
        "filings": _data(client, chosen.filed, "/filings", limit=10),
        "owners": _data(client, chosen.owned, "/ownership", limit=100),
        "news": _data(client, chosen.told, "/events", event_type="news.published", limit=10),
        "changes": _data(client, chosen.owned, "/events", event_type=CHANGES, limit=25),
        "events": _data(client, chosen.owned, "/events", limit=100),
    }


def _choose(client: httpx.Client) -> Chosen:
    companies = _get(client, "", limit=100)["data"]
    ids = [company["id"] for company in companies if HOSTILE not in company["name"]]
    events = {one: _data(client, one, "/events", limit=100) for one in ids}
    groups = {one: _get(client, f"{one}/group") for one in ids}
    owners = {one: len(_data(client, one, "/ownership")) for one in ids}
    return Chosen(
        filed=max(ids, key=lambda one: len(_data(client, one, "/financials"))),
        told=next(one for one in ids if any(event["event_type"] == "news.published" for event in events[one])),
        owned=max(ids, key=lambda one: (owners[one], len(events[one]))),
        grouped=max(ids, key=lambda one: len(groups[one]["parents"]) + len(groups[one]["children"]["data"])),
        hostile=next(company["id"] for company in companies if HOSTILE in company["name"]),
        without=next(one for one in ids if not events[one] and not owners[one]),
    )


def _get(client: httpx.Client, below: str, **parameters: str | int) -> dict[str, Any]:
    answer = client.get(f"/api/v1/companies/{below}".rstrip("/"), params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _data(client: httpx.Client, company: str, part: str, **parameters: str | int) -> list[dict[str, Any]]:
    return _get(client, company + part, **parameters)["data"]


def _keys(firm: Firm) -> Keys:
    settings = ApiSettings.read(firm.environment)
    with Installation(firm.environment, settings).accounts() as accounts:
        accounts.set_status(accounts.create_account("unpaid@example.com", "pro").account_id, "payment_required")
        accounts.create_account("spent@example.com", "small")
        return Keys(
            _public_key(accounts, "reader@example.com", HERE),
            _public_key(accounts, "reader@example.com", ELSEWHERE),
            _public_key(accounts, "unpaid@example.com", HERE),
            _public_key(accounts, "spent@example.com", HERE),
        )


def _made_public_key(firm: Metered) -> str:
    with Installation(firm.environment, ApiSettings.read(firm.environment)).accounts() as accounts:
        accounts.create_account("pages@example.com", "pro")
        return _public_key(accounts, "pages@example.com", HERE)


def _public_key(accounts: AccountService, owner: str, domains: tuple[str, ...]) -> str:
    return accounts.create_key(owner, "public", domains).key


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        pass


@contextmanager
def gallery_at(run: Run, folder: Path) -> Iterator[str]:
    """Address of the gallery, built and served on another origin than the service's."""
    built = run("node", "gallery/build.mjs", folder)
    assert built.returncode == 0, built.stdout + built.stderr
    with serving_folder(folder) as address:
        yield address


@contextmanager
def serving_folder(folder: Path) -> Iterator[str]:
    """Address of a web server of static files."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
