"""Decides which LEI records are, or may be, persons': these are removed before the archive.

See docs/formats/news.md 3.1, docs/formats/se.md 1.

Parsers read only the expected fields. Here every byte of a record counts: a misspelled, shifted or duplicate
member can contain personal data that no parser reads. Does not belong here: cutting a body into records
(`parse`, `parse_csv`), spellings of numbers (`registration_numbers`).
"""

from __future__ import annotations

import re
from typing import Final

from connectors.gleif.level1.registration_numbers import PERSONAL, is_personal_number
from connectors.gleif.level1.schema import SOLE, Row

_SOLE: Final = SOLE.encode()
# one register of each form of number
_REGISTERS: Final = tuple({pattern: register for register, pattern in PERSONAL.items()}.values())
_MARKS: Final = (_SOLE, *(code.encode() for code in PERSONAL))
_NUMBER: Final = re.compile(rb"(?<![0-9])((?:18|19|20)?[0-9]{6}[-+ .]{0,3}[0-9]{4})(?![0-9])")
# removed before the search: may contain ten digits in a row
_LEI: Final = re.compile(rb"(?<![0-9A-Z])[0-9A-Z]{18}[0-9]{2}(?![0-9A-Z])")


def is_possibly_personal(text: bytes) -> bool:
    """True if a text mentions sole proprietors or registers of persons: otherwise no record is a person's."""
    return any(mark in text for mark in _MARKS)


def is_person_record(row: Row, record: bytes) -> bool:
    """True if a record, by its fields or its bytes, is a sole proprietor's, or a person's by its number.

    One with neither a law nor a register gives no row in any market: it may be a person's.
    """
    if row["category"] == SOLE or is_personal_number(row["registered_at"], row["registered_as"]):
        return True
    if row["jurisdiction"] is None and row["registered_at"] is None:
        return True
    return is_possibly_personal(record) and (_SOLE in record or _has_personal_number(record))


def _has_personal_number(record: bytes) -> bool:
    """True if a record that names a register with persons' numbers contains one anywhere."""
    plain = _LEI.sub(b" ", record)
    numbers = [found[1].decode() for found in _NUMBER.finditer(plain)]
    return any(is_personal_number(register, number) for register in _REGISTERS for number in numbers)
