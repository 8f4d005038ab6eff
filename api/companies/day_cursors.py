"""Cursors of lists of one day: a list that was begun before midnight keeps its day.

Does not belong here: the cursors of other lists (`api.http.pagination.cursors`).
"""

from datetime import date

from api.http.pagination.cursors import invalid_cursor
from warehouse.reader.types import Key, ResultPage


def split_day_cursor(cursor: Key | None, today: date) -> tuple[date, Key | None]:
    """The day and the sort key of a cursor; of a first page, the given day and None."""
    if cursor is None:
        return today, None
    first, *rest = cursor or (None,)
    try:
        return date.fromisoformat(str(first)), tuple(rest)
    except ValueError:  # a cursor of an older version, which had no day
        raise invalid_cursor() from None


def with_day_keys(page: ResultPage, day: date) -> ResultPage:
    """The page with keys for `split_day_cursor`."""
    return ResultPage(page.rows, tuple((day.isoformat(), *key) for key in page.keys), page.has_more)
