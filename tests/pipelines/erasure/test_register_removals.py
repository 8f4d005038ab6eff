"""When a register's announcement that it removed a company erases it."""

from datetime import UTC, datetime, timedelta

from pipelines.erasure.register_removals import RegisterRecords, RemovalNotice, confirmed_removals
from tests.tables import check_cases

DAY = timedelta(days=1)
START = datetime(2026, 11, 1, 4, tzinfo=UTC)


@check_cases(
    ("days", "seen", "is_confirmed", "removed"),
    [
        ((0,), None, False, False),
        ((0, 1), None, False, False),
        ((0, 1, 2), None, False, True),
        ((5, 3), None, False, True),
        ((0,), None, True, True),
        ((), None, True, False),  # the register has not answered yet
        ((0, 5), 3, False, False),  # it was there in between
        ((0, 5, 7), 3, False, True),
        ((5,), 5, True, True),  # a bulk of the same instant is from the night before
        ((5,), 6, True, False),
    ],
)
def test_confirmed_removals(days: tuple[int, ...], seen: int | None, is_confirmed: bool, removed: bool) -> None:
    notices = [RemovalNotice("firm:NO:1", START + day * DAY) for day in days]
    confirmed = {"firm:NO:1"} if is_confirmed else set()
    records = RegisterRecords(confirmed, {} if seen is None else {"firm:NO:1": START + seen * DAY})
    assert confirmed_removals(notices, records) == ({"firm:NO:1"} if removed else set())
