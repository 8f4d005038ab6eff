"""Redacts pages of SCB's register: removes persons and their estates, and telephone and mail of every unit.

See docs/formats/se.md 7.4. A page that cannot be parsed is replaced by `{"unreadable": reason}`, with which reading
rejects it.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO, Final

import msgspec

from connectors.kit.json.body import member_at
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.redact.streams import unreadable_body
from connectors.se.business_register.schema import CONTACTS, PERSONS_FORMS, UNITS
from connectors.se.identity_numbers import mask_values
from connectors.se.register import company_number

_MOST: Final = 64 << 20  # bytes of a page; 5,000 units are about 5 MB
_LEGAL_PERSON: Final = "16"


def unit_number(unit: Any) -> str | None:
    """Ten-digit number of a unit that is provably no person; else None."""
    number, form = member_at(unit, "peOrgNr"), member_at(unit, "jurform")
    if not isinstance(number, str) or not number.startswith(_LEGAL_PERSON) or str(form).strip() in PERSONS_FORMS:
        return None
    return company_number(number)


def drop_persons(body: BinaryIO) -> BinaryIO:
    """The page with companies only, without contacts, personal numbers in texts masked."""
    text = body.read(_MOST + 1)
    if len(text) > _MOST:
        return unreadable_body("a page of more than 64 MiB")
    try:
        page: Any = msgspec.json.decode(text)
        units = member_at(page, UNITS)
        if not isinstance(units, list):
            return unreadable_body("no page of legal units")
        kept = {**page, UNITS: [unit for unit in units if unit_number(unit) is not None]}
        text = msgspec.json.encode(_without_contacts(mask_values(kept)))
    except MALFORMED:
        return unreadable_body("no JSON")
    return io.BytesIO(text)


def _without_contacts(value: Any) -> Any:
    """The value without telephone and mail, however deep they are."""
    if isinstance(value, dict):
        return {name: _without_contacts(one) for name, one in value.items() if name not in CONTACTS}
    return [_without_contacts(one) for one in value] if isinstance(value, list) else value
