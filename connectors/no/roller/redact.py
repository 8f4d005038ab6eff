"""Removes personal data from roles before they are archived (docs/architecture.md 14, docs/formats/no.md 4).

For persons who own, the name is kept; birth dates and everything else are removed. For directors, auditors,
deputies and administrators of estates only the role is kept. Undocumented members are removed too, at any depth of
a role, and listed under `_left_out`, so that reading signals them. A body that cannot be redacted, or the rest of
it, is replaced by an object `{"unreadable": reason}`. The output is uncompressed; the archive compresses it again.
"""

from __future__ import annotations

import codecs
import gzip
import shutil
import tempfile
from collections.abc import Generator, Iterator, Mapping
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit.archive.bounded_stream import DECODER_ERRORS
from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from connectors.kit.json import chunks
from connectors.kit.redact.streams import from_blocks
from connectors.no.roller.schema import GROUPS, OWNERS

UNREADABLE: Final = "unreadable"
LEFT_OUT: Final = "_left_out"
PERSONS: Final = ("person", "bostyrer")
KEPT: Final = ("type", "enhet", "avregistrert", "rekkefolge", "fratraadt", "ansvarsandel", "valgtAv")
_ENTITY: Final = ("organisasjonsnummer", "_links", "links")
_GROUP: Final = ("type", "sistEndret")
_WITHIN: Final = frozenset({  # members kept at any depth below the kept ones: codes, entities, links
    "kode", "beskrivelse", "organisasjonsnummer", "organisasjonsform", "navn", "erSlettet", "_links", "links",
    "self", "enhet", "href",
})  # fmt: skip
_NAME: Final = ("fornavn", "mellomnavn", "etternavn")
_LIMIT: Final = 64 << 20  # bytes of one entity's response
Node = Mapping[str, Any]


class _UnscannableBodyError(Exception):
    """Why the body could not be redacted."""


def redact(body: BinaryIO) -> BinaryIO:
    """Returns the body without personal data, as a stream."""
    return from_blocks(_redacted_blocks(body))


def _redacted_blocks(body: BinaryIO) -> Generator[bytes, None, None]:
    """Yields the body part by part; if the rest cannot be redacted, the reason replaces it."""
    began = False
    try:
        for part in _redact_body(body):
            yield part
            began = True
    except (_UnscannableBodyError, chunks.NotJsonError, EOFError, *chunks.MALFORMED, *DECODER_ERRORS) as error:
        reason = msgspec.json.encode({UNREADABLE: str(error) or type(error).__name__})
        yield b"," + reason + b"]" if began else reason


def _redact_body(body: BinaryIO) -> Iterator[bytes]:
    """Yields the redacted parts of a body, which is spooled if it is not seekable."""
    if body.seekable():
        yield from _redact_by_format(body)
        return
    with tempfile.TemporaryFile() as spool:
        shutil.copyfileobj(body, spool)
        yield from _redact_by_format(_as_binary(spool))


def _redact_by_format(body: BinaryIO) -> Iterator[bytes]:
    body.seek(0)
    kind = detect_body_format(body.read(HEAD))
    body.seek(0)
    if kind is BodyFormat.EMPTY:
        return
    if kind is BodyFormat.GZIP:
        with gzip.open(body) as plain:
            yield from _redact_json(_as_binary(plain))
    elif kind is BodyFormat.JSON:
        yield from _redact_json(body)
    else:
        raise _UnscannableBodyError(f"expected JSON of roles, found {kind.value}")


def _as_binary(file: Any) -> BinaryIO:
    return file


def _redact_json(plain: BinaryIO) -> Iterator[bytes]:
    head = plain.read(HEAD)
    start = head.removeprefix(codecs.BOM_UTF8)
    plain.seek(len(head) - len(start))
    if start.lstrip().startswith(b"["):
        yield from _redact_array(plain)
    else:
        yield msgspec.json.encode(_redact_entity(msgspec.json.decode(plain.read(_LIMIT))))


def _redact_array(plain: BinaryIO) -> Iterator[bytes]:
    """Yields the complete file of all roles, entity by entity."""
    separator = b"["
    for entities in chunks.read_array(plain, chunks.decode_values):
        for entity in entities:
            yield separator + msgspec.json.encode(_redact_entity(entity))
            separator = b","
    yield b"[]" if separator == b"[" else b"]"


def _redact_entity(body: Any) -> dict[str, Any]:
    """One entity's redacted roles. Raises _Unseen for an undocumented structure, which may contain anything."""
    groups = body.get(GROUPS) if isinstance(body, dict) else None
    if not isinstance(groups, list):
        raise _UnscannableBodyError(f"no {GROUPS}: not the roles of an entity")
    return {**_allowed_members(body, _ENTITY, (GROUPS,)), GROUPS: [_redact_group(group) for group in groups]}


def _redact_group(group: Any) -> dict[str, Any]:
    roles = group.get("roller") if isinstance(group, dict) else None
    if not isinstance(roles, list):
        raise _UnscannableBodyError("a group without roller")
    return {
        **_allowed_members(group, _GROUP, ("roller", "_links", "links")),
        "roller": [_redact_role(role) for role in roles],
    }


def _redact_role(role: Any) -> dict[str, Any]:
    if not isinstance(role, dict):
        raise _UnscannableBodyError("a role that is not an object")
    kept = _allowed_members(role, KEPT, (*PERSONS, "_links", "links"))
    kind = role.get("type")
    owns = isinstance(kind, dict) and kind.get("kode") in OWNERS
    for key in PERSONS:
        if key in role:
            kept[key] = _redact_person(role[key]) if owns else {}
    return kept


def _allowed_members(node: Node, names: tuple[str, ...], known: tuple[str, ...]) -> dict[str, Any]:
    """The documented members among `names`, plus the names of members that are neither kept nor known."""
    kept = {name: _known_members(node[name]) for name in names if name in node}
    deep = (name for key, member in kept.items() if member != node[key] for name in _unknown_member_names(node[key]))
    more = sorted({*deep, *(node.keys() - {*names, *known})})
    return {**kept, **({LEFT_OUT: more} if more else {})}


def _known_members(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _known_members(member) for name, member in value.items() if name in _WITHIN}
    return [_known_members(one) for one in value] if isinstance(value, list) else value


def _unknown_member_names(value: Any) -> Iterator[str]:
    """Yields names of members that `_known_members` leaves out."""
    if isinstance(value, list):
        for one in value:
            yield from _unknown_member_names(one)
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _unknown_member_names(member) if name in _WITHIN else (name,)


def _redact_person(person: Any) -> dict[str, Any]:
    """The person's name only."""
    name = person.get("navn") if isinstance(person, dict) else None
    if isinstance(name, dict):
        return {"navn": {key: name[key] for key in _NAME if isinstance(name.get(key), str)}}
    return {"navn": name} if isinstance(name, str) else {}
