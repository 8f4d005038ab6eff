"""An edition of several files counts as complete with all of them, and as a part while one is missing."""

from __future__ import annotations

import io
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

from connectors.contract.dataset import Scope
from pipelines.steps.snapshots import UnchangedBody, downgrade_incomplete
from tests.pipelines.invented import MARKET
from tests.tables import check_cases
from warehouse.raw.archive import RawBody

AT = datetime(2026, 1, 3, tzinfo=UTC)
LATER = datetime(2026, 1, 10, tzinfo=UTC)


def is_whole(names: Collection[str]) -> bool:
    return set(names) == {"1of2", "2of2"}


SEVERAL = replace(MARKET.datasets[0], is_whole=is_whole)


def piece(name: str, at: datetime = AT, scope: Scope = Scope.FULL) -> RawBody:
    return RawBody(SEVERAL.key, name, "0" * 64, at, scope, "b", at, 1, None, None, io.BytesIO)


def kept(name: str, at: datetime = AT) -> UnchangedBody:
    return UnchangedBody(name, "1" * 64, at, "a", 1)


@check_cases(
    ("found", "same", "scopes"),
    [
        ([piece("1of2"), piece("2of2")], [], ["full", "full"]),
        ([piece("1of2")], [], ["part"]),
        ([piece("2of2")], [kept("1of2")], ["full"]),  # the other one is what it was the last time
        ([piece("2of2")], [kept("1of2", LATER)], ["part"]),
        ([piece("1of2"), piece("2of2", LATER)], [], ["part", "part"]),
        ([piece("1of2"), piece("2of2"), piece("1of2", LATER)], [], ["full", "full", "part"]),
        ([piece("1of2", scope=Scope.FEED)], [], ["feed"]),
        ([], [kept("1of2")], []),
    ],
)
def test_what_is_missing_makes_a_part_of_the_rest(
    found: list[RawBody], same: list[UnchangedBody], scopes: list[str]
) -> None:
    assert [str(one.scope) for one in downgrade_incomplete(SEVERAL, found, same)] == scopes


def test_a_dataset_of_single_files_is_as_its_files_say() -> None:
    assert [one.scope for one in downgrade_incomplete(MARKET.datasets[0], [piece("1of2")], [])] == [
        Scope.FULL
    ]
