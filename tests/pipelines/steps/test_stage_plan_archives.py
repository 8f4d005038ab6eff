"""Archives read against the one before: what is as it was is not read again, and everything is as if it had been."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import ArchiveMember, GuardLimits, Scope, UnreadableFileError
from pipelines.erasure.command import erase
from pipelines.maintenance import retention
from pipelines.maintenance.retention import RetentionLimits
from pipelines.steps import batch_figures
from pipelines.workspace import Workspace, WorkspaceOverrides
from tests.pipelines.invented import ACCOUNTS, MARKET
from tests.pipelines.nightly import NAME, NIGHTLY, OTHERS, WEEK, WHOLE, Nights, night, packed
from tests.pipelines.places import ONE, TWO, Place, accounts
from warehouse.raw.archive import RawBody

ALL = {"a": 1, "b": 2, "c": 3}


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    found = Nights(tmp_path)
    assert found.read(found.take((0, ALL))) == 3
    return found


def bodies(nights: Nights) -> list[RawBody]:
    with closing(nights.workspace()) as workspace:
        return list(workspace.raw_archive.bodies(NIGHTLY.key))


def damage(nights: Nights, piece: RawBody) -> None:
    (path,) = nights.root.glob(f"archive/sha256/*/{piece.sha256}.zst")
    path.write_bytes(path.read_bytes()[:-20] + bytes(20))


def test_archive_with_a_member_that_lacks_a_record_retires_it_alone(tmp_path: Path) -> None:
    """Of a subject of which every delivery has all records; subjects of unchanged members, or of none, stay."""
    declared = {ACCOUNTS.name: ("number",)}
    nights = Nights(tmp_path, replace(NIGHTLY, complete_subjects=declared))
    both = "\n".join(json.dumps(accounts(name, TWO, 2025, 5)) for name in ("b1", "b2"))
    nights.take((0, {"a": 1, "b": both}))
    for number in (1, 2):
        assert nights.read(nights.take((number, {"a": 1, "b": both.partition("\n")[0]}))) == 2 - number
    with closing(nights.workspace()) as workspace, workspace.open_history("FI") as history:
        rows = history.present_rows(ACCOUNTS).select("id", "_observed_at", "_retired_at").collect()
    assert sorted(rows.iter_rows()) == [("a", night(1), None), ("b1", night(1), None), ("b2", night(0), night(1))]


def test_answer_of_the_day_stays_although_an_archive_of_that_day_lacks_it(tmp_path: Path) -> None:
    """The archive was made before the answer, and fetched after it; that of the next day decides."""
    nights = Nights(tmp_path, replace(NIGHTLY, complete_subjects={ACCOUNTS.name: ("number",)}, reread_interval=None))
    nights.take((0, {"a": 1}), answers=[(0, "b", 2)])  # six hours later
    nights.take((0, {"a": 1}))
    nights.take((1, {"a": 10}))
    with closing(nights.workspace()) as workspace, workspace.open_history("FI") as history:
        rows = history.present_rows(ACCOUNTS).select("id", "_retired_at").collect()
    assert dict(rows.iter_rows()) == {"a": None, "b": night(1)}


def test_archive_that_is_complete_is_read_whole_and_deletes_only_what_it_lacks(nights: Nights) -> None:
    """Members that are as they were are not absent."""
    assert nights.read(nights.take((1, {**ALL, "b": 20}), scope=Scope.FULL)) == 3
    with closing(nights.workspace()) as workspace, workspace.open_history("FI") as history:
        rows = history.present_rows_of([ACCOUNTS], pl.Series([f"firm:FI:{ONE}"]))[ACCOUNTS.name].collect()
    assert dict(rows.select("id", "_retired_at").iter_rows()) == dict.fromkeys("abc")


def test_only_what_differs_is_read_and_all_stands_on_the_newest(nights: Nights) -> None:
    index = nights.take((1, {**ALL, "b": 20, "d": 4}))
    assert nights.read(index) == 2
    revenues = {"a": 1, "b": 20, "c": 3, "d": 4}
    assert nights.present() == {name: (revenue, night(1)) for name, revenue in revenues.items()}
    newest = bodies(nights)[-1].sha256
    assert {nights.raw_of(name) for name in revenues} == {newest}
    assert nights.read(nights.take((2, {**ALL, "b": 20, "d": 5}))) == 1
    assert nights.present()["c"] == (3, night(2))


def test_a_night_in_which_nothing_differs_moves_all_on(nights: Nights) -> None:
    assert nights.read(nights.take((1, dict(reversed(ALL.items()))))) == 0
    assert set(nights.present().values()) == {(1, night(1)), (2, night(1)), (3, night(1))}


def test_an_answer_between_two_nights_makes_its_member_read_again(nights: Nights) -> None:
    nights.take(answers=[(0, "b", 20)])
    assert nights.present()["b"][0] == 20
    assert nights.read(nights.take((1, {**ALL, "c": 30}))) == 2
    assert nights.present()["b"] == (2, night(1)), "the archive says again what it said before the answer"
    assert nights.read(nights.take((2, {**ALL, "c": 31}))) == 1, "the answer is older than the last archive"


def test_an_answer_about_nobody_in_the_archive_makes_all_of_it_read(nights: Nights) -> None:
    nights.take(answers=[(0, "z", 20)])
    assert nights.read(nights.take((1, {**ALL, "c": 30}))) == 3


def test_what_comes_late_is_older_than_what_was_repeated(nights: Nights) -> None:
    nights.take((2, {**ALL, "c": 30}))
    assert nights.read(nights.take((1, {**ALL, "a": 10}))) == 3, "one that is late is read whole"
    nights.take(answers=[(1, "b", 20)])
    assert [nights.present()[name][0] for name in ALL] == [1, 2, 30]
    assert nights.read(nights.take((3, {**ALL, "c": 30}))) == 0, "the answer is older than the newest archive"
    assert [nights.present()[name] for name in ALL] == [(1, night(3)), (2, night(3)), (30, night(3))]


def test_after_a_week_everything_is_read_once_more(nights: Nights) -> None:
    for number in range(1, 7):
        assert nights.read(nights.take((number, {**ALL, "c": number * 10}))) == 1
    assert nights.read(nights.take((7, {**ALL, "c": 70}))) == 3
    assert nights.read(nights.take((8, {**ALL, "c": 80}))) == 1


def test_against_what_is_damaged_or_gone_nothing_is_compared(nights: Nights) -> None:
    damage(nights, bodies(nights)[0])
    assert nights.read(nights.take((1, {**ALL, "c": 30}))) == 3
    with closing(nights.workspace()) as workspace:
        workspace.raw_archive.prune_body(bodies(nights)[-1])
    assert nights.read(nights.take((2, {**ALL, "c": 31}))) == 3


def test_what_a_part_kept_unread_is_read_the_next_time(nights: Nights) -> None:
    index = nights.take((1, {**ALL, "b": "no JSON"}))
    assert index is not None
    assert index.rejects == 1
    assert nights.read(nights.take((2, {**ALL, "b": "no JSON", "c": 30}))) == 2, "all but what cannot be read"


def test_an_archive_that_is_not_read_repeats_nothing(nights: Nights) -> None:
    def refuse(piece: ArchiveMember) -> Iterator[ArchiveMember]:
        raise UnreadableFileError(piece.dataset, piece.name, "not today")

    sound, nights.nightly = nights.nightly, replace(NIGHTLY, split_members=refuse)
    index = nights.take((1, {**ALL, "b": 20}))
    assert index is not None
    assert batch_figures.incremental_archives(index) == []
    assert nights.present()["a"] == (1, night(0)), "nobody has seen that it is still so"
    nights.nightly = sound
    assert nights.read(nights.take((2, {**ALL, "b": 20, "c": 30}))) == 2, "against the one before it"


def test_two_archives_of_one_run_do_not_hide_each_other(nights: Nights) -> None:
    nights.take((1, {**ALL, "a": 10}), is_read=False)
    assert nights.read(nights.take((2, {**ALL, "c": 30}))) == 1 + 3
    assert [nights.present()[name] for name in ALL] == [(1, night(2)), (2, night(2)), (30, night(2))]


def test_behind_what_a_guard_holds_all_is_read(tmp_path: Path) -> None:
    nights = Nights(tmp_path, replace(NIGHTLY, guard_limits=GuardLimits(max_rejected=0.1)))
    nights.take((0, ALL))
    news = {**ALL, "a": 10}
    held = nights.take((1, {**dict.fromkeys(map(str, range(20)), "no JSON"), **news}))
    assert held is not None
    assert held.held is not None
    assert nights.read(nights.take((2, {**news, "c": 30}))) == 3
    assert nights.present()["a"] == (10, night(2))
    assert nights.read(nights.take((3, {**news, "c": 31}))) == 1, "what is held is older than what was read since"


def test_what_is_repeated_counts_where_rejects_are_judged(tmp_path: Path) -> None:
    nights = Nights(tmp_path, replace(NIGHTLY, guard_limits=GuardLimits(max_rejected=0.2)))
    many = {f"m{number}": number for number in range(100)}
    nights.take((0, many))
    odd = dict.fromkeys((f"m{number}" for number in range(12)), "no JSON")
    index = nights.take((1, {**many, **odd}))
    assert index is not None
    assert (index.held, index.rejects) == (None, 12), "12 of 100, though nothing else was read"


def test_what_stands_on_what_is_told(nights: Nights) -> None:
    nights.take((1, {**ALL, "c": 30}))
    index = nights.take((2, {**ALL, "c": 31}))
    assert index is not None
    first, second, third = (piece.sha256 for piece in bodies(nights))
    assert batch_figures.incremental_archives(index) == [
        batch_figures.IncrementalArchive(third, night(2), (first, second), night(0), 4)
    ]
    with closing(nights.workspace()) as workspace:
        indexes = list(workspace.staged_store.indexes(NIGHTLY.key))
    assert batch_figures.dependent_archives(indexes, {first}) == {second, third}
    assert batch_figures.dependent_archives(indexes, {third}) == set()
    assert batch_figures.base_archives(indexes, {third}) == {first, second}
    assert json.dumps(batch_figures.figure_values(batch_figures.incremental_archives(index)))


def test_where_it_is_not_declared_all_is_read(tmp_path: Path) -> None:
    nights = Nights(tmp_path, WHOLE)
    nights.take((0, ALL))
    index = nights.take((1, {**ALL, "c": 30}))
    assert nights.read(index) == 3
    assert index is not None
    assert batch_figures.INCREMENTAL not in index.figures


NIGHTS = st.tuples(st.integers(0, 9), st.dictionaries(st.sampled_from("abc"), st.integers(1, 2), min_size=1))
TOLD = st.tuples(st.integers(0, 9), st.sampled_from("abcd"), st.integers(1, 2))
RUNS = st.lists(st.tuples(st.lists(NIGHTS, max_size=2), st.lists(TOLD, max_size=1)), min_size=2, max_size=4)


@pytest.mark.slow
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(RUNS)
def test_whatever_comes_when_the_state_is_that_of_reading_everything(runs: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        ours, plain = Nights(Path(one)), Nights(Path(other), WHOLE)
        for archives, answers in runs:
            for nights in (ours, plain):
                nights.take(*archives, answers=answers)
            assert ours.present() == plain.present()


def test_member_that_is_gone_stays_on_the_archive_that_held_it(nights: Nights) -> None:
    nights.take((1, {"a": 10, "b": 2}))
    assert nights.present()["c"] == (3, night(0))


def archived(place: Place) -> bytes:
    """Everything that RAW holds, unpacked."""
    with closing(Workspace(place.settings, (place.market,), place.clock)) as workspace:
        found = list(workspace.raw_archive.bodies(NIGHTLY.key))
        packs = [zipfile.ZipFile(io.BytesIO(piece.open().read())) for piece in found]
    return b"".join(pack.read(name) for pack in packs for name in pack.namelist())


@pytest.fixture(scope="module")
def three_nights(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Three nights; of the second and third one member of three is new."""
    made = Place(tmp_path_factory.mktemp("nights"), market=replace(MARKET, datasets=(*OTHERS, NIGHTLY)))
    made.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""))
    for revenue in (10, 11, 12):
        told = {"a": (ONE, 5), "b": (TWO, revenue), "c": (TWO, 7)}
        members = {name: json.dumps(accounts(name, who, 2025, much)) for name, (who, much) in told.items()}
        made.write(f"fi/{NAME}", packed(members))
        made.ingest()
    return made


