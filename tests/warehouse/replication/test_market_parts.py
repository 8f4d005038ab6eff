"""Parts of a market's state: what a day costs, what is refused, and states of earlier versions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.warehouse.helpers import Sent
from tests.warehouse.replication.state_world import ACTIONS, Machine, MemoryStore, needed_keys
from warehouse.replication import market_contents, market_manifests
from warehouse.replication.errors import CorruptObjectError, LostRaceError, MissingObjectError, ReplicationError
from warehouse.replication.market_contents import FileChange, MarketContents, StatePart, cut_stretches

AREA = "markets/NO"


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def one(tmp_path: Path, store: MemoryStore) -> Machine:
    return Machine(tmp_path / "one", store)


@pytest.fixture
def other(tmp_path: Path, store: MemoryStore) -> Machine:
    return Machine(tmp_path / "other", store)


def _receive(machine: Machine, first: int, number: int) -> None:
    archive = machine.archive
    for body in range(first, first + number):
        archive.store_body("no.x", Sent(f"{body}.csv", b"%d" % body), f"b{body}")


def _turn(machine: Machine, token: int, work: Callable[[], None] = lambda: None) -> None:
    market = machine.market(token)
    market.fetch()
    work()
    market.send({"erased": []})


def test_stretches_of_any_number_follow_each_other_and_join_only_at_the_end() -> None:
    for count in (0, 1, 255, 256, 257, 4_095, 4_096, 65_535, 65_536, 1_000_000, 5_000_001):
        cut = list(cut_stretches(count))
        assert [end for _, end in cut[:-1]] == [first for first, _ in cut[1:]]
        assert (cut[0][0], cut[-1][1]) == (0, count) if count else cut == []
        assert len(cut) <= 15 + 15 + 1 + count // 65_536
        for more in (count + 1, count + 300, 2 * count + 17):
            later = list(cut_stretches(more))
            assert all(any(start <= first and end <= stop for start, stop in later) for first, end in cut)


def _cost_of_a_day(
    root: Path, bodies: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[dict[str, int], dict[str, int], int, int]:
    """Requests of a send and of a fetch of three bodies after so many, their bytes, and the lines that they read."""
    store = MemoryStore()
    one, other = Machine(root / "one", store), Machine(root / "other", store)
    _turn(one, 1, lambda: _receive(one, 0, bodies))
    _turn(other, 2)
    lines = 0

    def counted(*given: object) -> list[bytes]:
        nonlocal lines
        found = list(between(*given))  # type: ignore[arg-type]
        lines += len(found)
        return found

    between = market_manifests.lines_between
    monkeypatch.setattr(market_manifests, "lines_between", counted)
    store.requests.clear()
    store.moved_bytes = 0
    _turn(one, 3, lambda: _receive(one, bodies, 3))
    sent = dict(store.requests)
    store.requests.clear()
    other.market(4).fetch()
    monkeypatch.setattr(market_manifests, "lines_between", between)
    assert other.files() == one.files()
    return sent, dict(store.requests), store.moved_bytes, lines


@pytest.mark.slow
def test_a_day_costs_the_same_after_any_number_of_days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests, bytes, and lines of manifests read, counted; the last stretches are equally long in both."""
    few = _cost_of_a_day(tmp_path / "few", 300, monkeypatch)
    many = _cost_of_a_day(tmp_path / "many", 300 + 8 * 256, monkeypatch)
    assert many[:2] == few[:2]
    assert sum(few[0].values()) <= 20
    assert many[2] - few[2] <= 8 * 600  # the list of parts has eight more, and is read or written a few times
    assert many[3] == few[3] <= 30


def test_a_send_without_changes_writes_nothing(one: Machine, store: MemoryStore) -> None:
    _turn(one, 1, lambda: _receive(one, 0, 3))
    market = one.market(1)
    market.fetch()
    store.requests.clear()
    assert market.send({"erased": []}) == 1
    assert dict(store.requests) == {"read": 1}


def _state(store: MemoryStore) -> MarketContents:
    key = json.loads(store.objects[f"{AREA}/head.json"])["contents"]
    return MarketContents.parse(key, store.objects[key])


def _changes(store: MemoryStore) -> list[FileChange]:
    keys = [(part, part.blob.key(AREA)) for part in _state(store).parts]
    return [change for part, key in keys for change in part.changes(key, store.objects[key])]


def _key_of(store: MemoryStore, what: str) -> str:
    if what == "contents":
        return json.loads(store.objects[f"{AREA}/head.json"])["contents"]
    if what == "part":
        return _state(store).parts[-1].blob.key(AREA)
    word = {"body": "/sha256/", "lines": ".jsonl@", "history": "history/"}[what]
    return next(one.file.key(AREA) for one in reversed(_changes(store)) if word in one.name and one.file is not None)


