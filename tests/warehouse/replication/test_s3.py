"""The seam to the object store, against an S3 server over HTTP that fails on demand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from tests.bucket import Bucket, Fault
from warehouse.replication.errors import MissingObjectError, ObjectStoreError
from warehouse.replication.s3 import PART, ObjectStore
from warehouse.replication.settings import StoreAddress, StoreSettings
from warehouse.settings.errors import SettingError


@pytest.fixture
def bucket(object_store: Callable[[], Bucket]) -> Bucket:
    return object_store()


def _store(bucket: Bucket, seconds: float = 20) -> ObjectStore:
    return ObjectStore(bucket.address, timedelta(seconds=seconds))


def test_documents_are_written_on_conditions(bucket: Bucket) -> None:
    one, other = _store(bucket), _store(bucket)
    assert one.read("a/b") is None
    first = one.create("a/b", b"first")
    assert first is not None
    assert other.create("a/b", b"second") is None
    second = other.replace("a/b", b"second", first)
    assert second is not None
    assert one.replace("a/b", b"third", first) is None
    found = one.read("a/b")
    assert found is not None
    assert (found.content, found.tag) == (b"second", second)
    assert one.replace("a/none", b"x", first) is None


@pytest.mark.parametrize("kind", ["503", "cut", "lost"])
def test_a_write_whose_answer_fails_is_known_as_ours(bucket: Bucket, kind: str) -> None:
    store = _store(bucket)
    bucket.faults.append(Fault(kind, "^PUT .*/doc", times=2))
    first = store.create("doc", b"x" * 1000)
    assert first is not None
    bucket.faults[:] = [Fault(kind, "^PUT .*/doc", times=2)]
    assert store.replace("doc", b"y" * 1000, first) is not None
    bucket.faults[:] = [Fault(kind, "^GET .*/doc", times=2)]
    found = store.read("doc")
    assert found is not None
    assert found.content == b"y" * 1000


@pytest.mark.parametrize("kind", ["503", "cut", "lost"])
def test_large_files_survive_faults_both_ways(bucket: Bucket, tmp_path: Path, kind: str) -> None:
    store, path, back = _store(bucket), tmp_path / "large", tmp_path / "back"
    path.write_bytes(bytes(range(256)) * ((PART + PART // 2) // 256))
    bucket.faults += [Fault(kind, "^POST .*/large", times=1), Fault(kind, "^PUT .*/large", times=2)]
    store.upload("large", path)
    assert store.has("large", path.stat().st_size)
    assert not store.has("large", 5)
    bucket.faults[:] = [Fault(kind, "^GET .*/large", times=2)]
    store.download("large", back, path.stat().st_size)
    assert back.read_bytes() == path.read_bytes()


def test_a_download_goes_on_where_it_was(bucket: Bucket, tmp_path: Path) -> None:
    store, path, back = _store(bucket, seconds=1), tmp_path / "large", tmp_path / "back"
    path.write_bytes(b"abcdefgh" * (3 * PART // 8))
    store.upload("large", path)
    bucket.faults.append(Fault("503", "^GET .*/large", times=1000, after=2))
    with pytest.raises(ObjectStoreError, match="503"):
        store.download("large", back, path.stat().st_size)
    assert back.stat().st_size == 2 * PART
    bucket.faults.clear()
    bucket.asked.clear()
    store.download("large", back, path.stat().st_size)
    assert back.read_bytes() == path.read_bytes()
    assert len(bucket.asked) == 1


def test_what_is_not_there_and_a_store_that_never_answers(bucket: Bucket, tmp_path: Path) -> None:
    store = _store(bucket, seconds=0.5)
    with pytest.raises(MissingObjectError, match=r"s3://.* does not exist"):
        store.download("none", tmp_path / "none", 5)
    store.remove(["none"])
    bucket.faults.append(Fault("503", ".", times=1000))
    with pytest.raises(ObjectStoreError, match=r"cannot read s3://.*/doc: .*503.*FIRM_OBJECT_STORE"):
        store.read("doc")
    address = bucket.address
    nobody = StoreAddress(address.bucket, "", {**address.options, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"})
    with pytest.raises(ObjectStoreError, match="cannot list"):
        ObjectStore(nobody, timedelta(seconds=0.5)).keys("a/")


def test_addresses() -> None:
    assert StoreSettings.read({}).address is None
    assert StoreSettings.read({"FIRM_OBJECT_STORE": " "}).address is None
    found = StoreSettings.read(
        {"FIRM_OBJECT_STORE": "s3://my-bucket/a/b/", "AWS_REGION": "eu-north-1", "AWS_PROFILE": ""}
    ).address
    assert found == StoreAddress("my-bucket", "a/b", {"AWS_REGION": "eu-north-1"})
    assert str(found) == "s3://my-bucket/a/b"
    assert "secret" not in repr(StoreAddress("b", "", {"AWS_SECRET_ACCESS_KEY": "secret"}))
    for wrong in ("my-bucket", "https://my-bucket/a", "s3://", "s3://my-bucket/a//b", "s3://MY/a", "s3://b?x=1"):
        with pytest.raises(SettingError, match="s3://bucket"):
            StoreSettings.read({"FIRM_OBJECT_STORE": wrong})
