"""Dataset se.bolagsverket: the weekly bulk file of all organisations (FORMAT 2).

Belongs here: the declaration, what a file is, its spelling (quotes inside values are not doubled, so records
are cut at `";"`), reading. Does not belong here: what a record means for a profile (`registered`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import polars as pl

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.kit import staged
from connectors.kit.formats import Format, opening, sniff
from connectors.se import codes, fetching
from connectors.se.bolagsverket_fields import (
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
from connectors.se.bulk_rows import Chunk, Shape, chunks, header_of
from connectors.se.doors import without_persons
from connectors.se.register import HOST, LICENCE, is_company
from connectors.se.repeats import Repeats
from connectors.se.signals import count, lost

_CUT: Final = "\x1d"  # stands for `";"`: no text holds it, and the reader marks lines with \x1e and \x1f
_QUOTED: Final = b'";"'
_BEGINS: Final = re.compile(r'"?\d[\d -]{7,14}\$[A-Z]+(?:-IDORG)?[";]')
_BARE_NULL: Final = re.compile(";null(?=;)", re.IGNORECASE)
_NAMES: Final = {name.lower(): name for name in FIELDS} | {
    # the file writes it without the second e, the API's schema with it
    "pagaendeavvecklingselleromstruktureringsforfarande": PROCEEDINGS
}
_NULL: Final = "null"
_COMPANY_TYPE: Final = "ORGNR-IDORG"


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """The zip or its text. Only a fetch, or the folder's own word, knows that a file is complete."""
    found = sniff(opening(head))
    if found is Format.EMPTY:
        return NotOurs("empty file")
    if found in (Format.JSON, Format.PDF):
        return NotOurs(f"{found} where the bulk's zip or text was due")
    del name
    return Recognised(None, Scope.PART)


def shape_of(header: str, piece: Piece) -> tuple[Shape, list[str]]:
    """How this file is cut, and the columns nobody knows. Unreadable where a mandatory one is missing."""
    spelled = [cell.strip().strip('"') for cell in header.split(";")]
    cells = [_NAMES.get(cell.lower(), cell) for cell in spelled]
    missing = [name for name, is_needed in FIELDS.items() if is_needed and name not in cells]
    if missing:
        reason = f"mandatory column {', '.join(missing)} is missing; the header begins {header[:80]}"
        raise Unreadable(piece.dataset, piece.name, reason)
    wanted = {*(name for name, is_needed in FIELDS.items() if is_needed), cells[0], cells[-1]}
    names = {name: place for place, name in enumerate(cells) if name in wanted}
    # the record's own quotes stand at its ends: a line without them is only a part of one
    whole = pl.col(cells[0]).str.starts_with('"') & pl.col(cells[-1]).str.ends_with('"')
    shape = Shape(
        len(cells), _CUT, names, _prepared, whole, lambda text: _fields(text, len(cells)), _is_beginning
    )
    return shape, [cell for cell in cells if cell not in FIELDS]


def _prepared(text: bytes) -> bytes:
    return text.replace(_QUOTED, _CUT.encode())


def _is_beginning(line: str) -> bool:
    return _BEGINS.match(line.replace(_CUT, '";"')) is not None


def _fields(text: str, width: int) -> list[str] | None:
    """Fields of a whole record. Lenient: no quotes at all, or a bare null between quoted values."""
    text = text.strip()
    if '"' not in text:
        bare = text.split(";")
        return bare if len(bare) == width else None
    text = _BARE_NULL.sub(';"null"', text.replace(_CUT, '";"'))
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):  # noqa: PLR2004 - two quotes
        return None
    fields = text.split('";"')
    return fields if len(fields) == width else None


