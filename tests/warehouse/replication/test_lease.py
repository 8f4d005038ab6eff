"""One writer over all machines: claims that are held, renewed, given back, run out, and taken over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from tests.bucket import Bucket, Fault
from warehouse.replication.lease import LeaseTiming, distributed_lease
from warehouse.replication.s3 import ObjectStore
from warehouse.storage.locks import AlreadyLockedError

PACE = LeaseTiming(0.6)


@pytest.fixture
def bucket(object_store: Callable[[], Bucket]) -> Bucket:
    return object_store()


def test_one_holds_and_gives_back(bucket: Bucket) -> None:
    one, other = ObjectStore(bucket.address), ObjectStore(bucket.address)
    with distributed_lease(one, "claim", "market NO", PACE):
        time.sleep(0.8)  # longer than it would last unrenewed
        with pytest.raises(AlreadyLockedError, match=r"market NO is being written by process .* process \d+"):
            _ = distributed_lease(other, "claim", "market NO", PACE).__enter__()
    started = time.monotonic()
    with distributed_lease(other, "claim", "market NO", PACE):
        assert time.monotonic() - started < PACE.expires


def test_who_waits_gets_it_when_it_is_given_back(bucket: Bucket) -> None:
    store = ObjectStore(bucket.address)
    seen: list[str] = []

    def second() -> None:
        with distributed_lease(ObjectStore(bucket.address), "claim", "a release", PACE, 20):
            seen.append("second")

    with distributed_lease(store, "claim", "a release", PACE):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.8)
        seen.append("first")
    thread.join()
    assert seen == ["first", "second"]


def test_a_claim_of_one_who_is_gone_runs_out(bucket: Bucket) -> None:
    bucket.call("PUT", "claim", b'{"holder": "machine-7 process 12", "renewals": 3}')
    started = time.monotonic()
    with distributed_lease(ObjectStore(bucket.address), "claim", "market NO", PACE):
        assert time.monotonic() - started >= PACE.expires


def test_only_one_of_many_takes_it(bucket: Bucket) -> None:
    inside, most = [0], [0]

    def hold() -> None:
        # so slow a pace that nobody's claim runs out on a machine under load
        with distributed_lease(ObjectStore(bucket.address), "claim", "it", LeaseTiming(6.0), 60):
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            time.sleep(0.05)
            inside[0] -= 1

    threads = [threading.Thread(target=hold) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1


def test_a_renewal_whose_answer_is_lost_keeps_it(bucket: Bucket) -> None:
    with distributed_lease(ObjectStore(bucket.address), "claim", "it", PACE):
        bucket.faults.append(Fault("lost", "^PUT .*/claim", times=2))
        time.sleep(1.0)
        with pytest.raises(AlreadyLockedError):
            _ = distributed_lease(ObjectStore(bucket.address), "claim", "it", PACE).__enter__()
