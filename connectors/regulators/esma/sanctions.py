"""ESMA's register of sanctions: responses of its Solr core as acts (docs/formats/news.md 1.8).

Belongs here: documents to acts, and redaction of documents. Many documents name a person in their text and no
company: these are left out. Any field of a document may be a list (Solr): each of its companies is a respondent, its
texts are read together, and a field that can have one value has none if they differ. Does not belong here: suspensions
(`suspensions`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final

import msgspec

from connectors.contract.pieces import NOT_A_COMPANY, ArchiveMember, Batch
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit import staging
from connectors.kit.archive.bounded_stream import ArchiveError
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.redact import text as redact_text
from connectors.kit.redact.streams import UNREADABLE, unreadable_body
from connectors.kit.staging import SignalCounter
from connectors.regulators import act_types
from connectors.regulators import schema as regulators_schema
from connectors.regulators.amounts import parse_amount
from connectors.regulators.authorities import ESMA, FI, FT, Authority
from connectors.regulators.common import RejectedAct, check_act
from connectors.regulators.feeds import to_plain_text
from connectors.regulators.schema import ActRespondent, RegulatoryAct
from name_matching.company_markers import CompanyMarker, detect_company_marker
from warehouse.schema.identifiers import iso_country

_NAMES: Final = {
    "austria": "AT", "belgium": "BE", "bulgaria": "BG", "croatia": "HR", "cyprus": "CY", "czech republic": "CZ",
    "czechia": "CZ", "denmark": "DK", "estonia": "EE", "finland": "FI", "france": "FR", "germany": "DE",
    "greece": "GR", "hungary": "HU", "iceland": "IS", "ireland": "IE", "italy": "IT", "latvia": "LV",
    "liechtenstein": "LI", "lithuania": "LT", "luxembourg": "LU", "malta": "MT", "netherlands": "NL",
    "the netherlands": "NL", "norway": "NO", "poland": "PL", "portugal": "PT", "romania": "RO", "slovakia": "SK",
    "slovak republic": "SK", "slovenia": "SI", "spain": "ES", "sweden": "SE", "united kingdom": "GB",
}  # fmt: skip
_CODES: Final = frozenset(_NAMES.values()) | {"EL", "UK"}
_ISO: Final = {"EL": "GR", "UK": "GB"}


def country_code(written: str | None) -> str | None:
    """ISO 3166-1 alpha-2 of a country as written; None if absent or unknown."""
    text = (written or "").strip()
    if text.upper() in _CODES:
        return _ISO.get(text.upper(), text.upper())
    return _NAMES.get(text.lower())


LARGEST: Final = 64 << 20
_REGISTER: Final = "https://registers.esma.europa.eu/publication/searchRegister?core=esma_registers_sanctions"
_KEY: Final = "sn_sanctionEsmaID"
_COMPANIES: Final = (("sn_entityName", "sn_entityLEI"), ("sn_otherEntityName", "sn_otherEntityLEI"))
_KEPT: Final = (
    _KEY, "sn_sanctionLegalFrameworkName", "sn_natureFullName", "sn_date", "sn_ncaCodeFullName", "sn_countryName",
)  # fmt: skip
_TEXT: Final = "sn_text"
_FIELD: Final = b'"sn_'  # prefix of the register's fields
_OWN: Final = {"SE": FI, "NO": FT}
_NATURES: Final = tuple(  # words of a nature of sanction, whole or with their endings; the first match wins
    (re.compile(rf"\b(?:{words})", re.IGNORECASE), kind)
    for words, kind in (
        (r"fine[sd]?\b|(?<!non[- ])(?:pecuniary|monetary)|penalt(?:y|ies)\b", act_types.SANCTION_FINE),
        (r"withdraw|revocation|revoke", act_types.LICENCE_WITHDRAWAL),
        (r"ban(?:s|ned|ning)?\b|prohibit", act_types.PROHIBITION),
        (r"warning|reprimand|censure|public statement|public notice|remarks?\b", act_types.SANCTION_WARNING),
        (r"cease|desist|order(?:s|ed)?\b|disgorge|injunction|suspension", act_types.ORDER),
        (r"administrative|sanction|measure", act_types.OTHER),
    )
)

Document = dict[str, Any]


def read_batches(market: str, member: ArchiveMember) -> Batch:
    """The acts of one response. Raises UnreadableFileError for other content."""
    with staging.open_plain(member) as stream:
        body = stream.read(LARGEST + 1)
    with staging.unreadable_on(member, ValueError):
        found = response_documents(body)
    batch = staging.BatchBuilder(member.dataset)
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for document in found:
        made = check_act(parse_act(market, document, batch.tally), member)
        if isinstance(made, RejectedAct):
            batch.reject(_single_text(document.get(_KEY)) or "no id", made.reason)
            continue
        for row in regulators_schema.act_rows(member.dataset, made):
            rows[row["native_id"], row["place"]] = row
    return batch.build(regulators_schema.acts_table(market), rows.values())


def response_documents(body: bytes) -> list[Document]:
    """The documents of a response; ValueError gives the reason why there are none."""
    if len(body) > LARGEST:
        raise ValueError(f"expected an answer of the register, found more than {LARGEST >> 20} MiB")
    try:
        answer: Any = msgspec.json.decode(body)
    except MALFORMED as error:
        raise ValueError(f"JSON that does not parse: {error}") from None
    if isinstance(answer, dict) and UNREADABLE in answer:  # written by `redact`
        raise ValueError(str(answer[UNREADABLE]))
    response = answer.get("response") if isinstance(answer, dict) else None
    found = response.get("docs") if isinstance(response, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ValueError("no documents in it: expected an answer of the register of sanctions")
    if found and not any(_KEY in one for one in found):
        raise ValueError(f"no document has {_KEY}: another register, or another layout")
    return found


def parse_act(market: str, document: Document, tally: SignalCounter) -> RegulatoryAct | RejectedAct:
    """The act of a document; a reason if it is not about a company, or is another market's."""
    native_id = _single_text(document.get(_KEY))
    if not native_id:
        return RejectedAct(f"no {_KEY}")
    named = _named_respondents(market, document, tally, native_id)
    if not named:
        return RejectedAct(f"{NOT_A_COMPANY}: neither an LEI nor a company's name")
    place = country_code(_single_text(document.get("sn_countryName")))
    if place is None:
        tally.add("unknown_country", _joined_text(document.get("sn_countryName"))[:60], native_id)
    if place != iso_country(market) and all(one.lei is None for one in named):
        return RejectedAct(f"{NOT_A_COMPANY} of this market: another country's authority, and no LEI")
    published_at = parse_day(_single_text(document.get("sn_date")))
    if published_at is None:
        return RejectedAct(f"no day: {_joined_text(document.get('sn_date'))[:60]!r}")
    nature = _joined_text(document.get("sn_natureFullName"))
    kind = _act_kind(nature, tally, native_id)
    law = _joined_text(document.get("sn_sanctionLegalFrameworkName"))
    fine = (
        parse_amount(place or "UK", _joined_text(document.get(_TEXT)))
        if kind == act_types.SANCTION_FINE
        else (None, None)
    )
    title = ": ".join(part for part in (law, nature) if part) or "Sanction"
    authority = _deciding_authority(place, _joined_text(document.get("sn_ncaCodeFullName")))
    return RegulatoryAct(authority, native_id, kind, title, _REGISTER, published_at, named, *fine)


