"""Dataset se.scb: the weekly bulk file of legal persons (docs/formats/se.md 3): Latin-1, tabs, no quoting.

Belongs here: the declaration, recognising files, the file dialect, reading. Does not belong here: what a record
means for a profile (`statements`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.columns.text import AHEAD
from connectors.kit.csv.encoding import is_utf8
from connectors.kit.formats import BodyFormat
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.staging import count_signals, count_subjects
from connectors.se import code_lists
from connectors.se.bulk.ordinals import RepeatCounter
from connectors.se.bulk.parse import RecordShape, RowChunk, check_mandatory, read_chunks, read_header, reason_not_bulk
from connectors.se.bulk.redact import drop_natural_persons
from connectors.se.bulk.scb_schema import FIELDS, IDENTITY, IGNORED, KEY, NUMBER, SCHEME, STATISTICS, UNKNOWN_INDUSTRY
from connectors.se.register import EARLIEST, HOST, STATISTICS_LICENCE, is_company
from connectors.se.text_columns import repair_cells, strip_blanks

# SCB declares ISO-8859-1; cp1252 also reads the characters Windows puts in the control character range
ENCODING: Final = "cp1252"
_STAMP: Final = re.compile(rb"scb_bulkfil\w{0,80}?_(\d{8}T\d{6})")
_URL: Final = f"https://{HOST}/scb/scb_bulkfil.zip"
_HEAD: Final = 1 << 20  # bytes behind the header that tell the encoding
_DAY_DIGITS: Final = 8
_FTGSTAT: Final = ("0", "1", "9")
_JESTAT: Final = ("0", "1", "2", "9")


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the zip or its text; the name of either contains the time it was written."""
    stamp = _STAMP.search(name.encode(errors="surrogateescape")) or _STAMP.search(head[:4096])
    return reason_not_bulk(head) or RecognisedFile(_parse_instant(stamp[1]) if stamp else None, Scope.PART)


