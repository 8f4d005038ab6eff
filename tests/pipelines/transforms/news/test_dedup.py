"""One release through several doors is one row, with the id that it was published under.

See docs/formats/news.md 2.13.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.transforms.news.dedup import NEAREST, deduplicate_news, is_same_title, title_words
from tests.tables import check_cases
from warehouse import schema_render
from warehouse.schema.tables import NEWS

AT = datetime(2026, 11, 15, 7, tzinfo=UTC)
TITLE = "Exempel AB signs agreement number 7 on deliveries"


def row(register: str, native: str, title: str = TITLE, minutes: float = 0, **values: Any) -> dict[str, Any]:
    plain = {
        "company_id": "firm:SE:5560360793",
        "news_id": f"nws_{register}_{native}",
        "title": title,
        "publisher": register,
        "published_at": AT + timedelta(minutes=minutes),
        "categories": ["other"],
        "native_id": native,
        "told_by": [f"{register}:{native}"],
        "register": register,
        "raw": "raw",
        "observed_at": AT,
    }
    return plain | values


def frame(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=schema_render.polars_schema(NEWS), orient="row")


def told(items: list[dict[str, Any]], published: pl.DataFrame | None = None) -> pl.DataFrame:
    return deduplicate_news(frame(*items), frame() if published is None else published)


def groups(found: pl.DataFrame) -> list[list[str]]:
    return sorted(found["told_by"].to_list())


def test_a_release_over_two_wires_is_one_in_the_words_of_the_first() -> None:
    found = told([row("se.wires", "b", minutes=3), row("se.mfn", "a")])
    (one,) = found.to_dicts()
    assert (one["news_id"], one["native_id"], one["register"]) == ("nws_se.mfn_a", "a", "se.mfn")
    assert one["told_by"] == ["se.mfn:a", "se.wires:b"]


@check_cases(
    ("other", "are_one"),
    [
        (row("se.wires", "b", minutes=10), True),
        (row("se.wires", "b", minutes=-10), True),
        (row("se.wires", "b", minutes=10.1), False),
        (row("se.mfn", "b"), False),  # one source tells two releases apart itself
        (row("se.wires", "b", company_id="firm:SE:5560125790"), False),
        (row("se.wires", "b", TITLE.replace("7", "8")), False),
        (row("se.wires", "b", TITLE.upper() + "!"), True),
        (row("se.wires", "b", "Regulatory: " + TITLE), True),
        (row("se.wires", "b", "Invitation to a conference call"), False),
        (row("se.wires", "b", "Exempel AB"), False),  # found inside every headline of the company
    ],
)
def test_one_company_ten_minutes_and_titles_that_agree(other: dict[str, Any], are_one: bool) -> None:
    assert told([row("se.mfn", "a"), other]).height == (1 if are_one else 2)


@check_cases(
    ("one", "other", "agree"),
    [
        ("Managers' transactions", "Managers' Transactions", True),
        ("Managers' transactions", "Managers' transactions: Robin Example", False),
        ("Interim report Q2 2026 of Exempel", "Interim report Q3 2026 of Exempel", False),
        ("Report for 2025 of Exempel AB", "Report for 2026 of Exempel AB", False),
        ("Report of Exempel AB", "Report of Exempel AB 2026", True),
        ("Exempel AB reports on the quarter", "Correction: Exempel AB reports on the quarter", False),
        ("Rättelse: Exempel AB har ökat", "RÄTTELSE - Exempel AB har ökat", True),
        ("Exempel AB pays a dividend", "Exempel AB pays no dividend", False),
        ("Exempel AB general meeting", "Exempel AB general meeting cancelled", False),
        (
            "Notice to annual general meeting in Exempel AB",
            "Notice to extraordinary general meeting in Exempel AB",
            False,
        ),
        (
            "Exempel ASA: Notification of trade by primary insider CEO",
            "Exempel ASA: Notification of trade by primary insider CFO",
            False,
        ),
        ("Exempel AB wins a large order from Volvo", "Exempel AB wins a large order from Scania", False),
        ("Exempel Corporation announces its dividend", "Exempel Corp. announces its dividend", True),
        ("Exempel Limited announces its dividend", "Exempel Ltd announces its dividend", True),
        ("Exempel Corporation announces its dividend", "Exempel Oyj announces its dividend", True),
        ("Håkon Exempel is the new CEO of Exempel AB", "Hakon Exempel is the new CEO of Exempel AB", True),
        ("Exempel AB announces its dividend", "Exempel AB announced its dividend", True),
        ("", "", True),
    ],
)
def test_what_titles_are_one(one: str, other: str, agree: bool) -> None:
    assert is_same_title(title_words(one), title_words(other)) is agree
    assert is_same_title(title_words(other), title_words(one)) is agree


def test_what_was_published_keeps_its_id_when_an_earlier_door_opens_later() -> None:
    first = told([row("se.wires", "b", minutes=3)])
    second = told([row("se.wires", "b", minutes=3), row("se.mfn", "a")], first)
    (one,) = second.to_dicts()
    assert (one["news_id"], one["native_id"], one["register"]) == ("nws_se.wires_b", "b", "se.wires")
    assert one["told_by"] == ["se.mfn:a", "se.wires:b"]
    third = told([row("se.mfn", "a"), row("se.wires", "b", minutes=3)], second)
    assert third.equals(second)


def test_a_row_whose_own_id_moved_keeps_the_published_one() -> None:
    published = told([row("no.newsweb", "7", told_by=["no.newsweb:7"])])
    twin = row("no.newsweb", "6", news_id="nws_other", told_by=["no.newsweb:6", "no.newsweb:7"])
    (one,) = told([twin], published).to_dicts()
    assert (one["news_id"], one["native_id"]) == ("nws_no.newsweb_7", "7")


def test_rows_that_were_published_before_their_parts_were_kept_are_known_again() -> None:
    published = told([row("us.headers", "acc")]).with_columns(told_by=pl.lit(None, pl.List(pl.String)))
    (one,) = told([row("us.headers", "acc")], published).to_dicts()
    assert one["news_id"] == "nws_us.headers_acc"


def test_two_releases_of_one_title_each_over_two_wires_stay_two() -> None:
    doors = [row("a", "1"), row("b", "1", minutes=1), row("a", "2", minutes=6), row("b", "2", minutes=7)]
    assert groups(told(doors)) == [["a:1", "b:1"], ["a:2", "b:2"]]


def test_the_first_of_three_wires_in_a_row_leads_and_the_window_does_not_grow() -> None:
    doors = [row("a", "1"), row("b", "1", minutes=9), row("c", "1", minutes=18)]
    assert groups(told(doors)) == [["a:1", "b:1"], ["c:1"]]


def test_two_wires_that_one_register_reads_are_two_doors() -> None:
    wires = [row("us.wires", "a", publisher="PR Newswire"), row("us.wires", "b", publisher="Business Wire")]
    assert groups(told(wires)) == [["us.wires:a", "us.wires:b"]]


HEADING = "Results of operations and financial condition"
FILED = frozenset({"us.headers"})


@check_cases(
    ("items", "due"),
    [
        ([row("us.wires", "a"), row("us.headers", "8k", HEADING, 4)], [["us.headers:8k", "us.wires:a"]]),
        ([row("us.wires", "a", minutes=4), row("us.headers", "8k", HEADING)], [["us.headers:8k", "us.wires:a"]]),
        ([row("us.wires", "a"), row("us.headers", "8k", HEADING, 11)], [["us.headers:8k"], ["us.wires:a"]]),
        (  # which of two releases was filed nobody knows
            [
                row("us.wires", "a"),
                row("us.wires", "b", "Exempel AB appoints somebody", 1),
                row("us.headers", "8k", HEADING, 4),
            ],
            [["us.headers:8k"], ["us.wires:a"], ["us.wires:b"]],
        ),
        (  # a release is filed once
            [row("us.wires", "a"), row("us.headers", "1", HEADING, 2), row("us.headers", "2", HEADING, 4)],
            [["us.headers:1", "us.wires:a"], ["us.headers:2"]],
        ),
    ],
)
def test_what_is_filed_without_its_headline_is_the_only_release_of_its_window(
    items: list[dict[str, Any]], due: list[list[str]]
) -> None:
    assert groups(deduplicate_news(frame(*items), frame(), FILED)) == due
    assert groups(deduplicate_news(frame(*reversed(items)), frame(), FILED)) == due


def test_a_filing_that_was_told_keeps_its_id_when_the_wire_comes() -> None:
    filed = row("us.headers", "8k", HEADING)
    published = deduplicate_news(frame(filed), frame(), FILED)
    (one,) = deduplicate_news(frame(filed, row("us.wires", "a", minutes=-3)), published, FILED).to_dicts()
    assert (one["news_id"], one["told_by"]) == ("nws_us.headers_8k", ["us.headers:8k", "us.wires:a"])


def test_nothing_stays_nothing() -> None:
    assert told([]).is_empty()
    assert told([], told([row("a", "1")])).is_empty()


RELEASES = st.lists(
    st.tuples(st.integers(0, 5), st.sets(st.sampled_from("abc"), min_size=1), st.integers(0, 9)), max_size=6
)


def doors(releases: list[tuple[int, set[str], int]]) -> list[dict[str, Any]]:
    """Releases an hour apart, each through some doors a few minutes apart."""
    return [
        row(door, str(number), f"Exempel AB signs agreement number {number}", 60 * number + late * place / 3)
        for number, (_, through, late) in enumerate(releases)
        for place, door in enumerate(sorted(through))
    ]


@pytest.mark.slow
@settings(max_examples=60)
@given(RELEASES, st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_change_the_groups(
    releases: list[tuple[int, set[str], int]], chance: Any
) -> None:
    items = doors(releases)
    whole = told(items)
    assert len(groups(whole)) == len(releases)
    chance.shuffle(items)
    assert told(items).equals(whole)
    published: pl.DataFrame | None = None
    for count in range(1, len(items) + 1):  # each arrives by itself
        before = published
        published = told(items[:count], before)
        if before is not None:  # ids of what was published stay
            assert set(before["news_id"]) <= set(published["news_id"])
    assert published is None or groups(published) == groups(whole)


def test_a_flood_in_one_minute_is_gone_through_in_no_time() -> None:
    flood = [row(door, str(n), f"Exempel AB notice {n}", n / 1000) for door in "ab" for n in range(3000)]
    begun = time.process_time()
    found = told(flood)
    assert time.process_time() - begun < 6
    assert found.height >= 3000
    assert NEAREST < 100
