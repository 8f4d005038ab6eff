"""Rows as data frames; unknown stays null, and money an integer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from pydantic import AwareDatetime, BaseModel

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def to_polars(rows: Iterable[Any], row_type: Any = None) -> pl.DataFrame:
    """A frame of polars with one column for each member.

    row_type: of the rows, as the client declares it: a member that no row knows, or a list without rows, has the type
    of its column all the same, so that frames of several lists can be joined.
    """
    try:
        import polars  # noqa: ICN001 -- the alias is that of its types
    except ImportError as error:
        raise ImportError("polars is not installed: pip install 'firmdata[polars]'") from error
    types = {name: _column_type(annotation) or polars.Null() for name, annotation in _members(row_type).items()}
    plain = _plain_rows(rows)
    if not plain:
        return polars.DataFrame(schema=types)
    frame = polars.DataFrame(plain, infer_schema_length=None)
    unknown = [name for name, kind in frame.schema.items() if kind == polars.Null and name in types]
    return frame.with_columns(polars.col(name).cast(types[name]) for name in unknown)


def to_pandas(rows: Iterable[Any], row_type: Any = None) -> pd.DataFrame:
    """A frame of pandas with one column for each member; integers with unknown values are `Int64`."""
    try:
        import pandas  # noqa: ICN001 -- the same
    except ImportError as error:
        raise ImportError("pandas is not installed: pip install 'firmdata[pandas]'") from error
    plain = _plain_rows(rows)
    frame = pandas.DataFrame(plain, columns=None if plain else list(_members(row_type)))
    for name in frame.columns:
        values = [row.get(name) for row in plain]
        if _are_whole_numbers(values):  # beside an unknown one pandas has made them floats, of fewer digits
            frame[name] = pandas.array(values, dtype="Int64")
    return frame.convert_dtypes()


def _are_whole_numbers(values: Iterable[Any]) -> bool:
    """Whether all known values are integers, and one is known."""
    return {type(value) for value in values if value is not None} == {int}


def _plain_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    return [row.model_dump(by_alias=True) if isinstance(row, BaseModel) else dict(row) for row in rows]


def _members(row_type: Any) -> dict[str, Any]:
    """The members of a type of rows, by their names in the API, with their annotations; of several models of all."""
    models = [one for one in (row_type, *get_args(row_type)) if isinstance(one, type) and issubclass(one, BaseModel)]
    members = (one for model in reversed(models) for one in model.model_fields.items())
    return {field.alias or name: field.annotation for name, field in members}


def _column_type(annotation: Any) -> pl.DataType | None:
    """The type of a column; None where the annotation allows several."""
    import polars  # noqa: ICN001 -- its caller has found it

    if get_origin(annotation) in (Union, UnionType):
        known = [one for one in get_args(annotation) if one is not NoneType]
        return _column_type(known[0]) if len(known) == 1 else None
    if get_origin(annotation) is list:
        of = _column_type(get_args(annotation)[0])
        return None if of is None else polars.List(of)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        found = {name: _column_type(one) for name, one in _members(annotation).items()}
        return polars.Struct({name: kind for name, kind in found.items() if kind is not None})
    simple: dict[Any, pl.DataType] = {
        str: polars.String(),
        bool: polars.Boolean(),
        int: polars.Int64(),
        float: polars.Float64(),
        date: polars.Date(),
        datetime: polars.Datetime("us", "UTC"),
        AwareDatetime: polars.Datetime("us", "UTC"),
    }
    return simple.get(annotation)
