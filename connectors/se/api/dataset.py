"""Dataset se.organisationer: responses of the API «Värdefulla datamängder» for single companies.

See docs/formats/se.md 5.

Belongs here: the declaration, recognising files, responses to staged blocks. A partial response has status 200: a
block with `fel` makes no row, so it never overwrites known data. Does not belong here: which block counts for a
profile (`statements`), fetching (`fetch`).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from datetime import date, datetime
from functools import partial
from typing import Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import NOT_A_COMPANY, ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.columns.text import AHEAD
from connectors.kit.json.body import decode_body, member_at
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.redact.streams import UNREADABLE
from connectors.se import code_lists
from connectors.se.api import fetch
from connectors.se.api import schema as f
from connectors.se.api.outages import has_identity, outage_kinds
from connectors.se.api.redact import drop_persons, is_company_object
from connectors.se.register import GATEWAY, LICENCE, company_number, is_possible_day

_DAY: Final = re.compile(r"(\d{4}-\d{2}-\d{2})(?:T.*)?$")
_UNKNOWN: Final = "ORGANISATION_FINNS_EJ"
_HEAD: Final = 65_536


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises responses about companies; requests, errors and responses about persons are not."""
    del name
    try:
        body: Any = msgspec.json.decode(head)
    except MALFORMED:
        whole = len(head) < _HEAD
        return NotApplicable("no JSON") if whole else RecognisedFile(None, Scope.PART)
    if not isinstance(body, dict):
        return NotApplicable("JSON that is not a response")
    return _recognise_object(body)


def _recognise_object(body: dict[str, Any]) -> RecognisedFile | NotApplicable:
    organisations = body.get("organisationer")
    if isinstance(organisations, list):
        return _recognise_response(organisations)
    if "openapi" in body or "swagger" in body:
        return NotApplicable("description of an API, not a response")
    if "identitetsbeteckning" in body:
        return NotApplicable("a request, not a response")
    if "status" in body and "title" in body:
        return NotApplicable(f"error answer of the API (status {body['status']})")
    return NotApplicable("JSON that is not a response about organisations")


