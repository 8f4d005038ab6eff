"""Groups and holdings as a release serves them: every relation and no other, both ways, over several segments.

The world of relations by number of company (all of one market but 50, which is Swedish):

    1 -60 %-> 2 -100 %-> 3        a chain; 1 also consolidates 2 by its LEI
    1 -LEI--> 50                  a child in another market
    2 -50 %-> 4 <-50 %- 5         two parents, neither of which decides
    6 -80 %-> 7 -80 %-> 8 -80 %-> 6    a circle, held from outside by 9 (control)
    10 -5 %-> 1                   a small holder
    11 -90 %-> 12                 ended; 12 is held by an LEI that no company has
    17 -20 %-> 18 <-10 %- 20      most of 18 is its own
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests.warehouse.world import learn, member, owner, publish
from warehouse.reader.queries import groups
from warehouse.reader.queries.circles import find_circles
from warehouse.reader.reader import FormerReleaseError, InvalidPageKeyError, PinnedRelease, ReleaseReader
from warehouse.reader.types import CompanyGroup, Key
from warehouse.storage.layout import Layout

TODAY = dt.date(2026, 1, 5)
LEI_1, LEI_OF_NOBODY, LEI_OF_TWO = "549300YX4S1LLSMK2627", "969500FI000000001068", "5493001KJTIIGC8Y1R12"
Edge = tuple[int, int, str]  # holder, held, relation


def company(number: int) -> str:
    return f"firm:{'SE' if number == 50 else 'NO'}:{900000000 + number}"


def number_of(company_id: str | None) -> int:
    return int(company_id.rpartition(":")[2]) - 900000000 if company_id else 0


def related(held: int, holder: int | str, pct: str | None = None, **given: Any) -> dict[str, Any]:
    """A relation; the holder is a company's number or an LEI."""
    by_lei = isinstance(holder, str)
    shares = dict.fromkeys(("pct", "pct_min", "pct_max"), None if pct is None else Decimal(pct))
    base = {
        "company_id": company(held),
        "holder_id": f"own_{holder}_{held}",
        "relation": "accounting_consolidation" if by_lei else "shareholding",
        "holder_lei": holder if by_lei else None,
        "holder_company_id": None if by_lei else company(holder),
        "holder_name": None if by_lei else f"As stated {holder}",
        "holder_type": "unknown" if by_lei else "company",
        "holder_country": None if by_lei else "NO",
        "is_direct": True if by_lei else None,
        "as_of": dt.date(2025, 1, 1),
    }
    return base | shares | given


def lei(number: int, value: str) -> dict[str, Any]:
    return {"company_id": company(number), "scheme": "lei", "value": value}


COMPANIES = [member("NO", number) for number in range(1, 21)]
RELATED = [
    related(2, 1, "60"),
    related(2, LEI_1),
    related(3, 2, "100"),
    related(4, 2, "50"),
    related(4, 5, "50"),
    related(7, 6, "80"),
    related(8, 7, "80"),
    related(6, 8, "80"),
    related(6, 9, relation="control"),
    related(1, 10, "5"),
    related(12, 11, "90", ended_on=dt.date(2026, 1, 5)),
    related(12, LEI_OF_NOBODY),
    related(13, LEI_OF_TWO),
    related(14, 20, "55", as_of=dt.date(2026, 1, 6)),
    related(18, 18, "70"),
    related(18, 17, "20"),
    related(18, 20, "10"),
]
SWEDISH = [related(50, LEI_1)]
OWNERS = [
    owner(company(2), "own_1_2", "60", holder_company_id=company(1), holder_name="As stated 1"),
    owner(company(3), "own_1_3", "25", holder_company_id=company(1)),
    owner(company(4), "own_1_4", holder_company_id=company(1), basis=None),
    owner(company(5), "own_1_5", "9", holder_company_id=company(1), ended_on=dt.date(2025, 6, 1)),
    owner(company(6), "own_x", "9"),
]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PinnedRelease]:
    """A base of which some companies have changed since, in a second segment: what was before is served no more."""
    layout = Layout(tmp_path_factory.mktemp("groups"))
    leis = [lei(1, LEI_1), lei(15, LEI_OF_TWO), lei(16, LEI_OF_TWO)]
    stale = [related(3, 19, "100"), related(6, 19, "100"), *RELATED[:1]]
    many = [member("NO", number) for number in range(100, 200)]
    owners = [*OWNERS, owner(company(7), "own_1_7", "70", holder_company_id=company(1))]
    learn(layout, "NO", 0, companies=[*COMPANIES, *many], identifiers=leis, relations=stale, owners=owners)
    learn(layout, "SE", 0, companies=[member("SE", 50)], relations=SWEDISH)
    publish(layout, "NO", "SE")
    learn(layout, "NO", 1, relations=RELATED, owners=OWNERS)
    manifest = publish(layout, "NO", "SE", at=1)
    assert manifest is not None
    assert len(manifest.segments) == 2
    with ReleaseReader(layout).pin_release() as pinned:
        yield pinned