@pytest.fixture
def place(three_nights: Place, tmp_path: Path) -> Place:
    shutil.copytree(three_nights.root, tmp_path / "place")
    return replace(three_nights, root=tmp_path / "place")


@pytest.mark.slow
def test_an_erasure_finds_its_subject_in_archives_that_repeat_what_was_read_of_another(place: Place) -> None:
    assert archived(place).count(ONE.encode()) == 3
    overrides = WorkspaceOverrides((place.market,), place.clock)
    erase(place.settings, [f"firm:FI:{ONE}"], "asked for", overrides=overrides)
    left = archived(place)
    assert left.count(ONE.encode()) == 0
    assert left.count(TWO.encode()) == 6, "what is everybody else's stays"


@pytest.mark.slow
def test_what_an_archive_stands_on_is_not_pruned(place: Place) -> None:
    everything = RetentionLimits(timedelta(), timedelta())

    def spare() -> int:
        with closing(Workspace(place.settings, (place.market,), place.clock)) as workspace:
            found = retention.find_expired(workspace, place.market, everything, place.now + timedelta(days=1))
            return sum(len(one.batches) + len(one.bodies) for one in found if one.dataset == NIGHTLY.key)

    assert spare() == 0
    place.now += WEEK  # the next is read whole
    place.write(f"fi/{NAME}", packed({"b": json.dumps(accounts("b", TWO, 2025, 13))}))
    place.ingest()
    assert spare() == 2 * 3, "three archives and their rows, which nothing stands on any more"