def _recognise_response(organisations: list[Any]) -> RecognisedFile | NotApplicable:
    nameless = [one for one in organisations if not has_identity(one)]
    if kinds := sorted({kind for one in nameless for kind in outage_kinds(one)}):
        return NotApplicable(f"an outage of the registry's producers ({', '.join(kinds)}): no statement")
    if organisations and not any(is_company_object(one) for one in organisations):
        return NotApplicable("a response about persons: withheld before storage")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch of `se_organisation`."""
    with staging.open_plain(member) as body:
        answer = decode_body(member, body.read(), "expected JSON")
    organisations = member_at(answer, "organisationer")
    if not isinstance(organisations, list):
        raise member.unreadable_error(member_at(answer, UNREADABLE) or "no list of organisations in it")
    found = staging.BatchBuilder(member.dataset)
    rows: list[dict[str, Any]] = []
    for element in organisations:
        try:
            rows += _OrganisationReader(element, member.observed_at, found.tally).rows()
        except RecordError as error:
            is_none = error.reason.startswith(NOT_A_COMPANY)
            found.reject(_shown_number(element), error.reason if is_none else error)
    yield found.build(f.ANSWERS, rows)


def _shown_number(element: Any) -> str:
    number = member_at(element, "organisationsidentitet", "identitetsbeteckning")
    return company_number(str(number)) or "(withheld)"


class _OrganisationReader:
    """One element of a response, parsed block by block."""

    def __init__(self, element: object, at: datetime, tally: staging.SignalCounter) -> None:
        self._tally = tally
        self._observed_at = at
        identity = JsonRecord(element, tally, "").child("organisationsidentitet")
        self.number = company_number(identity.text("identitetsbeteckning") or "") or ""
        self._record = JsonRecord(element, tally, self.number)
        if not self.number:
            raise RecordError("organisationsidentitet", "no organisation number: the response is partial")
        self._record.ignore("organisationsidentitet")
        serial = self._record.integer("namnskyddslopnummer")
        self._serial = "" if serial is None else str(serial)
        self._failed: list[str] = []

    def rows(self) -> list[dict[str, Any]]:
        """Rows of the blocks without errors."""
        for key in f.IGNORED:  # not read, but a failed one still makes the response partial
            self._answered_block(key, self._record.take(key) or {})
        blocks = {
            f.SPELLINGS.get(key, key): self._record.take(key)
            for key in (*_READERS, *f.SPELLINGS)
            if key in self._record
        }
        said = {key: self._answered_block(key, block) for key, block in blocks.items() if block is not None}
        found: dict[str, dict[str, Any] | None] = {}
        for key, block in said.items():
            if block is not None:
                found[key] = _READERS[key](self, block)
                block.close()
        if not self._failed:  # in a complete response an absent block means there is nothing
            found |= {key: {} for key in f.EMPTY_SAYS if key not in found}
        elif set(self._failed) == {_UNKNOWN} and not found:
            raise RecordError("fel", f"{NOT_A_COMPANY}: unknown to the registers")
        end, reason = found.get(f.DEREGISTRATION), found.get(f.REASON) or {}
        if end is not None and not end.get("datum") and reason.get("kod") in code_lists.DEREGISTRATIONS:
            self._tally.add("no_day", "avregistreringsdatum", self.number)
        self._record.close()
        keys = {f.NUMBER: self.number, f.SERIAL: self._serial}
        return [keys | {f.BLOCK: key} | row for key, row in found.items() if row is not None]

    def _answered_block(self, key: str, block: object) -> JsonRecord | None:
        """The block, or None if its producer failed; a failure is counted and known data stays."""
        record = JsonRecord(block, self._tally, self.number, key)
        record.ignore("dataproducent")
        fault = record.take("fel")
        if fault is None:
            return record
        kind = str(fault.get("typ")) if isinstance(fault, dict) else "fel"
        self._failed.append(kind)
        self._tally.add("partial_answer", f"{key}: {kind}", self.number)
        return None

    def names(self, block: JsonRecord) -> dict[str, Any] | None:
        found = [self._name_text(name) for name in block.children("organisationsnamnLista")]
        return {"namn": "|".join(found)} if found else None

    def _name_text(self, name: JsonRecord) -> str:
        kind = name.child("organisationsnamntyp")
        kind.ignore("klartext")
        name.ignore("verksamhetsbeskrivningSarskiltForetagsnamn")
        text = _collapse_blanks(name.text("namn") or "")
        day = name.text("registreringsdatum")
        return f"{text}${kind.text('kod') or 'NAMN'}-ORGNAM${'' if day is None else day[:10]}"

    def code(self, block: JsonRecord) -> dict[str, Any] | None:
        code, label = (block.text("kod") or "").partition("-")[0].strip(), block.text("klartext")
        return {"kod": code, "klartext": _clean_label(label)} if code else None

    def listed_code(self, block: JsonRecord, known: Container[str], signal: str, of: str = "") -> dict[str, Any] | None:
        """A code of a list; one that the list lacks is kept, and counted."""
        found = self.code(block)
        if found is not None and found["kod"] not in known:
            self._tally.add(signal, f"{of} {found['kod']}".strip(), self.number)
        return found

    def deregistration(self, block: JsonRecord) -> dict[str, Any] | None:
        text = block.text("avregistreringsdatum")
        day = self._parse_day(text, "avregistreringsdatum")
        # a day that does not read is no statement that the company is registered
        return None if text and day is None else {"datum": day}

    def registration(self, block: JsonRecord) -> dict[str, Any] | None:
        day = self._parse_day(block.text("registreringsdatum"), "registreringsdatum", self._observed_at.date() + AHEAD)
        block.ignore("infortHosScb")
        return None if day is None else {"datum": day}

    def _parse_day(self, text: str | None, key: str, latest: date = date.max) -> date | None:
        if not text:
            return None
        found = _DAY.match(text)
        try:
            day = date.fromisoformat(found[1]) if found else None
        except ValueError:
            day = None
        if day is None or not is_possible_day(day, latest):
            self._tally.add("unreadable_value", key, self.number)
            return None
        return day

    def proceedings(self, block: JsonRecord) -> dict[str, Any] | None:
        key = f"{f.PROCEEDINGS}Lista"
        other = next(iter(f.SPELLINGS)) + "Lista"
        said = [self._proceeding_text(one) for name in (key, other) for one in block.children(name)]
        return {"forfaranden": "|".join(said) or None}

    def _proceeding_text(self, one: JsonRecord) -> str:
        code, day = one.need("kod").partition("-")[0], one.text("fromDatum")
        one.ignore("klartext")
        if code not in code_lists.PROCEEDINGS and code not in code_lists.PROCEEDING_ENDS:
            self._tally.add("unknown_proceeding", code, self.number)
        return f"{code}${'null' if day is None else day[:10]}"

    def address(self, block: JsonRecord) -> dict[str, Any] | None:
        inside = block.child("postadress")
        keys = ("utdelningsadress", "coAdress", "postort", "postnummer", "land")
        parts = [_collapse_blanks(inside.text(key) or "").replace("$", " ") for key in keys]
        if not any(parts):
            return None
        country = "SE" if parts[4].casefold() in ("", "sverige", "se", "se-land") else parts[4]
        return {"adress": "$".join((*parts[:4], country))}

    def industry(self, block: JsonRecord) -> dict[str, Any] | None:
        found = block.children("sni")
        texts = [(one.text("kod"), _clean_label(one.text("klartext"))) for one in found]
        stated = (texts[0][0] or "").strip() if texts else ""
        code = re.sub(r"\D", "", stated)
        if len(code) != 5 or code == "00000":  # noqa: PLR2004 - the fifth digit is the country's own
            if stated.strip("0"):
                self._tally.add("unreadable_value", "sni", self.number)
            return None
        scheme = code_lists.industry_scheme(code, self._observed_at)
        if scheme is None:
            self._tally.add("unknown_industry", code, self.number)
        return {"sni": code, "sni_klartext": texts[0][1], f.SCHEME: scheme}


def _collapse_blanks(text: str) -> str:
    return " ".join(text.split())


def _clean_label(text: str | None) -> str | None:
    """Label, or None for «n/a»."""
    said = _collapse_blanks(text or "")
    return said if said and said.casefold() != "n/a" else None


_ACTIVITIES: Final = ("JA", "NEJ")
_READERS: Final = {
    f.NAMES: _OrganisationReader.names,
    f.FORM: partial(_OrganisationReader.listed_code, known=code_lists.LEGAL_FORMS, signal="unknown_legal_form"),
    f.COUNTRY: _OrganisationReader.code,
    f.DEREGISTRATION: _OrganisationReader.deregistration,
    f.REASON: partial(_OrganisationReader.listed_code, known=code_lists.DEREGISTRATIONS, signal="unknown_reason"),
    f.PROCEEDINGS: _OrganisationReader.proceedings,
    f.REGISTRATION: _OrganisationReader.registration,
    f.ADDRESS: _OrganisationReader.address,
    f.STATISTICAL_FORM: partial(
        _OrganisationReader.listed_code, known=code_lists.STATISTICAL_FORMS, signal="unknown_legal_form"
    ),
    f.ACTIVITY: partial(_OrganisationReader.listed_code, known=_ACTIVITIES, signal="unknown_code", of=f.ACTIVITY),
    f.INDUSTRY: _OrganisationReader.industry,
}

DATASET: Final = Dataset(
    key=f.KEY,
    title="Bolagsverket: single companies (API)",
    licence=LICENCE,
    cadence=Cadence(cron="45 4 * * *", stale_after_hours=48),
    guard_limits=GuardLimits(max_rejected=0.5),  # a single bad response means little
    host=GATEWAY,
    staged_tables={f.ANSWERS.name: f.ANSWERS},
    file_patterns=("bolagsverket_api/**", "organisationer/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch.fetch,
    subjects_to_fetch=fetch.subjects_to_fetch,
    redact=drop_persons,
)