def _parse_instant(stamp: bytes) -> datetime | None:
    try:
        return datetime.strptime(stamp.decode(), "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def record_shape(header: str, first: str, member: ArchiveMember) -> tuple[RecordShape, list[str]]:
    """Record shape of this file, and its unknown columns.

    The header ends with a tab; rows may or may not. The first row sets the expected number of fields.
    """
    cells = [cell.strip() for cell in header.split("\t")]
    while cells and not cells[-1]:
        cells.pop()
    spelled = {name.lower(): name for name in FIELDS}
    places = {spelled[cell.lower()]: at for at, cell in enumerate(cells) if cell.lower() in spelled}
    check_mandatory(FIELDS, places, header, member)
    width = len(cells) + (first.count("\t") == len(cells))
    fields = partial(_split_fields, columns=len(cells), identity=places[IDENTITY])
    shape = RecordShape(
        names=places,
        separator="\t",
        width=width,
        columns=places,
        checked=(),
        is_whole=pl.col(str(places[IDENTITY])).is_not_null(),
        parted=lambda _: None,  # without quotes only the width of a line can be checked
        fields=fields,
        is_record_start=lambda line: fields(line) is not None,
    )
    known = IGNORED | set(spelled)
    return shape, [cell for cell in cells if cell.lower() not in known]


def _split_fields(text: str, columns: int, identity: int) -> list[str] | None:
    """Fields of a whole record, with or without a trailing tab."""
    fields = text.split("\t")
    if len(fields) == columns + 1 and not fields[-1].strip():
        fields.pop()
    return fields if len(fields) == columns and fields[identity].strip() else None


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of `se_scb`."""
    with staging.open_plain(member) as body:
        body.readline()
        head = body.read(_HEAD)
    encoding = _file_encoding(head)
    header = read_header(member, encoding)
    first = head.partition(b"\n")[0].decode(encoding, "replace").rstrip("\r\n")
    shape, unknown = record_shape(header, first, member)
    tally, repeats = staging.SignalCounter(member.dataset), RepeatCounter()
    if encoding != ENCODING:
        tally.add("encoding_fallback", "file", encoding)
    for name in unknown:
        tally.add("unknown_column", name)
    for chunk in read_chunks(member, shape, encoding):
        chunk.report_signals(tally)
        yield _to_batch(chunk, member.observed_at, tally, repeats)


def _file_encoding(head: bytes) -> str:
    """UTF-8 if the first rows are that and no plain ASCII, which names in another encoding never are by chance."""
    text = head[: head.rfind(b"\n") + 1]
    return "utf-8" if not text.isascii() and is_utf8(text) else ENCODING


def _to_batch(chunk: RowChunk, observed_at: datetime, tally: staging.SignalCounter, repeats: RepeatCounter) -> Batch:
    missing = [pl.lit(None, pl.String).alias(name) for name in FIELDS if name not in chunk.rows.columns]
    rows = strip_blanks(chunk.rows.with_columns(missing), FIELDS)
    dotted = rows["Ng1"].str.contains(".", literal=True).fill_null(value=False)
    codes_ = repair_cells(rows["Ng1"], dotted, lambda some: some.str.replace_all(".", "", literal=True))
    rows = rows.with_columns(codes_, pl.col(IDENTITY).str.strip_prefix("16").alias(NUMBER))
    rows = rows.with_columns(_REFUSED)
    fine = _filter_rows(rows, rows["_reason"].is_null())
    ordinals = repeats.ordinals(fine[NUMBER], pl.repeat(None, fine.height, dtype=pl.String, eager=True))
    again = fine.filter(ordinals > 1).with_columns(_reason=pl.lit("number repeated in this file"))
    kept = _filter_rows(fine, ordinals == 1)
    read_ = kept.with_columns(*_value_columns(observed_at))
    for name in ("RegDatKtid", "Ng1"):
        count_signals(tally, "unreadable_value", name, _unparsed_numbers(kept, read_, name))
    _audit_codes(read_, tally)
    shown = pl.concat([rows.filter(pl.col("_reason").is_not_null()), again])
    told = pl.when(is_company(pl.col(NUMBER)))  # keep nothing of possible persons
    refused = [
        *chunk.rejected,
        *shown.select(
            told.then(NUMBER).otherwise(pl.lit("(withheld)")).alias("number"),
            "_reason",
            told.then("Namn").fill_null("").alias("name"),
        ).iter_rows(),
    ]
    return staging.make_batch(STATISTICS, read_.select(STATISTICS.names), staging.reject_rows(refused), tally.drain())


def _filter_rows(rows: pl.DataFrame, is_so: pl.Series) -> pl.DataFrame:
    """Rows where `is_so` is true; usually all of them, which needs no copy."""
    return rows if is_so.all() else rows.filter(is_so)


_TWELVE: Final = (
    (pl.col(IDENTITY).str.len_bytes() == 12)  # noqa: PLR2004 - digits
    & pl.col(IDENTITY).cast(pl.UInt64, strict=False).is_not_null()
).fill_null(value=False)
_REFUSED: Final = (
    pl.when(~_TWELVE)
    .then(pl.lit("PeOrgNr is no number of twelve digits"))
    .when(~(pl.col(IDENTITY).str.starts_with("16") & is_company(pl.col(IDENTITY).str.slice(2))))
    .then(pl.lit("not a company: a person's number"))
    .alias("_reason")
)


def _value_columns(observed_at: datetime) -> list[pl.Expr]:
    industry = pl.col("Ng1")
    is_code = (industry.str.len_bytes() == 5) & industry.cast(pl.UInt32, strict=False).is_not_null()  # noqa: PLR2004
    stated = pl.when(is_code & (industry != UNKNOWN_INDUSTRY)).then(industry)
    # of seven digits the missing one could be the month's or the day's: no day
    written = pl.when(pl.col("RegDatKtid").str.len_bytes() == _DAY_DIGITS).then("RegDatKtid")
    registered = written.str.to_date("%Y%m%d", strict=False, cache=False)
    return [
        stated.alias("Ng1"),
        code_lists.industry_schemes(stated, observed_at).alias(SCHEME),
        pl.when(registered.is_between(EARLIEST, observed_at.date() + AHEAD)).then(registered).alias("RegDatKtid"),
    ]


def _unparsed_numbers(source: pl.DataFrame, read_: pl.DataFrame, name: str) -> pl.Series:
    """Rows with an unparsed value; all zeros mean «unknown»."""
    some = source.select(NUMBER, name).filter(source[name].is_not_null() & read_[name].is_null())
    return some[NUMBER].filter(some[name].str.contains("[^0]"))


def _audit_codes(rows: pl.DataFrame, tally: staging.SignalCounter) -> None:
    code_lists.STATISTICAL_FORMS.audit(rows, "JurForm", NUMBER, tally, "unknown_legal_form")
    unlisted = rows.filter(pl.col("Ng1").is_not_null() & pl.col(SCHEME).is_null())
    count_subjects(tally, "unknown_industry", unlisted.select(subject="Ng1", example=NUMBER))
    for name, known in (("FtgStat", _FTGSTAT), ("JEStat", _JESTAT)):
        strange = rows.filter(pl.col(name).is_not_null() & ~pl.col(name).is_in(known))
        for number, value in strange.select(NUMBER, name).iter_rows():
            tally.add("unknown_code", f"{name} {value}", number)


DATASET: Final = Dataset(
    key=KEY,
    title="Statistikmyndigheten SCB: legal persons",
    licence=STATISTICS_LICENCE,
    cadence=Cadence(cron="30 6 * * *", stale_after_hours=240),  # stamped Mondays before seven
    guard_limits=GuardLimits(max_shrink=0.02, max_changed=0.20, max_rejected=0.001),
    host=HOST,
    staged_tables={STATISTICS.name: STATISTICS},
    file_patterns=("scb/**", "scb_bulk/**", "scb_bulkfil*"),
    recognise_file=recognise_file,
    split_members=staging.split_archive,
    read_batches=read_batches,
    fetch=ConditionalFile(_URL, "scb_bulkfil.zip", {BodyFormat.ZIP}, Scope.FULL).fetch,
    redact=drop_natural_persons,
)
