"""Dataset se.insyn: exports of the insider register, used to link issuers (docs/formats/se.md 8.1).

Belongs here: the declaration, recognising files, rows to links. Exports keep revised and cancelled reports; only
current ones count. Does not belong here: the text and its columns (`insider_columns`), fetching
(`fetch`).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import Any, Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.xbrl.facts import parse_day
from connectors.se.finansinspektionen import fetch, issuers
from connectors.se.finansinspektionen import insider_columns as columns

_CURRENT: Final = ("aktuell", "current")
_OVER: Final = ("reviderad", "makulerad", "revised", "cancelled", "canceled")
_OFF_VENUE: Final = ("utanför handelsplats", "outside a trading venue")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises an export, with or without rows, by its first line."""
    del name
    text = columns.decode_export(head)
    try:
        _, _, rows = columns.parse_export(text)
    except columns.NotInsiderExportError as error:
        return NotApplicable(f"no export of the insider register: {str(error).partition(';')[0]}")
    if next(rows, None) is None and len(head) < 65_536:  # noqa: PLR2004 - the head is the whole file
        return NotApplicable("an export without rows")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch of `se_insyn_emittent`."""
    with staging.open_plain(member) as body:
        text = columns.decode_export(body.read())
    if text.startswith(columns.UNREADABLE):
        raise member.unreadable_error(text[len(columns.UNREADABLE) :].strip())
    batch = staging.BatchBuilder(member.dataset)
    with staging.unreadable_on(member, (columns.NotInsiderExportError, csv.Error)):
        places, unknown, rows = columns.parse_export(text)
        found = (_issuer_link(row, batch.tally) for row in _read_rows(rows, places, batch))
        links = [link for link in found if link is not None]
    for name in unknown:
        batch.tally.add("unknown_column", name)
    yield batch.build(issuers.INSIDER_ISSUERS, _merge_links(links))


def _read_rows(
    rows: Iterator[list[str]], places: dict[str, int], batch: staging.BatchBuilder
) -> Iterator[dict[str, str]]:
    for line, row in enumerate(rows, 2):
        if not row:
            continue
        if len(row) <= max(places.values()):
            batch.reject(f"row {line}", f"expected {max(places.values()) + 1} fields, found {len(row)}")
            continue
        said = {name: row[place].strip() for name, place in places.items()}
        if not said[columns.ISSUER] or parse_day(said[columns.PUBLISHED], is_end=False) is None:
            batch.reject(f"row {line}", "no issuer or no day of publication", said[columns.ISSUER])
            continue
        yield said


def _issuer_link(said: dict[str, str], tally: staging.SignalCounter) -> dict[str, Any] | None:
    status = said[columns.STATUS].casefold()
    if status not in _CURRENT:
        if status not in _OVER:
            tally.add("unknown_code", f"Status {said[columns.STATUS]}", said[columns.ISSUER])
        return None
    venue = said[columns.VENUE]
    return {
        "emittent": " ".join(said[columns.ISSUER].split()),
        "lei": _checked_code(issuers.is_lei_shaped, said[columns.LEI].upper(), "LEI", tally),
        "isin": _checked_code(issuers.is_isin, said[columns.ISIN].upper(), "ISIN", tally),
        "handelsplats": venue if venue and venue.casefold() not in _OFF_VENUE else None,
        "day": parse_day(said[columns.PUBLISHED], is_end=False),
    }


def _checked_code(is_valid: Callable[[str], bool], text: str, kind: str, tally: staging.SignalCounter) -> str:
    """Validated code; empty with a signal if invalid."""
    if is_valid(text):
        return text
    if text:
        tally.add("unreadable_value", kind, text)
    return ""


def _merge_links(links: list[dict[str, Any]]) -> pl.DataFrame:
    """One row per link: first and last day reported, and the venue of the last trade on one."""
    schema: dict[str, Any] = dict.fromkeys(("emittent", "lei", "isin", "handelsplats"), pl.String)
    rows = pl.DataFrame(links, schema=schema | {"day": pl.Date}, orient="row").sort("day", maintain_order=True)
    return rows.group_by(*issuers.INSIDER_ISSUERS.key, maintain_order=True).agg(
        handelsplats=pl.col("handelsplats").drop_nulls().last(),
        first_day=pl.col("day").min(),
        last_day=pl.col("day").max(),
    )


DATASET: Final = Dataset(
    key=issuers.INSIDER_KEY,
    title="Finansinspektionen: insider register, issuers",
    licence=issuers.LICENCE,
    cadence=Cadence(cron="20 5 * * *", stale_after_hours=72),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=issuers.INSIDER_HOST,
    staged_tables={issuers.INSIDER_ISSUERS.name: issuers.INSIDER_ISSUERS},
    file_patterns=("fi_insynsregistret/**", "insyn/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch.fetch_insider_register,
    redact=columns.drop_persons,
)
