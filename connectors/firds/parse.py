"""Parses FIRDS XML to staged rows: full files (FULINS) and changes (DLTINS) (docs/formats/news.md 3.3).

Belongs here: records of equities in bounded memory; elements are matched by local name, as the version in the
namespaces changes. Does not belong here: recognition of files (`dataset`), or the meaning of a line
(`listings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, BinaryIO, Final

import polars as pl
from lxml import etree
from stdnum import isin as isins

from connectors.firds import schema as f
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit import staging
from connectors.kit.columns.text import iso_date
from connectors.kit.staging import SignalCounter
from connectors.kit.xml.iterparse import element_text_at, iter_elements
from connectors.kit.xml.parse import local_name
from warehouse.schema.types import ColumnKind

RejectedRow = tuple[object, str, object]

_MIC: Final = re.compile(r"[0-9A-Z]{4}")
_EQUITY: Final = re.compile(f.EQUITY)
_CFI: Final = re.compile(r"[A-Z]{2}")  # category and group
_WRITTEN: Final = pl.Schema({column.name: pl.String() for column in f.COLUMNS})
_FOREVER: Final = date(2999, 1, 1)  # 9999-12-31 and the like: no known end
_OLDEST: Final = date(1800, 1, 1)  # of our own choosing: 0001-01-01 stands for no day
_UNASKED: Final = ("false", "0")
_LABELS: Final = ("name", "currency")  # no line depends on them
_WORDS: Final = {"true": True, "false": False, "1": True, "0": False}


@dataclass(slots=True)
class FileFindings:
    """Counts of one file: records of any kind, and rejected equities."""

    records: int = 0
    rejected_rows: list[RejectedRow] = field(default_factory=list)


def parse_full_file(body: BinaryIO, snapshot_date: date, findings: FileFindings) -> Iterator[dict[str, Any]]:
    """Equities of a full file, except those admitted without the issuer's request: platforms trade any share."""
    for element in iter_elements(body, "{*}RefData"):
        for row in _parse_record(element, f.FULL, snapshot_date, findings):
            if row["is_requested"] not in _UNASKED:
                yield row


def parse_change_file(body: BinaryIO, snapshot_date: date, findings: FileFindings) -> Iterator[dict[str, Any]]:
    """Equities of a file of changes, with or without the issuer's request, which may be what changed."""
    for element in iter_elements(body, tuple(f"{{*}}{name}" for name in f.CHANGES)):
        yield from _parse_record(element, f.CHANGES[local_name(element)], snapshot_date, findings)


def _parse_record(element: etree._Element, record: str, edition: date, found: FileFindings) -> Iterator[dict[str, Any]]:
    """The lines of a record: one for each of its venues, of which files have had one; rejects go to the findings."""
    found.records += 1
    classified = element_text_at(element, f.PATHS["cfi"])
    if classified is not None and _CFI.match(classified) and not _EQUITY.match(classified):
        return
    for venue in element.findall(f"{{*}}{f.VENUE_ELEMENT}") or [None]:
        row: dict[str, Any] = {}
        several: list[str] = []
        for column, path in f.PATHS.items():
            head, _, rest = path.partition("/")
            texts = _texts_at(venue, rest) if head == f.VENUE_ELEMENT else _texts_at(element, path)
            row[column] = texts[0] if len(texts) == 1 else None
            several += [path] if len(texts) > 1 and column not in _LABELS else []
        reason = f"several values of {', '.join(several)}" if several else _reject_reason(row)
        if reason is not None:
            found.rejected_rows.append((row["isin"], reason, f"{row['lei']} {row['mic']} {row['name']}"))
            continue
        yield row | {"record": record, "edition": edition.isoformat()}


def _texts_at(element: etree._Element | None, path: str) -> list[str]:
    """The different texts of the elements at a path, without empty ones."""
    at = "/".join(f"{{*}}{step}" for step in path.split("/"))
    texts = ((one.text or "").strip() for one in (() if element is None else element.findall(at)))
    return list(dict.fromkeys(filter(None, texts)))


def _reject_reason(row: dict[str, Any]) -> str | None:
    if row["cfi"] is None or not _CFI.match(row["cfi"]):
        return "no classification: whether the instrument is an equity is unknown"
    if row["isin"] is None or not isins.is_valid(row["isin"]):
        return "no ISIN with a check digit that holds"
    if not is_lei(row["lei"]):
        return "no LEI of the issuer with check digits that hold"
    return None if row["mic"] and _MIC.fullmatch(row["mic"]) else "no code of a venue"


def to_staged_frame(rows: list[dict[str, Any]], tally: SignalCounter) -> pl.DataFrame:
    """Rows as staged, with days parsed; unreadable values are counted as signals."""
    written = pl.DataFrame(rows, schema=_WRITTEN, orient="row")
    days = [column.name for column in f.COLUMNS if column.kind is ColumnKind.DATE]
    read = written.with_columns(
        *(_plausible_day(name).alias(name) for name in days),
        is_requested=pl.col("is_requested").replace_strict(_WORDS, default=None, return_dtype=pl.Boolean),
    )
    for name in (*f.DAYS, "is_requested"):
        lost = written[name].is_not_null() & read[name].is_null()
        for isin, value in written.filter(lost).select("isin", name).iter_rows():
            tally.add("unreadable_value", f"{f.PATHS[name].rpartition('/')[2]} {value[:40]}", isin)
    for isin in written.filter(pl.col("is_requested").is_null())["isin"]:
        tally.add("missing_value", "IssrReq", isin)
    is_far = pl.col("ends_on") >= _FOREVER
    kept = read.with_columns(ends_on=pl.when(is_far).then(None).otherwise(pl.col("ends_on")))
    kept = _without_contradictions(kept, tally)
    return kept.unique(["isin", "mic"], keep="last", maintain_order=True)


def _plausible_day(name: str) -> pl.Expr:
    day = iso_date(pl.col(name))
    return pl.when(day >= _OLDEST).then(day)


def _without_contradictions(rows: pl.DataFrame, tally: SignalCounter) -> pl.DataFrame:
    """Rows without days of which the last is before the first, and without lines of a full file with two issuers."""
    is_reversed = (pl.col("ends_on") < pl.col("first_traded")).fill_null(value=False)
    for isin in rows.filter(is_reversed)["isin"]:
        tally.add("contradicting_days", "TermntnDt before FrstTradDt", isin)
    days = ("first_traded", "ends_on")
    rows = rows.with_columns(pl.when(~is_reversed).then(pl.col(name)).alias(name) for name in days)
    is_of_several = (pl.col("record") == f.FULL) & (pl.col("lei").n_unique().over("isin", "mic") > 1)
    for isin in rows.filter(is_of_several)["isin"].unique(maintain_order=True):
        tally.add("several_issuers", "Issr of one instrument", isin)
    return rows.filter(~is_of_several)


def drain_rejects(findings: FileFindings) -> pl.DataFrame:
    """Rejects since the last call."""
    refused, findings.rejected_rows = findings.rejected_rows, []
    return staging.reject_rows(refused)
