"""`field_origins` of a profile as JSON text: who states a field, where `sources` does not say, and the day it states.

Does not belong here: which register wins a field (connectors), or what the origins decide (`pipelines.transforms`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

import polars as pl

_NOTHING: Final = pl.lit(None, pl.String)


def origin_texts(registers: Mapping[str, pl.Expr], days: Mapping[str, pl.Expr]) -> pl.Expr:
    """The JSON object by field, null for a row without any.

    registers: field -> the dataset that states it, null where `sources` says who. days: field -> the day that the
    register gives of the value, null where it gives none.
    """
    entries = [
        _origin_entry(field, registers.get(field, _NOTHING), days.get(field, pl.lit(None, pl.Date)))
        for field in dict.fromkeys((*registers, *days))
    ]
    listed = pl.concat_str(*entries, separator=",", ignore_nulls=True)
    return pl.when(listed != "").then(pl.concat_str(pl.lit("{"), listed, pl.lit("}"))).alias("field_origins")


def _origin_entry(field: str, register: pl.Expr, day: pl.Expr) -> pl.Expr:
    members = (
        pl.concat_str(pl.lit('"register":"'), register, pl.lit('"')),
        pl.concat_str(pl.lit('"date":"'), day.dt.to_string("%Y-%m-%d"), pl.lit('"')),
    )
    told = pl.concat_str(*members, separator=",", ignore_nulls=True)
    return pl.when(told != "").then(pl.concat_str(pl.lit(f"{json.dumps(field)}:{{"), told, pl.lit("}")))