def _named_respondents(
    market: str, document: Document, tally: SignalCounter, example: str
) -> tuple[ActRespondent, ...]:
    return tuple(one for fields in _COMPANIES for one in _respondents_of(market, document, fields, tally, example))


def _respondents_of(
    market: str, document: Document, fields: tuple[str, str], tally: SignalCounter, example: str
) -> Iterator[ActRespondent]:
    """The companies of a pair of fields: a name and an LEI, or lists of them."""
    name_field, lei_field = fields
    names, leis = _field_texts(document.get(name_field)), _field_texts(document.get(lei_field))
    markers = {name: detect_company_marker(name, market) for name in names if name}
    if len(names) != len(leis):
        names = [name for name in names if markers.get(name, CompanyMarker.NONE) is not CompanyMarker.NONE]
    if len(names) != len(leis):  # nothing says which LEI is whose
        names, leis = names + [""] * len(leis), [""] * len(names) + leis
    for name, written in zip(names, leis, strict=True):
        lei = written.upper() if is_lei(written.upper()) else None
        if written and lei is None:
            tally.add("bad_lei", lei_field, example)
        said = markers.get(name, CompanyMarker.NONE)
        if lei is not None or said is not CompanyMarker.NONE:
            yield ActRespondent(name or None, said.value, lei=lei)