_DAMAGE: dict[str, Callable[[bytes], bytes | None]] = {
    "missing": lambda _: None,
    "truncated": lambda content: content[: len(content) // 2],
    "torn": lambda content: content[:-9] + bytes(9),
}


@pytest.mark.parametrize("damage", _DAMAGE)
@pytest.mark.parametrize("what", ["contents", "part", "body", "lines", "history"])
def test_damaged_objects_are_refused_by_key_and_nothing_changes(
    one: Machine, other: Machine, store: MemoryStore, what: str, damage: str
) -> None:
    _turn(one, 1, lambda: _receive(one, 0, 2))
    _turn(other, 2)
    _turn(one, 3, lambda: (_receive(one, 2, 2), ACTIONS["stage"](one, 1)))  # type: ignore[func-returns-value]
    key, before = _key_of(store, what), other.files()
    damaged = _DAMAGE[damage](store.objects[key])
    good = store.objects.pop(key)
    if damaged is not None:
        store.objects[key] = damaged
    with pytest.raises((CorruptObjectError, MissingObjectError)) as refused:
        _turn(other, 4)
    assert key in str(refused.value)
    assert "restore the bucket" in str(refused.value)
    assert other.files() == before
    store.objects[key] = good
    _turn(other, 5)
    assert other.files() == one.files()


def test_without_a_head_the_machine_that_ran_last_sends_all_again(
    one: Machine, other: Machine, store: MemoryStore
) -> None:
    """As the message about a damaged state advises."""
    _turn(one, 1, lambda: (_receive(one, 0, 4), ACTIONS["stage"](one, 1)))  # type: ignore[func-returns-value]
    for what in ("part", "body", "lines", "history"):
        del store.objects[_key_of(store, what)]
        del store.objects[f"{AREA}/head.json"]
        _turn(one, 2)
        _turn(other.lost(), 3)
        assert other.files() == one.files()
        assert set(store.objects) == set(needed_keys(store))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (b'["a"]\n', "1 changes, not 2"),
        (b"no JSON\n\n", "not a part"),
        (b'["a", 1]\n["b"]\n', "not a part"),
        (b'["../a", 1, "00"]\n["b"]\n', "invalid file name"),
    ],
)
def test_a_part_that_is_none_is_refused(lines: bytes, message: str) -> None:
    content = market_contents.pack_bytes(lines)
    part = StatePart(0, 2, len(content), hashlib.sha256(content).hexdigest())
    with pytest.raises(CorruptObjectError, match=message):
        part.changes("s3://bucket/key", content)


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"version": 1, "beside": {}},
        {"version": 1, "beside": {}, "parts": [[0, 2]]},
        {"version": 1, "beside": {}, "parts": [[0, 2, 1, "x"]]},
        {"version": 1, "beside": {}, "parts": [[0, 2, 1, "0" * 64], [3, 4, 1, "0" * 64]]},
        {"version": 1, "beside": {}, "parts": [[2, 4, 1, "0" * 64]]},
        {"version": 1, "beside": {}, "parts": [[0, 0, 1, "0" * 64]]},
    ],
)
def test_contents_that_are_none_are_refused(document: dict[str, object]) -> None:
    written = json.dumps(document).encode()
    with pytest.raises(CorruptObjectError):
        MarketContents.parse(f"{AREA}/contents.{hashlib.sha256(written).hexdigest()}", written)


@pytest.mark.parametrize("lacking", [0, 1, 2])
def test_a_manifest_that_lacks_lines_is_refused(
    one: Machine, other: Machine, store: MemoryStore, monkeypatch: pytest.MonkeyPatch, lacking: int
) -> None:
    monkeypatch.setattr(market_contents, "STRETCHES", (64, 4, 2))
    _turn(one, 1, lambda: _receive(one, 0, 7))
    changes = _changes(store)
    stretches = [change for change in changes if ".jsonl@" in change.name]
    changes.remove(stretches[lacking])
    if lacking == 2:  # the last: what is lost is in a line that another object lacks
        name = stretches[1].name.replace("-6@", "-7@")
        changes = [FileChange(name, one.file) if one is stretches[1] else one for one in changes]
    part, content = StatePart.of(0, changes)
    store.objects[part.blob.key(AREA)] = content
    contents = MarketContents(9, (part,), {})
    key = f"{AREA}/contents.{hashlib.sha256(contents.as_bytes()).hexdigest()}"
    store.objects[key] = contents.as_bytes()
    head = json.loads(store.objects[f"{AREA}/head.json"])
    store.objects[f"{AREA}/head.json"] = json.dumps(head | {"contents": key}).encode()
    with pytest.raises(CorruptObjectError):
        other.market(2).fetch()
    assert other.files() == {}


def _earlier_state(machine: Machine, store: MemoryStore) -> None:
    """The state of a machine as earlier versions wrote it: one document with every file."""
    files = []
    for name, content in sorted(machine.files().items()):
        sha256 = hashlib.sha256(content).hexdigest()
        store.objects[f"{AREA}/{sha256}"] = content
        files.append({"name": name, "size": len(content), "sha256": sha256})
    written = json.dumps({"version": 7, "files": files, "beside": {"erased": []}}).encode()
    key = f"{AREA}/contents.{hashlib.sha256(written).hexdigest()}"
    store.objects[key] = written
    store.objects[f"{AREA}/head.json"] = json.dumps({"version": 7, "contents": key, "token": 1}).encode()
    folder = machine.layout.replication_folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adopted-NO.json").write_text(json.dumps({"contents": key}))


