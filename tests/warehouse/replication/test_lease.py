"""One writer over all machines: leases that are held, renewed, given back, run out, and taken over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from sqlalchemy import make_url

from warehouse.replication.errors import LeaseDatabaseError
from warehouse.replication.lease import LeaseDatabase, LeaseTiming, distributed_lease
from warehouse.storage.locks import AlreadyLockedError

TIMING = LeaseTiming(0.6)
NAME = "market NO"


@pytest.fixture
def database(postgresql: Callable[[], str]) -> LeaseDatabase:
    return LeaseDatabase(postgresql().replace("postgresql:", "postgresql+psycopg:"), "s3://bucket")


def held_by(database: LeaseDatabase, holder: str, seconds: float) -> None:
    """A lease of somebody else, who does not renew it."""
    with distributed_lease(database, NAME, TIMING):
        pass
    database.ask(
        "UPDATE firm_leases SET holder = %(holder)s, expires_at = now() + %(seconds)s * interval '1 second' "
        "RETURNING token",
        {"holder": holder, "seconds": seconds},
    )


def test_one_holds_and_gives_back(database: LeaseDatabase) -> None:
    with distributed_lease(database, NAME, TIMING) as token:
        time.sleep(0.8)  # longer than it would last unrenewed
        with pytest.raises(AlreadyLockedError, match=r"market NO is being written by process .* process \d+"):
            _ = distributed_lease(database, NAME, TIMING).__enter__()
        with distributed_lease(database, "market SE", TIMING):
            pass
    with distributed_lease(database, NAME, LeaseTiming(60)) as following:
        assert following == token + 1


def test_who_waits_gets_it_when_it_is_given_back(database: LeaseDatabase) -> None:
    seen: list[str] = []

    def second() -> None:
        with distributed_lease(database, "a release", TIMING, 20):
            seen.append("second")

    with distributed_lease(database, "a release", TIMING):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.8)
        seen.append("first")
    thread.join()
    assert seen == ["first", "second"]


def test_a_lease_of_one_who_is_gone_runs_out(database: LeaseDatabase) -> None:
    held_by(database, "machine-7 process 12", TIMING.expires)
    started = time.monotonic()
    with distributed_lease(database, NAME, TIMING) as token:
        assert time.monotonic() - started >= TIMING.expires / 2
        assert token == 2


def test_only_one_of_many_takes_it(database: LeaseDatabase) -> None:
    inside, most, tokens = [0], [0], []

    def hold() -> None:
        # so slow a pace that nobody's lease runs out on a machine under load
        with distributed_lease(database, NAME, LeaseTiming(6.0), 60) as token:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            tokens.append(token)
            time.sleep(0.05)
            inside[0] -= 1

    threads = [threading.Thread(target=hold) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1
    assert tokens == [1, 2, 3, 4, 5]


def test_tokens_grow_though_the_database_was_restored(database: LeaseDatabase) -> None:
    with distributed_lease(database, NAME, TIMING, above=41) as token:
        assert token == 42
    with distributed_lease(database, NAME, TIMING, above=7) as token:
        assert token == 43


def test_one_who_lost_the_lease_gives_back_nothing(database: LeaseDatabase, caplog: pytest.LogCaptureFixture) -> None:
    with distributed_lease(database, NAME, TIMING):
        held_by_another = {"holder": "another process 1"}
        database.ask(
            "UPDATE firm_leases SET token = token + 1, holder = %(holder)s, expires_at = now() + interval '1 hour' "
            "RETURNING token",
            held_by_another,
        )
        time.sleep(0.4)
    assert "was taken over by another machine" in caplog.text
    assert database.ask("SELECT holder, token FROM firm_leases", {}) == ("another process 1", 2)


@contextmanager
def cut_off(url: str) -> Iterator[None]:
    """Nobody can connect to the database meanwhile."""
    name = make_url(url).database
    with psycopg.connect(url.replace(f"/{name}", "/postgres"), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")  # type: ignore[arg-type]
        yield
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")  # type: ignore[arg-type]


def test_a_lease_outlives_a_short_cut(postgresql: Callable[[], str], caplog: pytest.LogCaptureFixture) -> None:
    url, timing = postgresql(), LeaseTiming(5.0)
    database = LeaseDatabase(url, "s3://bucket")
    with distributed_lease(database, NAME, timing) as token:
        with cut_off(url):
            time.sleep(1.5)
            with pytest.raises(LeaseDatabaseError):
                database.heartbeat(NAME)
        time.sleep(1.5)
        assert "a lease cannot be renewed" in caplog.text
        with pytest.raises(AlreadyLockedError):
            _ = distributed_lease(database, NAME, timing).__enter__()
        assert database.heartbeat(NAME).startswith(f"{token}.")


def test_without_the_database_nothing_is_held() -> None:
    unreachable = LeaseDatabase("postgresql://user:secret@127.0.0.1:1/firm", "s3://bucket")
    with pytest.raises(LeaseDatabaseError, match=r"at 127\.0\.0\.1/firm .*") as told:
        _ = distributed_lease(unreachable, NAME, TIMING).__enter__()
    assert "secret" not in str(told.value)
    with pytest.raises(LeaseDatabaseError, match=r"s3://bucket may be shared.* set FIRM_DATABASE_URL"):
        LeaseDatabase("", "s3://bucket")


def test_a_heartbeat_is_seen_while_a_holder_lives(database: LeaseDatabase) -> None:
    assert database.heartbeat(NAME) == ""
    with distributed_lease(database, NAME, TIMING):
        first = database.heartbeat(NAME)
        time.sleep(0.4)
        assert database.heartbeat(NAME) != first
    assert database.heartbeat(NAME) == ""


def test_a_user_who_may_not_make_the_table_is_told(database: LeaseDatabase, postgresql: Callable[[], str]) -> None:
    url = postgresql()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {connection.info.dbname} SET default_transaction_read_only = on")  # type: ignore[arg-type]
    with pytest.raises(LeaseDatabaseError, match="read-only"):
        _ = distributed_lease(LeaseDatabase(url, "s3://b"), NAME, TIMING).__enter__()
