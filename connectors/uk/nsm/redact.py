"""Redacts persons' addresses and contacts from announcements before archiving (docs/architecture.md 14).

Kept: the search listing, and for a «Holding(s) in Company» the text of its form without markup, up to the
additional information. Removed: the city of every holder (a person may have the whole address there; the country
after it stays), the additional information and everything after it (contacts), e-mail addresses anywhere, the
text of every other announcement, and texts in which no form is found, since they cannot be checked. Does not
belong here: parsing the form (`tr1_form`).
"""

from __future__ import annotations

import io
import re
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit.json.chunks import MALFORMED
from connectors.kit.json.duplicate_keys import has_duplicate_keys
from connectors.kit.redact.streams import unreadable_body
from connectors.kit.xml.html_text import html_lines
from connectors.uk.code_lists import load_list
from connectors.uk.nsm.schema import HOLDINGS_TYPE

_MARKUP: Final = re.compile(r"<(?:html|body|table|div|p|br|span|td)\b", re.IGNORECASE)
LONGEST: Final = 1 << 20  # characters; a form has a few thousand


def to_plain_text(text: str) -> str:
    """Text without markup, one line per block and cell."""
    if _MARKUP.search(text) is None:
        return text
    return "\n".join(html_lines(text.encode("utf-8", "replace")))


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
_LABEL: Final = r"City\s+(?:and\s+country\s+)?of\s+registered\s+office"  # shorter labels are ambiguous
# Up to the next item in every layout; without one, up to the maximum length of an address.
_NEXT: Final = rf"(?=Country\s+of\s+registered|{_LABEL}|\b[4-9]\s*\.|Full\s+name|\Z)"
# If the country row follows, everything before it belongs to the city: «5. Floor» is no next item.
_OWN: Final = rf"(?:(?!Full\s+name|{_LABEL}).){{0,400}}?"
_CITY: Final = re.compile(
    rf"(City\s+of\s+registered\s+office{_IF})(?:{_OWN}(?=Country\s+of\s+registered)|.{{0,400}}?{_NEXT})",
    re.IGNORECASE | re.DOTALL,
)
_BOTH: Final = re.compile(
    rf"(City\s+and\s+country\s+of\s+registered\s+office{_IF})(.{{0,400}}?){_NEXT}", re.IGNORECASE | re.DOTALL
)


def redact(body: BinaryIO) -> BinaryIO:
    """Returns the redacted response; a body that is not JSON is replaced by a note."""
    text = body.read(LARGEST + 1)
    if len(text) > LARGEST:
        return unreadable_body("an answer of more than 64 MiB")
    try:
        answer: Any = msgspec.json.decode(text)
    except MALFORMED as error:
        return unreadable_body(f"JSON that does not parse: {error}")
    changed = [_redact_source(source) for source in _objects_with_text(answer)]
    return io.BytesIO(msgspec.json.encode(answer) if any(changed) or has_duplicate_keys(text) else text)


def _objects_with_text(value: Any) -> list[dict[str, Any]]:
    """Every object with a text, at any depth."""
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


def _redact_source(source: dict[str, Any]) -> bool:
    """Redacts the text in place; False if nothing had to be changed."""
    text = source[_TEXT]
    if text is None or (isinstance(text, str) and text.startswith(WITHHELD)):
        return False
    if source.get("type") != HOLDINGS_TYPE or not isinstance(text, str):
        source[_TEXT] = f"{WITHHELD}not the text of a notification of major holdings"
    elif len(text) > LONGEST:
        source[_TEXT] = f"{WITHHELD}a text of more than {LONGEST:,} characters"
    else:
        source[_TEXT] = redact_form(to_plain_text(text))
    return True


def redact_form(text: str) -> str:
    """Form in a text, without addresses and contacts."""
    begun = _FORM.search(text)
    if begun is None:
        return f"{WITHHELD}no form TR-1 in the text: it refers to an attachment, or is of another kind"
    contacts = _CONTACTS.search(text, begun.end())
    kept = text[: contacts.start()] if contacts else text
    return _MAIL.sub("", _BOTH.sub(_country_without_city, _CITY.sub(r"\1 ", kept)))


def _country_without_city(found: re.Match[str]) -> str:
    """`Frankfurt, Germany` to `Germany`; empty if the text after the last comma is no country."""
    last = found[2].rpartition(",")[2].strip()
    return f"{found[1]} {last} " if is_country_name(last) else f"{found[1]} "


def is_country_name(text: str) -> bool:
    """True if a text is a country name of the code list."""
    listed = load_list("countries")
    return listed.get(" ".join(text.split()).lower(), "country") is not None
