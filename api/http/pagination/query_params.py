"""The query parameters of every list: `limit` and `cursor`. Does not belong here: the cursors' content."""

from typing import Final

from api.http.query.params import QueryParam
from api.http.query.types import integer_param

LIMIT: Final = integer_param("limit", 1, 100, 25, "Maximum number of rows per page.")


def _parse_cursor(given: str) -> str:
    return given  # fully checked by `api.http.pagination.cursors`, which distinguishes its errors


CURSOR: Final[QueryParam[str | None]] = QueryParam(
    "cursor",
    _parse_cursor,
    None,
    "`next_cursor` of the previous page. Only `limit` may change between pages.",
    {"type": "string", "minLength": 1, "maxLength": 512, "pattern": "^[A-Za-z0-9_-]+$"},
)
