"""SQL of daily usage: the month's count at the start of each day.

A day's usage is the difference to the next day's mark, so the days of a month add up to its count, and a mark
is written once per day and account instead of with every count. Does not belong here: the differences
(`api.dashboard.usage_chart`), or the counts (`api.accounts.repository`).
"""

from collections.abc import Collection
from typing import Final

import msgspec
from sqlalchemy import Connection, delete, select, tuple_

from api.database.models.accounts import UsageDay


def mark_day_start(connection: Connection, accounts: Collection[str], day: int) -> None:
    """Records the accounts' counts before a day's first request; an existing mark is kept.

    Accounts that do not exist are skipped. `day` as 20261122.
    """
    named = msgspec.json.encode(sorted(accounts)).decode()
    connection.exec_driver_sql(_BEGIN[connection.dialect.name], (day, day // 100, named))


def usage_marks(connection: Connection, account_id: str, month: int) -> list[tuple[int, int]]:
    """Days of a month (202611), from 1, with the count before each; in order."""
    statement = (
        select(UsageDay.day, UsageDay.count_before)
        .where(UsageDay.account_id == account_id, UsageDay.day.between(month * 100, month * 100 + 99))
        .order_by(UsageDay.day)
    )
    return [(row.day % 100, row.count_before) for row in connection.execute(statement)]


def prune_days(connection: Connection, before: int, limit: int) -> int:
    """Deletes up to `limit` of the oldest marks before a day (20251018); returns their number."""
    oldest = select(UsageDay.account_id, UsageDay.day).where(UsageDay.day < before).order_by(UsageDay.day)
    gone = delete(UsageDay).where(tuple_(UsageDay.account_id, UsageDay.day).in_(oldest.limit(limit)))
    return connection.execute(gone).rowcount


def _mark_day_sql(placeholder: str, named: str) -> str:
    return (
        f"INSERT INTO usage_days (account_id, day, count_before) "  # noqa: S608 -- of the texts below
        f"SELECT accounts.account_id, CAST({placeholder} AS integer), coalesce(usage.count, 0) FROM accounts "
        f"LEFT JOIN usage ON usage.account_id = accounts.account_id "
        f"AND usage.month = CAST({placeholder} AS integer) "
        f"WHERE accounts.account_id IN ({named}) ORDER BY accounts.account_id "
        f"ON CONFLICT (account_id, day) DO NOTHING"
    )


_BEGIN: Final = {
    "sqlite": _mark_day_sql("?", "SELECT value FROM json_each(?)"),
    "postgresql": _mark_day_sql("%s", "SELECT jsonb_array_elements_text(CAST(%s AS jsonb))"),
}
