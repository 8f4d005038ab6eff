"""JSON of Enhetsregisteret: the bulk array, search pages, single answers, short bodies of deleted entities.

Belongs here: the shape of an element, in the source's own spelling (hence the attribute names), and taking it
to the rows every door gives. Does not belong here: what a row means (`enheter_rows`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

import msgspec
import polars as pl

from connectors.declare import Batch, Piece, Unreadable
from connectors.kit import staged, strict
from connectors.no import codes
from connectors.no.bodies import opened
from connectors.no.enheter_fields import (
    BUSINESS,
    CODE_LIST,
    DELETED,
    ENTITIES,
    FORM,
    FORMER_NAMES,
    LINES,
    NAME,
    NUMBER,
    POSTAL,
    REMOVED,
    SHARE_COUNT,
)
from connectors.no.enheter_model import Address, Capital, Code, Entity
from connectors.no.enheter_rows import REASON, EntityRows, rejected, typed
from connectors.no.register import is_number
from warehouse.schema.types import Kind

SUB_UNIT: Final = ("Underenhet", "SlettetUnderEnhet")
_HEAD: Final = 1024
_PAGE_LIMIT: Final = 256 * 1024 * 1024  # a page or single answer is read whole; the bulk array is streamed


def _text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # counts come as floats through some doors (FORMAT 3.1)
    return str(value).strip() or None


def _lines(address: Address) -> str | None:
    """Address lines; null, empty and blank ones occur and say nothing."""
    lines = [line.strip() for line in address.adresse or () if line and line.strip()]
    return LINES.join(lines) or None


def _parts() -> dict[str, tuple[str, ...]]:
    """Members of an element that become columns, with the parts of those that are objects."""
    parts: dict[str, tuple[str, ...]] = {}
    for column in ENTITIES.names:
        head, _, tail = column.partition(".")
        if head != CODE_LIST:
            parts[head] = (*parts.get(head, ()), *((tail,) if tail else ()))
    return parts


_PARTS: Final = _parts()
_FLAGS: Final = frozenset(column.name for column in ENTITIES.columns if column.kind is Kind.BOOLEAN)
# Members without which a record still says what it is: of another type they are null, and told of.
_SPARED: Final[dict[str, frozenset[type]]] = {
    name: frozenset({*kinds, type(None)})
    for name, kinds in {
        "naeringskode1": (Code,),
        "harRegistrertAntallAnsatte": (bool,),
        "antallAnsatte": (int, float),
        "hjemmeside": (str,),
        BUSINESS: (Address,),
        POSTAL: (Address,),
        "sisteInnsendteAarsregnskap": (str, int),
        "erIKonsern": (bool,),
        "kapital": (Capital,),
    }.items()
}
_COUNTED: Final = ("antallAnsatte", "sisteInnsendteAarsregnskap", SHARE_COUNT)  # numbers or texts


def _values(head: str, entities: list[Entity], tally: staged.Tally) -> list[Any]:
    """One member of all elements; types are looked at together, since hardly ever one is another."""
    values = list(map(attrgetter(head), entities))
    kinds = _SPARED.get(head)
    if kinds is None or set(map(type, values)) <= kinds:
        return values
    for entity, value in zip(entities, values, strict=True):
        if type(value) not in kinds:
            tally.add("unreadable_value", head, entity.organisasjonsnummer)
    return [value if type(value) in kinds else None for value in values]


def _frame(entities: list[Entity], tally: staged.Tally) -> pl.DataFrame:
    """Elements as columns of texts, nested names joined with dots.

    Column by column: an element by itself would be asked forty questions, most of them in vain.
    """
    columns: dict[str, pl.Series] = {}
    for head, tails in _PARTS.items():
        values = _values(head, entities, tally)
        if not tails:
            columns[head] = _series(head, values)
        for tail in tails:
            part = _lines if tail == "adresse" else attrgetter(tail)
            name = f"{head}.{tail}"
            columns[name] = _series(name, [value and part(value) for value in values])
    columns[CODE_LIST] = pl.Series(map(_code_list, entities), dtype=pl.String)
    stripped = pl.DataFrame(columns).select(pl.col(ENTITIES.names).str.strip_chars())
    return stripped.select(pl.when(pl.col(name) != "").then(pl.col(name)).alias(name) for name in columns)


def _series(name: str, values: list[Any]) -> pl.Series:
    if name in _FLAGS:
        return pl.Series(values, dtype=pl.Boolean).cast(pl.String)
    return pl.Series(list(map(_text, values)) if name in _COUNTED else values, dtype=pl.String)


def _code_list(entity: Entity) -> str:
    """SN2025 came with the edition that knows these fields; the record itself does not name its code list."""
    return "SN2007" if entity.erIKonsern is None and entity.historiskeNavn is None else "SN2025"


def _refusal(entity: Entity) -> str | None:
    """Why an element is no record of a main entity; the other reasons are `EntityRows`'s."""
    if not (entity.organisasjonsnummer or "").strip():
        return "no organisation number"
    if entity.respons_klasse in SUB_UNIT or entity.beliggenhetsadresse is not None:
        return f"not a company: sub-unit ({_form(entity) or entity.respons_klasse})"
    return None


