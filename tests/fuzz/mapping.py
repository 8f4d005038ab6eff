"""What pipelines make of staged rows: subjects, keys, shared tables that conform. A body that breaks it stops its market.

Rows of one body stand for a history that has nothing else but one company (`ground`). Where links lead to companies, a
row that names none is given to that; else it is in no image. Does not belong here: what is promised of reading (`judging`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Jurisdiction
from pipelines.steps import schema_validation
from tests.fuzz.case import Broken, Features
from tests.fuzz.ground import KNOWN_AT, company, ground
from warehouse import schema_render
from warehouse.schema.tables import NORMALISED, PASSING
from warehouse.schema.types import Table

_SUBJECTS: Final = 200
_INSTANT: Final = pl.Datetime("us", "UTC")

Frames = Mapping[str, pl.DataFrame]


def mapped(jurisdiction: Jurisdiction, frames: Frames, observed: datetime) -> Features:
    """Shared tables that have rows; Broken where an image is not sound.

    frames: rows of one body by staged table. observed: the instant of all of them.
    """
    _asked(jurisdiction, frames)
    _keyed(jurisdiction, frames)
    image = _image(jurisdiction, frames, observed)
    is_more = sum(map(len, image.values())) > _alone(jurisdiction)
    return frozenset({"mapped", *_filled(image)} if is_more else ())


def _image(jurisdiction: Jurisdiction, frames: Frames, observed: datetime) -> Frames:
    """The shared tables of all companies that the rows concern."""
    tables = {table.name: table for made in jurisdiction.datasets for table in made.staged_tables.values()}
    known = ground(jurisdiction)
    present = {
        name: _present(jurisdiction, table, [of[name] for of in (known, frames) if name in of], observed)
        for name, table in tables.items()
    }
    touched = pl.concat([rows["_company_id"] for rows in present.values()]).unique().sort()
    today = observed.date()
    found = jurisdiction.to_shared_tables({name: rows.lazy() for name, rows in present.items()}, today)
    told = {table.name: found.get(table.name, schema_render.empty_frame(table)) for table in (*NORMALISED, *PASSING)}
    image, _ = schema_validation.without_far_future_days(told, today)
    try:
        schema_validation.require_valid(image, touched, today)
    except schema_validation.SchemaViolationError as error:
        first = error.violations[0]
        raise Broken("mapping", f"{first.table}.{first.column or 'key'}: {first.rule}") from error
    return image


@cache
def _alone(jurisdiction: Jurisdiction) -> int:
    """Rows of the company that was there before."""
    return sum(map(len, _image(jurisdiction, {}, KNOWN_AT).values()))


def _asked(jurisdiction: Jurisdiction, frames: Frames) -> None:
    """Who is asked about next."""
    for dataset in jurisdiction.datasets:
        if dataset.subjects_to_fetch is not None and not all(
            isinstance(subject, str) for subject in islice(dataset.subjects_to_fetch(frames), _SUBJECTS)
        ):
            raise Broken("schema", f"{dataset.key} wants what is no text")


def _keyed(jurisdiction: Jurisdiction, frames: Frames) -> None:
    """What links, erasing and removals look rows up by: one answer per row."""
    for table, rows in frames.items():
        functions = [*(key.of for key in _keys(jurisdiction, table)), jurisdiction.removal_masks.get(table)]
        functions.append(jurisdiction.removal_confirmations.get(table))
        for function in functions:
            if function is not None and len(function(rows)) != rows.height:
                raise Broken("schema", f"{table}: keys of another number than rows")


def _keys(jurisdiction: Jurisdiction, table: str) -> Iterator[ComputedKey]:
    for link in jurisdiction.links:
        sides = ((link.table, link.key), (link.through, link.through_key))
        yield from (key for name, key in sides if name == table and isinstance(key, ComputedKey))
    yield from (key for key in jurisdiction.holder_columns.get(table, ()) if isinstance(key, ComputedKey))


def _present(
    jurisdiction: Jurisdiction, table: Table, found: Sequence[pl.DataFrame], observed: datetime
) -> pl.DataFrame:
    """Rows as history gives them: the last of each key, and whose they are."""
    if not found:
        return _nothing(table)
    rows = pl.concat(found)
    companies = jurisdiction.company_ids_of_rows(table.name, rows)
    if any(link.table == table.name for link in jurisdiction.links):
        companies = companies.fill_null(company(jurisdiction))
    meta = [
        companies.alias("_company_id"),
        pl.lit(observed, _INSTANT).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
        pl.lit(None, _INSTANT).alias("_retired_at"),
    ]
    whose = rows.with_columns(meta).filter(pl.col("_company_id").is_not_null())
    return whose.unique(table.key, keep="last", maintain_order=True)


def _nothing(table: Table) -> pl.DataFrame:
    text = pl.String()
    meta = {"_company_id": text, "_observed_at": _INSTANT, "_raw": text, "_retired_at": _INSTANT}
    return pl.DataFrame(schema={**schema_render.polars_schema(table), **meta})


def _filled(image: Frames) -> Iterator[str]:
    for name, rows in image.items():
        yield from (f"shared {name}.{column.name}" for column in rows if column.null_count() < len(column))
