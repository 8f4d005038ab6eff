"""Taking persons' addresses and contacts out of announcements before they are archived (docs/architecture.md 14).

What stays of an announcement: what the search lists, and of the text of a «Holding(s) in Company» its form without
markup, up to the additional information. What leaves: the city of every holder (of a person it may be the whole
address; the country behind it stays), the additional information and all behind it, where contacts stand, an
address of mail wherever it is, the text of every other announcement, and one in which no form is found: nobody
could look through it. Does not belong here: what the form says (`tr1`).
"""

from __future__ import annotations

import io
import re
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit import codes
from connectors.kit.chunks import MALFORMED
from connectors.kit.twice import says_twice
from connectors.uk.nsm_fields import HOLDINGS_TYPE
from connectors.uk.nsm_text import LONGEST, plain

LARGEST: Final = 64 << 20
WITHHELD: Final = "withheld: "
_TEXT: Final = "document_content"
_FORM: Final = re.compile(
    r"Resulting\s+situation\s+on\s+the\s+date\s+on\s+which\s+(?:the\s+)?threshold\s+was", re.IGNORECASE
)
_CONTACTS: Final = re.compile(
    r"\b1[0-3]\s*\.?\s*Additional\s+information|\bAnnex\b|\bContact\s+(?:address|name|details|person)"
    r"|\b(?:For\s+(?:further|more)\s+information|Enquiries|Telephone|Phone\s+number|E-?mail)\b",
    re.IGNORECASE,
)
_MAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+")
_IF: Final = r"(?:\s*\(\s*if\s+applicable\s*\))?(?:\s*:)?"
_LABEL: Final = r"City\s+(?:and\s+country\s+)?of\s+registered\s+office"  # with less it is none
# Up to what comes next in every layout; without it, as far as an address can reach.
_NEXT: Final = rf"(?=Country\s+of\s+registered|{_LABEL}|\b[4-9]\s*\.|Full\s+name|\Z)"
# Where the row of the country follows, all before it is the city's: «5. Floor» is no next item.
_OWN: Final = rf"(?:(?!Full\s+name|{_LABEL}).){{0,400}}?"
_CITY: Final = re.compile(
    rf"(City\s+of\s+registered\s+office{_IF})(?:{_OWN}(?=Country\s+of\s+registered)|.{{0,400}}?{_NEXT})",
    re.IGNORECASE | re.DOTALL,
)
_BOTH: Final = re.compile(
    rf"(City\s+and\s+country\s+of\s+registered\s+office{_IF})(.{{0,400}}?){_NEXT}", re.IGNORECASE | re.DOTALL
)


def redact(body: BinaryIO) -> BinaryIO:
    """The answer without what leaves. What is no JSON is not kept, only that it was none."""
    text = body.read(LARGEST + 1)
    if len(text) > LARGEST:
        return _unreadable("an answer of more than 64 MiB")
    try:
        answer: Any = msgspec.json.decode(text)
    except MALFORMED as error:
        return _unreadable(f"JSON that does not parse: {error}")
    changed = [_cleaned(source) for source in _sources(answer)]
    return io.BytesIO(msgspec.json.encode(answer) if any(changed) or says_twice(text) else text)


def _unreadable(reason: str) -> BinaryIO:
    return io.BytesIO(msgspec.json.encode({"unreadable": reason}))


def _sources(value: Any) -> list[dict[str, Any]]:
    """Every object that holds a text, wherever it stands."""
    found: list[dict[str, Any]] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found += [one] if _TEXT in one else []
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found


def _cleaned(source: dict[str, Any]) -> bool:
    """Changes the text in its place; False where there is nothing in it to change."""
    text = source[_TEXT]
    if text is None or (isinstance(text, str) and text.startswith(WITHHELD)):
        return False
    if source.get("type") != HOLDINGS_TYPE or not isinstance(text, str):
        source[_TEXT] = f"{WITHHELD}not the text of a notification of major holdings"
    elif len(text) > LONGEST:
        source[_TEXT] = f"{WITHHELD}a text of more than {LONGEST:,} characters"
    else:
        source[_TEXT] = form(plain(text))
    return True


def form(text: str) -> str:
    """The form in a text, without addresses and contacts."""
    begun = _FORM.search(text)
    if begun is None:
        return f"{WITHHELD}no form TR-1 in the text: it refers to an attachment, or is of another kind"
    contacts = _CONTACTS.search(text, begun.end())
    kept = text[: contacts.start()] if contacts else text
    return _MAIL.sub("", _BOTH.sub(_country, _CITY.sub(r"\1 ", kept)))


def _country(found: re.Match[str]) -> str:
    """`Frankfurt, Germany` as `Germany`; nothing where the text behind the last comma is no country."""
    last = found[2].rpartition(",")[2].strip()
    return f"{found[1]} {last} " if is_country(last) else f"{found[1]} "


def is_country(written: str) -> bool:
    """Whether a text is the name of a country that the code list has."""
    listed = codes.load("connectors.uk", "countries")
    return listed.get(" ".join(written.split()).lower(), "country") is not None
