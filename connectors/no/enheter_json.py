"""Reads JSON of Enhetsregisteret: the bulk array, search pages, single responses, short bodies of deleted entities.

Belongs here: classifying elements and converting them to the rows common to all channels. Does not belong here: the
structure of an element (`enheter_model`), its members as columns (`enheter_columns`), or what a row means
(`enheter_rows`).
"""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Final

import msgspec
import polars as pl

from connectors.declare import Batch, Piece, Signal, Unreadable
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
from warehouse.ahead import ahead

SUB_UNIT: Final = ("Underenhet", "SlettetUnderEnhet")
_USUAL: Final = "Enhet"
_HEAD: Final = 1024
# Small chunks are converted while still in the CPU cache; few large frames cost less than many small ones.
STRETCH_BYTES: Final = 1 << 20  # bytes of JSON
BATCH_STRETCHES: Final = 32  # to a batch
_PAGE_LIMIT: Final = 256 * 1024 * 1024  # pages and single responses are read whole; the bulk is streamed


def _refusal(entity: Entity) -> str | None:
    """Why an element is not the record of a main entity; `EntityRows` adds the other reasons."""
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


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What was extracted from a run of consecutive elements."""

    living: pl.DataFrame
    rejects: pl.DataFrame
    deleted: list[Entity]
    named: list[dict[str, Any]]  # rows of `no_navn`


def read(piece: Piece) -> Iterator[Batch]:
    """Yields batches of the three staged tables; decoding runs ahead while polars processes a batch."""
    rows = EntityRows(piece)
    for stretches, signals in ahead(_gathered(piece)):
        yield from _batches(stretches, signals, rows)


def _gathered(piece: Piece) -> Generator[tuple[list[_Stretch], tuple[Signal, ...]], None, None]:
    """Yields the chunks of each batch and their signals."""
    tally = staged.Tally(piece.dataset)
    take = partial(_taken, tally=tally)
    stretches = strict.taken(_elements(piece), Entity, tally, take, key=NUMBER, block=STRETCH_BYTES)
    while some := list(islice(stretches, BATCH_STRETCHES)):
        yield some, tally.drain()


def _taken(records: list[Entity], rejects: pl.DataFrame, tally: staged.Tally) -> _Stretch:
    odd = _odd(records)
    refusals = {place: reason for place in odd if (reason := _refusal(records[place]))}
    listed = staged.reject_rows(
        (records[place].organisasjonsnummer, reason, records[place].navn)
        for place, reason in refusals.items()
    )
    ended = [place for place in odd if place not in refusals and _is_deleted(records[place])]
    formerly = [entity for entity in _without(records, set(refusals)) if entity.historiskeNavn]
    named = [{NUMBER: text(e.organisasjonsnummer), "historiskeNavn": _former(e)} for e in formerly]
    return _Stretch(
        columns.frame(_without(records, {*refusals, *ended}), tally),
        pl.concat([rejects, listed]),
        [records[place] for place in ended],
        [row for row in named if row["historiskeNavn"]],
    )


def _batches(stretches: list[_Stretch], signals: tuple[Signal, ...], rows: EntityRows) -> Iterator[Batch]:
    frame, unnumbered = _numbered(columns.texts(part.living for part in stretches))
    present = rows.batch(frame, pl.concat([*(part.rejects for part in stretches), unnumbered]))
    yield replace(present, signals=(*signals, *present.signals))
    kept = [present.rows[NUMBER]]
    if ended := [entity for part in stretches for entity in part.deleted]:
        deleted, refused = _deleted(ended)
        rows.check_digits(deleted)
        yield staged.batch(DELETED, deleted, refused, rows.tally.drain())
        kept.append(deleted[NUMBER])
    if named := [row for part in stretches for row in part.named]:
        numbers = set(pl.concat(kept))
        yield from _former_names([row for row in named if row[NUMBER] in numbers])


def _former_names(named: list[dict[str, Any]]) -> Iterator[Batch]:
    if named:
        yield staged.batch(FORMER_NAMES, named)


def _odd(records: list[Entity]) -> list[int]:
    """Positions of elements that may not be active main entities: few of a bulk, so they are checked one by one."""
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
    """Splits rows into those with a valid number and rejects."""
    reason = pl.when(~is_number(pl.col(NUMBER))).then(pl.lit("organisation number is not nine digits"))
    numbered, unnumbered = parted(frame, frame.select(reason.alias(REASON)).to_series())
    return numbered, rejected(unnumbered)


def _deleted(entities: list[Entity]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Short bodies as rows of `no_slettet`; those not of a company as rejects."""
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
    """The piece with its elements at top level: search pages are unwrapped, other bodies unchanged."""
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
    """Elements of a search page (an empty one has no `_embedded`); any other body is one element."""
    if not isinstance(body, dict):
        return [body]
    embedded = body.get("_embedded")
    if isinstance(embedded, dict):
        found = embedded.get("enheter")
        return found if isinstance(found, list) else []
    return [] if "page" in body else [body]


def removed(number: str) -> Batch:
    """Batch of a 410 response: the entity was removed for legal reasons; it holds nothing else."""
    return staged.batch(DELETED, [{NUMBER: number, "respons_klasse": REMOVED}])
