"""One writer over all machines: claims that are held, renewed, given back, run out, and taken over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from tests.bucket import Bucket, Fault
from warehouse.locks import Locked
from warehouse.remote.claims import Pace, claimed
from warehouse.remote.store import Store

PACE = Pace(0.6)


@pytest.fixture
def bucket(object_store: Callable[[], Bucket]) -> Bucket:
    return object_store()


def test_one_holds_and_gives_back(bucket: Bucket) -> None:
    one, other = Store(bucket.address), Store(bucket.address)
    with claimed(one, "claim", "market NO", PACE):
        time.sleep(0.8)  # longer than it would last unrenewed
        with pytest.raises(Locked, match=r"market NO is being written by process .* process \d+"):
            _ = claimed(other, "claim", "market NO", PACE).__enter__()
    started = time.monotonic()
    with claimed(other, "claim", "market NO", PACE):
        assert time.monotonic() - started < PACE.expires


def test_who_waits_gets_it_when_it_is_given_back(bucket: Bucket) -> None:
    store = Store(bucket.address)
    seen: list[str] = []

    def second() -> None:
        with claimed(Store(bucket.address), "claim", "a release", PACE, 20):
            seen.append("second")

    with claimed(store, "claim", "a release", PACE):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.8)
        seen.append("first")
    thread.join()
    assert seen == ["first", "second"]


def test_a_claim_of_one_who_is_gone_runs_out(bucket: Bucket) -> None:
    bucket.call("PUT", "claim", b'{"holder": "machine-7 process 12", "renewals": 3}')
    started = time.monotonic()
    with claimed(Store(bucket.address), "claim", "market NO", PACE):
        assert time.monotonic() - started >= PACE.expires


def test_only_one_of_many_takes_it(bucket: Bucket) -> None:
    inside, most = [0], [0]

    def hold() -> None:
        # so slow a pace that nobody's claim runs out on a machine under load
        with claimed(Store(bucket.address), "claim", "it", Pace(6.0), 60):
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
    with claimed(Store(bucket.address), "claim", "it", PACE):
        bucket.faults.append(Fault("lost", "^PUT .*/claim", times=2))
        time.sleep(1.0)
        with pytest.raises(Locked):
            _ = claimed(Store(bucket.address), "claim", "it", PACE).__enter__()
