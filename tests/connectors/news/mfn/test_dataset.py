"""The Nordic stream: whose an item is, what ties versions together, what is refused (docs/formats/news.md 2.2)."""

from datetime import UTC, datetime
from typing import Any

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from tests.connectors.news.news_files import LEI, dataset, mfn, mfn_item, reasons, rows, signals
from tests.tables import check_cases


def test_an_item_keeps_headline_time_link_and_identifiers_and_no_text() -> None:
    item = mfn_item(content={"preamble": "Text", "html": "<p>Text</p>", "text": "Text"})
    assert rows("se.mfn", mfn(item)) == [
        {
            "id": "news-1",
            "group": "group-1",
            "corrects": None,
            "title": "Exempel signs agreement 1",
            "summary": None,
            "url": "https://mfn.se/a/exempel/1",
            "publisher": "MFN",
            "language": "en",
            "published_at": datetime(2026, 11, 15, 7, tzinfo=UTC),
            "subjects": [":regulatory", "ir"],
            "kind": ":regulatory",
            "categories": ["disclosure"],
            "author": "Exempel AB",
            "org_number": "5560360793",
            "lei": LEI,
            "isin": "SE0000112724",
            "symbol": "XSTO:EXMP",
            "entity": "e-1",
            "near": True,
        }
    ]


NOBODY: dict[str, Any] = {"local_refs": [], "leis": [], "isins": [], "tickers": []}


@check_cases(
    ("author", "markets"),
    [
        ({}, {"SE"}),
        ({"local_refs": ["FI:0112038-9"]}, {"FI"}),
        ({"local_refs": ["NO:923 609 016"]}, {"NO"}),
        ({"local_refs": ["DK:24256790"]}, set()),
        ({"local_refs": ["DE:HRB 1"], "isins": ["SE0000112724"]}, set()),
        ({**NOBODY, "isins": ["FI0009000681"]}, {"FI"}),
        ({**NOBODY, "tickers": ["XOSL:EQNR"]}, {"NO"}),
        ({**NOBODY, "isins": ["DK0062498333"]}, set()),
        ({**NOBODY, "isins": ["BMG000000015"], "tickers": ["XOSL:SBXS"]}, {"NO"}),
        (NOBODY, {"SE"}),
    ],
)
def test_an_item_is_of_the_market_that_its_number_names_else_isin_or_exchange(
    author: dict[str, Any], markets: set[str]
) -> None:
    body = mfn(mfn_item(author=author))
    found = {market for market in ("SE", "NO", "FI") if rows(f"{market.lower()}.mfn", body)}
    assert found == markets
    for market in {"SE", "NO", "FI"} - markets:
        assert {code for code, _ in signals(f"{market.lower()}.mfn", body)} == {"other_market"}


@check_cases(
    ("author", "near"),
    [
        ({**NOBODY, "isins": ["SE0000112724"], "tickers": ["XHEL:TELIA1"]}, {"SE"}),  # listed in both
        ({**NOBODY, "isins": ["GB0009895292"], "tickers": ["XSTO:AZN"]}, set()),  # a British company
        ({**NOBODY, "isins": ["BMG9156K1018"], "tickers": ["XOSL:2020"]}, set()),
        ({**NOBODY, "isins": ["XS0000000009"], "tickers": ["XOSL:EQNR"]}, {"NO"}),  # a bond of the world
        ({**NOBODY, "tickers": ["XSTO:EXMP"]}, {"SE"}),
        ({"local_refs": ["SE:556036-0793"], "isins": ["FI0009000681"]}, {"SE"}),
    ],
)
def test_a_name_may_answer_where_the_isin_is_of_the_market_whatever_the_exchange(
    author: dict[str, Any], near: set[str]
) -> None:
    body = mfn(mfn_item(author=author))
    found = {market for market in ("SE", "NO", "FI") for row in rows(f"{market.lower()}.mfn", body) if row["near"]}
    assert found == near


@check_cases(
    ("reference", "number"),
    [
        ("SE:556036-0793", "5560360793"),
        ("SE:5560360793", "5560360793"),
        ("se:16556036-0793", "5560360793"),
        ("SE:556036-0794", None),  # the check digit does not hold
        ("SE:121212-1212", None),  # a person's
        ("SE:", None),
    ],
)
def test_numbers_are_written_in_many_ways_and_only_right_ones_count(reference: str, number: str | None) -> None:
    (row,) = rows("se.mfn", mfn(mfn_item(author={"local_refs": [reference]})))
    assert row["org_number"] == number


def test_identifiers_that_do_not_hold_are_none() -> None:
    author = {"leis": ["549300A0JPRWG1KI7U07"], "isins": ["SE0000112725"], "tickers": ["MOON:X", "XSTO:"]}
    (row,) = rows("se.mfn", mfn(mfn_item(author=author)))
    assert (row["lei"], row["isin"], row["symbol"]) == (None, None, None)


