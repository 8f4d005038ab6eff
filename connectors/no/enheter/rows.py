"""Converts text rows of entities (from CSV or JSON) to staged batches: types, rejects, signals.

Belongs here: what CSV and JSON have in common once a record is a row of texts. Works on whole columns, never per
row. Does not belong here: opening files (`parse_csv`, `parse_json`), or the shared profile (`profile.companies`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.pieces import ArchiveMember, Batch
from connectors.kit import staging
from connectors.kit.columns.text import AHEAD
from connectors.kit.staging import SignalCounter, count_signals
from connectors.no import code_lists
from connectors.no.enheter.schema import (
    BUSINESS,
    CONTRADICTING_EMPLOYEES,
    EMPLOYEES,
    ENTITIES,
    FORM,
    LINES,
    NAME,
    NUMBER,
    POSTAL,
)
from connectors.no.register import count_wrong_check_digits
from warehouse.schema.types import ColumnKind, Table

REASON: Final = "_reason"
ADDRESS_LINES: Final = f"{BUSINESS}.adresse"
_READ: Final = tuple(column.name for column in ENTITIES.columns if column.kind is not ColumnKind.TEXT)
_COUNTY_OF: Final = (f"{BUSINESS}.kommunenummer", f"{POSTAL}.kommunenummer")
# «301» has lost a nought: 30 is another county than 03
_SHAPES: Final = {
    **dict.fromkeys((*_COUNTY_OF, f"{BUSINESS}.postnummer"), "^[0-9]{4}$"),
    "naeringskode1.kode": r"^[0-9]{2}(?:\.[0-9]{1,3})?$",
}
_EARLIEST: Final = date(1700, 1, 1)  # 0001-01-01 is a day not stated
_REGISTERED: Final = "registreringsdatoEnhetsregisteret"


def to_text_table(table: Table) -> Table:
    """The same table with text columns: what a parser delivers before types are parsed."""
    columns = tuple(type(column)(column.name, ColumnKind.TEXT, column.description) for column in table.columns)
    return Table(table.name, table.description, table.key, columns)


def parse_text_columns(table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """Text columns parsed as the table's types; unparsable values become null (`audit` counts them)."""
    return rows.select(
        _parse_expression(pl.col(column.name), column.kind).alias(column.name) for column in table.columns
    )


def _parse_expression(column: pl.Expr, kind: ColumnKind) -> pl.Expr:
    match kind:
        case ColumnKind.DATE:
            day = column.str.to_date("%Y-%m-%d", strict=False)
            return pl.when(day >= _EARLIEST).then(day)
        case ColumnKind.BOOLEAN:
            return pl.when(column == "true").then(True).when(column == "false").then(False)
        case ColumnKind.INTEGER:
            count = column.cast(pl.Int64, strict=False)
            return pl.when(count >= 0).then(count)
        case _:
            return column


def strip_blanks(rows: pl.DataFrame) -> pl.DataFrame:
    """Strips free-text columns; blank becomes null.

    Checking first costs a tenth of stripping, and few columns need it.
    """
    found = rows.select(
        (pl.col(name).str.starts_with(" ") | pl.col(name).str.ends_with(" ")).any() for name in _WRITTEN
    )
    stripped = {name: pl.col(name).str.strip_chars() for name in _WRITTEN if found[name].item()}
    return rows.with_columns(pl.when(text != "").then(text).alias(name) for name, text in stripped.items())


_FORM: Final = pl.col(FORM)
_LONGEST_FORM: Final = 6  # the codes have two to four letters; a longer text is another column's
_FLAGS: Final = ("konkurs", "underAvvikling", "underTvangsavviklingEllerTvangsopplosning")
_IS_FLAG: Final = [pl.col(name).is_in(["true", "false"]) for name in _FLAGS]
_REFUSED: Final = (
    pl.when(pl.col(NAME).is_null())
    .then(pl.lit("no name"))
    .when(_FORM.is_in(list(code_lists.NOT_A_COMPANY)))
    .then(_FORM.replace_strict(code_lists.NOT_A_COMPANY, default=None, return_dtype=pl.String))
    # rejected, not guessed: such a row has its values in the wrong columns and would look like a healthy company
    .when(_FORM.str.len_bytes() > _LONGEST_FORM)
    .then(pl.lit("the legal form is not a code"))
    .when(~pl.all_horizontal(_IS_FLAG))
    .then(pl.lit("a flag of bankruptcy or winding-up is neither true nor false"))
    .alias(REASON)
)
_WRITTEN: Final = (  # free-text columns; the others are codes, dates and flags
    NAME,
    "organisasjonsform.beskrivelse",
    "naeringskode1.beskrivelse",
    "hjemmeside",
    f"{BUSINESS}.kommune",
    f"{BUSINESS}.poststed",
    f"{POSTAL}.kommune",
    ADDRESS_LINES,
)
_REPEATED: Final = "number repeated in this file"


