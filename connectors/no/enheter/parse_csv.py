"""Reads the bulk CSV of Enhetsregisteret, in the version of 2024 (54 columns) and the current one (about 90).

Belongs here: the file's own spelling. Column names are matched case-insensitively, since the CSV spells several
differently from the JSON. Does not belong here: what a row means (`rows`).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import polars as pl

from connectors.contract.pieces import ArchiveMember, Batch
from connectors.kit import staging
from connectors.kit.csv import reader
from connectors.no.enheter.rows import EntityRows, split_lines, strip_blanks, to_text_table
from connectors.no.enheter.schema import CODE_LIST, ENTITIES, IGNORED, MANDATORY, NUMBER
from warehouse.schema.types import Table

LINE_SEPARATOR: Final = "/n"  # two literal characters
NEW_EDITION: Final = "erikonsern"  # a column that exists since the version with SN2025 codes
_HEADER: Final = 65_536

_text: Final = to_text_table(ENTITIES)
LAYOUT: Final = reader.CsvFormat(
    table=Table(
        _text.name, _text.description, _text.key, tuple(column for column in _text.columns if column.name != CODE_LIST)
    ),
    mandatory=MANDATORY,
    key=NUMBER,
    ignored=IGNORED,
    patterns={NUMBER: "[0-9]{9}"},
)


def industry_code_list(header: str) -> str:
    """Version of the industry codes in the file, derived from its columns: no record names it."""
    return "SN2025" if NEW_EDITION in header.lower() else "SN2007"


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of `no_enheter`."""
    with staging.open_plain(member) as body:
        header = body.read(_HEADER).split(b"\n", 1)[0].decode(errors="replace")
    scheme = pl.lit(industry_code_list(header)).alias(CODE_LIST)
    rows = EntityRows(member)
    for batch in _prefetch_batches(reader.read_csv(member, LAYOUT)):
        texts = strip_blanks(split_lines(batch.rows, LINE_SEPARATOR).with_columns(scheme))
        read = rows.batch(texts, batch.rejects)
        yield Batch(read.table, read.rows, read.rejects, batch.signals + read.signals)


def _prefetch_batches(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Prefetches the next batch in another thread while the caller works on the current one.

    Decompression and parsing release the GIL, so a million rows take a third less time.
    """
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = thread.submit(next, batches, None)
            yield batch
