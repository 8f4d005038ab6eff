"""The dataset `<cc>.lei_parents`: relationships and reporting exceptions of level 2 (docs/formats/news.md 3.2).

Belongs here: the declaration, recognition of files, reading XML, CSV and answers of the API. Relationships
name LEIs only; links find the child's company. Does not belong here: mapping to holdings (`holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO, Final

import msgspec
import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.gleif.level1.dataset import LICENCE, publication_time
from connectors.gleif.level1.registration_numbers import are_leis
from connectors.gleif.level2 import schema as f
from connectors.gleif.single_file_zip import NotSingleFileError, unpacked_member
from connectors.gleif.sound_rows import LatestRecords, count_unknown_codes, latest_records, split_sound
from connectors.kit import staging
from connectors.kit.csv import reader
from connectors.kit.csv.reader import CsvFormat
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.json.body import member_at, stripped_text
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.staging import SignalCounter
from connectors.kit.xml.iterparse import NotXmlError, element_text_at, iter_elements
from connectors.kit.xml.parse import local_name

Row = dict[str, str | None]

COPIES_HOST: Final = "goldencopy.gleif.org"
RELATIONS_URL: Final = f"https://{COPIES_HOST}/api/v2/golden-copies/publishes/rr/latest.csv"

_ANSWER: Final = 64 << 20
BLOCK_ROWS: Final = 20_000
_PACKED: Final = re.compile(r"-(?:rr|repex)[-.]")
_API: Final = re.compile(rb'"type"\s*:\s*"(?:relationship-records|reporting-exceptions)"')
_XML: Final = re.compile(rb"<(?:\w+:)?(?:RelationshipData|ReportingExceptionData)[\s>]")
_RELATIONS: Final = b"Relationship.StartNode.NodeID"
_EXCEPTIONS: Final = re.compile(rb'^"?LEI"?,"?Exception[.C]')
_KEY: Final = ["child", "parent", "relation"]
_IS_VALID: Final = pl.col("registration_status").is_in(f.VALID_STATUSES)
_DUE: Final = "expected relationships or reporting exceptions (XML, CSV or an answer of the API)"


class _NotLevel2Error(Exception):
    """A body without relationships and exceptions, or a truncated one."""


def parents_dataset(market: str) -> Dataset:
    """Declares a market's dataset of level 2."""
    tables = (f.relations_table(market), f.exceptions_table(market))
    return Dataset(
        key=f"{market.lower()}.lei_parents",
        title="GLEIF: consolidating parents",
        licence=LICENCE,
        cadence=Cadence(cron="20 9 * * 6", stale_after_hours=24 * 21),
        guard_limits=GuardLimits(max_shrink=0.1, max_rejected=0.01),
        host=COPIES_HOST,
        staged_tables={table.name: table for table in tables},
        file_patterns=(
        "gleif/*-rr[-.]*", "gleif/*-repex[-.]*", "gleif/*rr-*", "gleif/*repex*", "gleif/relationships__*",
               "gleif/reporting_exceptions__*", "gleif_rr/**", "lei_parents/**", "gleif_golden_copy/*rr-*",
               "gleif_golden_copy/*repex*", "gleif_api/relationships__*", "gleif_api/reporting_exceptions__*"),
        recognise_file=recognise_file,
        read_batches=partial(_read, market),
        fetch=ConditionalFile(RELATIONS_URL, "gleif-goldencopy-rr.csv.zip", {BodyFormat.ZIP}, Scope.FULL).fetch,
    )  # fmt: skip


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises level 2 of any format, plain or in a zip named accordingly."""
    packed = detect_body_format(head) is BodyFormat.ZIP and _PACKED.search(name) is not None
    if not packed and _detect_format(head) is None:
        return NotApplicable("no relationships or reporting exceptions of GLEIF (level 2)")
    return RecognisedFile(publication_time(name, head), Scope.PART)


def _detect_format(head: bytes) -> BodyFormat | None:
    """XML, JSON or TEXT (CSV); None for a body of another kind."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    found = detect_body_format(head)
    marks = {
        BodyFormat.XML: _XML.search(head) is not None,
        BodyFormat.JSON: _API.search(head) is not None,
        BodyFormat.TEXT: _RELATIONS in head.partition(b"\n")[0] or _EXCEPTIONS.match(head) is not None,
    }
    return found if marks.get(found) else None


def _read(market: str, piece: ArchiveMember) -> Iterator[Batch]:
    tally = SignalCounter(piece.dataset)
    relations, exceptions = f.relations_table(market), f.exceptions_table(market)
    latest = LatestRecords(_KEY, _IS_VALID)
    with staging.unreadable_on(piece, (_NotLevel2Error, NotSingleFileError, NotXmlError)):
        for rows, refused in _record_frames(piece):
            if "child" in rows.columns:
                kept, wrong = _valid_relations(rows, tally)
                yield staging.make_batch(
                    relations, latest.newest_rows(kept), pl.concat([refused, wrong]), tally.drain()
                )
            else:
                kept, wrong = _valid_exceptions(rows, tally)
                yield staging.make_batch(exceptions, kept, pl.concat([refused, wrong]), tally.drain())


