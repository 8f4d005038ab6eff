"""The sandbox is no echo of our own reading: each kind of file of it beside genuine ones.

Every column of a table, key of JSON and element of XML of a genuine file occurs in the sandbox's file of that kind,
and the reverse. What differs stands in `no_echo_differences.tsv` with its reason; a difference that is not listed
there is red, and so is one that is listed and no longer there. What kinds the sandbox does not play stands in
`no_echo_not_played.tsv`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from sandbox import World, sufficient_companies
from tests.connectors.echo.kind import Kind
from tests.connectors.echo.kinds_american import AMERICAN
from tests.connectors.echo.kinds_british import BRITISH
from tests.connectors.echo.kinds_danish import DANISH
from tests.connectors.echo.kinds_nordic import NORDIC
from tests.connectors.echo.played import Played

pytestmark = pytest.mark.sources
HERE: Final = Path(__file__).parent
KINDS: Final = (*NORDIC, *DANISH, *BRITISH, *AMERICAN)
SANDBOX, GENUINE = "sandbox", "genuine"  # the side that has a path alone
FEWEST: Final = 40


class Difference(NamedTuple):
    """One line of the list. A path stands for all that is below it."""

    kind: str
    side: str
    path: str
    reason: str

    def covers(self, side: str, path: str) -> bool:
        return side == self.side and (path == self.path or path.startswith((f"{self.path}/", f"{self.path}:")))


def _rows(name: str) -> list[list[str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


LISTED: Final = [Difference(*row) for row in _rows("no_echo_differences.tsv")]
NOT_PLAYED: Final = dict(_rows("no_echo_not_played.tsv"))


LARGE = {"se blankning", "uk accounts ixbrl"}  # kinds of which genuine files take seconds to go through


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    companies = sufficient_companies(4) + 50  # a bank among the Norwegian ones
    made = Played(World(seed=5, companies=companies, days=4), tmp_path_factory.mktemp("echo"))
    assert made.days  # what several kinds share is made here
    assert made.desk
    return made


def differences(ours: Iterable[str], theirs: Iterable[str]) -> list[tuple[str, str]]:
    mine, other = set(ours), set(theirs)
    assert mine, "the sandbox writes no file of this kind"
    assert other, "no genuine file of this kind has any"
    return [*((SANDBOX, path) for path in sorted(mine - other)), *((GENUINE, path) for path in sorted(other - mine))]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, id=kind.name, marks=[pytest.mark.slow] if kind.name in LARGE else []) for kind in KINDS]
)
def test_a_kind_of_file_is_as_genuine_ones(kind: Kind, played: Played, sources: Path) -> None:
    found = differences(kind.ours(played), kind.theirs(sources))
    listed = [one for one in LISTED if one.kind == kind.name]
    unlisted = [(side, path) for side, path in found if not any(one.covers(side, path) for one in listed)]
    stale = [one for one in listed if not any(one.covers(side, path) for side, path in found)]
    assert (unlisted, stale) == ([], [])


def test_every_listed_difference_is_of_a_kind_and_has_a_reason() -> None:
    names = {kind.name for kind in KINDS}
    assert [one for one in LISTED if one.kind not in names or one.side not in (SANDBOX, GENUINE)] == []
    assert [one for one in LISTED if not one.reason.strip()] == []
    assert len(set(LISTED)) == len(LISTED)


def test_there_are_kinds_enough_and_no_name_stands_twice() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= FEWEST


def test_every_genuine_file_is_of_a_kind_or_of_one_that_is_not_played(sources: Path) -> None:
    """Of a market that is served; a line of the list stands for a file, or a folder with all below it."""
    compared = {path for kind in KINDS for path in kind.paths(sources)}
    assert [pattern for kind in KINDS for pattern in kind.genuine if not list(sources.glob(pattern))] == []
    left, used = [], set()
    for path in sorted(sources.rglob("*")):
        inside = path.relative_to(sources).as_posix()
        if path.is_dir() or path in compared or path.name in ("FORMAT.md", "MANIFEST.tsv"):
            continue
        told = next((name for name in NOT_PLAYED if inside == name or inside.startswith(name)), None)
        used.add(told)
        left += [inside] if told is None else []
    assert (left, set(NOT_PLAYED) - used) == ([], set())


@pytest.mark.parametrize(
    ("side", "path", "is_covered"),
    [("sandbox", "/a", True), ("sandbox", "/a/b", True), ("sandbox", "/ab", False), ("genuine", "/a", False)],
)
def test_a_listed_path_stands_for_what_is_below_it_on_its_side(side: str, path: str, is_covered: bool) -> None:
    assert Difference("some kind", "sandbox", "/a", "why").covers(side, path) is is_covered
