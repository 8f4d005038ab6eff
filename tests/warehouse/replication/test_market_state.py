"""The state of a market, sent and fetched: what counts, what goes, and what a document of the store may not name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.bucket import Bucket, Fault
from tests.warehouse.helpers import DAY, Sent, day
from warehouse.raw.archive import RawArchive
from warehouse.replication import blobs, decision_log
from warehouse.replication.errors import CorruptObjectError, DivergedReplicaError, LostRaceError, ObjectStoreError
from warehouse.replication.market_contents import FileChange, MarketContents, StatePart
from warehouse.replication.market_state import ReplicatedMarket, head_token
from warehouse.replication.s3 import ObjectStore
from warehouse.storage.layout import Layout


@pytest.fixture
def bucket(object_store: Callable[[], Bucket]) -> Bucket:
    return object_store()


@pytest.fixture
def other(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "other")


def _market(layout: Layout, bucket: Bucket, seconds: float = 20, token: int = 1) -> ReplicatedMarket:
    store = ObjectStore(bucket.address, timedelta(seconds=seconds))
    return ReplicatedMarket(layout, store, "NO", ["no.x", "no.y"], token)


def _write(layout: Layout, name: str, content: str) -> Path:
    path = layout.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def _filled(layout: Layout) -> RawArchive:
    archive = RawArchive(layout, clock=lambda: day(1))
    archive.store_body("no.x", Sent("a.csv", b"first", DAY), "b1")
    archive.store_body("se.z", Sent("a.csv", b"another market's", DAY), "b1")
    _write(layout, "staged/no.x/b1/rows.parquet", "rows")
    _write(layout, "staged/no.y/b1/rows.parquet", "rows")  # the same bytes under another name
    _write(layout, "staged/no.x/b2.tmp/rows.parquet", "half")
    _write(layout, "staged/se.z/b1/rows.parquet", "another market's")
    _write(layout, "images/NO/i1/companies.parquet", "image")
    _write(layout, "history/NO.duckdb", "history 1")
    return archive


def _files(layout: Layout) -> dict[str, bytes]:
    found = (
        path
        for path in layout.root.rglob("*")
        if path.is_file() and {layout.replication_folder, layout.indexes_folder}.isdisjoint(path.parents)
    )
    return {path.relative_to(layout.root).as_posix(): path.read_bytes() for path in found}


def _rewrite_state(bucket: Bucket, rewrite: Callable[[list[FileChange]], list[FileChange]]) -> None:
    """Replaces the one part of a state by another, with all hashes as they should be."""
    head = json.loads(bucket.call("GET", "markets/NO/head.json")[1])
    contents = MarketContents.parse(head["contents"], bucket.call("GET", head["contents"])[1])
    [part] = contents.parts
    key = part.blob.key("markets/NO")
    part, content = StatePart.of(0, rewrite(part.changes(key, bucket.call("GET", key)[1])))
    bucket.call("PUT", part.blob.key("markets/NO"), content)
    written = replace(contents, parts=(part,)).as_bytes()
    head["contents"] = blobs.content_key("markets/NO", written)
    bucket.call("PUT", head["contents"], written)
    bucket.call("PUT", "markets/NO/head.json", json.dumps(head).encode())


def test_another_machine_goes_on(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _filled(layout)
    assert _market(layout, bucket).fetch() is None
    one = _market(layout, bucket)
    one.fetch()
    assert one.send({"erased": ["x"]}) == 1
    assert one.send({"erased": ["x"]}) == 1  # nothing has changed
    two = _market(other, bucket)
    assert two.fetch() == {"erased": ["x"]}
    ours = {name: content for name, content in _files(layout).items() if "se.z" not in name and ".tmp" not in name}
    theirs = _files(other)
    assert theirs.items() <= ours.items()
    assert len(ours) == len(theirs) + 1  # the body of the other market
    [piece] = RawArchive(other).bodies("no.x")
    assert piece.open().read() == b"first"
    (other.root / "staged/no.y/b1/rows.parquet").write_text("changed")  # names with the same bytes are apart
    assert (other.root / "staged/no.x/b1/rows.parquet").read_text() == "rows"


def test_what_is_behind_the_head_is_made_equal_to_it(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _filled(layout)
    one, two = _market(layout, bucket), _market(other, bucket)
    one.fetch()
    one.send({})
    two.fetch()
    _write(other, "history/NO.duckdb", "history 2")
    (other.root / "images/NO/i1/companies.parquet").unlink()
    two.send({})
    _write(layout, "history/NO.duckdb", "history of a run that was killed")
    _write(layout, "staged/no.x/b9/rows.parquet", "the same")
    with pytest.raises(LostRaceError, match="run this again"):
        one.send({})
    assert one.fetch() == {}
    assert (layout.root / "history/NO.duckdb").read_text() == "history 2"
    assert not (layout.root / "staged/no.x/b9/rows.parquet").exists()
    assert not (layout.root / "images/NO/i1/companies.parquet").exists()
    assert (layout.root / "staged/se.z/b1/rows.parquet").exists()
    _write(layout, "history/NO.duckdb", "history 3")  # behind no head: what is here counts
    assert one.fetch() is None
    assert (layout.root / "history/NO.duckdb").read_text() == "history 3"


def test_what_is_erased_here_is_erased_there(layout: Layout, other: Layout, bucket: Bucket) -> None:
    archive = _filled(layout)
    one = _market(layout, bucket)
    one.fetch()
    one.send({})
    _market(other, bucket).fetch()
    [piece] = archive.bodies("no.x")
    archive.erase_body("no.x", piece.sha256, "asked for")
    before = set(bucket.listed())
    one.send({})
    gone = before - set(bucket.listed())
    assert len(gone) == 4  # the body, the lines of its manifest, the part and the contents as they were
    _market(other, bucket).fetch()
    RawArchive(other).delete_erased_bodies()
    assert not list((other.raw_folder / "sha256").rglob("*.zst"))


def test_a_fetch_that_fails_changes_nothing(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _filled(layout)
    one = _market(layout, bucket)
    one.fetch()
    one.send({})
    _market(other, bucket).fetch()
    _write(layout, "history/NO.duckdb", "history 2")
    _write(layout, "staged/no.x/b2/rows.parquet", "more")
    one.send({})
    before = _files(other)
    bucket.faults.append(Fault("503", "^GET .*/markets/NO/[0-9a-f]{64}", times=1000, after=1))
    with pytest.raises(ObjectStoreError):
        _market(other, bucket, seconds=0.5).fetch()
    assert _files(other) == before
    bucket.faults.clear()
    assert _market(other, bucket).fetch() == {}
    assert (other.root / "history/NO.duckdb").read_text() == "history 2"


@pytest.mark.parametrize("name", ["secrets.json", "history/SE.duckdb", "staged/se.z/b1/x", "archive/x.zst"])
def test_a_head_that_names_what_is_not_the_markets_is_refused(
    layout: Layout, other: Layout, bucket: Bucket, name: str
) -> None:
    _filled(layout)
    one = _market(layout, bucket)
    one.fetch()
    one.send({})
    _rewrite_state(bucket, lambda changes: [FileChange(name, changes[0].file), *changes[1:]])
    with pytest.raises(CorruptObjectError, match="refers to a foreign file"):
        _market(other, bucket).fetch()
    assert _files(other) == {}


def test_judgements_are_the_same_everywhere(layout: Layout, other: Layout, bucket: Bucket) -> None:
    store = ObjectStore(bucket.address)
    decision_log.sync_decision_log(layout, store)
    _write(layout, "judgements.jsonl", "one\n")
    decision_log.sync_decision_log(layout, store)
    decision_log.sync_decision_log(other, store)
    assert other.decision_log_file.read_text() == "one\n"
    _write(other, "judgements.jsonl", "one\ntwo\nhal")  # the last was cut off
    decision_log.sync_decision_log(other, store)
    decision_log.sync_decision_log(layout, store)
    assert layout.decision_log_file.read_text() == "one\ntwo\n"
    _write(layout, "judgements.jsonl", "one\ntwo\nthree\n")
    _write(other, "judgements.jsonl", "one\ntwo\nfour\n")
    decision_log.sync_decision_log(layout, store)
    with pytest.raises(DivergedReplicaError, match="have diverged"):
        decision_log.sync_decision_log(other, store)


def test_whoever_holds_the_market_later_shuts_an_earlier_holder_out(
    layout: Layout, other: Layout, bucket: Bucket
) -> None:
    """Also before the later one has written anything: an earlier holder may only have been paused."""
    _filled(layout)
    earlier, later = _market(layout, bucket, token=1), _market(other, bucket, token=2)
    earlier.fetch()
    assert later.fetch() is None
    with pytest.raises(LostRaceError):
        earlier.send({})
    assert later.send({}) == 1
    with pytest.raises(LostRaceError):
        earlier.send({})
    with pytest.raises(LostRaceError):
        _market(layout, bucket, token=1).fetch()
    assert head_token(ObjectStore(bucket.address), "NO") == 2
