"""Answers of the API without persons: organisations whose number is, or may be, a person's leave.

See docs/formats/se.md 1.

An answer that cannot be looked through is replaced by `{"unreadable": reason}`; reading refuses it for that.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit.chunks import MALFORMED
from connectors.kit.twice import says_twice
from connectors.se.personal import masked_values
from connectors.se.register import company_number

UNREADABLE: Final = "unreadable"
_MOST: Final = 8 << 20  # bytes of an answer about one number
_COMPANY_TYPES: Final = ("ORGANISATIONSNUMMER", "ORGNR")
_SOLE_TRADER: Final = "E"


def without_persons(body: BinaryIO) -> BinaryIO:
    """The answer with its companies alone, persons' numbers in their texts masked; else byte for byte."""
    text = body.read(_MOST + 1)
    if len(text) > _MOST:
        return _withheld("an answer of more than 8 MiB")
    try:
        answer: Any = msgspec.json.decode(text)
        hidden: Any = masked_values(answer)
    except MALFORMED:
        return _withheld("no JSON")
    if not isinstance(answer, dict) or not isinstance(answer.get("organisationer"), list):
        return _withheld("no answer about organisations")
    companies = [one for one in hidden["organisationer"] if is_company(one)]
    if companies == answer["organisationer"] and hidden == answer and not says_twice(text):
        return io.BytesIO(text)
    return io.BytesIO(msgspec.json.encode({"organisationer": companies}))


def _withheld(reason: str) -> BinaryIO:
    return io.BytesIO(msgspec.json.encode({UNREADABLE: reason}))


def is_company(organisation: Any) -> bool:
    """Whether an element of an answer is shown to be a company's. Without identity it shows nothing."""
    identity = _object(organisation, "organisationsidentitet")
    kind = _object(identity, "typ").get("kod") or _COMPANY_TYPES[0]
    form = _object(organisation, "organisationsform").get("kod")
    number = identity.get("identitetsbeteckning")
    named = isinstance(number, str) and company_number(number) is not None
    return named and str(kind).removesuffix("-IDORG") in _COMPANY_TYPES and form != _SOLE_TRADER


def _object(value: Any, key: str) -> dict[str, Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
