"""Open streams of an account over all processes: the limit, ended and killed processes, expiry."""

import multiprocessing
import socket
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.common.background import process_name
from api.database.engine import Database
from api.events.stream_leases import LEASE, close_lease, open_lease, renew_leases

NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
ELSEWHERE = "another-host:1:abcd"


@pytest.fixture
def leases(service: Any) -> Any:
    account_id = service.accounts.account("owner@example.com").account_id
    database: Database = service.database

    def opened(stream_id: str, holder: str, at: datetime = NOW, limit: int = 2) -> bool:
        return database.write(open_lease, stream_id, account_id, holder, at, limit)

    opened.database = database  # type: ignore[attr-defined]
    return opened


def test_streams_of_all_processes_count_until_closed_or_expired(leases: Any) -> None:
    assert [leases("a", process_name()), leases("b", ELSEWHERE), leases("c", ELSEWHERE)] == [True, True, False]
    leases.database.write(close_lease, "a")
    assert [leases("c", ELSEWHERE), leases("d", ELSEWHERE)] == [True, False]
    leases.database.write(renew_leases, ELSEWHERE, ("b", "c"), NOW + LEASE / 2)
    assert not leases("d", ELSEWHERE, NOW + LEASE)
    assert leases("d", ELSEWHERE, NOW + LEASE + LEASE / 2 + timedelta(seconds=1))


def test_a_row_whose_closing_failed_goes_with_the_next_renewal(leases: Any) -> None:
    assert [leases("a", ELSEWHERE), leases("b", ELSEWHERE)] == [True, True]
    leases.database.write(renew_leases, ELSEWHERE, ("b",), NOW)
    assert [leases("c", ELSEWHERE), leases("d", ELSEWHERE)] == [True, False]


def test_streams_of_a_killed_process_of_this_host_make_room_at_once(leases: Any) -> None:
    ended = multiprocessing.get_context("spawn").Process(target=int)
    ended.start()
    host = process_name().rsplit(":", 2)[0]
    holder = f"{host}:{ended.pid}:abcd"
    assert host == socket.gethostname()[:30]
    assert [leases("a", holder), leases("b", holder)] == [True, True]
    ended.join()
    assert leases("c", process_name())
