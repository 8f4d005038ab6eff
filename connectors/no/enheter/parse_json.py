"""Reads JSON of Enhetsregisteret: the bulk array, search pages, single responses, short bodies of deleted entities.

Belongs here: classifying elements and converting them to the rows common to all channels. Does not belong here: the
structure of an element (`structs`), its members as columns (`parse_columns`), or what a row means
(`rows`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import Any, Final

import msgspec
import polars as pl

from connectors.contract.pieces import ArchiveMember, Batch, Signal
from connectors.kit import staging
from connectors.kit.json import structs
from connectors.kit.json.body import decode_body, read_body
from connectors.no import code_lists
from connectors.no.enheter import parse_columns as columns
from connectors.no.enheter.parse_columns import scalar_text
from connectors.no.enheter.rows import REASON, EntityRows, parse_text_columns, split_by_reason, to_reject_rows
from connectors.no.enheter.schema import DELETED, FORM, FORMER_NAMES, NAME, NUMBER, REMOVED
from connectors.no.enheter.structs import RegisteredEntity
from connectors.no.register import count_wrong_check_digits, is_number
from connectors.no.responses import open_without_bom
from warehouse.storage.parallel import prefetch

SUB_UNIT: Final = ("Underenhet", "SlettetUnderEnhet")
_USUAL: Final = "Enhet"
_DELETED: Final = "SlettetEnhet"
_CLASSES: Final = (None, _USUAL, _DELETED)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HEAD: Final = 1024
# Small chunks are converted while still in the CPU cache; few large frames cost less than many small ones.
STRETCH_BYTES: Final = 1 << 20  # bytes of JSON
BATCH_STRETCHES: Final = 32  # to a batch
_PAGE_LIMIT: Final = 256 * 1024 * 1024  # pages and single responses are read whole; the bulk is streamed


def _reject_reason(entity: RegisteredEntity) -> str | None:
    """Why an element is not the record of a main entity; `EntityRows` adds the other reasons."""
    if not (entity.organisasjonsnummer or "").strip():
        return "no organisation number"
    if entity.respons_klasse in SUB_UNIT or entity.beliggenhetsadresse is not None:
        return f"not a company: sub-unit ({_form_code(entity) or entity.respons_klasse})"
    if entity.respons_klasse not in _CLASSES:
        return f"respons_klasse {entity.respons_klasse!r} is unknown: neither an entity nor a deleted one"
    return None


def _form_code(entity: RegisteredEntity) -> str | None:
    return scalar_text(entity.organisasjonsform.kode) if entity.organisasjonsform else None


def _is_deleted(entity: RegisteredEntity, latest: str) -> bool:
    """True for a short body. The class is the register's present word; a day of deletion beside it may be left over.

    latest: the last day that can have come. Without a class, a day of deletion after it deletes nothing yet.
    """
    if entity.respons_klasse in (_USUAL, _DELETED):
        return entity.respons_klasse == _DELETED
    stated = (entity.slettedato or "").strip()
    return bool(stated) and not (_DAY.match(stated) and stated[: len(latest)] > latest)


def _sorted_former_names(entity: RegisteredEntity) -> list[str]:
    """Former names, newest first, each once. The present name is none of them, also where it was borne before."""
    present = (entity.navn or "").strip()
    dated = [
        (name.tilDato or "", name.navn.strip())
        for name in entity.historiskeNavn or ()
        if name.navn and name.navn.strip() != present
    ]
    return list(dict.fromkeys(name for _, name in sorted(dated, reverse=True)))


@dataclass(frozen=True, slots=True)
class _ElementBlock:
    """What was extracted from a run of consecutive elements."""

    living: pl.DataFrame
    rejects: pl.DataFrame
    deleted: list[RegisteredEntity]
    named: list[dict[str, Any]]  # rows of `no_navn`


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields batches of the three staged tables; decoding runs ahead while polars processes a batch."""
    rows = EntityRows(member)
    for stretches, signals in prefetch(_group_blocks(member)):
        yield from _block_batches(stretches, signals, rows)


def _group_blocks(piece: ArchiveMember) -> Generator[tuple[list[_ElementBlock], tuple[Signal, ...]], None, None]:
    """Yields the chunks of each batch and their signals."""
    tally = staging.SignalCounter(piece.dataset)
    latest = (piece.observed_at.date() + timedelta(days=1)).isoformat()  # in Oslo the day may have begun
    take = partial(_to_element_block, tally=tally, latest=latest)
    stretches = structs.decode_into(_unwrap_page(piece), RegisteredEntity, tally, take, key=NUMBER, block=STRETCH_BYTES)
    while some := list(islice(stretches, BATCH_STRETCHES)):
        yield some, tally.drain()


