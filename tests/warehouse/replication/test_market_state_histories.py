"""Random histories of a market on machines that take turns, killed anywhere: the state is one, whole, and small."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.warehouse.replication.state_world import (
    ACTIONS,
    Killer,
    Machine,
    MemoryStore,
    ProcessKilledError,
    needed_keys,
)
from warehouse.replication import market_contents, market_state

_ACTIONS = st.tuples(st.sampled_from(sorted(ACTIONS)), st.integers(0, 12))
_TURN = st.tuples(st.integers(0, 1), st.lists(_ACTIONS, max_size=6), st.none() | st.integers(1, 40))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches of a few elements, so that short histories have many."""
    monkeypatch.setattr(market_contents, "STRETCHES", (16, 8, 2))
    monkeypatch.setattr(market_state, "PAST_CHANGES", 12)


def _hold(machine: Machine, token: int, actions: list[tuple[str, int]], at: int | None) -> bool:
    """A turn of a machine; False if it was killed."""
    killer = Killer(at)
    machine.store.killer = killer
    try:
        market = machine.market(token, killer)
        market.fetch()
        for action, number in actions:
            ACTIONS[action](machine, number)
        market.send({"erased": []})
    except ProcessKilledError:
        return False
    finally:
        machine.store.killer = Killer()
    return True


def _fetched(folder: Path, store: MemoryStore) -> dict[str, bytes]:
    """What a machine with an empty disk gets; it leaves the store as it was."""
    copy = MemoryStore(dict(store.objects))
    machine = Machine(folder, copy).lost()
    machine.market(10_000).fetch()
    return machine.files()


_DAY = [("receive", 1), ("stage", 3), ("erase", 1), ("prune", 2), ("redact", 1), ("fail", 0), ("receive", 4)]


@pytest.mark.slow
def test_killed_at_any_step_a_turn_is_whole_or_has_not_been(tmp_path: Path) -> None:
    """A turn that first fetches another machine's day, then sends one of its own."""
    before = MemoryStore()
    one, other = Machine(tmp_path / "one", before), Machine(tmp_path / "other", before)
    assert _hold(other, 1, [("receive", number) for number in range(9)], None)
    assert _hold(one, 2, [("stage", 1)], None)
    assert _hold(other, 3, _DAY, None)
    saved = tmp_path / "saved"
    one.layout.root.rename(saved)
    at, is_done = 0, False
    while not is_done:
        at += 1
        shutil.copytree(saved, one.layout.root)
        store = MemoryStore(dict(before.objects))
        one.store = other.store = store
        is_done = _hold(one, 4, _DAY, at)
        state = _fetched(tmp_path / "third", store)
        assert state in (_fetched(tmp_path / "third", before), one.files())
        assert _hold(one, 5, [], None)
        assert _fetched(tmp_path / "third", store) == one.files()
        assert set(store.objects) == set(needed_keys(store))
        one.lost()
    assert at > 40


@pytest.mark.slow
@settings(max_examples=40)
@given(turns=st.lists(_TURN, min_size=1, max_size=9))
def test_histories_of_two_machines_end_equal(turns: list[tuple[int, list[tuple[str, int]], int | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        store = MemoryStore()
        machines = [Machine(root / "one", store), Machine(root / "other", store)]
        seen: dict[str, bytes] = {}
        for token, (number, actions, at) in enumerate(turns, 1):
            is_done = _hold(machines[number], token, actions, at)
            now = _fetched(root / "third", store)
            assert now in (seen, machines[number].files())  # the state before or after, never another
            if is_done:
                assert now == machines[number].files()
                assert set(store.objects) == set(needed_keys(store))
            seen = now
        for token, machine in enumerate([*machines, *machines], len(turns) + 1):
            assert _hold(machine, token, [], None)
        assert machines[0].files() == machines[1].files() == _fetched(root / "third", store)
        assert set(store.objects) == set(needed_keys(store))
