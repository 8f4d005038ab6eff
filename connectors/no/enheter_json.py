"""JSON of Enhetsregisteret: the bulk array, search pages, single answers, short bodies of deleted entities.

Belongs here: the shape of an element, in the source's own spelling (hence the attribute names), and taking it
to the rows every door gives. Does not belong here: what a row means (`enheter_rows`).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import msgspec
import polars as pl

from connectors.declare import Batch, Piece, Unreadable
from connectors.kit import staged, strict
from connectors.no import codes
from connectors.no.enheter_fields import (
    CODE_LIST,
    DELETED,
    ENTITIES,
    FORM,
    FORMER_NAMES,
    LINES,
    NAME,
    NUMBER,
    REMOVED,
)
from connectors.no.enheter_model import Address, Entity
from connectors.no.enheter_rows import REASON, EntityRows, rejected, typed
from connectors.no.register import is_number

SUB_UNIT: Final = ("Underenhet", "SlettetUnderEnhet")
_HEAD: Final = 1024
_PAGE_LIMIT: Final = 256 * 1024 * 1024  # a page or single answer is read whole; the bulk array is streamed


def _text(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # counts come as floats through some doors (FORMAT 3.1)
    return str(value).lower() if isinstance(value, bool) else str(value).strip() or None


def _lines(address: Address) -> str | None:
    """Address lines; null, empty and blank ones occur and say nothing."""
    lines = [line.strip() for line in address.adresse or () if line and line.strip()]
    return LINES.join(lines) or None


def _row(entity: Entity) -> dict[str, str | None]:
    """The element as a row of texts, nested names joined with dots."""
    row: dict[str, str | None] = {}
    for column in ENTITIES.names:
        head, _, tail = column.partition(".")
        value = getattr(entity, head, None)
        if tail and value is not None:
            value = _lines(value) if tail == "adresse" else getattr(value, tail, None)
        row[column] = _text(value)
    row[CODE_LIST] = _code_list(entity)
    return row


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
    frame, unnumbered = _numbered(
        [_row(entity) for entity in taken if not _is_deleted(entity)], ENTITIES.names
    )
    present = rows.batch(frame, pl.concat([rejects, listed, unnumbered]))
    yield present
    deleted, refused = _deleted([entity for entity in taken if _is_deleted(entity)])
    if deleted.height or refused.height:
        rows.check_digits(deleted)
        yield staged.batch(DELETED, deleted, refused, rows.tally.drain())
    kept = {*present.rows[NUMBER], *deleted[NUMBER]}
    named = [{NUMBER: _text(e.organisasjonsnummer), "historiskeNavn": _former(e)} for e in taken]
    named = [row for row in named if row["historiskeNavn"] and row[NUMBER] in kept]
    if named:
        yield staged.batch(FORMER_NAMES, named)


def _numbered(rows: list[dict[str, str | None]], names: tuple[str, ...]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows whose number is one, and the others as rejects."""
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String))
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
    numbered, unnumbered = _numbered(rows, DELETED.names)
    reason = pl.col(FORM).replace_strict(codes.NOT_A_COMPANY, default=None, return_dtype=pl.String)
    judged = numbered.with_columns(reason.alias(REASON))
    kept = judged.filter(pl.col(REASON).is_null()).drop(REASON)
    refused = rejected(judged.filter(pl.col(REASON).is_not_null()))
    return typed(DELETED, kept), pl.concat([unnumbered, refused])


def _elements(piece: Piece) -> Piece:
    """The piece with its elements at top level: a search page unwrapped, everything else as it is."""
    with staged.opened(piece) as body:
        if not body.read(_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return piece
    with staged.opened(piece) as body:
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
