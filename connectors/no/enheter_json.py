"""JSON of Enhetsregisteret: the bulk array, search pages, single answers, short bodies of deleted entities.

Belongs here: which elements are taken, and as what, to the rows every door gives. Does not belong here: the shape
of an element (`enheter_model`), its members as columns (`enheter_columns`), or what a row means (`enheter_rows`).
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
from connectors.no import enheter_columns as columns
from connectors.no.bodies import opened
from connectors.no.enheter_columns import text
from connectors.no.enheter_fields import (
    DELETED,
    FORM,
    FORMER_NAMES,
    NAME,
    NUMBER,
    REMOVED,
)
from connectors.no.enheter_model import Entity
from connectors.no.enheter_rows import REASON, EntityRows, parted, rejected, typed
from connectors.no.register import is_number

SUB_UNIT: Final = ("Underenhet", "SlettetUnderEnhet")
_USUAL: Final = "Enhet"
_HEAD: Final = 1024
_PAGE_LIMIT: Final = 256 * 1024 * 1024  # a page or single answer is read whole; the bulk array is streamed


def _refusal(entity: Entity) -> str | None:
    """Why an element is no record of a main entity; the other reasons are `EntityRows`'s."""
    if not (entity.organisasjonsnummer or "").strip():
        return "no organisation number"
    if entity.respons_klasse in SUB_UNIT or entity.beliggenhetsadresse is not None:
        return f"not a company: sub-unit ({_form(entity) or entity.respons_klasse})"
    return None


def _form(entity: Entity) -> str | None:
    return text(entity.organisasjonsform.kode) if entity.organisasjonsform else None


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
    odd = _odd(records)
    refusals = {place: reason for place in odd if (reason := _refusal(records[place]))}
    listed = staged.reject_rows(
        (records[place].organisasjonsnummer, reason, records[place].navn)
        for place, reason in refusals.items()
    )
    ended = [place for place in odd if place not in refusals and _is_deleted(records[place])]
    frame, unnumbered = _numbered(columns.frame(_without(records, {*refusals, *ended}), rows.tally))
    present = rows.batch(frame, pl.concat([rejects, listed, unnumbered]))
    yield present
    kept = [present.rows[NUMBER]]
    if ended:
        deleted, refused = _deleted([records[place] for place in ended])
        rows.check_digits(deleted)
        yield staged.batch(DELETED, deleted, refused, rows.tally.drain())
        kept.append(deleted[NUMBER])
    formerly = [entity for entity in _without(records, set(refusals)) if entity.historiskeNavn]
    named = [{NUMBER: text(e.organisasjonsnummer), "historiskeNavn": _former(e)} for e in formerly]
    numbers = set(pl.concat(kept)) if named else set()
    named = [row for row in named if row["historiskeNavn"] and row[NUMBER] in numbers]
    if named:
        yield staged.batch(FORMER_NAMES, named)


def _odd(records: list[Entity]) -> list[int]:
    """Places of the elements that may be no record of a living main entity: few of a bulk, looked at one by one."""
    return [
        place
        for place, record in enumerate(records)
        if record.slettedato
        or record.beliggenhetsadresse is not None
        or ((kind := record.respons_klasse) is not None and kind != _USUAL)
        or not (number := record.organisasjonsnummer)
        or number.isspace()
    ]


def _without(records: list[Entity], places: set[int]) -> list[Entity]:
    return [record for place, record in enumerate(records) if place not in places] if places else records


def _numbered(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows whose number is one, and the others as rejects."""
    reason = pl.when(~is_number(pl.col(NUMBER))).then(pl.lit("organisation number is not nine digits"))
    numbered, unnumbered = parted(frame, frame.select(reason.alias(REASON)).to_series())
    return numbered, rejected(unnumbered)


def _deleted(entities: list[Entity]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Short bodies as rows of `no_slettet`, and those that are no company's as rejects."""
    rows = [
        {
            NUMBER: text(entity.organisasjonsnummer),
            NAME: text(entity.navn),
            FORM: _form(entity),
            "organisasjonsform.beskrivelse": entity.organisasjonsform
            and text(entity.organisasjonsform.beskrivelse),
            "slettedato": text(entity.slettedato),
            "respons_klasse": entity.respons_klasse or "SlettetEnhet",
        }
        for entity in entities
    ]
    numbered, unnumbered = _numbered(pl.DataFrame(rows, schema=dict.fromkeys(DELETED.names, pl.String)))
    reason = pl.col(FORM).replace_strict(codes.NOT_A_COMPANY, default=None, return_dtype=pl.String)
    kept, refused = parted(numbered, numbered.select(reason.alias(REASON)).to_series())
    return typed(DELETED, kept), pl.concat([unnumbered, rejected(refused)])


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