class EntityRows:
    """Converts the chunks of one piece to batches of `no_enheter`; remembers the numbers seen."""

    def __init__(self, member: ArchiveMember) -> None:
        self.tally = SignalCounter(member.dataset)
        self._latest = member.observed_at.date() + AHEAD  # 9999-12-31 is no day of registration
        self._seen: set[int] = set()

    def batch(self, rows: pl.DataFrame, rejects: pl.DataFrame) -> Batch:
        """Batch of one chunk; `rows` has the columns of `as_text(ENTITIES)`, stripped."""
        reason = self._mark_repeated(rows, rows.select(_REFUSED).to_series())
        kept, refused = split_by_reason(rows, reason)
        read = parse_text_columns(ENTITIES, kept).with_columns(
            *(pl.when(pl.col(name).str.contains(shape)).then(name).alias(name) for name, shape in _SHAPES.items()),
            pl.when(pl.col(_REGISTERED) <= self._latest).then(_REGISTERED).alias(_REGISTERED),
        )
        self._audit_rows(kept, read)
        return staging.make_batch(ENTITIES, read, pl.concat([rejects, to_reject_rows(refused)]), self.tally.drain())

    def _mark_repeated(self, rows: pl.DataFrame, reason: pl.Series) -> pl.Series:
        """Adds a reason to rows with a number already seen in this piece."""
        numbers = rows[NUMBER].cast(pl.UInt32)
        met = set(numbers.to_list())
        again = self._seen & met
        self._seen |= met
        if len(met) == numbers.len() and not again:
            return reason
        fresh = numbers.is_first_distinct() & ~numbers.is_in(list(again))
        return reason.zip_with(fresh | reason.is_not_null(), pl.Series(REASON, [_REPEATED]))

    def _audit_rows(self, source: pl.DataFrame, read: pl.DataFrame) -> None:
        """Signals unparsable values, unknown codes and invalid check digits."""
        count_wrong_check_digits(read, NUMBER, self.tally)
        count_unreadable(source, read, (*_READ, *_SHAPES), self.tally)
        for name in _FLAGS:
            count_signals(self.tally, "missing_flag", name, read.filter(pl.col(name).is_null())[NUMBER])
        count_signals(self.tally, "contradicting_employees", EMPLOYEES, read.filter(CONTRADICTING_EMPLOYEES)[NUMBER])
        code_lists.LEGAL_FORMS.audit(read, FORM, NUMBER, self.tally, "unknown_legal_form")
        for name in _COUNTY_OF:
            counties = read.select(pl.col(NUMBER), pl.col(name).str.slice(0, 2))
            code_lists.COUNTIES.audit(counties, name, NUMBER, self.tally, "unknown_county")


def count_unreadable(source: pl.DataFrame, read: pl.DataFrame, columns: Iterable[str], tally: SignalCounter) -> None:
    """Signals texts that parsing made null."""
    for name in columns:
        if source[name].null_count() != read[name].null_count():
            lost = source[name].is_not_null() & read[name].is_null()
            count_signals(tally, "unreadable_value", name, source[NUMBER].filter(lost))


def split_by_reason(rows: pl.DataFrame, reason: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Splits rows into those without a reason to reject them and rejects (rare)."""
    if reason.null_count() == rows.height:
        return rows, rows.clear().with_columns(reason.clear())
    return rows.filter(reason.is_null()), rows.with_columns(reason).filter(reason.is_not_null())


def to_reject_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Rejected rows as reject records: the number, the reason, the beginning of the record."""
    if rows.is_empty():
        return staging.reject_rows()
    texts = [pl.col(name) for name in rows.columns if name != REASON]
    return rows.select(
        pl.col(NUMBER).alias("record"),
        pl.col(REASON).alias("reason"),
        pl.concat_str(texts, separator=",", ignore_nulls=True).str.slice(0, staging.EXCERPT).alias("excerpt"),
    )


def split_lines(rows: pl.DataFrame, separator: str) -> pl.DataFrame:
    """Replaces the channel's separator between address lines by `LINES`."""
    return rows.with_columns(pl.col(ADDRESS_LINES).str.replace_all(separator, LINES, literal=True))