def test_a_correction_names_the_item_and_the_bare_tag_none() -> None:
    tags = [":correction", ":correction:news-1", ":regulatory"]
    corrected = mfn_item(2, properties={"tags": tags})
    bare = mfn_item(3, properties={"tags": [":correction"]})
    assert [row["corrects"] for row in rows("se.mfn", mfn(corrected, bare))] == ["news-1", None]


@check_cases(
    ("tags", "categories"),
    [
        (["sub:report:interim:q3", ":regulatory"], ["earnings"]),
        ([":regulatory", ":regulatory:mar"], ["inside_information"]),
        (["sub:ci:shareholder-announcement"], ["ownership"]),
        (["sub:ca:shares:repurchase"], ["capital", "own_shares"]),
        (["sub:ci:gm:notice"], ["meeting"]),
        (["cus:anything"], ["other"]),
        ([], ["other"]),
    ],
)
def test_tags_stand_for_categories(tags: list[str], categories: list[str]) -> None:
    (row,) = rows("se.mfn", mfn(mfn_item(properties={"tags": tags})))
    assert row["categories"] == categories


@check_cases(
    ("bad", "reason"),
    [
        ({"news_id": None}, "news_id: expected an id"),
        ({"news_id": 7}, "news_id: expected an id"),
        ({"content": {"title": None}}, "content.title: is missing"),
        ({"content": {"title": "<b> </b>"}}, "content.title: is blank"),
        ({"content": {"publish_date": "yesterday"}}, "content.publish_date: is not a time with a zone"),
        ({"content": {"publish_date": "2026-11-15T07:00:00"}}, "content.publish_date: is not a time with a zone"),
        ({"author": {"local_refs": "SE:1"}}, "author.local_refs: expected a list"),
        ({"properties": {"tags": [1]}}, "properties.tags: expected a list of text"),
    ],
)
def test_one_bad_item_rejects_itself_alone(bad: dict[str, Any], reason: str) -> None:
    body = mfn(mfn_item(1, **bad), mfn_item(2))
    assert [row["id"] for row in rows("se.mfn", body)] == ["news-2"]
    (found,) = reasons("se.mfn", body)
    assert found.startswith(reason)


def test_an_item_that_comes_twice_is_the_one_published_last_else_the_first() -> None:
    first, again = mfn_item(content={"title": "First"}), mfn_item(content={"title": "Again"})
    assert [row["title"] for row in rows("se.mfn", mfn(first, again))] == ["First"]
    later = mfn_item(content={"title": "Later", "publish_date": "2026-11-15T08:00:00Z"})
    assert [row["title"] for row in rows("se.mfn", mfn(first, later))] == ["Later"]
    assert [row["title"] for row in rows("se.mfn", mfn(later, first))] == ["Later"]


def test_an_item_of_the_day_after_tomorrow_is_refused_alone() -> None:
    ahead = [mfn_item(number, content={"publish_date": f"2026-11-{number}T05:00:00Z"}) for number in (17, 18)]
    assert [row["id"] for row in rows("se.mfn", mfn(*ahead))] == ["news-17"]
    assert reasons("se.mfn", mfn(*ahead)) == ["published after it was read: 2026-11-18"]


def test_what_is_new_in_an_item_is_told() -> None:
    assert ("unknown_key", "content.wholly_new") in signals("se.mfn", mfn(mfn_item(content={"wholly_new": 1})))


@check_cases(
    "body", [b"<!DOCTYPE html><html><body>Just a moment</body></html>", b"", b'{"error": 1}', b'{"items": {}}', b"[1"]
)
def test_what_is_no_stream_is_refused_by_name(body: bytes) -> None:
    with pytest.raises(UnreadableFileError, match=r"se\.mfn: x: "):
        rows("se.mfn", body)


def test_only_streams_are_ours() -> None:
    recognise = dataset("se.mfn").recognise_file
    assert isinstance(recognise("x.json", mfn(mfn_item())), RecognisedFile)
    assert isinstance(recognise("x.json", b'[{"entity_id": "e", "slug": "s"}]'), NotApplicable)
    assert isinstance(recognise("x.json", b'{"hits": []}'), NotApplicable)
    assert isinstance(recognise("x.json", b"<html></html>"), RecognisedFile)  # `read` refuses it by name


def test_an_address_that_is_none_of_the_web_is_left_out() -> None:
    for url in ("javascript:alert(1)", "https://x y", "//mfn.se", "http://[", "https://mfn.se/" + "x" * 3000):
        (row,) = rows("se.mfn", mfn(mfn_item(url=url)))
        assert row["url"] is None