def group(release: PinnedRelease, number: int, depth: int = 1, limit: int = 100, day: dt.date = TODAY) -> CompanyGroup:
    return release.company_group(company(number), day, depth, None, limit)


def parsed(lines: tuple[bytes, ...]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def above(release: PinnedRelease, number: int) -> set[Edge]:
    return {
        (number_of(line["company_id"]), number_of(line["via"]), line["relation"])
        for line in parsed(group(release, number).parents)
    }


def below(release: PinnedRelease, number: int, depth: int = 1) -> list[tuple[int, Edge]]:
    return [
        (line["level"], (number_of(line["via"]), number_of(line["company_id"]), line["relation"]))
        for line in parsed(group(release, number, depth).children.rows)
    ]


def test_every_relation_and_no_other_is_served_both_ways(release: PinnedRelease) -> None:
    share, consolidation = "shareholding", "accounting_consolidation"
    known = {(1, 2, share), (1, 2, consolidation), (1, 50, consolidation), (2, 3, share), (2, 4, share), (5, 4, share),
             (6, 7, share), (7, 8, share), (8, 6, share), (9, 6, "control"), (10, 1, share),
             (17, 18, share), (20, 18, share)}  # fmt: skip
    of_nobody = {(0, 12, consolidation), (0, 13, consolidation)}
    numbers = [*range(1, 21), 50]
    assert {edge for number in numbers for edge in above(release, number)} == known | of_nobody
    assert {edge for number in numbers for _, edge in below(release, number)} == known


def test_levels_follow_relations_down(release: PinnedRelease) -> None:
    share = "shareholding"
    two = [(2, (2, 3, share)), (2, (2, 4, share))]
    first = below(release, 1)
    assert [level for level, _ in first] == [1, 1, 1]
    assert below(release, 1, 2) == below(release, 1, 10)
    assert sorted(below(release, 1, 2)) == sorted([*first, *two])


def test_a_circle_is_followed_once_and_named(release: PinnedRelease) -> None:
    found = group(release, 6, depth=10)
    lines = parsed(found.children.rows)
    assert [(line["level"], number_of(line["company_id"])) for line in lines] == [(1, 7), (2, 8), (3, 6)]
    assert all(line["in_circle"] for line in lines)
    assert found.circles == (tuple(company(number) for number in (6, 7, 8)),)
    outside = parsed(group(release, 9, depth=10).children.rows)
    assert [line["in_circle"] for line in outside] == [False, True, True, True]


def test_ultimate_parents_are_the_ends_of_chains_of_holders_who_decide(release: PinnedRelease) -> None:
    def tops(number: int) -> list[tuple[int, int, int, str]]:
        return [
            (number_of(line["company_id"]), line["level"], number_of(line["via"]), line["relation"])
            for line in parsed(group(release, number).ultimate_parents)
        ]

    assert sorted(tops(3)) == [(1, 2, 2, "accounting_consolidation"), (1, 2, 2, "shareholding")]
    assert tops(4) == []  # half each
    assert tops(1) == []  # 5 %
    assert tops(8) == [(9, 3, 6, "control")]  # the circle has a holder outside
    [(top, level, via, _)] = tops(12)
    assert (top, level, via) == (0, 1, 12)


def test_a_line_says_what_its_sources_say(release: PinnedRelease) -> None:
    found = {line["relation"]: line for line in parsed(group(release, 2).parents)}
    share = found["shareholding"]
    assert list(share) == ["company_id", "holder_id", "name", "country", "pct", "pct_min", "pct_max", "votes_pct",
                           "relation", "is_direct", "holder_lei", "level", "via", "in_circle", "as_of",
                           "reconciliation", "sources"]  # fmt: skip
    # a company is called as in its profile, whatever a source calls it
    assert (share["name"], share["country"], share["pct"]) == ("Firma 1 AS", "NO", 60)
    consolidated = found["accounting_consolidation"]
    assert (consolidated["company_id"], consolidated["holder_lei"], consolidated["pct"]) == (company(1), LEI_1, None)
    [child] = [line for line in parsed(group(release, 1).children.rows) if line["company_id"] == company(50)]
    assert (child["name"], child["country"]) == ("Firma 50 AS", "SE")


@pytest.mark.parametrize(("number", "lei"), [(12, LEI_OF_NOBODY), (13, LEI_OF_TWO)])
def test_an_lei_of_no_company_or_of_two_leads_to_none(release: PinnedRelease, number: int, lei: str) -> None:
    [line] = parsed(group(release, number).parents)
    assert (line["company_id"], line["name"], line["country"], line["holder_lei"]) == (None, None, None, lei)
    assert below(release, 15) == below(release, 16) == []


def test_relations_are_of_their_days(release: PinnedRelease) -> None:
    assert {edge[:2] for edge in above(release, 14)} == set()
    tomorrow = group(release, 14, day=dt.date(2026, 1, 6))
    assert [number_of(line["company_id"]) for line in parsed(tomorrow.parents)] == [20]
    before = group(release, 12, day=dt.date(2026, 1, 4))
    assert [number_of(line["company_id"]) for line in parsed(before.parents)] == [0, 11]


@pytest.mark.parametrize("depth", [1, 3])
def test_pages_of_children_are_the_whole(release: PinnedRelease, depth: int) -> None:
    whole = group(release, 1, depth).children.rows
    found: list[bytes] = []
    after: Key | None = None
    while True:
        page = release.company_group(company(1), TODAY, depth, after, 1).children
        found += page.rows
        if not page.has_more:
            break
        after = page.keys[-1]
    assert tuple(found) == whole


def test_a_key_of_another_list_is_refused(release: PinnedRelease) -> None:
    for key in ((1, 2, 3), (2, company(1), 0, "", "", ""), (1, company(2), 0, "", "", "")):
        with pytest.raises(InvalidPageKeyError):
            release.company_group(company(1), TODAY, 1, key, 10)


@pytest.mark.parametrize(("limit", "most"), [("MOST_BELOW", 1), ("MOST_LINES", 2), ("MOST_ABOVE", 1)])
def test_a_walk_that_stops_early_says_so(
    release: PinnedRelease, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    number, depth = (3, 1) if limit == "MOST_ABOVE" else (1, 3)
    assert group(release, number, depth).is_complete
    monkeypatch.setattr(groups, limit, most)
    found = group(release, number, depth)
    assert not found.is_complete
    assert len(found.children.rows) <= 3
    assert found.ultimate_parents == ()


def test_own_shares_take_no_place_of_a_parent(release: PinnedRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [number_of(line["company_id"]) for line in parsed(group(release, 18).parents)] == [17, 20]
    monkeypatch.setattr(groups, "MOST_PARENTS", 1)
    found = group(release, 18)
    assert [number_of(line["company_id"]) for line in parsed(found.parents)] == [17]
    assert found.has_more_parents


def test_holdings_are_the_inverse_of_ownership(release: PinnedRelease) -> None:
    page = release.company_holdings(company(1), TODAY, None, None, 10)
    rows = parsed(page.rows)
    assert [(number_of(row["company_id"]), row["pct"]) for row in rows] == [(2, 60), (3, 25), (4, None)]
    owners, _ = release.company_owners(company(2), TODAY, None, None, 10)
    [own] = parsed(owners.rows)
    assert rows[0] == {"company_id": company(2), "name": "Firma 2 AS", "country": "NO", **own}
    assert [number_of(row["company_id"]) for row in
            parsed(release.company_holdings(company(1), dt.date(2025, 3, 1), "9", None, 10).rows)] == [2, 3, 5]  # fmt: skip
    second = release.company_holdings(company(1), TODAY, "25", page.keys[0], 10)
    assert parsed(second.rows) == rows[1:2]
    assert not second.has_more


def test_a_release_of_an_earlier_version_has_no_relations(release: PinnedRelease, monkeypatch: Any) -> None:
    monkeypatch.setattr("warehouse.serving.codec_read.has_relations", lambda _: False)
    with pytest.raises(FormerReleaseError):
        group(release, 1)
    with pytest.raises(FormerReleaseError):
        release.company_holdings(company(1), TODAY, None, None, 10)


def test_circles_of_a_graph() -> None:
    edges = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "c"), ("f", "a"), ("e", "g")]
    assert find_circles(edges) == [["a", "b"], ["c", "d", "e"]]
    chain = [(f"{place:06}", f"{place + 1:06}") for place in range(20_000)]
    assert find_circles(chain) == []
    assert len(find_circles([*chain, ("020000", "000000")])[0]) == 20_001