class _Reader:
    """Chunks of one piece to batches; remembers which numbers it has met."""

    def __init__(self, piece: Piece, shape: Shape) -> None:
        self._ends = (
            min(shape.names, key=shape.names.__getitem__),
            max(shape.names, key=shape.names.__getitem__),
        )
        self.tally = staged.Tally(piece.dataset)
        self._repeats = Repeats()

    def batch(self, chunk: Chunk) -> Batch:
        rows = _cleaned(chunk.rows, *self._ends)
        reason = rows.select(_REFUSED).to_series()
        rejects = rows.with_columns(reason).filter(reason.is_not_null())
        kept = rows.filter(reason.is_null())
        kept = kept.with_columns(rad=self._repeats.ordinals(kept[NUMBER], kept[SERIAL]))
        read = kept.with_columns(pl.col(name).str.to_date("%Y-%m-%d", strict=False) for name in _DATES)
        for name in _DATES:
            count(self.tally, "unreadable_value", name, kept[NUMBER].filter(lost(kept[name], read[name])))
        self._audit(read)
        refused = [
            *chunk.refused,
            *((number, why, " ".join(map(str, rest))) for number, why, *rest in _shown(rejects)),
        ]
        rows = read.select(name for name in ORGANISATIONS.names)
        return staged.batch(ORGANISATIONS, rows, staged.reject_rows(refused), self.tally.drain())

    def _audit(self, rows: pl.DataFrame) -> None:
        codes.LEGAL_FORMS.audit(rows, FORM, NUMBER, self.tally, "unknown_legal_form")
        codes.DEREGISTRATIONS.audit(rows, "avregistreringsorsak", NUMBER, self.tally, "unknown_reason")
        under_way = rows.select(NUMBER, PROCEEDINGS).filter(pl.col(PROCEEDINGS).is_not_null())
        each = under_way.with_columns(
            pl.col(PROCEEDINGS)
            .str.extract_all(r"(?:^|\|)[A-Z]+")
            .list.eval(pl.element().str.strip_chars("|"))
        ).explode(PROCEEDINGS, empty_as_null=True)
        codes.PROCEEDINGS.audit(each, PROCEEDINGS, NUMBER, self.tally, "unknown_proceeding")


_DATES: Final = ("avregistreringsdatum", "registreringsdatum")
_SUFFIXED: Final = {FORM: "-ORGFO", "avregistreringsorsak": "-AVORG", "registreringsland": "-LAND"}
_REFUSED: Final = (
    pl.when(~pl.col("_type").eq_missing(_COMPANY_TYPE))
    .then(pl.lit("the identity's type is not ORGNR-IDORG"))
    .when(~is_company(pl.col(NUMBER)))
    .then(pl.lit("the identity is no organisation number"))
    .when(~pl.col(NAMES).str.contains("$", literal=True).fill_null(value=False))
    .then(pl.lit("no name"))
    .alias("_reason")
)


def _cleaned(rows: pl.DataFrame, first: str, last: str) -> pl.DataFrame:
    """Quotes at the ends of the record gone, `null` in any case is null, codes without their suffix."""
    rows = rows.with_columns(pl.col(first).str.strip_prefix('"'))
    rows = rows.with_columns(pl.col(last).str.strip_suffix('"'))
    rows = rows.with_columns(_value(pl.col(name)).alias(name) for name in rows.columns)
    parts = pl.col(IDENTITY).str.splitn("$", 2)
    return rows.with_columns(
        parts.struct.field("field_0").str.replace_all("-", "", literal=True).alias(NUMBER),
        parts.struct.field("field_1").alias("_type"),
        pl.col(SERIAL).fill_null("").alias(SERIAL),
        *(pl.col(name).str.strip_suffix(suffix).alias(name) for name, suffix in _SUFFIXED.items()),
    )


def _value(text: pl.Expr) -> pl.Expr:
    short = pl.when(text.str.len_bytes() == len(_NULL)).then(text)  # the others need no look at their letters
    is_null = short.str.to_lowercase().eq_missing(_NULL)
    return pl.when((text != "") & ~is_null).then(text)


def _shown(rejects: pl.DataFrame) -> list[tuple[str, ...]]:
    return rejects.select(NUMBER, "_reason", NAMES, FORM).rows()


def read(piece: Piece) -> Iterator[Batch]:
    """Batches of `se_bolagsverket`."""
    shape, unknown = shape_of(header_of(piece, "utf-8"), piece)
    reader = _Reader(piece, shape)
    for name in unknown:
        reader.tally.add("unknown_column", name or "(no name)")
    for chunk in chunks(piece, shape, "utf-8", reader.tally):
        yield reader.batch(chunk)


DATASET: Final = Dataset(
    key=KEY,
    title="Bolagsverket: organisations",
    licence=LICENCE,
    cadence=Cadence(cron="15 3 * * *", stale_after_hours=240),  # written weekly, asked for daily
    # A historical register: what is deregistered stays, so records hardly ever leave it (FORMAT 12).
    guard=Guard(max_shrink=0.01, max_changed=0.20, max_rejected=0.001),
    host=HOST,
    staged={ORGANISATIONS.name: ORGANISATIONS},
    files=("bolagsverket/**", "bolagsverket_bulk/**", "bolagsverket_bulkfil*"),
    recognise=recognise,
    split=staged.members,
    read=read,
    fetch=fetching.organisations,
    redact=without_persons,
)
