"""Removes what a company's record has of persons beyond its legal owners, before the archive (docs/formats/dk.md 4).

Kept of `deltagerRelation` are the holders in the register of legal owners: unit number, kind, CVR number, names,
country, shares. Managers, founders, auditors, beneficial owners (no longer public) and addresses of persons are
removed, and so are ways to reach the company other than its website, of which some are secret. What looks like a
personal number (CPR) in any text is masked, though the register is not meant to have any. Does not belong here: reading
what remains.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, BinaryIO, Final

import msgspec

from connectors.dk.answers import LARGEST_BYTES, is_answer
from connectors.dk.personal_numbers import mask_personal_numbers
from connectors.dk.virksomhed.owners import LEGAL_OWNERS, REGISTER, SHARE, VOTES
from connectors.kit.archive.bounded_stream import DECODER_ERRORS, ArchiveError
from connectors.kit.json import chunks
from connectors.kit.redact.streams import from_blocks
from connectors.kit.redact.text import open_text

UNREADABLE: Final = "unreadable"
RECORD: Final = "Vrvirksomhed"
_SOURCE: Final = "_source"
_RELATIONS: Final = "deltagerRelation"
_METADATA: Final = "virksomhedMetadata"
_CONTACTS: Final = (
    "telefonNummer", "telefaxNummer", "sekundaertTelefonNummer", "sekundaertTelefaxNummer", "elektroniskPost",
    "obligatoriskEmail", "fejlBeskrivelse",
)  # fmt: skip
_HEAD: Final = 1 << 16
Members = dict[str, msgspec.Raw]
_MEMBERS: Final = msgspec.json.Decoder(Members)
_PARTICIPANT: Final = ("enhedsNummer", "enhedstype", "forretningsnoegle", "navne", "adresseHemmelig")
_COUNTRY: Final = ("landekode", "periode", "sidstOpdateret")


class _UnscannableBodyError(Exception):
    """Why a body could not be redacted."""


def redact(body: BinaryIO) -> BinaryIO:
    """The body without personal data, as a stream; the rest that cannot be redacted is replaced by the reason."""
    return from_blocks(_blocks(body))


def _blocks(body: BinaryIO) -> Generator[bytes, None, None]:
    began = False
    try:
        for block in _redacted(body):
            yield mask_personal_numbers(block)
            began = True
    except (_UnscannableBodyError, ArchiveError, chunks.NotJsonError, *chunks.MALFORMED, *DECODER_ERRORS) as error:
        reason = msgspec.json.encode({UNREADABLE: str(error) or type(error).__name__})
        yield b"\n" + reason + b"\n" if began else reason


def _redacted(body: BinaryIO) -> Iterator[bytes]:
    with open_text(body) as text:
        head = text.read(_HEAD)
        if is_answer(head):
            rest = text.read(LARGEST_BYTES + 1)
            if len(rest) > LARGEST_BYTES:
                raise _UnscannableBodyError(f"an answer of more than {LARGEST_BYTES >> 20} MiB")
            yield _redact_answer(head + rest)
            return
        start = head.rfind(b"\n") + 1
        if start:
            yield from _redact_lines(head[:start])
        rest = head[start:]
        for block in chunks.read_line_blocks(text):
            yield from _redact_lines(rest + block)
            rest = b""
        if rest.strip():
            yield from _redact_lines(rest)


def _redact_answer(body: bytes) -> bytes:
    answer = _MEMBERS.decode(body)
    envelope = _MEMBERS.decode(answer.get("hits", msgspec.Raw(b"{}")))
    hits = msgspec.json.decode(envelope.get("hits", msgspec.Raw(b"[]")), type=list[msgspec.Raw])
    envelope["hits"] = msgspec.Raw(b"[%b]" % b",".join(map(_redact_hit, hits)))
    answer["hits"] = _raw(envelope)
    return msgspec.json.encode(answer)


def _redact_lines(block: bytes) -> Iterator[bytes]:
    yield b"".join(_redact_hit(line) + b"\n" for line in block.split(b"\n") if line.strip())


def _redact_hit(hit: bytes | msgspec.Raw) -> bytes:
    """A hit, or a record alone. Records of other indexes hold persons: nothing of them is kept but their kind."""
    members = _MEMBERS.decode(hit)
    source = _MEMBERS.decode(members[_SOURCE]) if _SOURCE in members else members
    kept: Members = {}
    for kind, record in source.items():
        if kind == RECORD:
            kept[kind] = _redact_record(record)
        elif _SOURCE in members:
            kept[kind] = msgspec.Raw(b"{}")
        elif kind[:1] == "_":
            kept[kind] = record
    if _SOURCE in members:
        return msgspec.json.encode({**members, _SOURCE: _raw(kept)})
    return msgspec.json.encode(kept)


def _redact_record(record: msgspec.Raw) -> msgspec.Raw:
    members = _MEMBERS.decode(record)
    for name in _CONTACTS:
        members.pop(name, None)
    if _RELATIONS in members:
        members[_RELATIONS] = _raw(list(_kept_relations(members[_RELATIONS])))
    if (found := members.get(_METADATA)) is not None and bytes(found) != b"null":
        metadata = _MEMBERS.decode(found)
        metadata.pop("nyesteKontaktoplysninger", None)
        members[_METADATA] = _raw(metadata)
    return _raw(members)


def _kept_relations(relations: msgspec.Raw) -> Iterator[dict[str, Any]]:
    """Holders in the register of legal owners, and nothing else that they are in the company."""
    if LEGAL_OWNERS.encode() not in bytes(relations):
        return
    for relation in msgspec.json.decode(relations) or ():
        organs = [_kept_organ(organ) for organ in relation.get("organisationer") or () if _is_kept(organ)]
        if organs:
            yield {"deltager": _kept_participant(relation.get("deltager")), "organisationer": organs}


def _is_kept(organ: Any) -> bool:
    names = organ.get("organisationsNavn") or ()
    return organ.get("hovedtype") == REGISTER and any(name.get("navn") == LEGAL_OWNERS for name in names)


def _kept_organ(organ: dict[str, Any]) -> dict[str, Any]:
    members = [
        {"attributter": [one for one in member.get("attributter") or () if one.get("type") in (SHARE, VOTES)]}
        for member in organ.get("medlemsData") or ()
    ]
    return {"hovedtype": REGISTER, "organisationsNavn": [{"navn": LEGAL_OWNERS}], "medlemsData": members}


def _kept_participant(holder: Any) -> dict[str, Any] | None:
    if not isinstance(holder, dict):
        return None
    kept = {name: holder[name] for name in _PARTICIPANT if name in holder}
    addresses = [] if holder.get("adresseHemmelig") else holder.get("beliggenhedsadresse") or []
    return {**kept, "beliggenhedsadresse": [{name: one.get(name) for name in _COUNTRY} for one in addresses]}


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
