"""The front page: every figure on it is the API's, and what is not known is said to be unknown."""

import json
from dataclasses import dataclass, field
from typing import Any

from api.public_pages.state import LIVE_SECONDS
from api.settings.tiers import read_tiers
from tests.api.conftest import Service
from tests.api.public_pages.conftest import LISTED, NOW, open_page, texts
from warehouse.reader.reader import ReleaseReader
from warehouse.storage.layout import Layout

ROWS = "//section[@aria-labelledby='markets']//tbody/tr"
UNKNOWN = "not known"


@dataclass
class Counting:
    """A reader that counts how often freshness is read."""

    reader: ReleaseReader
    read: list[int] = field(default_factory=list)

    def read_freshness(self) -> Any:
        self.read.append(1)
        return self.reader.read_freshness()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reader, name)


def instant(text: str) -> str:
    return f"{NOW.fromisoformat(text):%Y-%m-%dT%H:%M:%SZ}"


def test_markets_are_those_of_the_api(service: Service) -> None:
    markets = service.get("/api/v1/markets").json()["data"]
    _, tree = open_page(service, "/")
    shown = {row.xpath("string(.//*[@class='code'])"): row for row in tree.xpath(ROWS)}
    assert set(shown) == {market["market"] for market in markets}
    for market in markets:
        row = shown[market["market"]]
        assert row.xpath("string(./th)").startswith(market["name"])
        cells = {cell.get("data-name"): cell for cell in row.xpath("./td")}
        if market["state"] == "announced":
            assert texts(row, "./td") == ["announced, not served yet"]
        elif not market["datasets"]:  # of a market that is not loaded the API has no instant
            assert texts(row, "./td") == ["not known: nothing loaded yet"]
        else:
            checked = max(one["checked_at"] for one in market["datasets"] if one["checked_at"])
            assert cells["Companies"].text_content() == f"{market['companies']:,}"
            assert cells["Datasets"].text_content() == str(len(market["datasets"]))
            assert cells["Newest data of"].xpath("./time/@datetime") == [instant(market["observed_at"])]
            assert cells["Last checked"].xpath("./time/@datetime") == [instant(checked)]
            assert cells["Last checked"].text_content() == "5 hours ago"
    assert texts(tree, "//dl[@class='totals']//dd")[:3] == ["2", "1", "3"]


def test_the_company_is_the_apis_and_its_answer_byte_for_byte(service: Service) -> None:
    _, tree = open_page(service, "/")
    request = texts(tree, "//section[@aria-labelledby='request']//pre")[0]
    assert request.endswith(f"https://api.example.com/api/v1/companies/{LISTED}")
    profile = service.get(f"/api/v1/companies/{LISTED}")
    shown = tree.xpath("//section[@aria-labelledby='request']//pre")[1].text_content()
    assert json.dumps(json.loads(shown), separators=(",", ":"), ensure_ascii=False) == profile.text
    periods = service.get(f"/api/v1/companies/{LISTED}/financials?period_type=annual&years=5").json()["data"]
    rows = [texts(row, "./*") for row in tree.xpath("//article//tbody/tr")]
    assert len(periods) == 5
    assert rows == [
        [one["period"], f"{one['revenue']:,}", UNKNOWN if one["net_result"] is None else "", one["currency"]]
        for one in periods
    ]
    events = service.get(f"/api/v1/companies/{LISTED}/events?limit=4").json()["data"]
    told = list(zip(tree.xpath("//ol//code/text()"), tree.xpath("//ol//time/@datetime"), strict=True))
    assert told == [(one["event_type"], one["occurred_at"]) for one in events]
    assert "EKSEMPEL <ASA>" in texts(tree, "//article//h3")


def test_before_the_first_release_nothing_is_zero(serve: Any, tmp_path: Any) -> None:
    service = serve(None, reader=ReleaseReader(Layout(tmp_path / "empty")))
    answer, tree = open_page(service, "/")
    assert answer.status_code == 200
    served = [row for row in tree.xpath(ROWS) if texts(row, "./td") != ["announced, not served yet"]]
    assert len(served) == 5
    assert {text for row in served for text in texts(row, "./td")} == {f"{UNKNOWN}: nothing loaded yet"}
    assert set(texts(tree, "//dl[@class='totals']//dd")) == {UNKNOWN}
    assert "No listed company" in texts(tree, "//section[@aria-labelledby='company']/p")[0]


def test_tiers_are_those_of_the_settings(serve: Any, norway: Any) -> None:
    tiers = read_tiers({"tiers": {"basic": {"monthly_requests": 1_234, "monthly_cents": 1_050}, "own": TIER}})
    _, tree = open_page(serve(norway, tiers=tiers), "/")
    cards = {card.xpath("string(./h3)"): texts(card, ".//p | .//li") for card in tree.xpath("//ul[@class='tiers']/li")}
    assert list(cards) == ["Basic", "Starter", "Pro", "Business", "Own"]
    assert cards["Basic"][:2] == ["10.50 USD a month", "1,234 requests a month"]
    assert cards["Own"] == [
        "price not published",
        "7 requests a month",
        "2 a second, 3 at once",
        "Watchlists of 0 companies",
        "4 webhook subscriptions",
        "Events company by company",
        "No bulk files",
    ]


TIER = {
    "monthly_requests": 7,
    "burst_per_second": 2,
    "burst_capacity": 3,
    "webhooks": True,
    "subscriptions": 4,
    "entity_ids": 5,
}


def test_a_flood_costs_one_rendering_until_its_time_is_over(serve: Any, norway: Any) -> None:
    counting = Counting(ReleaseReader(norway.layout))
    service = serve(norway, reader=counting)
    answers = [service.client.get(f"/?page={number}") for number in range(5)]
    assert len({answer.content for answer in answers}) == 1
    assert len(counting.read) == 1
    service.hands.seconds += LIVE_SECONDS
    assert "5 hours ago" in service.client.get("/").text
    assert len(counting.read) == 2
    counting.reader.close()
