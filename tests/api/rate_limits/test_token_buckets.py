"""Token buckets in shared memory: rates, sharing between processes, places that are given on."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.rate_limits import token_buckets
from api.rate_limits.token_buckets import BucketRate, TokenBuckets, map_shared_file, token_bucket
from tests.tables import check_cases

PRO = BucketRate(25, 50)


def drain(made, bucket, now):
    """Takes tokens until there are none; how many there were."""
    taken = 0
    while made.take_token(bucket, now) >= 0:
        taken += 1
    return taken


@check_cases("now", [0.5, 1234.5, 1_795_251_600.0])
@check_cases(("per_second", "capacity"), [(5, 10), (10, 20), (25, 50), (50, 100), (3, 1), (7, 11)])
def test_capacity_at_once_then_the_rate(now, per_second, capacity):
    made, bucket = TokenBuckets(), token_bucket("acc_1", BucketRate(per_second, capacity))
    left = [made.take_token(bucket, now) for _ in range(capacity + 3)]
    assert left == [*range(capacity - 1, -1, -1), -1, -1, -1]
    assert drain(made, bucket, now + 1) == min(per_second, capacity)
    assert drain(made, bucket, now + 1000) == capacity


def test_over_a_long_time_never_more_than_capacity_and_rate():
    made, bucket, chance = TokenBuckets(), token_bucket("acc_1", PRO), random.Random(7)
    now = start = 1000.0
    granted = 0
    for _ in range(20_000):
        now += chance.expovariate(60)
        granted += made.take_token(bucket, now) >= 0
    allowed = 50 + 25 * (now - start)
    assert allowed - 2 <= granted <= allowed + 1


@check_cases(("per_second", "capacity"), [(10 / 60, 10), (30 / 60, 30), (1, 60), (50, 100)])
def test_whoever_never_stops_gets_no_more_than_capacity_and_rate(per_second, capacity):
    """Also of a bucket that takes as long to fill as any: its last token is given a little early."""
    made, bucket = TokenBuckets(max_capacity=60.0), token_bucket("test whs_1", BucketRate(per_second, capacity))
    granted = sum(made.take_token(bucket, 1000 + tick * 0.005) >= 0 for tick in range(12_000))
    allowed = capacity + 60 * per_second
    assert allowed - 2 <= granted <= allowed + 1


def test_fractions_of_tokens_are_kept():
    made, bucket = TokenBuckets(), token_bucket("acc_1", BucketRate(5, 10))
    drain(made, bucket, 100.0)
    assert made.take_token(bucket, 100.19) == -1
    assert made.take_token(bucket, 100.21) == 0
    assert made.take_token(bucket, 100.39) == -1
    assert made.take_token(bucket, 100.41) == 0


def test_a_refused_request_costs_nothing():
    made, bucket = TokenBuckets(), token_bucket("acc_1", BucketRate(5, 10))
    drain(made, bucket, 100.0)
    for _ in range(1000):
        made.take_token(bucket, 100.0)
    assert drain(made, bucket, 101.0) == 5


def test_accounts_do_not_share():
    made = TokenBuckets()
    many = [token_bucket(f"acc_{number}", PRO) for number in range(500)]
    assert [drain(made, one, 100.0) for one in many] == [50] * 500


def test_a_token_may_be_given_back():
    made, bucket = TokenBuckets(), token_bucket("192.0.2.1", BucketRate(10, 10))
    for _ in range(100):
        assert made.take_token(bucket, 100.0) == 9
        made.give_back(bucket, 100.0)
    assert drain(made, bucket, 100.0) == 10


def test_a_clock_that_began_anew_locks_nobody_out():
    """After a restart of the machine the file may hold instants of the former clock."""
    made, bucket = TokenBuckets(), token_bucket("acc_1", PRO)
    drain(made, bucket, 5_000_000.0)
    assert drain(made, bucket, 12.0) == 50


def test_places_of_full_buckets_are_given_on(monkeypatch):
    monkeypatch.setattr(token_buckets, "BUCKET_SLOTS", 16)
    made = TokenBuckets()
    first = token_bucket("acc_0", PRO)
    drain(made, first, 100.0)
    assert [drain(made, token_bucket(f"acc_{number}", PRO), 200.0 + number) for number in range(100)] == [50] * 100
    assert drain(made, first, 400.0) == 50


def test_with_too_many_at_once_nobody_is_refused_for_another(monkeypatch):
    monkeypatch.setattr(token_buckets, "BUCKET_SLOTS", 16)
    made = TokenBuckets()
    assert [drain(made, token_bucket(f"acc_{number}", PRO), 100.0) for number in range(100)] == [50] * 100


def test_two_processes_that_map_one_file_share(tmp_path):
    path = tmp_path / "limits" / "bursts"
    mine, other = TokenBuckets(map_shared_file(path)), TokenBuckets(map_shared_file(path))
    a, b = token_bucket("acc_1", PRO), token_bucket("acc_1", PRO)
    taken = 0
    while mine.take_token(a, 100.0) >= 0 or other.take_token(b, 100.0) >= 0:
        taken += 1
    assert taken == 50
    assert path.stat().st_size == 65_536 * 16
    assert [entry.name for entry in path.parent.iterdir()] == ["bursts"]


_CHILD = """
import sys
from pathlib import Path
from api.rate_limits.token_buckets import BucketRate, TokenBuckets, token_bucket, map_shared_file
made, bucket = TokenBuckets(map_shared_file(Path(sys.argv[1]))), token_bucket("acc_1", BucketRate(25, 50))
print(sum(made.take_token(bucket, 100.0) >= 0 for _ in range(100)))
"""


def test_another_process_goes_on_where_this_one_stopped(tmp_path):
    path = tmp_path / "bursts"
    made, bucket = TokenBuckets(map_shared_file(path)), token_bucket("acc_1", PRO)
    for _ in range(20):
        made.take_token(bucket, 100.0)
    command = [sys.executable, "-c", _CHILD, str(path)]
    child = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
    assert child.stdout == "30\n"
    assert made.take_token(bucket, 100.0) == -1


@pytest.mark.parametrize("former", [None, b"old"])
def test_workers_that_start_together_share_one_file(tmp_path, former):
    path = tmp_path / "limits" / "bursts"
    if former is not None:
        path.parent.mkdir()
        path.write_bytes(former)
    for _ in range(20):
        with ThreadPoolExecutor(8) as pool:
            mapped = list(pool.map(lambda _: map_shared_file(path), range(8)))
        for number, memory in enumerate(mapped):
            memory[8 * number] = number + 1
        assert {bytes(memory[: 8 * 8 : 8]) for memory in mapped} == {bytes(range(1, 9))}
        path.unlink()


def test_a_file_that_cannot_be_had_is_said_and_does_without(tmp_path, caplog):
    (tmp_path / "limits").write_text("a file where the folder should be")
    assert map_shared_file(tmp_path / "limits" / "bursts") is None
    assert "each process limits bursts separately" in caplog.text
    assert drain(TokenBuckets(None), token_bucket("acc_1", PRO), 100.0) == 50