def _form(entity: Entity) -> str | None:
    return _text(entity.organisasjonsform.kode) if entity.organisasjonsform else None


def _is_deleted(entity: Entity) -> bool:
    return entity.respons_klasse == "SlettetEnhet" or bool((entity.slettedato or "").strip())


def _former(entity: Entity) -> list[str]:
    """Former names, newest first."""
    dated = [(name.tilDato or "", name.navn.strip()) for name in entity.historiskeNavn or () if name.navn]
    return [name for _, name in sorted(dated, reverse=True)]


def read(piece: Piece) -> Iterator[Batch]:
    """Batches of the three staged tables."""
    rows = EntityRows(piece)
    for chunk in strict.decode(_elements(piece), Entity, rows.tally, key=NUMBER):
        yield from _batches(chunk.records, chunk.rejects, rows)


def _batches(records: list[Entity], rejects: pl.DataFrame, rows: EntityRows) -> Iterator[Batch]:
    judged = [(entity, _refusal(entity)) for entity in records]
    listed = staged.reject_rows(
        (entity.organisasjonsnummer, reason, entity.navn) for entity, reason in judged if reason
    )
    taken = [entity for entity, reason in judged if not reason]
    frame, unnumbered = _numbered(_frame([e for e in taken if not _is_deleted(e)], rows.tally))
    present = rows.batch(frame, pl.concat([rejects, listed, unnumbered]))
    yield present
    deleted, refused = _deleted([entity for entity in taken if _is_deleted(entity)])
    if deleted.height or refused.height:
        rows.check_digits(deleted)
        yield staged.batch(DELETED, deleted, refused, rows.tally.drain())
    kept = {*present.rows[NUMBER], *deleted[NUMBER]}
    formerly = [entity for entity in taken if entity.historiskeNavn]
    named = [{NUMBER: _text(e.organisasjonsnummer), "historiskeNavn": _former(e)} for e in formerly]
    named = [row for row in named if row["historiskeNavn"] and row[NUMBER] in kept]
    if named:
        yield staged.batch(FORMER_NAMES, named)


def _numbered(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows whose number is one, and the others as rejects."""
    reason = pl.lit("organisation number is not nine digits").alias(REASON)
    good = is_number(pl.col(NUMBER))
    return frame.filter(good), rejected(frame.filter(~good).with_columns(reason))


def _deleted(entities: list[Entity]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Short bodies as rows of `no_slettet`, and those that are no company's as rejects."""
    rows = [
        {
            NUMBER: _text(entity.organisasjonsnummer),
            NAME: _text(entity.navn),
            FORM: _form(entity),
            "organisasjonsform.beskrivelse": entity.organisasjonsform
            and _text(entity.organisasjonsform.beskrivelse),
            "slettedato": _text(entity.slettedato),
            "respons_klasse": entity.respons_klasse or "SlettetEnhet",
        }
        for entity in entities
    ]
    numbered, unnumbered = _numbered(pl.DataFrame(rows, schema=dict.fromkeys(DELETED.names, pl.String)))
    reason = pl.col(FORM).replace_strict(codes.NOT_A_COMPANY, default=None, return_dtype=pl.String)
    judged = numbered.with_columns(reason.alias(REASON))
    kept = judged.filter(pl.col(REASON).is_null()).drop(REASON)
    refused = rejected(judged.filter(pl.col(REASON).is_not_null()))
    return typed(DELETED, kept), pl.concat([unnumbered, refused])


def _elements(piece: Piece) -> Piece:
    """The piece with its elements at top level: a search page unwrapped, everything else as it is."""
    with opened(piece) as body:
        if not body.read(_HEAD).lstrip().startswith(b"{"):
            return piece
    with opened(piece) as body:
        text = body.read(_PAGE_LIMIT)
    try:
        page = msgspec.json.decode(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(piece.dataset, piece.name, f"JSON that does not parse: {error}") from error
    return replace(piece, open=lambda: io.BytesIO(msgspec.json.encode(elements_of(page))))


def elements_of(body: object) -> list[Any]:
    """Elements of a search page (an empty one has no `_embedded`); a body that is no page is one element."""
    if not isinstance(body, dict):
        return [body]
    embedded = body.get("_embedded")
    if isinstance(embedded, dict):
        found = embedded.get("enheter")
        return found if isinstance(found, list) else []
    return [] if "page" in body else [body]


def removed(number: str) -> Batch:
    """Status 410: removed for legal reasons. Says that the entity is gone and nothing else."""
    return staged.batch(DELETED, [{NUMBER: number, "respons_klasse": REMOVED}])
