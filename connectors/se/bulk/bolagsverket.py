"""Dataset se.bolagsverket: the weekly bulk file of all organisations (docs/formats/se.md 2).

Belongs here: the declaration, recognising files, the CSV dialect (quotes inside values are not doubled, so records
are split at `";"`), reading. Does not belong here: what a record means for a profile (`statements`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.columns.text import AHEAD
from connectors.kit.csv.fast_quoted import index_quoted_lines
from connectors.kit.formats import BodyFormat
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.staging import count_signals
from connectors.se import code_lists
from connectors.se.bulk.bolagsverket_schema import (
    FIELDS,
    FORM,
    IDENTITY,
    KEY,
    NAMES,
    NUMBER,
    ORGANISATIONS,
    PROCEEDINGS,
    SERIAL,
)
from connectors.se.bulk.ordinals import RepeatCounter
from connectors.se.bulk.parse import RecordShape, RowChunk, check_mandatory, read_chunks, read_header, reason_not_bulk
from connectors.se.bulk.redact import drop_sole_traders
from connectors.se.bulk.statements import are_unreadable_names
from connectors.se.register import EARLIEST, HOST, LICENCE, is_company
from connectors.se.text_columns import NULL, repair_cells, without_null_words

# the landing pages answer robots with HTML and status 200: only a zip is accepted
_URL: Final = f"https://{HOST}/bolagsverket/bolagsverket_bulkfil.zip"
_QUOTE: Final = '"'
_BEGINS: Final = re.compile(r'"?\d[\d -]{7,14}\$[A-Z]+(?:-IDORG)?[";]')
_BARE_NULL: Final = re.compile(";null(?=;)", re.IGNORECASE)
_NAMES: Final = {name.lower(): name for name in FIELDS} | {
    # the file omits the second e, the API's schema has it
    "pagaendeavvecklingselleromstruktureringsforfarande": PROCEEDINGS
}
_TYPE: Final = "$ORGNR-IDORG"
_DIGITS: Final = 10


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the zip or its text. Only a fetch, or the folder's metadata, proves that a file is complete."""
    del name
    return reason_not_bulk(head) or RecognisedFile(None, Scope.PART)


def record_shape(header: str, member: ArchiveMember) -> tuple[RecordShape, list[str]]:
    """Record shape of this file, and its unknown columns.

    Raises UnreadableFileError if a mandatory column is missing.
    """
    spelled = [cell.strip().strip('"') for cell in header.split(";")]
    cells = [_NAMES.get(cell.lower(), cell) for cell in spelled]
    check_mandatory(FIELDS, cells, header, member)
    names = {name: place for place, name in enumerate(cells) if FIELDS.get(name)}
    shape = RecordShape(
        names=names,
        separator=_QUOTE,
        width=2 * len(cells) + 1,
        columns={name: 2 * place + 1 for name, place in names.items()},
        checked=tuple(range(0, 2 * len(cells) + 1, 2)),
        is_whole=_is_whole_record(len(cells)),
        parted=partial(index_quoted_lines, separator=";", quote=_QUOTE),
        fields=partial(_split_fields, width=len(cells)),
        is_record_start=lambda line: _BEGINS.match(line) is not None,
    )
    return shape, [cell for cell in cells if cell not in FIELDS]


def _is_whole_record(cells: int) -> pl.Expr:
    """True if a line split at quotes is a whole record: fields at odd positions, only semicolons in between."""
    ends = (pl.col(str(place)).is_null() for place in (0, 2 * cells))
    between = (pl.col(str(2 * place)).eq_missing(";") for place in range(1, cells))
    return pl.all_horizontal(*ends, *between)


def _split_fields(text: str, width: int) -> list[str] | None:
    """Fields of a whole record. Also accepts a record without quotes, or a bare null between quoted values."""
    text = text.strip()
    if '"' not in text:
        bare = text.split(";")
        return bare if len(bare) == width else None
    text = _BARE_NULL.sub(';"null"', text)
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):  # noqa: PLR2004 - two quotes
        return None
    fields = text[1:-1].split('";"')
    return fields if len(fields) == width else None


