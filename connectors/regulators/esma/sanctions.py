"""ESMA's register of sanctions: responses of its Solr core as acts (docs/formats/news.md 1.8).

Belongs here: documents to acts, and redaction of documents. Many documents name a person in their text and no
company: these are left out. Does not belong here: suspensions (`suspensions`).
"""

from __future__ import annotations

import io
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
_NATURES: Final = (  # words of a nature of sanction; the first match wins
    (("fine", "pecuniary", "penalty", "monetary"), act_types.SANCTION_FINE),
    (("withdraw", "revocation", "revoke"), act_types.LICENCE_WITHDRAWAL),
    (("ban", "prohibit"), act_types.PROHIBITION),
    (("warning", "reprimand", "censure", "public statement", "public notice", "remark"), act_types.SANCTION_WARNING),
    (("cease", "desist", "order", "disgorge", "injunction", "suspension"), act_types.ORDER),
    (("administrative", "sanction", "measure"), act_types.OTHER),
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
            batch.reject(_field_text(document.get(_KEY)) or "no id", made.reason)
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
    native_id = _field_text(document.get(_KEY))
    if not native_id:
        return RejectedAct(f"no {_KEY}")
    named = _named_respondents(market, document, tally, native_id)
    if not named:
        return RejectedAct(f"{NOT_A_COMPANY}: neither an LEI nor a company's name")
    place = country_code(_field_text(document.get("sn_countryName")))
    if place is None:
        tally.add("unknown_country", _field_text(document.get("sn_countryName"))[:60], native_id)
    if place != iso_country(market) and all(one.lei is None for one in named):
        return RejectedAct(f"{NOT_A_COMPANY} of this market: another country's authority, and no LEI")
    published_at = parse_day(_field_text(document.get("sn_date")))
    if published_at is None:
        return RejectedAct(f"no day: {_field_text(document.get('sn_date'))[:60]!r}")
    nature = _field_text(document.get("sn_natureFullName"))
    kind = _act_kind(nature, tally, native_id)
    law = _field_text(document.get("sn_sanctionLegalFrameworkName"))
    fine = (
        parse_amount(place or "UK", _field_text(document.get(_TEXT)))
        if kind == act_types.SANCTION_FINE
        else (None, None)
    )
    title = ": ".join(part for part in (law, nature) if part) or "Sanction"
    authority = _deciding_authority(place, _field_text(document.get("sn_ncaCodeFullName")))
    return RegulatoryAct(authority, native_id, kind, title, _REGISTER, published_at, named, *fine)


def _named_respondents(
    market: str, document: Document, tally: SignalCounter, example: str
) -> tuple[ActRespondent, ...]:
    found: list[ActRespondent] = []
    for name_field, lei_field in _COMPANIES:
        name, written = _field_text(document.get(name_field)), _field_text(document.get(lei_field)).upper()
        lei = written if is_lei(written) else None
        if written and lei is None:
            tally.add("bad_lei", lei_field, example)
        said = detect_company_marker(name, market) if name else CompanyMarker.NONE
        if lei is not None or said is not CompanyMarker.NONE:
            found.append(ActRespondent(name or None, said.value, lei=lei))
    return tuple(found)


def _act_kind(nature: str, tally: SignalCounter, example: str) -> str:
    said = nature.lower()
    kind = next((kind for words, kind in _NATURES if any(word in said for word in words)), None)
    if kind is None:
        tally.add("unknown_kind", nature[:80] or "no nature", example)
    return kind or act_types.OTHER


def _deciding_authority(place: str | None, name: str) -> Authority:
    """The authority under its name in its own feed, if that is read too, so that both give the same act."""
    own = _OWN.get(place or "")
    if own is not None:
        return Authority(own.code, own.name, place, ESMA.host)
    return Authority("FI-FIVA" if place == "FI" else ESMA.code, name or ESMA.name, place, ESMA.host)


def _field_text(value: object) -> str:
    """The text of a field, without markup; the first of several."""
    if isinstance(value, list):
        value = next((one for one in value if isinstance(one, str)), None)
    return to_plain_text(value)


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
    for (name_field, lei_field), one in zip(_COMPANIES, _paired_respondents(market, document), strict=True):
        if one is not None:
            whole |= {name_field: one.name, lei_field: one.lei}
    place = country_code(_field_text(document.get("sn_countryName")))
    fine, currency = parse_amount(place or "UK", _field_text(document.get(_TEXT)))
    return whole | ({} if fine is None else {_TEXT: f"{currency} {fine}"})


def _paired_respondents(market: str, document: Document) -> list[ActRespondent | None]:
    """The company of each pair of fields; None where there is none."""
    pairs = [{pair[0]: document.get(pair[0]), pair[1]: document.get(pair[1])} for pair in _COMPANIES]
    return [next(iter(_named_respondents(market, pair, SignalCounter(""), "")), None) for pair in pairs]
