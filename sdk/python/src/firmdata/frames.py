"""Rows as data frames; unknown stays null, and money an integer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

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
    known = {name: _completed(kind, types[name]) for name, kind in frame.schema.items() if name in types}
    return frame.cast({name: kind for name, kind in known.items() if kind != frame.schema[name]})


def to_pandas(rows: Iterable[Any], row_type: Any = None) -> pd.DataFrame:
    """A frame of pandas with one column for each member; integers with unknown values are `Int64`."""
    try:
        import pandas  # noqa: ICN001 -- the same
    except ImportError as error:
        raise ImportError("pandas is not installed: pip install 'firmdata[pandas]'") from error
    plain = _plain_rows(rows)
    frame = pandas.DataFrame(plain, columns=None if plain else list(_members(row_type))).convert_dtypes()
    for name in frame.columns:
        values = [row.get(name) for row in plain]
        # pandas makes integers beside an unknown one floats, of fewer digits, and floats that are whole integers
        number = _number_type(values)
        if number is not None:
            frame[name] = pandas.array(values, dtype=number)
    return frame


def _number_type(values: Iterable[Any]) -> Literal["Int64", "Float64"] | None:
    """The type of numbers of which one is known, and all known ones are of one kind; None: they are no numbers."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int}:
        return "Int64"
    return "Float64" if kinds == {float} else None


def _plain_rows(rows: Iterable[Any]) -> list[dict[str, Any]]:
    return [row.model_dump(by_alias=True) if isinstance(row, BaseModel) else dict(row) for row in rows]


def _members(row_type: Any) -> dict[str, Any]:
    """The members of a type of rows, by their names in the API, with their annotations; of several models of all."""
    models = [one for one in (row_type, *get_args(row_type)) if isinstance(one, type) and issubclass(one, BaseModel)]
    members = (one for model in reversed(models) for one in model.model_fields.items())
    return {field.alias or name: field.annotation for name, field in members}


def _completed(kind: Any, declared: Any) -> Any:
    """The type of a column with the declared one wherever no row knows a value, as in lists that are all empty."""
    import polars  # noqa: ICN001 -- the same

    if isinstance(kind, polars.Null):
        return declared
    if isinstance(kind, polars.List) and isinstance(declared, polars.List):
        return polars.List(_completed(kind.inner, declared.inner))
    if isinstance(kind, polars.Struct) and isinstance(declared, polars.Struct):
        members = dict(declared)
        return polars.Struct({name: _completed(one, members.get(name, one)) for name, one in kind})
    return kind


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
