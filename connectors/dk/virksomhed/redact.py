"""Removes what a company's record has of persons beyond its legal owners, before the archive (docs/formats/dk.md 4).

Kept of `deltagerRelation` are the holders in the register of legal owners: unit number, kind, CVR number, names,
country, shares. Managers, founders, auditors, beneficial owners (no longer public) and addresses of persons are
removed, and so are ways to reach the company other than its website, of which some are secret. Members that are not
documented are removed at any depth and listed under `_left_out`, so that reading signals them. What looks like a
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
LEFT_OUT: Final = "_left_out"
_SOURCE: Final = "_source"
_RELATIONS: Final = "deltagerRelation"
_HEAD: Final = 1 << 16
_ENVELOPE: Final = ("took", "timed_out", "_shards")
_HIT: Final = ("_index", "_type", "_id", "_score", "sort")
# Documented members that are not kept: ways to reach somebody, free text, and what is not read
_REMOVED: Final = frozenset({
    "telefonNummer", "telefaxNummer", "sekundaertTelefonNummer", "sekundaertTelefaxNummer", "elektroniskPost",
    "obligatoriskEmail", "nyesteKontaktoplysninger", "fejlBeskrivelse", "conavn", "postadresse", "binavne",
    "nyesteBinavne", "fusioner", "spaltninger", "aarsbeskaeftigelse", "kvartalsbeskaeftigelse", "maanedsbeskaeftigelse",
    "erstMaanedsbeskaeftigelse",
})  # fmt: skip
# Members that are kept at any depth of a record
_KEPT: Final = frozenset({
    "cvrNummer", "regNummer", "regnummer", "brancheAnsvarskode", "reklamebeskyttet", "navne", "navn",
    "beliggenhedsadresse", "hjemmeside", "kontaktoplysning", "hemmelig", "livsforloeb", "hovedbranche",
    "bibranche1", "bibranche2", "bibranche3", "branchekode", "branchetekst", "status", "virksomhedsstatus",
    "statuskode", "statustekst", "kreditoplysningskode", "kreditoplysningtekst", "virksomhedsform",
    "virksomhedsformkode", "kortBeskrivelse", "langBeskrivelse", "ansvarligDataleverandoer", "attributter", "type",
    "vaerditype", "vaerdier", "vaerdi", "sekvensnr", "penheder", "pNummer", "virksomhedMetadata", "nyesteNavn",
    "nyesteVirksomhedsform", "nyesteBeliggenhedsadresse", "nyesteHovedbranche", "nyesteBibranche1",
    "nyesteBibranche2", "nyesteBibranche3", "nyesteStatus", "nyesteAarsbeskaeftigelse",
    "nyesteKvartalsbeskaeftigelse", "nyesteMaanedsbeskaeftigelse", "nyesteErstMaanedsbeskaeftigelse",
    "antalPenheder", "sammensatStatus", "stiftelsesDato", "virkningsDato", "aar", "kvartal", "maaned",
    "antalAnsatte", "antalAarsvaerk", "antalInklusivEjere", "intervalKodeAntalAnsatte",
    "intervalKodeAntalAarsvaerk", "intervalKodeAntalInklusivEjere", "samtId", "fejlRegistreret", "dataAdgang",
    "enhedsNummer", "enhedstype", "forretningsnoegle", "sidstIndlaest", "sidstOpdateret", "fejlVedIndlaesning",
    "naermesteFremtidigeDato", "virkningsAktoer", "periode", "gyldigFra", "gyldigTil", "landekode", "fritekst",
    "vejkode", "kommune", "kommuneKode", "kommuneNavn", "husnummerFra", "husnummerTil", "adresseId",
    "sidstValideret", "bogstavFra", "bogstavTil", "etage", "sidedoer", "postboks", "vejnavn", "bynavn",
    "postnummer", "postdistrikt",
})  # fmt: skip
_NESTED: Final = (dict, list)  # other members are kept without a call: they are most of a record
_PARTICIPANT: Final = ("enhedsNummer", "enhedstype", "forretningsnoegle", "adresseHemmelig")
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
            yield _redact_lines(head[:start])
        rest = head[start:]
        for block in chunks.read_line_blocks(text):
            yield _redact_lines(rest + block)
            rest = b""
        if rest.strip():
            yield _redact_lines(rest)


def _redact_answer(body: bytes) -> bytes:
    answer = _object(msgspec.json.decode(body), "an answer")
    found = _object(answer.get("hits"), "hits of an answer")
    hits = {"total": _total(found.get("total")), "hits": [_redact_hit(hit) for hit in _list(found.get("hits"))]}
    return msgspec.json.encode({**{name: answer[name] for name in _ENVELOPE if name in answer}, "hits": hits})


def _total(stated: Any) -> Any:
    """The number of hits, or the object that newer editions have."""
    if isinstance(stated, dict):
        return {name: stated.get(name) for name in ("value", "relation")}
    return stated if isinstance(stated, int) else None


def _redact_lines(block: bytes) -> bytes:
    lines = (line for line in block.split(b"\n") if line.strip())
    return b"".join(msgspec.json.encode(_redact_hit(msgspec.json.decode(line))) + b"\n" for line in lines)


def _redact_hit(hit: Any) -> dict[str, Any]:
    """A hit, or a record alone. Records of other indexes hold persons: nothing of them is kept but their kind."""
    members = _object(hit, "a hit")
    if _SOURCE not in members:
        return {RECORD: _redact_record(members[RECORD])} if RECORD in members else {}
    source = _object(members[_SOURCE], "a hit's source")
    kept = {kind: _redact_record(one) if kind == RECORD else {} for kind, one in source.items()}
    return {**{name: members[name] for name in _HIT if name in members}, _SOURCE: kept}


def _redact_record(record: Any) -> dict[str, Any]:
    members = _object(record, "a record")
    left_out: set[str] = set()
    kept = {
        name: _kept_members(member, left_out)
        for name, member in members.items()
        if name != _RELATIONS and _is_kept(name, left_out)
    }
    if isinstance(members.get(_RELATIONS), list):  # a record without the list says nothing of owners
        kept[_RELATIONS] = list(_kept_relations(members[_RELATIONS]))
    return {**kept, LEFT_OUT: sorted(left_out)} if left_out else kept


def _kept_members(value: Any, left_out: set[str]) -> Any:
    if isinstance(value, dict):
        return {
            name: _kept_members(member, left_out) if isinstance(member, _NESTED) else member
            for name, member in value.items()
            if name in _KEPT or _is_kept(name, left_out)
        }
    return [_kept_members(one, left_out) for one in value] if isinstance(value, list) else value


def _is_kept(name: str, left_out: set[str]) -> bool:
    if name in _KEPT:
        return True
    if name not in _REMOVED:
        left_out.add(name)
    return False


def _kept_relations(relations: Any) -> Iterator[dict[str, Any]]:
    """Holders in the register of legal owners, and nothing else that they are in the company."""
    for relation in _objects(relations):
        organs = [_kept_organ(organ) for organ in _objects(relation.get("organisationer")) if _is_register(organ)]
        if organs:
            yield {"deltager": _kept_participant(relation.get("deltager")), "organisationer": organs}


def _is_register(organ: dict[str, Any]) -> bool:
    names = _objects(organ.get("organisationsNavn"))
    return organ.get("hovedtype") == REGISTER and any(name.get("navn") == LEGAL_OWNERS for name in names)


def _kept_organ(organ: dict[str, Any]) -> dict[str, Any]:
    shares = [
        [one for one in _objects(member.get("attributter")) if one.get("type") in (SHARE, VOTES)]
        for member in _objects(organ.get("medlemsData"))
    ]
    members = [{"attributter": _kept_members(attributes, set())} for attributes in shares]
    return {"hovedtype": REGISTER, "organisationsNavn": [{"navn": LEGAL_OWNERS}], "medlemsData": members}


def _kept_participant(holder: Any) -> dict[str, Any] | None:
    if not isinstance(holder, dict):
        return None
    kept = {name: one for name in _PARTICIPANT if not isinstance(one := holder.get(name), dict | list)}
    addresses = [] if holder.get("adresseHemmelig") else _objects(holder.get("beliggenhedsadresse"))
    places = [{name: _kept_members(one.get(name), set()) for name in _COUNTRY} for one in addresses]
    return {**kept, "navne": _kept_members(_objects(holder.get("navne")), set()), "beliggenhedsadresse": places}


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _UnscannableBodyError(f"{what} that is not an object")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _UnscannableBodyError("an answer without a list of hits")
    return value


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; what is no list has none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