def test_states_of_earlier_versions_are_read_and_upgraded_by_the_next_send(
    one: Machine, other: Machine, tmp_path: Path, store: MemoryStore
) -> None:
    _receive(one, 0, 5)
    ACTIONS["stage"](one, 1)
    ACTIONS["erase"](one, 1)
    _earlier_state(one, store)
    other.market(2).fetch()
    assert other.files() == one.files()
    bodies = {key for key in store.objects if len(key) == len(AREA) + 65}
    _receive(one, 5, 1)
    _turn(one, 3)  # the machine that has sent the earlier state goes on
    assert _state(store).version == 8
    assert len(bodies - set(store.objects)) == 1  # the manifest, which is lines now
    assert set(store.objects) == set(needed_keys(store))
    _turn(other, 4, lambda: _receive(other, 6, 1))
    _turn(one, 5)
    third = Machine(tmp_path / "third", store)
    third.market(6).fetch()
    assert third.files() == other.files() == one.files()


def test_a_machine_that_fetched_an_earlier_state_upgrades_it(one: Machine, other: Machine, store: MemoryStore) -> None:
    _receive(one, 0, 5)
    _earlier_state(one, store)
    _turn(other, 2, lambda: _receive(other, 5, 1))
    _turn(one, 3)
    assert other.files() == one.files()
    assert set(store.objects) == set(needed_keys(store))


def test_a_body_that_is_lost_on_a_disk_stays_in_the_store(one: Machine, other: Machine, store: MemoryStore) -> None:
    _turn(one, 1, lambda: _receive(one, 0, 3))
    before = one.files()
    [lost] = [name for name in before if "/sha256/" in name][:1]
    (one.layout.root / lost).unlink()
    ACTIONS["lose index"](one, 0)
    _turn(one, 2, lambda: _receive(one, 3, 1))
    _turn(other, 3)
    assert other.files()[lost] == before[lost]


def test_a_file_that_goes_while_the_index_is_lost_goes_from_the_store(
    one: Machine, other: Machine, store: MemoryStore
) -> None:
    _turn(one, 1, lambda: ACTIONS["stage"](one, 1))
    ACTIONS["lose index"](one, 0)
    _turn(one, 2, lambda: ACTIONS["drop rows"](one, 1))
    _turn(other, 3)
    assert other.files() == one.files()


def test_what_an_interrupted_send_has_left_is_removed_by_the_next(one: Machine, store: MemoryStore) -> None:
    _turn(one, 1, lambda: _receive(one, 0, 3))
    store.requests.clear()
    _turn(one, 1, lambda: _receive(one, 3, 1))
    assert store.requests["list"] == 0  # none is suspected
    head = json.loads(store.objects[f"{AREA}/head.json"])
    store.objects[f"{AREA}/head.json"] = json.dumps(head | {"swept": False}).encode()
    store.objects[f"{AREA}/{'0' * 64}"] = b"left"
    _turn(one, 2)
    assert set(store.objects) == set(needed_keys(store))


def test_a_holder_that_was_paused_removes_nothing_of_the_next(
    one: Machine, other: Machine, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lists what the next has uploaded, and finds that it has lost the market before it removes that."""
    _turn(one, 1, lambda: _receive(one, 0, 3))
    head = json.loads(store.objects[f"{AREA}/head.json"])
    store.objects[f"{AREA}/head.json"] = json.dumps(head | {"swept": False}).encode()
    paused = one.market(2)
    paused.fetch()
    listed = store.keys

    def pausing(prefix: str) -> list[str]:
        monkeypatch.setattr(store, "keys", listed)
        _turn(other, 3, lambda: _receive(other, 3, 2))
        return listed(prefix)

    monkeypatch.setattr(store, "keys", pausing)
    with pytest.raises(LostRaceError):
        paused.send({"erased": []})
    assert set(needed_keys(store)) <= set(store.objects)
    _turn(one, 4)
    assert one.files() == other.files()


def test_an_index_that_is_lost_while_it_is_used_ends_the_send(
    one: Machine, other: Machine, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    _turn(one, 1, lambda: _receive(one, 0, 3))
    upload = store.upload

    def losing(key: str, path: Path) -> None:
        upload(key, path)
        ACTIONS["lose index"](one, 0)

    monkeypatch.setattr(store, "upload", losing)
    with pytest.raises(ReplicationError, match="run this again"):
        _turn(one, 2, lambda: _receive(one, 3, 1))
    monkeypatch.setattr(store, "upload", upload)
    _turn(one, 3)
    _turn(other, 4)
    assert other.files() == one.files()
