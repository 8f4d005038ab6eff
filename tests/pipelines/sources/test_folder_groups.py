"""Folders of source groups: files that several markets read, and each file told of once."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import connectors
from connectors import GROUPS
from connectors.contract.shared_folders import SharedFolder
from pipelines.sources.folder import list_day_folders, plan_files
from pipelines.sources.source import FolderSource
from tests.connectors.news.news_files import mfn, mfn_item, release, rss

NOW = datetime(2026, 11, 16, tzinfo=UTC)
MARKETS = {made.code: made for made in connectors.JURISDICTIONS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, body in {
        "news/mfn/stream.json": mfn(mfn_item()),
        "news/mfn/deep/er.json": mfn(mfn_item()),
        "news/globenewswire/fi.xml": rss(release()),
        "news/dk_oam/x.json": b"{}",
        "news/other/x.json": b"{}",
        "news/FORMAT.md": b"# Text",
        "se/mfn/own.json": mfn(mfn_item()),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return tmp_path


def listed(folder: Path, market: str, groups: tuple[SharedFolder, ...] = GROUPS, *, own: bool = True) -> dict[str, str]:
    (day,) = list_day_folders(folder)
    made = plan_files(day, MARKETS[market], NOW, groups, includes_market_folders=own).entries
    return {entry.name: entry.dataset or entry.reason or "" for entry in made}


def test_each_market_reads_what_the_group_gives_its_datasets(folder: Path) -> None:
    finnish = listed(folder, "FI")
    assert finnish["news/mfn/stream.json"] == finnish["news/mfn/deep/er.json"] == "fi.mfn"
    assert finnish["news/globenewswire/fi.xml"] == "fi.wires"
    assert listed(folder, "US")["news/globenewswire/fi.xml"] == "us.wires"
    assert "news/mfn/stream.json" not in listed(folder, "US")  # others read it


def test_what_nobody_reads_is_listed_with_its_reason(folder: Path) -> None:
    for market in ("FI", "UK"):
        found = listed(folder, market)
        assert found["news/dk_oam/x.json"] == "Denmark is announced, not served yet"
        assert found["news/other/x.json"] == "no dataset reads files of this name"
        assert found["news/FORMAT.md"].startswith("describes the folder")


def test_a_groups_folder_is_no_markets_and_may_be_taken_alone(folder: Path) -> None:
    assert not any(name.startswith("news/") for name in listed(folder, "SE", ()))
    assert "se/mfn/own.json" in listed(folder, "SE")
    assert "se/mfn/own.json" not in listed(folder, "SE", own=False)


def test_bodies_come_under_the_name_of_their_place(folder: Path) -> None:
    opened = FolderSource(folder, GROUPS).open(NOW)
    swedish = MARKETS["SE"]
    opened.files(swedish)
    names = [arrival.name for arrival in opened.arrivals(swedish.dataset("se.mfn"), None, ())]
    assert names == ["news/mfn/deep/er.json", "news/mfn/stream.json", "se/mfn/own.json"]


def test_groups_are_no_markets_and_read_nothing_that_is_left_out() -> None:
    codes = {made.code.lower() for made in connectors.JURISDICTIONS}
    for group in GROUPS:
        assert group.code not in codes
        assert group.patterns.isdisjoint(group.unread)


def test_each_market_reads_its_own_authoritys_files_alone(tmp_path: Path) -> None:
    path = tmp_path / "news" / "esma_firds" / "FULINS_E_20261114_01of01.xml"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"<x/>")
    (day,) = list_day_folders(tmp_path)
    swedish = plan_files(day, MARKETS["SE"], NOW, GROUPS).entries
    assert [entry.dataset for entry in swedish] == ["se.firds"]
    assert plan_files(day, MARKETS["UK"], NOW, GROUPS).entries == ()  # the FCA's are others


def test_a_report_filed_in_another_country_is_read_by_every_market_that_may_own_it(tmp_path: Path) -> None:
    for name, body in {
        "no/esef/page1.json": b'{"data": [{"type": "filing"}]}',
        "no/esef/report.zip": b"PK\x03\x04",
        "no/enheter/enheter.json": b"[]",
        "se/filings_xbrl_org/report.json": b'{"documentInfo": {}, "facts": {}}',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    assert listed(tmp_path, "SE") == {"no/esef/page1.json": "se.esef", "se/filings_xbrl_org/report.json": "se.esef"}
    norwegian = listed(tmp_path, "NO")
    assert norwegian["no/esef/page1.json"] == norwegian["se/filings_xbrl_org/report.json"] == "no.esef"
    assert "packages are not" in norwegian["no/esef/report.zip"]  # of another market's folder this is told there
    assert listed(tmp_path, "NO", own=False) == {}
