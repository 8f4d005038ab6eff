"""Notices of holdings in Swedish companies: two doors to one statement, corrections, other companies."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope
from connectors.se import SWEDEN
from connectors.se.issuer_links import core_names
from tests.connectors.news.news_files import mfn, mfn_item, read, rows, signals
from tests.connectors.se.notice_files import AT, COMPANY, HOLDER, KEY, PAGE, item, listed, page, text


def present(table: str, *bodies: tuple[str, bytes, str]) -> pl.LazyFrame:
    """Staged rows as `normalise` gets them, all of one company: dataset, body, name of the file."""
    meta = [
        pl.lit(COMPANY).alias("_company_id"),
        pl.lit(AT, pl.Datetime("us", "UTC")).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
        pl.lit(None, pl.Datetime("us", "UTC")).alias("_retired_at"),
    ]
    frames = [batch.rows for key, body, name in bodies for batch in read(key, body, name) if batch.table == table]
    return pl.concat(frames).with_columns(meta).lazy()


def told(*items: dict[str, Any], pages: tuple[bytes, ...] = (), listing: bytes | None = None) -> list[dict[str, Any]]:
    """What holders hold by the newest of these, and what they held on earlier days."""
    bodies = [(KEY, mfn(*items), "x.json"), *((KEY, one, f"{PAGE}_sv.html") for one in pages)]
    tables = {"se_flaggning": present("se_flaggning", *bodies)}
    tables["se_mfn"] = present("se_mfn", ("se.mfn", mfn(*items), "x.json"))
    if listing is not None:
        tables["se_release"] = present("se_release", ("se.nasdaq", listing, "x.json"))
    made = SWEDEN.to_shared_tables(tables, AT.date())
    return [*made["holdings"].to_dicts(), *made["holdings_earlier"].to_dicts()]


def shares(found: list[dict[str, Any]]) -> list[tuple[str, date, Decimal | None]]:
    return [(row["holder_name"], row["valid_from"], row["pct"]) for row in found]


def test_an_item_becomes_a_statement_of_its_holder() -> None:
    (row,) = told(item(1, text("5,02")))
    assert (row["register"], row["holder_name"], row["holder_type"]) == (KEY, HOLDER, "company")
    assert (row["pct"], row["votes_pct"], row["basis"]) == (Decimal("5.02"), Decimal("4.1"), "exact")
    assert (row["valid_from"], row["url"]) == (date(2026, 11, 12), "https://mfn.se/a/exempel/1")


def test_the_day_of_a_release_at_night_is_the_day_in_sweden() -> None:
    """At half past midnight it is still the day before in UTC, after which no crossing was taken for one."""
    at_night = {"publish_date": "2026-11-12T23:30:00Z"}
    (row,) = told(item(1, text("5,02", day="13 november 2026"), content=at_night))
    assert row["valid_from"] == date(2026, 11, 13)
    (other,) = told(
        item(1, text("5,02").replace("Efter en transaktion den 12 november 2026 uppgår", "Nu uppgår"), content=at_night)
    )
    assert other["valid_from"] == date(2026, 11, 13)


def test_its_issuer_is_known_by_the_number_that_the_wire_gives() -> None:
    (batch,) = read(KEY, mfn(item(1, text("5,02"))))
    assert SWEDEN.company_ids_of_rows(batch.table, batch.rows).to_list() == [COMPANY]
    through = [link.through for link in SWEDEN.links if link.table == "se_flaggning"]
    assert through == ["se_release", "se_mfn", "se_bolagsverket"]


def test_the_issuer_of_a_copied_text_is_known_by_the_name_in_it() -> None:
    said = f"{HOLDER} innehar nu 5,02 procent av rösterna i Exempel Aktiebolag (publ)."
    (batch,) = read(KEY, json.dumps({"url": "https://example.com/a", "text": said}).encode())
    link = next(one for one in SWEDEN.links if one.table == "se_flaggning" and one.through == "se_bolagsverket")
    assert not isinstance(link.key, str)
    assert link.key.of(batch.rows).to_list() == core_names(pl.Series(["Exempel AB"])).to_list()


def test_a_limit_alone_is_a_band() -> None:
    said = (
        f"<p>{HOLDER} har meddelat Exempel AB att innehavet understiger 5 procent av såväl aktierna som rösterna.</p>"
    )
    (row,) = told(item(1, said))
    assert (row["pct"], row["pct_min"], row["pct_max"], row["basis"]) == (None, 0, 5, "band")
    assert (row["votes_pct"], row["votes_min"], row["votes_max"]) == (None, 0, 5)


def test_votes_alone_are_exact() -> None:
    (row,) = told(item(1, f"<p>{HOLDER} innehar nu 5,02 procent av rösterna i Exempel AB.</p>"))
    assert (row["pct"], row["votes_pct"], row["basis"]) == (None, Decimal("5.02"), "exact")


def test_languages_and_doors_of_one_release_are_one_statement() -> None:
    english = (
        f"<p>Exempel AB has received a notification from {HOLDER}. Following a transaction on 12 November 2026 the holding amounts to"
        " 5.02 per cent of the shares and 4.1 per cent of the votes.</p>"
    )
    twins = (
        item(1, text("5,02")),
        item(2, english, group_id="group-1", content={"publish_date": "2026-11-13T07:00:00Z"}),
    )
    assert shares(told(*twins, pages=(page(text("5,02")),), listing=listed())) == [
        (HOLDER, date(2026, 11, 12), Decimal("5.02"))
    ]


def test_versions_that_contradict_each_other_have_no_percentages() -> None:
    (row,) = told(item(1, text("5,02")), item(2, text("5,20"), group_id="group-1"))
    assert (row["pct"], row["pct_min"], row["basis"]) == (None, None, "exact")
    assert row["votes_pct"] == Decimal("4.1")


def test_a_correction_takes_the_place_of_what_it_corrects() -> None:
    """Of another holder and day too; even where its own text tells nothing."""
    corrects = {"tags": [":correction", ":correction:news-1"]}
    right = item(3, text("6,02", holder="Sagolik Invest AB"), properties=corrects)
    assert shares(told(item(1, text("5,02")), right)) == [("Sagolik Invest AB", date(2026, 11, 12), Decimal("6.02"))]
    silent = item(3, "<p>Se bifogad fil.</p>", properties=corrects)
    assert told(item(1, text("5,02")), silent) == []


@pytest.mark.parametrize("group", ["group-3", "group-1"])
def test_both_languages_fall_with_the_one_that_a_correction_names(group: str) -> None:
    """And never the correction, though it stand in their group."""
    twins = (item(1, text("5,02")), item(2, text("5,02"), group_id="group-1"))
    right = item(3, text("6,02"), properties={"tags": [":correction:news-2"]}, group_id=group)
    assert shares(told(*twins, right)) == [(HOLDER, date(2026, 11, 12), Decimal("6.02"))]


def test_of_one_day_the_later_word_counts_and_of_earlier_days_each_its_own() -> None:
    first, second = item(1, text("5,02")), item(2, text("5,20"))
    assert shares(told(first, second)) == [(HOLDER, date(2026, 11, 12), Decimal("5.2"))]
    later = item(3, text("10,4", day="14 november 2026"))
    assert shares(told(first, later)) == [
        (HOLDER, date(2026, 11, 14), Decimal("10.4")),
        (HOLDER, date(2026, 11, 12), Decimal("5.02")),
    ]


def test_a_day_after_the_release_is_no_day_of_it() -> None:
    ((_, day, _),) = shares(told(item(1, text("5,02", day="12 december 2026"))))
    assert day == date(2026, 11, 13)


def test_a_holding_in_another_company_is_none_in_the_issuer() -> None:
    elsewhere = "<p>Exempel AB har ökat sitt innehav i Annat Bolag AB till 10,2 procent av aktierna.</p>"
    assert told(item(1, text("5,02")), pages=(page(elsewhere),), listing=listed()) == told(item(1, text("5,02")))
    third = f"<p>{HOLDER} har ökat sitt innehav i Annat Bolag AB till 10,2 procent av aktierna.</p>"
    assert told(item(1, third)) == []
    assert told(item(1, third, content={"title": "Flaggningsmeddelande"})) == []
    assert told(item(1, None), item(2, text("5,02")), pages=(page(third),), listing=listed()) == told(
        item(2, text("5,02"))
    )


def test_an_issuer_is_no_holder_of_itself() -> None:
    own = page("<p>Exempel AB innehar nu 5,3 procent av aktierna.</p>")
    assert told(item(1, None), item(2, text("5,02")), pages=(own,), listing=listed()) == told(item(2, text("5,02")))


def test_a_page_finds_its_company_and_its_day_by_its_release() -> None:
    undated = text("5,02").replace("den 12 november 2026 ", "")
    (row,) = [
        one
        for one in told(item(1, None), pages=(page(undated),), listing=listed("2026-11-15 07:00:00"))
        if one["holder_name"] == HOLDER
    ]
    assert (row["valid_from"], row["url"]) == (
        date(2026, 11, 15),
        f"https://view.news.eu.nasdaq.com/view?id={PAGE}&lang=sv",
    )


def test_what_is_no_notice_is_not_read_and_what_is_open_is_a_signal() -> None:
    news = mfn_item(1, content={"title": "Exempel signs an agreement", "html": text("5,02")})
    assert rows(KEY, mfn(news)) == []
    assert signals(KEY, mfn(item(1, "<p>Innehavet uppgår till 5 procent.</p>"))) == {
        ("unread_notice", "5 percent of something unspecified"): 1
    }
    assert rows(KEY, mfn(item(1, None))) == []  # of the stream, which has no texts
    assert rows(KEY, mfn(item(1, text("5,02"), author={"local_refs": ["NO:923609016"]}))) == []


@pytest.mark.parametrize(
    "title", ["Flaggningsmeddelande i Exempel AB", "Notification of major holdings", "Påhitt flaggar i Exempel"]
)
def test_a_headline_makes_a_notice_whatever_its_tags(title: str) -> None:
    plain = item(1, text("5,02"), properties={"tags": [":regulatory"]}, content={"title": title})
    assert len(rows(KEY, mfn(plain))) == 1
    assert "ownership" in rows("se.mfn", mfn(plain))[0]["categories"]


def test_a_flagship_is_no_notice() -> None:
    shop = item(1, text("5,02"), properties={"tags": []}, content={"title": "Exempel öppnar flaggskeppsbutik"})
    assert rows("se.mfn", mfn(shop))[0]["categories"] == ["other"]


def test_files_are_told_from_each_other() -> None:
    made = SWEDEN.dataset(KEY)
    assert made.recognise_file("x.json", mfn(item(1, text("5,02")))) == RecognisedFile(None, Scope.PART)
    assert made.recognise_file("x.html", page(text("5,02"))) == RecognisedFile(None, Scope.PART)
    assert isinstance(made.recognise_file("x.json", b'{"error": 1}'), NotApplicable)
