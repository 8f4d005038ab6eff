"""Releases sent and fetched through the store: what is seen, by whom, and what is left after kills and faults."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from tests.bucket import Bucket, Fault
from tests.warehouse.former import with_unknown_members, with_whole_files
from tests.warehouse.helpers import day, event, rows, segment_file
from tests.warehouse.world import NO_EVENTS, learn, member, parts
from warehouse.ledger.ledger import Ledger
from warehouse.publish.publisher import ReleaseStore
from warehouse.reader.reader import ReleaseReader, StateQuery
from warehouse.release import manifest, segments
from warehouse.release.manifest import InvalidReleaseError, ReleaseManifest
from warehouse.replication.blobs import BlobRef
from warehouse.replication.errors import (
    CorruptObjectError,
    DivergedReplicaError,
    LeaseDatabaseError,
    LostRaceError,
    ObjectStoreError,
)
from warehouse.replication.follower import ReleaseFollower
from warehouse.replication.lease import LeaseDatabase, LeaseTiming
from warehouse.replication.release_manifest import POINTER, ReleaseContents, ReleasePointer, release_area
from warehouse.replication.releases import ReplicatedReleases
from warehouse.replication.s3 import ObjectStore
from warehouse.schema.tables import EVENTS
from warehouse.storage import locks
from warehouse.storage.atomic_files import Step, ignore_step
from warehouse.storage.layout import Layout

LEASES: dict[str, str] = {}
"""Of each bucket the address of the database by which machines write there in turn."""


@pytest.fixture
def bucket(object_store: Callable[[], Bucket], postgresql: Callable[[], str]) -> Bucket:
    made = object_store()
    LEASES[made.name] = postgresql()
    return made


def _shared(layout: Layout, bucket: Bucket, keep: int = 3, seconds: float = 20) -> ReplicatedReleases:
    store = ObjectStore(bucket.address, timedelta(seconds=seconds))
    return ReplicatedReleases(layout, store, keep, LeaseTiming(1), LEASES[bucket.name])


def _releases(
    layout: Layout, bucket: Bucket, at: int = 0, on_step: Step = ignore_step, keep: int = 3, seconds: float = 20
) -> ReleaseStore:
    shared = _shared(layout, bucket, keep, seconds)
    return ReleaseStore(layout, lambda: day(at), keep, on_step, shared)


def _publish(
    layout: Layout, bucket: Bucket, market: str, at: int, events: pl.DataFrame = NO_EVENTS, **how: object
) -> ReleaseManifest:
    learn(layout, market, at, companies=[member(market, 1, name=f"Name {at}")])
    made = _releases(layout, bucket, at, **how).publish(parts(layout, market, at=at), events)  # type: ignore[arg-type]
    assert made is not None
    return made


def _fetch(layout: Layout, bucket: Bucket, seconds: float = 20) -> int | None:
    with locks.release_lock(layout):
        return _shared(layout, bucket, seconds=seconds).fetch()


def _served(layout: Layout, company: str) -> str | None:
    reader = ReleaseReader(layout)
    try:
        with reader.pin_release() as snapshot:
            found = snapshot.profile(company)
            return None if found is None else json.loads(found.body)["name"]
    finally:
        reader.close()


@pytest.fixture
def other(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "other")


def test_another_machine_serves_what_is_published(layout: Layout, other: Layout, bucket: Bucket) -> None:
    assert _fetch(other, bucket) is None
    made = _publish(layout, bucket, "NO", 1, rows(EVENTS, event("a"), event("b")))
    assert _fetch(other, bucket) == 1
    assert manifest.served_manifest(other) == made
    assert _served(other, "firm:NO:900000001") == "Name 1"
    assert [one.event_id for one in Ledger(other).after(0, 10)] == ["evt_a", "evt_b"]
    assert _fetch(other, bucket) is None
    _releases(layout, bucket).record_checks(["NO"], day(7))
    assert _fetch(other, bucket) is None  # no release, yet what runs have noted comes
    assert ReleaseReader(other).read_freshness().markets == {"NO": day(7)}


def test_only_what_is_new_travels(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _publish(layout, bucket, "NO", 1, rows(EVENTS, event("a")))
    _fetch(other, bucket)
    bucket.asked.clear()
    _publish(layout, bucket, "NO", 2, rows(EVENTS, event("b")))
    sent = [line for line in bucket.asked if line.startswith(("PUT", "POST"))]
    assert (
        len(sent) == 1 + 3 + 1 + 2 + 1 + 1
    )  # token; delta's files and the past, manifest, ledger segment and index, contents, pointer
    bucket.asked.clear()
    assert _fetch(other, bucket) == 2
    assert len(bucket.asked) == 2 + 3 + 1 + 2
    for file in manifest.read_manifest(other, 1).segments[0].files.values():
        assert (other.release_folder(1) / file).samefile(other.release_folder(2) / file), "linked, not copied"
    with closing(ReleaseReader(other)) as reader, reader.pin_release() as snapshot:
        state = snapshot.company_state("firm:NO:900000001", StateQuery(day(1)))
        assert state is not None
        assert json.loads(state.profile())["name"] == "Name 1", "what the first release served came along"


@pytest.mark.parametrize("has_names", [True, False])
def test_a_release_of_an_edition_of_whole_files_is_fetched_too(
    layout: Layout, other: Layout, bucket: Bucket, *, has_names: bool
) -> None:
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Name 1")])
    made = ReleaseStore(layout, lambda: day(1)).publish(parts(layout, "NO", at=1), NO_EVENTS)
    assert made is not None
    with_whole_files(layout, 1, has_names=has_names)
    shared = _shared(layout, bucket)
    with shared.hold_release_lock():
        shared.send_again(manifest.read_manifest(layout, 1))
    assert _fetch(other, bucket) == 1
    assert (other.release_folder(1) / "names.sqlite").exists() == has_names
    assert _served(other, "firm:NO:900000001") == "Name 1"


def test_a_store_without_a_release_is_told_once(
    other: Layout, bucket: Bucket, caplog: pytest.LogCaptureFixture
) -> None:
    follower = ReleaseFollower(other, _shared(other, bucket))
    assert [follower.fetch_newest() for _ in range(2)] == [None, None]
    [told] = caplog.messages
    assert "the object store has no release yet, or FIRM_OBJECT_STORE names another prefix" in told


def _send_manifest(layout: Layout, bucket: Bucket, number: int) -> None:
    """Replaces the manifest of the newest release in the store, as its publisher would have written it."""
    store, path = ObjectStore(bucket.address), layout.release_folder(number) / manifest.MANIFEST
    found = store.read(POINTER)
    assert found is not None
    pointer = ReleasePointer.parse(found.content)
    listed = store.read(pointer.contents)
    assert listed is not None
    contents = ReleaseContents.parse(pointer.contents, listed.content)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    file = BlobRef(contents.files[-1].name, path.stat().st_size, digest)
    later = replace(contents, files=(*contents.files[:-1], file))
    store.upload(file.key(release_area(number)), path)
    store.create(later.key(), later.as_bytes())
    written = replace(pointer, manifest_sha256=digest, contents=later.key())
    assert store.replace_previous(POINTER, written.as_bytes(), found)


@pytest.mark.slow
def test_a_release_of_a_later_version_is_refused_and_the_former_one_served(
    layout: Layout, other: Layout, bucket: Bucket
) -> None:
    _publish(layout, bucket, "NO", 1)
    assert _fetch(other, bucket) == 1
    _publish(layout, bucket, "NO", 2)
    with_unknown_members(layout, 2)
    _send_manifest(layout, bucket, 2)
    follower = ReleaseFollower(other, _shared(other, bucket))
    with pytest.raises(InvalidReleaseError, match="release 2: its manifest is of another version of this software"):
        follower.fetch_newest()
    assert _served(other, "firm:NO:900000001") == "Name 1"


@pytest.mark.slow
def test_two_machines_take_turns(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _publish(layout, bucket, "NO", 1, rows(EVENTS, event("a")))
    second = _publish(other, bucket, "SE", 2, rows(EVENTS, event("b", company_id="firm:SE:900000001")))
    third = _publish(layout, bucket, "NO", 3)
    assert (second.release, second.previous, third.release) == (2, 1, 3)
    assert set(third.markets) == {"NO", "SE"}
    assert third.kind == "patch"
    assert _served(layout, "firm:SE:900000001") == "Name 2"
    assert [one.event_id for one in Ledger(layout).after(0, 10)] == ["evt_a", "evt_b"]


@pytest.mark.slow
def test_the_second_of_two_at_one_time_is_not_seen(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _publish(layout, bucket, "NO", 1, rows(EVENTS, event("a")))
    _fetch(other, bucket)
    learn(other, "SE", 2, companies=[member("SE", 1)])

    def meanwhile(step: str) -> None:
        if step == "manifest written":
            LeaseDatabase(LEASES[bucket.name], "").ask("UPDATE firm_leases SET holder = NULL RETURNING token", {})
            _publish(layout, bucket, "NO", 3, rows(EVENTS, event("c")))

    late = _releases(other, bucket, 2, meanwhile)
    with pytest.raises(LostRaceError, match="another machine publishes"):
        late.publish(parts(other, "SE", at=2), rows(EVENTS, event("b")))
    assert manifest.served_position(other)[0] == 1
    assert manifest.served_position(layout)[0] == 2
    assert _releases(layout, bucket, 4).remove_incomplete() == []
    made = _releases(other, bucket, 5).publish(parts(other, "SE", at=2), rows(EVENTS, event("b")))
    assert made is not None
    assert (made.release, made.last) == (3, 3)
    assert [one.event_id for one in Ledger(other).after(0, 10)] == ["evt_a", "evt_c", "evt_b"]


def test_whoever_publishes_later_shuts_an_earlier_one_out(layout: Layout, other: Layout, bucket: Bucket) -> None:
    """Also before the later one has published: its token is in the pointer."""
    made = _publish(layout, bucket, "NO", 1)
    earlier, later = _shared(layout, bucket), _shared(other, bucket)
    layout.freshness_file.write_text("{}")  # what it would tell the others
    with earlier.hold_release_lock():
        LeaseDatabase(LEASES[bucket.name], "").ask("UPDATE firm_leases SET holder = NULL RETURNING token", {})
        with later.hold_release_lock(), pytest.raises(LostRaceError, match="another machine publishes"):
            earlier.send_again(made)
        with pytest.raises(LostRaceError, match="another machine publishes"):
            earlier.send_again(made)


def test_without_a_database_of_leases_releases_are_only_fetched(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _publish(layout, bucket, "NO", 1)
    reading = ReplicatedReleases(other, ObjectStore(bucket.address), 3, LeaseTiming(1))
    assert reading.fetch() == 1
    with pytest.raises(LeaseDatabaseError, match="set FIRM_DATABASE_URL"), reading.hold_release_lock():
        pass


class _Killed(BaseException):
    """The process ends here."""


@pytest.mark.slow
@pytest.mark.parametrize("step", ["manifest written", "release shared", "pointer replaced"])
def test_a_publisher_that_is_killed(layout: Layout, other: Layout, bucket: Bucket, step: str) -> None:
    _publish(layout, bucket, "NO", 1, rows(EVENTS, event("a")))

    def kill(met: str) -> None:
        if met == step:
            raise _Killed

    with pytest.raises(_Killed):
        _publish(layout, bucket, "NO", 2, rows(EVENTS, event("b")), on_step=kill)
    seen = 1 if step == "manifest written" else 2
    assert _fetch(other, bucket) == seen
    _releases(layout, bucket).remove_incomplete()
    made = _releases(layout, bucket, 3).publish(parts(layout, "NO", at=2), rows(EVENTS, event("b")))
    assert manifest.served_position(layout) == (2, 2)
    assert (made is None) == (seen == 2)  # what was shared before the kill has been fetched
    assert _served(layout, "firm:NO:900000001") == "Name 2"
    assert [one.event_id for one in Ledger(layout).after(0, 10)] == ["evt_a", "evt_b"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "what", ["^PUT .*/segments/", "^PUT .*/releases/0000000002/[0-9a-f]", "^PUT .*/contents", "^PUT .*current"]
)
def test_a_store_that_fails_while_a_release_is_sent(layout: Layout, other: Layout, bucket: Bucket, what: str) -> None:
    _publish(layout, bucket, "NO", 1)
    _fetch(other, bucket)
    bucket.faults.append(Fault("503", what, times=1000))
    with pytest.raises(ObjectStoreError, match="503"):
        _publish(layout, bucket, "NO", 2, seconds=0.5)
    assert manifest.served_position(layout)[0] == 1
    bucket.faults.clear()
    assert _fetch(other, bucket) is None
    assert _publish(layout, bucket, "NO", 3).release == 2
    assert _fetch(other, bucket) == 2


@pytest.mark.slow
def test_a_fetch_that_is_cut_off_goes_on(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _publish(layout, bucket, "NO", 1)
    _fetch(other, bucket)
    _publish(layout, bucket, "NO", 2)
    bucket.faults.append(Fault("503", "^GET .*/segments/", times=1000, after=2))
    with pytest.raises(ObjectStoreError):
        _fetch(other, bucket, seconds=0.5)
    assert manifest.served_position(other)[0] == 1
    assert _served(other, "firm:NO:900000001") == "Name 1"
    bucket.faults.clear()
    bucket.asked.clear()
    assert _fetch(other, bucket) == 2
    assert len([line for line in bucket.asked if "/segments/" in line]) == 1  # what lacked
    assert not (other.replication_folder / "incoming").exists()


def test_damage_is_found_and_mended(layout: Layout, other: Layout, bucket: Bucket) -> None:
    made = _publish(layout, bucket, "NO", 1)
    [key] = [key for key in bucket.listed() if key.endswith(manifest.manifest_digest(layout, 1))]
    size = (layout.release_folder(1) / "manifest.json").stat().st_size
    bucket.call("PUT", key, b"x" * size)
    with pytest.raises(CorruptObjectError, match="another SHA-256"):
        _fetch(other, bucket)
    assert manifest.served_manifest(other) is None
    assert not list(other.releases_folder.glob("[0-9]*"))
    shared = _shared(layout, bucket)
    with locks.release_lock(layout), shared.hold_release_lock():
        shared.send_again(made)
    assert _fetch(other, bucket) == 1


@pytest.mark.parametrize(
    "name",
    [
        *("../secrets.json", "secrets.json", "ledger/../x", "releases/0000000001/x"),
        f"releases/0000000001/rows.{'0' * 64}.duckdb",  # of another content
        f"releases/0000000002/rows.{'0' * 64}.duckdb",
        "releases/0000000001/../rows.duckdb",
    ],
)
def test_a_document_that_names_other_files_is_refused(layout: Layout, other: Layout, bucket: Bucket, name: str) -> None:
    _publish(layout, bucket, "NO", 1)
    pointer = json.loads(bucket.call("GET", "releases/current.json")[1])
    contents = json.loads(bucket.call("GET", pointer["contents"])[1])
    contents["files"][0]["name"] = name
    written = json.dumps(contents).encode()
    pointer["contents"] = f"releases/0000000001/contents.{hashlib.sha256(written).hexdigest()}"
    bucket.call("PUT", pointer["contents"], written)
    bucket.call("PUT", "releases/current.json", json.dumps(pointer).encode())
    with pytest.raises(CorruptObjectError):
        _fetch(other, bucket)
    assert not (other.root / "secrets.json").exists()


@pytest.mark.slow
def test_machines_that_are_not_of_one_line(layout: Layout, other: Layout, bucket: Bucket) -> None:
    learn(other, "SE", 1, companies=[member("SE", 1)])
    alone = ReleaseStore(other, lambda: day(1))
    alone.publish(parts(other, "SE", at=1), NO_EVENTS)
    _publish(layout, bucket, "NO", 1)
    with pytest.raises(DivergedReplicaError, match="empty FIRM_DATA"):
        _fetch(other, bucket)
    learn(other, "SE", 2, companies=[member("SE", 2)])
    alone.publish(parts(other, "SE", at=2), NO_EVENTS)
    with pytest.raises(DivergedReplicaError, match="another line's"):
        _publish(other, bucket, "SE", 3)


@pytest.mark.slow
def test_old_releases_go_and_a_late_fetch_takes_the_newest(layout: Layout, other: Layout, bucket: Bucket) -> None:
    for at in range(1, 4):
        _publish(layout, bucket, "NO", at, rows(EVENTS, event(f"e{at}")), keep=2)
    assert not [key for key in bucket.listed() if "0000000001" in key]
    again = [False]

    def publish_more() -> None:
        if not again[0]:
            again[0] = True
            for at in range(4, 6):
                _publish(layout, bucket, "NO", at, keep=2)

    bucket.faults.append(Fault("before", "^GET .*/releases/0000000003/contents", do=publish_more))
    assert _fetch(other, bucket) == 5
    assert _served(other, "firm:NO:900000001") == "Name 5"
    assert [one.event_id for one in Ledger(other).after(0, 10)] == ["evt_e1", "evt_e2", "evt_e3"]


@pytest.mark.slow
def test_what_is_erased_leaves_the_store_too(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _publish(layout, bucket, "NO", 1, rows(EVENTS, event("a")))
    _fetch(other, bucket)
    _publish(layout, bucket, "NO", 2, rows(EVENTS, event("b")))
    _fetch(other, bucket)
    assert other.release_folder(1).exists()
    before = set(bucket.listed())
    releases = _releases(layout, bucket, 3)
    with releases.hold_release_lock():  # as `warehouse.erasure.files.redact_ledger` writes a segment again
        path = layout.ledger_folder / "0000000001.parquet"
        pl.read_parquet(path).with_columns(data=pl.lit("{}")).write_parquet(path)
    releases.prune_releases(1)
    gone = before - set(bucket.listed())
    assert len([key for key in gone if key.startswith("ledger/")]) == 1
    assert len([key for key in gone if key.startswith("releases/0000000001/")]) == 2
    assert _fetch(other, bucket) == 2  # the same release, the ledger written again
    assert pl.read_parquet(other.ledger_folder / "0000000001.parquet")["data"].to_list() == ["{}"]
    assert not other.release_folder(1).exists()


@pytest.mark.slow
def test_segments_of_kept_releases_stay_in_the_store_and_others_go(layout: Layout, bucket: Bucket) -> None:
    for at in range(1, 4):
        _publish(layout, bucket, "NO", at, keep=2)
    kept = {segments.address_of(name) for number in (2, 3) for name in manifest.read_manifest(layout, number).sizes}
    assert {key.rpartition("/")[2] for key in bucket.listed() if key.startswith("segments/")} == kept
    full = _releases(layout, bucket, 4).publish(parts(layout, "NO", at=3), NO_EVENTS, full=True)
    assert full is not None
    _releases(layout, bucket, 4).prune_releases(1)  # as an erasure does
    left = {key.rpartition("/")[2] for key in bucket.listed() if key.startswith("segments/")}
    assert left == {segments.address_of(name) for name in full.sizes}
    assert not left & kept


def test_a_fetch_killed_within_a_segment_goes_on_at_its_byte(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _publish(layout, bucket, "NO", 1)
    path = segment_file(layout, 1, segments.ROWS)
    content = path.read_bytes()
    part = other.replication_folder / "incoming" / segments.address_of(path.name)
    part.parent.mkdir(parents=True)
    part.write_bytes(content[:100_000])
    assert _fetch(other, bucket) == 1
    assert bucket.ranges[f"segments/{part.name}"] == [f"bytes=100000-{len(content) - 1}"]
    assert segment_file(other, 1, segments.ROWS).read_bytes() == content


@pytest.mark.slow
def test_segments_that_are_damaged_are_refused_and_fetched_again(layout: Layout, other: Layout, bucket: Bucket) -> None:
    _publish(layout, bucket, "NO", 1)
    _fetch(other, bucket)
    path = segment_file(other, 1, segments.DOCUMENTS)
    content = path.read_bytes()
    path.write_bytes(content[:-5])
    assert _fetch(other, bucket) == 1, "truncated here"
    assert path.read_bytes() == content
    made = _publish(layout, bucket, "NO", 2)
    path = segment_file(layout, 2, segments.DOCUMENTS)
    key, content = f"segments/{segments.address_of(path.name)}", path.read_bytes()
    bucket.call("PUT", key, content[:-1] + b"?")
    with pytest.raises(CorruptObjectError, match=rf"{key} .*{path.name}.*another SHA-256.*firm release push"):
        _fetch(other, bucket)
    assert _served(other, "firm:NO:900000001") == "Name 1"
    path.write_bytes(content[:-1] + b"?")
    shared = _shared(layout, bucket)
    with (
        locks.release_lock(layout),
        pytest.raises(InvalidReleaseError, match=rf"{path.name} has changed .*firm ingest"),
    ):
        shared.send_again(made)
    path.write_bytes(content)
    with locks.release_lock(layout), shared.hold_release_lock():
        shared.send_again(made)
    assert _fetch(other, bucket) == 2
