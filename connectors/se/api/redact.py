"""Redacts API responses: removes organisations with a number that is, or may be, a person's.

See docs/formats/se.md 1.

A response that cannot be parsed is replaced by `{"unreadable": reason}`, with which reading rejects it.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit.json.body import member_at
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.json.duplicate_keys import has_duplicate_keys
from connectors.kit.redact.streams import unreadable_body
from connectors.se.identity_numbers import mask_values
from connectors.se.register import company_number

_MOST: Final = 8 << 20  # bytes of a response about one number
_COMPANY_TYPES: Final = ("ORGANISATIONSNUMMER", "ORGNR")
_SOLE_TRADER: Final = "E"


def drop_persons(body: BinaryIO) -> BinaryIO:
    """Response with companies only and personal numbers in texts masked; unchanged bytes if nothing was removed."""
    text = body.read(_MOST + 1)
    if len(text) > _MOST:
        return unreadable_body("an answer of more than 8 MiB")
    try:
        answer: Any = msgspec.json.decode(text)
        hidden: Any = mask_values(answer)
    except MALFORMED:
        return unreadable_body("no JSON")
    if not isinstance(member_at(answer, "organisationer"), list):
        return unreadable_body("no answer about organisations")
    companies = [one for one in hidden["organisationer"] if is_company_object(one)]
    if companies == answer["organisationer"] and hidden == answer and not has_duplicate_keys(text):
        return io.BytesIO(text)
    return io.BytesIO(msgspec.json.encode({"organisationer": companies}))


def is_company_object(organisation: Any) -> bool:
    """True if an element of a response is provably a company; False without an identity."""
    kind = member_at(organisation, "organisationsidentitet", "typ", "kod") or _COMPANY_TYPES[0]
    form = member_at(organisation, "organisationsform", "kod")
    number = member_at(organisation, "organisationsidentitet", "identitetsbeteckning")
    named = isinstance(number, str) and company_number(number) is not None
    return named and str(kind).removesuffix("-IDORG") in _COMPANY_TYPES and form != _SOLE_TRADER