class _BolagsverketReader:
    """Converts chunks of one piece to batches; remembers the numbers seen."""

    def __init__(self, piece: ArchiveMember) -> None:
        self.tally = staging.SignalCounter(piece.dataset)
        self._repeats = RepeatCounter()
        self._latest = piece.observed_at.date() + AHEAD

    def batch(self, chunk: RowChunk) -> Batch:
        rows = _clean_rows(chunk.rows)
        kept, refused = _split_companies(rows)
        kept = kept.with_columns(rad=self._repeats.ordinals(kept[NUMBER], kept[SERIAL]))
        read = kept.with_columns(pl.col(name).str.to_date("%Y-%m-%d", strict=False, cache=False) for name in _DATES)
        read = read.with_columns(self._possible_days(kept, read, name) for name in _DATES)
        count_signals(self.tally, "unreadable_value", NAMES, kept[NUMBER].filter(are_unreadable_names(kept[NAMES])))
        self._audit_codes(read)
        rejects = staging.reject_rows([*chunk.rejected, *refused])
        return staging.make_batch(ORGANISATIONS, read.select(ORGANISATIONS.names), rejects, self.tally.drain())

    def _possible_days(self, kept: pl.DataFrame, read: pl.DataFrame, name: str) -> pl.Series:
        """Days of a column; one that does not read, or on which nothing can have been registered, is null and told."""
        days, limits = read[name], (EARLIEST, self._latest if name == REGISTERED else date.max)
        if kept[name].null_count() == days.null_count() and (days.is_between(*limits).all()):
            return days
        other = (kept[name].is_not_null() & days.is_null()).arg_true()
        written = kept[name].gather(other).str.extract(_OTHER_DAY).str.replace_all("-", "", literal=True)
        days = days.scatter(other, written.str.to_date("%Y%m%d", strict=False))
        possible = days.is_between(*limits)
        lost = kept[name].is_not_null() & ~possible.fill_null(value=False)
        count_signals(self.tally, "unreadable_value", name, kept[NUMBER].filter(lost))
        return days.zip_with(possible.fill_null(value=False), pl.Series([None], dtype=pl.Date))

    def _audit_codes(self, rows: pl.DataFrame) -> None:
        undated = pl.col("avregistreringsdatum").is_null() & code_lists.names_an_end("avregistreringsorsak")
        count_signals(self.tally, "no_day", "avregistreringsdatum", rows.filter(undated)[NUMBER])
        code_lists.LEGAL_FORMS.audit(rows, FORM, NUMBER, self.tally, "unknown_legal_form")
        code_lists.DEREGISTRATIONS.audit(rows, "avregistreringsorsak", NUMBER, self.tally, "unknown_reason")
        under_way = rows.select(NUMBER, PROCEEDINGS).filter(pl.col(PROCEEDINGS).is_not_null())
        each = under_way.with_columns(pl.col(PROCEEDINGS).str.strip_chars("|").str.split("|")).explode(
            PROCEEDINGS, empty_as_null=True
        )
        parts = pl.col(PROCEEDINGS).str.split_exact("$", 1).struct
        told = each.select(
            NUMBER,
            parts.field("field_0").str.replace(_SUFFIX, "").alias(PROCEEDINGS),
            parts.field("field_1").alias("since"),
        )
        begun = told.filter(~pl.col(PROCEEDINGS).is_in(list(code_lists.PROCEEDING_ENDS.codes)))
        code_lists.PROCEEDINGS.audit(begun, PROCEEDINGS, NUMBER, self.tally, "unknown_proceeding")
        since = told["since"]
        is_stated = since.is_not_null() & ~since.str.to_lowercase().is_in(["", NULL])
        lost = is_stated & since.str.to_date("%Y-%m-%d", strict=False).is_null()
        count_signals(self.tally, "unreadable_value", PROCEEDINGS, told[NUMBER].filter(lost))