def _record_frames(piece: ArchiveMember) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Relationships or exceptions as written, and rejects. At least one frame."""
    unpacked = unpacked_member(piece)
    with unpacked.open() as body:
        head = body.read(HEAD * 16)
    kind = _detect_format(head)
    if kind is None:
        raise _NotLevel2Error(_DUE)
    if kind is BodyFormat.TEXT:
        layout = f.RELATION_CSV if _RELATIONS in head.partition(b"\n")[0] else f.EXCEPTION_CSV
        yield from _csv_frames(unpacked, layout)
        return
    with unpacked.open() as body:
        found = _parse_xml(body) if kind is BodyFormat.XML else _parse_response(body)
        for part in staging.row_chunks(found, BLOCK_ROWS):
            told = [row for row in part if "child" in row]
            yield _text_frame(told, f.RELATION_COLUMNS), staging.reject_rows()
            if len(told) < len(part):
                yield (_text_frame([row for row in part if "lei" in row], f.EXCEPTION_COLUMNS), staging.reject_rows())


def _text_frame(rows: list[Row], columns: tuple[Any, ...]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={column.name: pl.String() for column in columns}, orient="row")


def _csv_frames(piece: ArchiveMember, layout: CsvFormat) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    for batch in reader.read_csv(piece, layout):
        rows = batch.rows
        if layout is f.RELATION_CSV:
            span = {"from": pl.lit(None, pl.String), "to": pl.lit(None, pl.String)}
            for number in range(f.PERIODS, 0, -1):
                is_span = pl.col(f"kind_{number}") == f.PERIOD
                span = {
                    part: pl.when(is_span).then(pl.col(f"{part}_{number}")).otherwise(rest)
                    for part, rest in span.items()
                }
            rows = rows.with_columns(started=span["from"], ended=span["to"], deleted=pl.lit(None, pl.String)).select(
                column.name for column in f.RELATION_COLUMNS
            )
        yield rows, batch.rejects


def _parse_xml(body: BinaryIO) -> Iterator[Row]:
    for element in iter_elements(body, ("{*}RelationshipRecord", "{*}Exception")):
        if local_name(element) == "Exception":
            yield {
                "lei": element_text_at(element, "LEI"),
                "category": element_text_at(element, "ExceptionCategory"),
                "reason": element_text_at(element, "ExceptionReason"),
            }
            continue
        row = {column: element_text_at(element, path) for column, path in f.XML.items()}
        spans = element.findall("{*}Relationship/{*}RelationshipPeriods/{*}RelationshipPeriod")
        span = next((made for made in spans if element_text_at(made, "PeriodType") == f.PERIOD), None)
        row["started"] = None if span is None else element_text_at(span, "StartDate")
        row["ended"] = None if span is None else element_text_at(span, "EndDate")
        yield row


def _parse_response(body: BinaryIO) -> Iterator[Row]:
    try:
        answer = msgspec.json.decode(body.read(_ANSWER))
    except MALFORMED as error:
        raise _NotLevel2Error(f"an answer that does not parse: {error}") from error
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list | dict):
        raise _NotLevel2Error("an answer without data")
    for record in data if isinstance(data, list) else [data]:
        said = member_at(record, "attributes")
        if member_at(record, "type") == "reporting-exceptions":
            yield {name: stripped_text(member_at(said, name)) for name in ("lei", "category", "reason")}
            continue
        row = {column: stripped_text(member_at(said, *path.split("."))) for column, path in f.API.items()}
        spans = member_at(said, "relationship", "periods")
        found = [made for made in spans if member_at(made, "type") == f.PERIOD] if isinstance(spans, list) else []
        row["started"] = stripped_text(member_at(found[0], "startDate")) if found else None
        row["ended"] = stripped_text(member_at(found[0], "endDate")) if found else None
        yield row


def _valid_relations(rows: pl.DataFrame, tally: SignalCounter) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Consolidations, and rejects without two different valid LEIs."""
    known = (*f.CONSOLIDATED, *f.LEFT)
    count_unknown_codes(rows, "relation", "RelationshipType", known, "child", tally)
    mine = rows.filter(pl.col("relation").is_in(f.CONSOLIDATED))
    sound = are_leis(pl.col("child")) & are_leis(pl.col("parent")) & (pl.col("child") != pl.col("parent"))
    reason = "a child or parent without a valid LEI, or its own parent"
    kept, refused = split_sound(mine, sound, reason, "child", "parent")
    for column, name, words in (
        ("status", "RelationshipStatus", f.STATUSES),
        ("registration_status", "RegistrationStatus", f.REGISTRATIONS),
    ):
        count_unknown_codes(kept, column, name, words, "child", tally)
    return latest_records(kept, _KEY, _IS_VALID), refused


def _valid_exceptions(rows: pl.DataFrame, tally: SignalCounter) -> tuple[pl.DataFrame, pl.DataFrame]:
    for column, known in (("category", f.CATEGORIES), ("reason", f.REASONS)):
        count_unknown_codes(rows, column, column, known, "lei", tally)
    sound = are_leis(pl.col("lei")) & pl.col("category").is_not_null()
    kept, refused = split_sound(rows, sound, "no valid LEI, or no category", "lei", "category")
    return kept.unique(["lei", "category"], keep="last", maintain_order=True), refused
