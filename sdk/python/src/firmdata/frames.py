"""Rows as data frames; unknown stays null, and money an integer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def to_polars(rows: Iterable[Any]) -> pl.DataFrame:
    """A frame of polars with one column for each member."""
    try:
        import polars  # noqa: ICN001 -- the alias is that of its types
    except ImportError as error:
        raise ImportError("polars is not installed: pip install 'firmdata[polars]'") from error
    return polars.DataFrame(_plain_rows(rows), infer_schema_length=None)


def to_pandas(rows: Iterable[Any]) -> pd.DataFrame:
    """A frame of pandas with one column for each member; integers with unknown values are `Int64`."""
    try:
        import pandas  # noqa: ICN001 -- the same
    except ImportError as error:
        raise ImportError("pandas is not installed: pip install 'firmdata[pandas]'") from error
    return pandas.DataFrame(_plain_rows(rows)).convert_dtypes()


def _plain_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    return [row.model_dump() if isinstance(row, BaseModel) else dict(row) for row in rows]