REGISTERED: Final = "registreringsdatum"
_DATES: Final = ("avregistreringsdatum", REGISTERED)
_OTHER_DAY: Final = r"^(\d{4}-\d{2}-\d{2}|\d{8})(?:[T ].*)?$"  # with a time, as the API has them, or without hyphens
_SUFFIX: Final = "-(?:AVSL)?AVOMFO$"  # of a proceeding, or of its end
_SUFFIXED: Final = {FORM: "-ORGFO", "avregistreringsorsak": "-AVORG", "registreringsland": "-LAND"}
_HAS_NAME: Final = pl.col(NAMES).str.contains("$", literal=True).fill_null(value=False)
_REASON: Final = (
    pl.when(~pl.col(IDENTITY).str.ends_with(_TYPE).fill_null(value=False))
    .then(pl.lit("the identity's type is not ORGNR-IDORG"))
    .when(~is_company(pl.col(NUMBER)))
    .then(pl.lit("the identity is no organisation number"))
    .when(~_HAS_NAME)
    .then(pl.lit("no name"))
)


def _clean_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Turns `null` in any letter case into null and strips suffixes from codes and from the number."""
    rows = without_null_words(rows, rows.columns).with_columns(
        # any other identity type stays after the number, so the record is rejected
        pl.col(IDENTITY).str.strip_suffix(_TYPE).alias(NUMBER),
        pl.col(SERIAL).fill_null(""),
        *(pl.col(name).str.strip_suffix(suffix) for name, suffix in _SUFFIXED.items()),
    )
    number = rows[NUMBER]
    odd = number.str.len_bytes() != _DIGITS  # ten characters including a hyphen are not a number either way
    return rows.with_columns(repair_cells(number, odd, lambda some: some.str.replace_all("-", "", literal=True)))


def _split_companies(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[tuple[object, str, object]]]:
    """Records of companies, and rejects with number, reason and name; nothing is kept of possible persons."""
    company, is_named = rows.select(is_company(pl.col(NUMBER)).alias("company"), _HAS_NAME.alias("named"))
    fine = company & is_named
    if fine.all():
        return rows, []
    shown = rows.with_columns(company.alias("_company"), _REASON.alias("_reason")).filter(~fine)
    refused: list[tuple[object, str, object]] = [
        (number if known else "(withheld)", reason, name if known else "")
        for number, known, reason, name in shown.select(NUMBER, "_company", "_reason", NAMES).iter_rows()
    ]
    return rows.filter(fine), refused


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of `se_bolagsverket`."""
    shape, unknown = record_shape(read_header(member, "utf-8"), member)
    reader = _BolagsverketReader(member)
    for name in unknown:
        reader.tally.add("unknown_column", name or "(no name)")
    for chunk in read_chunks(member, shape, "utf-8"):
        chunk.report_signals(reader.tally)
        yield reader.batch(chunk)


DATASET: Final = Dataset(
    key=KEY,
    title="Bolagsverket: organisations",
    licence=LICENCE,
    cadence=Cadence(cron="15 3 * * *", stale_after_hours=240),  # written weekly, requested daily
    # A historical register: deregistered organisations stay, so records rarely disappear (docs/formats/se.md 12).
    guard_limits=GuardLimits(max_shrink=0.01, max_changed=0.20, max_rejected=0.001),
    host=HOST,
    staged_tables={ORGANISATIONS.name: ORGANISATIONS},
    file_patterns=("bolagsverket/**", "bolagsverket_bulk/**", "bolagsverket_bulkfil*"),
    recognise_file=recognise_file,
    split_members=staging.split_archive,
    read_batches=read_batches,
    fetch=ConditionalFile(_URL, "bolagsverket_bulkfil.zip", {BodyFormat.ZIP}, Scope.FULL).fetch,
    redact=drop_sole_traders,
)
