"""SQL of usage: the count of each month, and the month's count at the start of each day.

A day's usage is the difference to the next day's mark, so the days of a month add up to its count, and a mark
is written once per day and account instead of with every count. Does not belong here: the differences
(`api.dashboard.usage_chart`), or when to count (`api.usage.counter`).
"""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec
from sqlalchemy import Connection, delete, select, tuple_

from api.database.models.accounts import Usage, UsageDay


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


class UsageRepository:
    """Usage counts per account and month, on a connection in a transaction the caller has begun."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, rows: Sequence[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
        """Adds counts, inserting missing rows; returns the new totals. Unknown accounts are skipped."""
        statement = _ADD_USAGE[self._connection.dialect.name]
        found = self._connection.exec_driver_sql(statement, (msgspec.json.encode(rows).decode(),))
        return [(row[0], row[1], row[2]) for row in found]

    def count(self, account_id: str, month: int) -> int:
        statement = select(Usage.count).where(Usage.account_id == account_id, Usage.month == month)
        return self._connection.execute(statement).scalar() or 0


def _add_usage(source: str) -> str:
    """One upsert for any number of rows, always in the same order, so that writers cannot deadlock.

    Rows of one account and month are summed first: PostgreSQL refuses to change a row twice in one statement.
    """
    return (
        f"INSERT INTO usage (account_id, month, count) "  # noqa: S608 -- of the two texts below
        f"SELECT added.account_id, added.month, sum(added.count) FROM ({source}) AS added "
        f"JOIN accounts ON accounts.account_id = added.account_id WHERE true GROUP BY 1, 2 ORDER BY 1, 2 "
        f"ON CONFLICT (account_id, month) DO UPDATE SET count = usage.count + excluded.count "
        f"RETURNING account_id, month, count"
    )


_ADD_USAGE: Final = {
    "sqlite": _add_usage(
        "SELECT json_extract(value, '$[0]') AS account_id, json_extract(value, '$[1]') AS month, "
        "json_extract(value, '$[2]') AS count FROM json_each(?)"
    ),
    "postgresql": _add_usage(
        "SELECT value ->> 0 AS account_id, CAST(value ->> 1 AS integer) AS month, "
        "CAST(value ->> 2 AS bigint) AS count FROM jsonb_array_elements(CAST(%s AS jsonb)) AS value"
    ),
}


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
