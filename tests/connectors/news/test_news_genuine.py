"""Genuine samples of the news folder: every file read by a dataset or named with the reason.

See docs/formats/news.md 2.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

import connectors
from connectors import GROUPS
from pipelines.sources.folder import FileEntry, list_day_folders, plan_files
from tests.connectors.news.news_files import MARKETS, NOW, read

pytestmark = pytest.mark.sources
OWN = ("newsweb_no/", "fca_nsm/", "fi_oam/", "se_finanscentralen/", "sec_current_atom/", "dk_oam/")


@pytest.fixture
def folder(sources: Path) -> Path:
    if not (sources / "news").is_dir():
        pytest.skip("no genuine files of news")
    return sources


def entries(folder: Path) -> Iterator[FileEntry]:
    (day,) = list_day_folders(folder)
    for made in connectors.JURISDICTIONS:
        yield from plan_files(day, made, NOW, GROUPS, includes_market_folders=False).entries


def test_every_file_of_the_folder_is_read_or_named_with_the_reason(folder: Path) -> None:
    found: dict[str, set[str]] = {}
    for entry in entries(folder):
        assert entry.reason != "no dataset reads files of this name", entry.name
        found.setdefault(entry.name, set()).add(entry.dataset or f"left: {entry.reason}")
    lying = {path.relative_to(folder).as_posix() for path in (folder / "news").rglob("*") if path.is_file()}
    assert found.keys() == lying
    for name, how in found.items():
        inside = name.removeprefix("news/")
        if inside.startswith(OWN) and not inside.startswith("dk_oam/"):
            empty = "bootstrap" in inside or "past_end" in inside
            assert any(one.startswith("left: ") for one in how) is empty, (name, how)
        if inside.startswith("dk_oam/"):
            assert how == {"left: Denmark is announced, not served yet"}


def test_every_file_that_is_read_gives_rows_and_rejects_nothing(folder: Path) -> None:
    for entry in entries(folder):
        if entry.dataset is not None and entry.name.removeprefix("news/").startswith(OWN):
            batches = read(entry.dataset, entry.path.read_bytes(), entry.path.name)
            assert sum(batch.rows.height for batch in batches) > 0, entry.name
            assert sum(batch.rejects.height for batch in batches) == 0, entry.name


def test_the_finnish_storage(folder: Path) -> None:
    bodies = sorted((folder / "news" / "fi_oam").glob("*search*"))
    found = pl.concat(batch.rows for path in bodies for batch in read("fi.oam", path.read_bytes()))
    assert found.height == sum(path.read_bytes().count(b'"message-row"') for path in bodies)
    assert set(found["author"]) == {"Nokia"}
    assert found.filter(id="oam:464108")["published_at"].item() == datetime(2025, 10, 28, 15, 30, tzinfo=UTC)
    for path in (folder / "news" / "fi_oam").glob("*view*"):
        (batch,) = read("fi.oam", path.read_bytes())
        assert batch.rows["lei"].to_list() == ["549300A0JPRWG1KI7U06"]


def test_the_swedish_storage(folder: Path) -> None:
    for path in (folder / "news" / "se_finanscentralen").glob("*"):
        (batch,) = read("se.finanscentralen", path.read_bytes())
        assert batch.rows.height == path.read_bytes().count(b"ViewStockAffect.aspx")
        assert batch.rows["author"].n_unique() == 1
        assert batch.rows["language"].null_count() == 0


def test_announcements_of_oslo_and_london_are_items_of_news(folder: Path) -> None:
    for market, key, place in (("NO", "no.newsweb", "newsweb_no"), ("UK", "uk.nsm", "fca_nsm")):
        made = MARKETS[market].news_items
        for path in (folder / "news" / place).glob("*"):
            for batch in read(key, path.read_bytes(), path.name):
                if batch.table in made:
                    rows = batch.rows.with_columns(
                        _company_id=pl.lit("firm:x"), _raw=pl.lit("raw"), _observed_at=pl.lit(NOW)
                    )
                    items = made[batch.table](rows)
                    assert items.height == rows.height, path.name
                    assert items["title"].null_count() == items["url"].null_count() == 0
