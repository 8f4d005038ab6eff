"""What must not come through a redaction, told by the bytes that come out and by nothing of the reader's own code.

One line for every dataset that redacts. A rule says what it found and never quotes it. Does not belong here: how a body
is redacted (`connectors`), rules that need a body's structure (`privacy_structures`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

from tests.fuzz.personal import is_norwegian, is_swedish
from tests.fuzz.privacy_structures import acts, announcements, filers, homes, sanctions, sole_proprietors
from tests.fuzz.unpacked import unpacked

Rule = Callable[[bytes], Iterator[str]]

_ESCAPED: Final = re.compile(rb"\\u([0-9a-fA-F]{4})")
_NORWEGIAN: Final = re.compile(rb"(?<![0-9])([0-9]{6})[ -]?([0-9]{5})(?![0-9])")
_SWEDISH: Final = re.compile(rb"(?<![0-9])(?:18|19|20)?[0-9]{6}[-+]?[0-9]{4}(?![0-9])")
_AMERICAN: Final = re.compile(rb"(?<![0-9-])(?!000-00-0000)[0-9]{3}-[0-9]{2}-[0-9]{4}(?![0-9-])")
_DANISH: Final = re.compile(rb"(?<![0-9-])([0-3][0-9])([01][0-9])[0-9]{2}-[0-9]{4}(?![0-9-])")
_DANISH_MEMBERS: Final = frozenset({
    "telefonNummer", "telefaxNummer", "elektroniskPost", "obligatoriskEmail", "nyesteKontaktoplysninger",
})  # fmt: skip
_PSC: Final = frozenset({
    "date_of_birth", "address", "service_address", "usual_residential_address", "principal_office_address",
    "identity_verification_details",
})  # fmt: skip
_OF_PERSONS: Final = frozenset({
    "practitioners", "officer_summary", "date_of_birth", "address", "service_address", "usual_residential_address",
    "residential_address", "identity_verification_details",
})  # fmt: skip
_ROLES: Final = frozenset({"fodselsdato", "fødselsdato", "erDoed"})
_INSIDERS: Final = 6  # columns
_MALFORMED: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def _said(body: bytes) -> bytes:
    """With every escape of JSON as the sign that it says: its own digits are no number's, those it says may be."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)).encode(errors="replace"), body)


def norwegian_numbers(body: bytes) -> Iterator[str]:
    """Birth numbers and D-numbers."""
    for found in _NORWEGIAN.finditer(_said(body)):
        if is_norwegian(found[1] + found[2]):
            yield "a Norwegian birth number"


def swedish_numbers(body: bytes) -> Iterator[str]:
    """Personal and coordination numbers."""
    for found in _SWEDISH.finditer(_said(body)):
        if is_swedish(found[0]):
            yield "a Swedish personal number"


def american_numbers(body: bytes) -> Iterator[str]:
    """Social security numbers as they are written."""
    for _ in _AMERICAN.finditer(body):
        yield "a social security number"


def danish_numbers(body: bytes) -> Iterator[str]:
    """Personal numbers as they are written, of a day and month that there are."""
    for found in _DANISH.finditer(_said(body)):
        if 1 <= int(found[1]) <= 31 and 1 <= int(found[2]) <= 12:
            yield "a Danish personal number"


def members(private: frozenset[str]) -> Rule:
    """JSON, whole or by lines, has no member of these names, however deep."""

    def rule(body: bytes) -> Iterator[str]:
        for text in (body, *body.splitlines()):
            try:
                value = msgspec.json.decode(text)
            except _MALFORMED:
                continue
            yield from (f"a member {name!r}" for name in _names(value) if name in private)

    return rule


def _names(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def shareholders(body: bytes) -> Iterator[str]:
    """Of a holder that is no company neither year of birth, number nor postal place."""
    lines = body.decode().split("\n")
    for line in lines[1:]:
        cells = line.split(";")
        if len(cells) > 5 and not re.fullmatch("[0-9]{9}", cells[4], re.ASCII):
            if re.fullmatch("[0-9]{4}|[0-9]{11}", cells[4], re.ASCII):
                yield "a holder's year of birth or number"
            if cells[5]:
                yield "a holder's postal place"


def insiders(body: bytes) -> Iterator[str]:
    """No cell beside those of issuer and paper; of a column that nobody knows its name alone."""
    rows = csv.reader(io.StringIO(body.decode(), newline=""), delimiter=";")
    next(rows, None)
    if any(len(row) > _INSIDERS for row in rows):
        yield "a cell of a column that names persons"


def of_ownership(body: bytes) -> Iterator[str]:
    """What ownership filings say of persons beyond name and country."""
    yield from american_numbers(body)
    yield from homes(body)


_CONTACTS: Final = members(frozenset({"tel", "epost"}))


def enterprises(body: bytes) -> Iterator[str]:
    """Of SCB's register neither personal numbers nor telephone and mail."""
    yield from swedish_numbers(body)
    yield from _CONTACTS(body)


_REACHED: Final = members(_DANISH_MEMBERS)


def danish_companies(body: bytes) -> Iterator[str]:
    """Of the persons of a company its legal owners alone, with their names and countries."""
    yield from danish_numbers(body)
    yield from _REACHED(body)
    for text in (body, *body.splitlines()):
        try:
            waiting = [msgspec.json.decode(text)]
        except _MALFORMED:
            continue
        while waiting:
            one = waiting.pop()
            waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
            if isinstance(one, dict) and isinstance(one.get("deltager"), dict):
                yield from _of_participant(one)


def _of_participant(relation: dict[str, Any]) -> Iterator[str]:
    if any("vejnavn" in address for address in relation["deltager"].get("beliggenhedsadresse") or ()):
        yield "a participant's street"
    for organ in relation.get("organisationer") or ():
        if any(name.get("navn") != "EJERREGISTER" for name in organ.get("organisationsNavn") or ()):
            yield "another role than that of a legal owner"


_LIVE: Final = members(_OF_PERSONS)
_REGISTER: Final = members(_PSC)
PRIVATE: Final[Mapping[str, Rule]] = {
    **dict.fromkeys(("fi.lei", "no.lei", "se.lei", "uk.lei", "dk.lei"), sole_proprietors),
    **dict.fromkeys(("fi.esma", "no.esma", "se.esma", "dk.esma"), sanctions),
    **dict.fromkeys(("no.tilsyn", "se.sanktioner", "uk.fca", "uk.pra", "us.sec", "us.cftc"), acts),
    "dk.virksomhed": danish_companies,
    "dk.regnskaber": danish_numbers,
    "no.roller": members(_ROLES),
    "no.aksjonaer": shareholders,
    "no.newsweb": norwegian_numbers,
    **dict.fromkeys(("se.bolagsverket", "se.scb", "se.organisationer"), swedish_numbers),
    "se.foretagsregister": enterprises,
    "se.insyn": insiders,
    **dict.fromkeys(("uk.psc", "uk.psc_changes", "uk.statement_changes", "uk.exemption_changes"), _REGISTER),
    **dict.fromkeys(("uk.profiles", "uk.filings", "uk.insolvency", "uk.checked"), _LIVE),
    "uk.nsm": announcements,
    **dict.fromkeys(("us.submissions", "us.filer"), filers),
    **dict.fromkeys(("us.schedule13", "us.insiders", "us.form13f"), of_ownership),
}


def told(key: str, body: bytes) -> Iterator[str]:
    """What is private in what a dataset's redaction gave, however it is packed."""
    for text in unpacked(body):
        yield from PRIVATE[key](text)
