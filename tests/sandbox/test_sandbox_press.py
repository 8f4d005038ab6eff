"""The press of the sandbox: what is planned of it, and each source's own format with its traps.

See docs/formats/news.md 1, 2.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from connectors.gleif.level1.registration_numbers import is_lei
from sandbox import World, sufficient_companies, write_days
from sandbox.companies import releases
from sandbox.companies.releases import FIRM, PERSON
from sandbox.expected_events import event_row
from sandbox.http.routes import RegistryResponder
from sandbox.news import http
from sandbox.shared.response import SandboxResponse
from sandbox.write import file_document_key

DC = "http://dublincore.org/documents/dcmi-namespace/"
PRESS = ("SE", "NO", "FI", "UK", "US")
RSS = (
    "/enforcement-litigation/litigation-releases/rss",
    "/news/rss.xml",
    "/sv/publicerat/sanktioner/finansiella-foretag/rss",
    "/rss/nyhetsfeed/",
    "/rss/rundskriv/",
    "/RssFeed/country/Finland/feedTitle/GlobeNewswire - News from Finland",
    "/rss/news-releases-list.rss",
)


@pytest.fixture(scope="module")
def world() -> World:
    return World(seed=7, companies=sufficient_companies(3), days=3, press=PRESS)


@pytest.fixture(scope="module")
def desk(world: World, tmp_path_factory: pytest.TempPathFactory) -> RegistryResponder:
    made = RegistryResponder(world, tmp_path_factory.mktemp("desk"))
    made.advance()
    made.advance()
    return made


def body(desk: RegistryResponder, path: str, query: str = "") -> bytes:
    answer = desk.respond(path, query)
    assert isinstance(answer, SandboxResponse)
    assert answer.status == 200
    assert isinstance(answer.body, bytes)
    return answer.body


def items(feed: bytes) -> Iterator[dict[str, str]]:
    for item in etree.fromstring(feed).iter("item"):
        yield {etree.QName(child).localname: child.text or "" for child in item}


def tags(item: dict[str, Any]) -> list[str]:
    return item["properties"]["tags"]


def foreign(desk: RegistryResponder) -> dict[str, Any]:
    return next(item for item in mfn(desk) if item["properties"]["scopes"] == ["DK"])


def mfn(desk: RegistryResponder) -> list[dict[str, Any]]:
    return json.loads(body(desk, "/all/s/nordic.json"))["items"]


def test_every_market_has_news_and_acts_every_day_but_the_first(world: World) -> None:
    for day in range(world.days):
        told = [event_row(one, file_document_key) for one in releases.planned_events(world, day)]
        count = Counter((one["data"]["country"], one["event_type"]) for one in told)
        expected = {(market, "news.published"): 3 for market in ("SE", "NO", "FI", "UK")}
        expected |= {(market, "event.regulatory"): 1 for market in PRESS}
        assert count == (expected if day else {})
        assert len({one["event_id"] for one in told}) == len(told)


def test_nobody_has_a_press_unless_it_is_asked_for() -> None:
    silent = World(seed=7, companies=sufficient_companies(2), days=2)
    assert list(releases.planned_events(silent, 1)) == []
    assert list(http.day_files(silent, 1)) == []


def test_without_a_press_feeds_hold_what_concerns_nobody(tmp_path: Path) -> None:
    silent = RegistryResponder(World(seed=7, companies=sufficient_companies(2), days=2), tmp_path)
    for path in RSS:
        assert len(list(items(body(silent, path)))) == 1, path
    assert [item for item in mfn(silent) if "sub:ci:shareholder-announcement" not in tags(item)] == [foreign(silent)]


def test_the_same_seed_has_the_same_press(world: World) -> None:
    again = World(seed=7, companies=sufficient_companies(3), days=3, press=PRESS)
    assert dict(http.day_files(world, 2)) == dict(http.day_files(again, 2))


def test_whom_a_story_moves_the_press_leaves_alone(world: World) -> None:
    moved = {
        one.company.company_id for day in range(world.days) for one in world.planned(day) if one.story != releases.STORY
    }
    told = {one.company.company_id for market in PRESS for one in releases.releases_until(world, market, 2)}
    told |= {one.company.company_id for market in PRESS for one in releases.regulatory_acts_until(world, market, 2)}
    assert told.isdisjoint(moved)


def test_twins_of_mfn_share_their_group_and_corrections_name_what_they_correct(desk: RegistryResponder) -> None:
    found = mfn(desk)
    known = {item["news_id"] for item in found}
    assert len(known) == len(found)
    languages = Counter(item["group_id"] for item in found)
    assert set(languages.values()) == {1, 2}
    corrections = [item for item in found if ":correction" in item["properties"]["tags"]]
    assert len(corrections) == 7  # of two days and three markets, and of a notice
    for item in corrections:
        [name] = [tag for tag in item["properties"]["tags"] if tag.startswith(":correction:")]
        assert name.removeprefix(":correction:") in known - {item["news_id"]}


def test_mfn_names_companies_by_number_lei_and_symbol(desk: RegistryResponder, world: World) -> None:
    for item in mfn(desk):
        [number] = item["author"]["local_refs"]
        market, _, written = number.partition(":")
        if market == "DK":
            continue
        assert world.find(market, written if market == "FI" else written.replace("-", ""), 2) is not None
        assert all(map(is_lei, item["author"]["leis"]))
        assert datetime.fromisoformat(item["content"]["publish_date"]).tzinfo is not None


def test_after_an_instant_mfn_has_only_what_is_newer(desk: RegistryResponder) -> None:
    after = "2026-11-03T00:00:00Z"
    found = json.loads(body(desk, "/all/s/nordic.json", f"limit=100&after={after}"))["items"]
    assert found
    assert all(item["content"]["publish_date"] > after for item in found)


def test_globenewswire_has_its_own_dublin_core_and_no_seconds(desk: RegistryResponder) -> None:
    feed = body(desk, "/RssFeed/country/Sweden/feedTitle/GlobeNewswire - News from Sweden")
    assert list(etree.fromstring(feed).iter(f"{{{DC}}}contributor"))
    for item in items(feed):
        datetime.strptime(item["pubDate"], "%a, %d %b %Y %H:%M GMT")  # noqa: DTZ007 - the format is the test
        assert item["identifier"].isdigit()
    speakers = {item["contributor"]: item for item in items(feed)}
    assert speakers[FIRM]["subject"] == "Class Action"


def test_a_release_over_two_wires_is_minutes_apart_under_one_title(world: World) -> None:
    for market in ("SE", "NO", "FI"):
        for release in releases.releases_until(world, market, 2):
            if len(release.wires) > 1:
                assert release.wires[0] == "mfn"
                assert release.is_expected


def test_numbers_of_litigation_stand_with_and_without_their_dash(desk: RegistryResponder) -> None:
    found = list(items(body(desk, RSS[0])))
    assert {item["creator"].startswith("LR-") for item in found} == {True, False}
    assert any(item["link"].endswith("\n") for item in found)
    assert any("  " in item["title"] and PERSON in item["title"] for item in found)


def test_dates_of_the_fca_are_none_of_rss(desk: RegistryResponder) -> None:
    found = list(items(body(desk, "/news/rss.xml")))
    for item in found:
        datetime.strptime(item["pubDate"], "%A, %B %d, %Y - %H:%M")  # noqa: DTZ007 - the format is the test
    assert any("clone of FCA authorised firm" in item["title"] for item in found)


def test_the_two_feeds_of_finanstilsynet_overlap(desk: RegistryResponder) -> None:
    news, circulars = (
        {item["link"] for item in items(body(desk, f"/rss/{name}/"))} for name in ("nyhetsfeed", "rundskriv")
    )
    assert circulars < news


def test_amounts_are_written_in_the_words_of_their_country(desk: RegistryResponder) -> None:
    assert "1,5 miljoner kronor" in body(desk, RSS[2]).decode()
    assert "1 500 000 kroner" in body(desk, RSS[3]).decode()
    assert "£1,500,000" in body(desk, RSS[1]).decode()


def test_esma_answers_in_pages_with_markup_and_a_lei_that_is_none(desk: RegistryResponder) -> None:
    whole = json.loads(body(desk, "/solr/esma_registers_sanctions/select", "q=*:*&wt=json&rows=1000"))
    found = whole["response"]["docs"]
    assert whole["response"]["numFound"] == len(found) > 2
    page = json.loads(body(desk, "/solr/esma_registers_sanctions/select", "start=1&rows=1"))["response"]
    assert page["docs"] == found[1:2]
    leis = [one["sn_entityLEI"] for one in found if "sn_entityLEI" in one]
    assert {is_lei(lei) for lei in leis} == {True, False}
    assert any("sn_entityName" not in one for one in found)
    assert any("<b>" in one.get("sn_entityName", "") for one in found)


def test_announcements_of_british_issuers_are_found_by_day(desk: RegistryResponder) -> None:
    span = {"from": "2026-11-02T00:00:00Z", "to": "2026-11-04T00:00:00Z"}
    asked = {"criteriaObj": {"criteria": [], "dateCriteria": [{"name": "submitted_date", "value": span}]}}
    answer = desk.post("/search", json.dumps(asked).encode(), "")
    assert isinstance(answer.body, bytes)
    hits = json.loads(answer.body)["hits"]["hits"]
    assert sum(hit["_source"]["type"] == "Miscellaneous" for hit in hits) == 6


def test_files_of_a_day_are_written_below_it(world: World, tmp_path: Path) -> None:
    small = World(seed=7, companies=sufficient_companies(2, ("SE",)), days=2, markets=("SE",), press=("SE",))
    for day in write_days(small, tmp_path, with_truth=False):
        assert {path.parent.name for path in (day / "news").rglob("*.*")} == {"mfn", "globenewswire", "fi_rss"}
    assert list(tmp_path.glob("2026-11-02/se/gleif/*.json"))
