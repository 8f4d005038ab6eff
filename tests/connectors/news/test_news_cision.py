"""Feeds of single issuers (docs/formats/news.md 2.10)."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.contract.dataset import NotApplicable, UnreadableFileError
from tests.connectors.news.news_files import dataset, reasons, rows
from tests.tables import check_cases


def release(number: int = 1, **values: Any) -> dict[str, Any]:
    plain = {
        "EncryptedId": f"ABCDEF{number}",
        "Title": "Exempel signs an agreement",
        "Intro": "Text",
        "HtmlBody": "<p>Text</p>",
        "PublishDate": "2026-11-15T07:00:00Z",
        "LanguageCode": "en",
        "InformationType": "PRM",
        "CisionWireUrl": "https://news.cision.com/exempel-holding/r/exempel-signs,c4389248",
        "Tickers": [{"Symbol": "EXMP", "ISIN": "SE0000112724"}],
    }
    return plain | values


def feed(*releases: object) -> bytes:
    return json.dumps({"PageIndex": 1, "TotalFoundReleases": len(releases), "Releases": list(releases)}).encode()


def test_a_release_keeps_headline_time_link_and_isin_and_no_text() -> None:
    (row,) = rows("se.cision", feed(release()))
    assert (row["id"], row["title"], row["summary"]) == ("cision:ABCDEF1", "Exempel signs an agreement", None)
    assert row["published_at"] == datetime(2026, 11, 15, 7, tzinfo=UTC)
    assert (row["isin"], row["near"], row["author"]) == ("SE0000112724", True, "exempel holding")
    assert row["url"] == "https://news.cision.com/exempel-holding/r/exempel-signs,c4389248"
    assert (row["language"], row["kind"], row["publisher"]) == ("en", "PRM", "Cision")


def test_a_single_release_is_read_as_well() -> None:
    assert len(rows("se.cision", json.dumps({"Release": release()}).encode())) == 1


@pytest.mark.parametrize(
    ("kind", "category"), [("RPT", "earnings"), ("KMK", "earnings"), ("RDV", "disclosure"), ("PRM", "other")]
)
def test_kinds_stand_for_categories(kind: str, category: str) -> None:
    (row,) = rows("se.cision", feed(release(InformationType=kind)))
    assert row["categories"] == [category]


@check_cases(
    ("bad", "reason"),
    [
        ({"EncryptedId": None}, "EncryptedId: is missing"),
        ({"EncryptedId": "a b"}, "EncryptedId: expected an id"),
        ({"Title": " "}, "Title: is blank"),
        ({"PublishDate": "28.8.2026 16:00"}, "PublishDate: is not a time with a zone"),
        ({"Tickers": 1}, "Tickers: expected a list"),
    ],
)
def test_one_bad_release_rejects_itself_alone(bad: dict[str, Any], reason: str) -> None:
    body = feed(release(1, **bad), release(2))
    assert [row["id"] for row in rows("se.cision", body)] == ["cision:ABCDEF2"]
    (found,) = reasons("se.cision", body)
    assert found.startswith(reason)


def test_issuers_of_other_markets_are_left_and_those_that_nothing_tells_of_kept() -> None:
    other, nothing = release(1, Tickers=[{"ISIN": "FI0009000681"}]), release(2, Tickers=[])
    (row,) = rows("se.cision", feed(other, nothing))
    assert (row["id"], row["near"]) == ("cision:ABCDEF2", False)


@pytest.mark.parametrize("body", [b"<html></html>", b"", b'{"Message": "no such feed"}', b'{"Releases": {}}'])
def test_what_is_no_feed_is_refused_by_name(body: bytes) -> None:
    with pytest.raises(UnreadableFileError, match=r"se\.cision: x: "):
        rows("se.cision", body)
    if body.startswith(b'{"M'):
        assert isinstance(dataset("se.cision").recognise_file("x", body), NotApplicable)