def _to_element_block(
    records: list[RegisteredEntity], rejects: pl.DataFrame, tally: staging.SignalCounter, latest: str
) -> _ElementBlock:
    odd = _unusual_positions(records)
    refusals = {place: reason for place in odd if (reason := _reject_reason(records[place]))}
    listed = staging.reject_rows(
        (records[place].organisasjonsnummer, reason, records[place].navn) for place, reason in refusals.items()
    )
    ended = [place for place in odd if place not in refusals and _is_deleted(records[place], latest)]
    for place in odd:
        if records[place].slettedato and not _is_deleted(records[place], latest):
            tally.add("contradicting_status", "slettedato", records[place].organisasjonsnummer)
    formerly = [entity for entity in _without_positions(records, set(refusals)) if entity.historiskeNavn]
    named = [{NUMBER: scalar_text(e.organisasjonsnummer), "historiskeNavn": _sorted_former_names(e)} for e in formerly]
    return _ElementBlock(
        columns.entity_frame(_without_positions(records, {*refusals, *ended}), tally),
        pl.concat([rejects, listed]),
        [records[place] for place in ended],
        [row for row in named if row["historiskeNavn"]],
    )


def _block_batches(stretches: list[_ElementBlock], signals: tuple[Signal, ...], rows: EntityRows) -> Iterator[Batch]:
    frame, unnumbered = _split_by_number(columns.concat_stripped(part.living for part in stretches))
    present = rows.batch(frame, pl.concat([*(part.rejects for part in stretches), unnumbered]))
    yield replace(present, signals=(*signals, *present.signals))
    kept = [present.rows[NUMBER]]
    if ended := [entity for part in stretches for entity in part.deleted]:
        deleted, refused = _deleted_rows(ended)
        count_wrong_check_digits(deleted, NUMBER, rows.tally)
        yield staging.make_batch(DELETED, deleted, refused, rows.tally.drain())
        kept.append(deleted[NUMBER])
    if named := [row for part in stretches for row in part.named]:
        numbers = set(pl.concat(kept))
        if kept_names := [row for row in named if row[NUMBER] in numbers]:
            yield staging.make_batch(FORMER_NAMES, kept_names)


def _unusual_positions(records: list[RegisteredEntity]) -> list[int]:
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


def _without_positions(records: list[RegisteredEntity], places: set[int]) -> list[RegisteredEntity]:
    return [record for place, record in enumerate(records) if place not in places] if places else records


def _split_by_number(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Splits rows into those with a valid number and rejects."""
    reason = pl.when(~is_number(pl.col(NUMBER))).then(pl.lit("organisation number is not nine digits"))
    numbered, unnumbered = split_by_reason(frame, frame.select(reason.alias(REASON)).to_series())
    return numbered, to_reject_rows(unnumbered)


def _deleted_rows(entities: list[RegisteredEntity]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Short bodies as rows of `no_slettet`; those not of a company as rejects."""
    rows = [
        {
            NUMBER: scalar_text(entity.organisasjonsnummer),
            NAME: scalar_text(entity.navn),
            FORM: _form_code(entity),
            "organisasjonsform.beskrivelse": entity.organisasjonsform
            and scalar_text(entity.organisasjonsform.beskrivelse),
            "slettedato": scalar_text(entity.slettedato),
            "respons_klasse": entity.respons_klasse or _DELETED,
        }
        for entity in entities
    ]
    numbered, unnumbered = _split_by_number(pl.DataFrame(rows, schema=dict.fromkeys(DELETED.names, pl.String)))
    reason = pl.col(FORM).replace_strict(code_lists.NOT_A_COMPANY, default=None, return_dtype=pl.String)
    kept, refused = split_by_reason(numbered, numbered.select(reason.alias(REASON)).to_series())
    return parse_text_columns(DELETED, kept), pl.concat([unnumbered, to_reject_rows(refused)])


def _unwrap_page(piece: ArchiveMember) -> ArchiveMember:
    """The piece with its elements at top level: search pages are unwrapped, other bodies unchanged."""
    with open_without_bom(piece) as body:
        if not body.read(_HEAD).lstrip().startswith(b"{"):
            return piece
    page = decode_body(piece, read_body(piece, _PAGE_LIMIT))
    return replace(piece, open=lambda: io.BytesIO(msgspec.json.encode(page_elements(page))))


def page_elements(body: object) -> list[Any]:
    """Elements of a search page (an empty one has no `_embedded`); any other body is one element."""
    if not isinstance(body, dict):
        return [body]
    embedded = body.get("_embedded")
    if isinstance(embedded, dict):
        found = embedded.get("enheter")
        return found if isinstance(found, list) else []
    return [] if "page" in body else [body]


def removed_batch(number: str) -> Batch:
    """Batch of a 410 response: the entity was removed for legal reasons; it holds nothing else."""
    return staging.make_batch(DELETED, [{NUMBER: number, "respons_klasse": REMOVED}])