def _act_kind(nature: str, tally: SignalCounter, example: str) -> str:
    kind = next((kind for words, kind in _NATURES if words.search(nature)), None)
    if kind is None:
        tally.add("unknown_kind", nature[:80] or "no nature", example)
    return kind or act_types.OTHER


def _deciding_authority(place: str | None, name: str) -> Authority:
    """The authority under its name in its own feed, if that is read too, so that both give the same act."""
    own = _OWN.get(place or "")
    if own is not None:
        return Authority(own.code, own.name, place, ESMA.host)
    return Authority("FI-FIVA" if place == "FI" else ESMA.code, name or ESMA.name, place, ESMA.host)


def _field_texts(value: object) -> list[str]:
    """The texts of a field, without markup; of a list each, also empty ones."""
    return [to_plain_text(one) for one in (value if isinstance(value, list) else [value])]


def _joined_text(value: object) -> str:
    """The text of a field; those of a list one after the other, each once."""
    return "; ".join(dict.fromkeys(filter(None, _field_texts(value))))


def _single_text(value: object) -> str:
    """The text of a field that can have one value; empty if a list has several."""
    found = set(filter(None, _field_texts(value)))
    return found.pop() if len(found) == 1 else ""


def parse_day(text: str) -> datetime | None:
    """Parses an ISO 8601 date or time to an instant; a date is its midnight in UTC."""
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def redact(market: str, body: BinaryIO) -> BinaryIO:
    """The response with the used fields of its companies' documents; of others only their ids, of texts the fine.

    A body that is not JSON is no response of this register; it is kept, decompressed, if it has none of its
    fields.
    """
    try:
        text = redact_text.read_text(body, LARGEST)
        if b"\x00" in text:
            return unreadable_body("letters of two bytes, or none at all")
        kind = detect_body_format(text)
        if kind is not BodyFormat.JSON:
            return unreadable_body(f"its fields in {kind.value}") if _FIELD in text else io.BytesIO(text)
        found = response_documents(text)
    except ArchiveError as error:
        return unreadable_body(error.reason)
    except ValueError as error:
        return unreadable_body(str(error))
    kept = [_redact_document(market, document) for document in found]
    answer: Any = msgspec.json.decode(text)
    response = {"numFound": answer["response"].get("numFound"), "docs": kept}
    return io.BytesIO(msgspec.json.encode({"response": response}))


def _redact_document(market: str, document: Document) -> Document:
    whole = {name: document[name] for name in _KEPT if name in document}
    named = _named_respondents(market, document, SignalCounter(""), "")
    if not named:
        return {_KEY: whole.get(_KEY)}
    for name_field, lei_field in _COMPANIES:
        kept = list(_respondents_of(market, document, (name_field, lei_field), SignalCounter(""), ""))
        if kept:
            whole |= {name_field: [one.name for one in kept], lei_field: [one.lei for one in kept]}
    place = country_code(_single_text(document.get("sn_countryName")))
    fine, currency = parse_amount(place or "UK", _joined_text(document.get(_TEXT)))
    return whole | ({} if fine is None else {_TEXT: f"{currency} {fine}"})
