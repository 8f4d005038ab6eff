"""Both ways to search, by the name index and by a scan, against a plain reading of the contract."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.warehouse import search_world as world
from tests.warehouse.helpers import release_documents
from tests.warehouse.search_world import Firm
from warehouse.reader.reader import CompanyQuery, PinnedRelease, ReleaseReader
from warehouse.storage.layout import Layout


@dataclass(frozen=True, repr=False)  # a failure shows what was asked, not all that was there
class World:
    firms: list[Firm]
    ranks: dict[str, int]
    reader: ReleaseReader


@pytest.fixture(scope="module", params=[1, 2])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    layout = Layout(tmp_path_factory.mktemp("world"))
    firms = world.firms(request.param, 220)
    world.publish_firms(layout, firms)
    with release_documents(layout, 1) as connection:
        ranks = dict(connection.execute("SELECT company_id, rank FROM companies").fetchall())
    reader = ReleaseReader(layout)
    yield World(firms, ranks, reader)
    reader.close()


_word = st.sampled_from(world.WORDS)
_typo = st.tuples(_word, st.integers(0, 8), st.sampled_from(["", "x", "e"])).map(
    lambda made: made[0][: made[1]] + made[2] + made[0][made[1] + 1 :]
)
_part = st.tuples(_word, st.integers(1, 12)).map(lambda made: made[0][: made[1]])
_texts = st.lists(st.one_of(_word, _part, _typo), min_size=1, max_size=3).map(" ".join)
_some = st.one_of(st.none(), _texts)
_dates = st.sampled_from([dt.date(1915, 5, 5), dt.date(2020, 1, 1), dt.date(2021, 2, 3)])


def _few(values: list[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.one_of(st.just(()), st.lists(st.sampled_from(values), max_size=2).map(tuple))


def _maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), st.none(), st.none(), values)


_queries = st.builds(
    CompanyQuery,
    q=_some,
    countries=_few(list(world.PLACES)),
    industries=_few(["62", "6201", "62.0", "06"]),
    industry_scheme=_maybe(st.sampled_from(["SN2007", "SIC"])),
    region=_maybe(st.sampled_from(["OSLO", "ørsta", "0301", "gb-lnd", "ca", "NO-03", "västra götalands län", "*"])),
    sizes=_few(["micro", "small", "medium", "large"]),
    employees_min=_maybe(st.sampled_from([0, 10])),
    employees_max=_maybe(st.sampled_from([9, 249])),
    revenue_min=_maybe(st.sampled_from([-5, 1])),
    revenue_max=_maybe(st.sampled_from([0, 7_000_000])),
    currency=_maybe(st.sampled_from(["NOK", "EUR"])),
    statuses=_few(list(world.STATUSES)),
    is_listed=_maybe(st.booleans()),
    registered_from=_maybe(_dates),
    registered_to=_maybe(_dates),
    sort=st.one_of(st.none(), st.sampled_from(["relevance", "id", "name", "-latest_revenue", "-registered_date"])),
)
# Pages of any size, and a large one in every round: a walk need not have hundreds of pages to meet its edges.
_limits = st.lists(st.integers(1, 60), min_size=1, max_size=3).map(lambda made: [*made, 60])
_settings = settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _walked(snapshot: PinnedRelease, query: CompanyQuery, limits: list[int]) -> list[str]:
    found = list(world.walk(snapshot, query, limits))
    assert len(set(found)) == len(found)
    return [company_id for company_id, _ in found]


@pytest.mark.slow
@pytest.mark.parametrize("bounds", [(2000, 500, 10_000, 1000), (1, 1, 1, 3)], ids=["few are alike", "many are alike"])
@_settings
@given(text=_texts, countries=_few(list(world.PLACES)), limits=_limits)
def test_names_are_found_alike_both_ways(
    served: World,
    monkeypatch: pytest.MonkeyPatch,
    bounds: tuple[int, int, int, int],
    text: str,
    countries: tuple[str, ...],
    limits: list[int],
) -> None:
    names = ("names.FEW", "names.ENDINGS", "search.MOST", "search.BEST")
    for name, bound in zip(names, bounds, strict=True):
        monkeypatch.setattr(f"warehouse.reader.queries.{name}", bound)
    query = CompanyQuery(q=text, countries=countries)
    due = world.expected(served.firms, served.ranks, query)
    with served.reader.pin_release() as snapshot:
        assert _walked(snapshot, query, limits) == due
        assert _walked(snapshot, world.scanned(query), limits) == due


@pytest.mark.parametrize("bounds", [(10_000, 1000), (1, 3)], ids=["few answer", "many answer"])
@_settings
@given(query=_queries, limits=_limits)
def test_every_filter_and_order(
    served: World, monkeypatch: pytest.MonkeyPatch, bounds: tuple[int, int], query: CompanyQuery, limits: list[int]
) -> None:
    for name, bound in zip(("MOST", "BEST"), bounds, strict=True):
        monkeypatch.setattr(f"warehouse.reader.queries.search.{name}", bound)
    with served.reader.pin_release() as snapshot:
        assert _walked(snapshot, query, limits) == world.expected(served.firms, served.ranks, query)
