"""Versions and corrections of one source: what is one release, by which id, in whose words.

See docs/formats/news.md 2.13.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.news import grouping
from connectors.news.schema import ITEM
from warehouse.schema import ids

AT = datetime(2026, 11, 15, 7, 0, 10, tzinfo=UTC)
COMPANY = "firm:NO:923609016"


def item(native: str, **values: Any) -> dict[str, Any]:
    plain = {
        "company_id": COMPANY,
        "register": "no.newsweb",
        "native_id": native,
        "group": None,
        "corrects": None,
        "kind": "1005",
        "title": f"Title {native}",
        "summary": None,
        "url": f"https://example.org/{native}",
        "publisher": "NewsWeb",
        "language": "en",
        "published_at": AT,
        "categories": ["other"],
        "raw": "raw",
        "observed_at": AT,
    }
    return plain | values


def told(*items: dict[str, Any]) -> list[dict[str, Any]]:
    frame = pl.DataFrame(list(items), schema=ITEM, orient="row")
    return grouping.group_into_news(frame).sort("published_at", "native_id").to_dicts()


def test_versions_of_one_group_are_one_news_item_in_english() -> None:
    swedish = item("1", group="g", language="sv", title="Avtal")
    english = item("2", group="g", title="Agreement", published_at=AT + timedelta(minutes=3))
    (found,) = told(swedish, english)
    assert (found["title"], found["language"], found["native_id"]) == ("Agreement", "en", "g")
    assert found["news_id"] == ids.news_id(COMPANY, "no.newsweb", "g")
    assert found["published_at"] == AT
    assert found["told_by"] == ["no.newsweb:1", "no.newsweb:2"]
    assert found["supersedes"] is None


def test_headlines_of_all_sources_are_as_readers_see_them() -> None:
    """One headline from two wires, of which one writes letters in two parts and leaves hidden signs."""
    written = ["Del\u00e5rsrapport Q3", "Dela\u030ars\u00adrapport \u200bQ3\u200e"]
    frames = [pl.DataFrame([item(str(place), title=title)], schema=ITEM) for place, title in enumerate(written)]
    assert grouping.concat_items(frames)["title"].to_list() == ["Del\u00e5rsrapport Q3"] * 2
    hidden = pl.DataFrame([item("1", title="\u200e")], schema=ITEM)
    assert grouping.concat_items([hidden])["title"].to_list() == ["\u200e"]
    assert grouping.concat_items([]).schema == ITEM


def test_one_language_alone_leads_as_it_is() -> None:
    (found,) = told(item("1", group="g", language="fi"))
    assert (found["title"], found["language"]) == ("Title 1", "fi")


def test_messages_of_one_minute_and_kind_in_two_languages_are_twins() -> None:
    later = AT.replace(second=55)
    (found,) = told(item("100", language="no"), item("99", published_at=later))
    assert (found["native_id"], found["language"]) == ("100", "en")


def test_what_differs_in_minute_or_kind_or_has_one_language_is_two_releases() -> None:
    assert len(told(item("1"), item("2"))) == 2
    assert len(told(item("1"), item("2", language="no", kind="1102"))) == 2
    assert len(told(item("1"), item("2", language="no", published_at=AT + timedelta(minutes=1)))) == 2
    assert len(told(item("1", language=None), item("2", language="no"))) == 2
    assert len(told(item("1"), item("2", language="no", company_id="firm:NO:974760673"))) == 2
    assert len(told(item("1"), item("2", language="no", register="no.mfn"))) == 2


def test_several_releases_of_one_minute_pair_in_the_order_of_their_numbers() -> None:
    found = told(item("10", language="no"), item("11"), item("12", language="no"), item("13"), item("14"))
    assert [row["told_by"] for row in found] == [
        ["no.newsweb:10", "no.newsweb:11"],
        ["no.newsweb:12", "no.newsweb:13"],
        ["no.newsweb:14"],
    ]


@pytest.mark.parametrize(
    ("languages", "due"),
    [
        (("no", "no", "en", "en"), [["1", "3"], ["2", "4"]]),
        (("no", "no", "en"), [["1"], ["2", "3"]]),  # the first has no English version
        (("no", "en", "no"), [["1", "2"], ["3"]]),
        (("no", "en", "sv", "no", "en"), [["1", "2", "3"], ["4", "5"]]),
    ],
)
def test_a_release_without_a_version_takes_no_other_ones(languages: tuple[str, ...], due: list[list[str]]) -> None:
    found = told(*(item(str(place), language=language) for place, language in enumerate(languages, start=1)))
    assert [[one.rpartition(":")[2] for one in row["told_by"]] for row in found] == due


def test_a_correction_keeps_the_id_and_time_and_gives_its_words() -> None:
    first = item("1", categories=["earnings"])
    mended = item("2", corrects="1", title="Correction", published_at=AT + timedelta(days=1))
    again = item("3", corrects="2", title="Correction of it", published_at=AT + timedelta(days=2))
    (found,) = told(again, first, mended)
    assert (found["native_id"], found["title"], found["supersedes"]) == ("1", "Correction of it", "2")
    assert (found["published_at"], found["url"]) == (AT, "https://example.org/3")
    assert found["told_by"] == ["no.newsweb:1", "no.newsweb:2", "no.newsweb:3"]


def test_a_correction_in_two_languages_corrects_both_versions() -> None:
    day = AT + timedelta(days=1)
    first = [item("1", language="no"), item("2")]
    then = [item("3", language="no", corrects="1", published_at=day), item("4", corrects="2", published_at=day)]
    (found,) = told(*then, *first)
    assert (found["native_id"], found["title"], found["supersedes"]) == ("1", "Title 4", "1")


def test_a_correction_of_what_nobody_read_stands_for_itself() -> None:
    (found,) = told(item("5", corrects="4"))
    assert (found["native_id"], found["supersedes"]) == ("5", "4")


def test_corrections_that_go_round_end() -> None:
    (found,) = told(item("1", corrects="2"), item("2", corrects="1", kind="x"))
    assert found["native_id"] == "1"


def test_nothing_makes_nothing_and_items_of_nobody_are_left_out() -> None:
    assert told() == []
    assert told(item("1", company_id=None)) == []


SEVERAL = st.lists(
    st.builds(
        lambda native, group, corrects, minute, language, kind: item(
            str(native),
            group=group,
            corrects=corrects,
            published_at=AT + timedelta(minutes=minute),
            language=language,
            kind=kind,
        ),
        st.integers(1, 20),
        st.sampled_from([None, None, "g", "h"]),
        st.sampled_from([None, None, "1", "2", "3"]),
        st.integers(0, 2),
        st.sampled_from([None, "en", "no", "fi"]),
        st.sampled_from(["1005", "1102"]),
    ),
    max_size=12,
    unique_by=lambda row: row["native_id"],
)


@settings(max_examples=60)
@given(SEVERAL, st.randoms(use_true_random=False))
def test_the_order_of_items_changes_nothing(items: list[dict[str, Any]], chance: Any) -> None:
    shuffled = list(items)
    chance.shuffle(shuffled)
    assert told(*items) == told(*shuffled)


@settings(max_examples=60)
@given(SEVERAL)
def test_every_item_is_told_by_one_row_and_versions_of_a_group_by_the_same(items: list[dict[str, Any]]) -> None:
    found = told(*items)
    members = [member for row in found for member in row["told_by"]]
    assert sorted(members) == sorted(f"no.newsweb:{row['native_id']}" for row in items)
    of = {member: row["news_id"] for row in found for member in row["told_by"]}
    for one in items:
        for other in items:
            same = one["group"] is not None and one["group"] == other["group"]
            if same or one["corrects"] == other["native_id"]:
                assert of[f"no.newsweb:{one['native_id']}"] == of[f"no.newsweb:{other['native_id']}"]
