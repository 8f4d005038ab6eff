"""Pages that list acts, read as the feeds are."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.contract.dataset import UnreadableFileError
from connectors.regulators import act_types, headline_datasets, sec
from connectors.regulators.feeds import NotFeedError, parse_act_feed
from tests.connectors.regulators.feeding import Reading


def page(body: str, title: str = "List") -> bytes:
    return f"<!DOCTYPE html><html><body><h1>{title}</h1>{body}</body></html>".encode()


def sec_row(day: str, title: str, number: str) -> str:
    link = f"/enforcement-litigation/litigation-releases/{number}"
    return (
        f'<tr><td><time>{day}</time></td><td><div class="release-view__respondents"><a href="{link}">{title}</a>'
        f'</div><span class="media--view-mode-release-see-also-files"><a href="/x.pdf">Order</a></span></td></tr>'
    )


SEC = page(
    '<table class="views-view-table">'
    + sec_row("Sept. 3, 2024", "Acme, Inc. and Ann Example", "lr-26040")
    + sec_row("January 5, 2024", "Bo Example", "lr26039")
    + "</table>",
    "Litigation Releases",
)
FCA = page(
    '<ul><li class="search-item"><h3 class="search-item__title"><a href="/publication/final-notices/acme.pdf">'
    "Final Notice 2026: Acme Capital Limited</a></h3>"
    '<p class="meta published-date">Published: 27/07/2026</p></li></ul>'
)
FI = page(
    '<div class="list-item extended-click-area"><h2><a href="/sv/publicerat/sanktioner/finansiella-foretag/2026/a/">'
    'Varning för Exempel Bank AB</a></h2><span class="date">2026-02-03</span><a class="categoryLink">Sanktioner</a>'
    "</div>"
)


def test_releases_of_the_sec(read: Reading, archived: Reading) -> None:
    for reading in (read, archived):
        batch = reading(sec.DATASET, SEC)
        [row] = batch.rows.to_dicts()
        assert row["native_id"] == "LR-26040"
        assert row["url"] == "https://www.sec.gov/enforcement-litigation/litigation-releases/lr-26040"
        assert row["published_at"] == datetime(2024, 9, 3, 4, tzinfo=UTC)
        assert row["title"] == "Litigation release LR-26040: Acme, Inc. and others"
        assert batch.rejects.height == 1


def test_notices_of_the_fca(read: Reading, archived: Reading) -> None:
    for reading in (read, archived):
        [row] = reading(headline_datasets.FCA_DATASET, FCA).rows.to_dicts()
        assert (row["name"], row["native_id"]) == ("Acme Capital Limited", "/publication/final-notices/acme.pdf")
        assert row["published_at"] == datetime(2026, 7, 26, 23, tzinfo=UTC)


def test_sanctions_of_finansinspektionen(read: Reading, archived: Reading) -> None:
    for reading in (read, archived):
        [row] = reading(headline_datasets.SWEDISH_DATASET, FI).rows.to_dicts()
        assert (row["name"], row["kind"]) == ("Exempel Bank AB", act_types.SANCTION_WARNING)
        assert row["published_at"] == datetime(2026, 2, 2, 23, tzinfo=UTC)


def test_a_row_without_an_address_is_rejected_alone(read: Reading) -> None:
    row = FI[FI.index(b"<div") : FI.index(b"</body>")]
    body = FI.replace(b"</body>", row + b"</body>").replace(b'href="/sv', b'href="http://[/sv', 1)
    batch = read(headline_datasets.SWEDISH_DATASET, body)
    assert (batch.rows.height, batch.rejects.height) == (1, 1)


def test_the_same_act_of_feed_and_list_is_one(read: Reading) -> None:
    once = read(sec.DATASET, SEC).rows
    assert once.select("authority_code", "native_id", "place").is_unique().all()


@pytest.mark.parametrize("body", [page('<div class="list-item extended-click-area"></div>'), page("Access denied")])
def test_a_page_without_rows_is_unreadable(body: bytes, read: Reading) -> None:
    with pytest.raises(UnreadableFileError):
        read(headline_datasets.SWEDISH_DATASET, body)


@given(st.binary(max_size=200))
def test_any_page_is_read_or_refused(noise: bytes) -> None:
    for known in (SEC, FCA, FI):
        try:
            assert parse_act_feed(known[:60] + noise + known[60:]).items
            assert parse_act_feed(known[: len(known) // 2] + noise).items
        except NotFeedError:
            continue
