"""Instants, dated values and attributes as the Danish registers write them (docs/formats/dk.md 2); personal numbers.

Does not belong here: which values a record has (`virksomhed`, `participants`, `publications`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final

from sandbox.companies.dk import vocabulary
from sandbox.model.dk import DatedValue
from sandbox.vocabulary import Place

Record = dict[str, Any]
_BIRTHS: Final = date(1950, 1, 1)
_DATA_SUPPLIER: Final = {vocabulary.SOLE: "T&S"}
_SUMMER: Final = range(4, 11)  # months of which nearly every day has summer time
_REWRITTEN: Final = date(2015, 2, 10)  # before it, values bear the day on which the register rewrote them all


def register_stamp(day: date, minute: int = 10, second: int = 12) -> str:
    """An instant in the night of a day, as local time: before the world's clock, so that it is known that day."""
    offset = "+02:00" if day.month in _SUMMER else "+01:00"
    return f"{max(day, _REWRITTEN)}T02:{minute % 60:02d}:{second % 60:02d}.000{offset}"


def dated_fields(value: DatedValue[Any]) -> Record:
    """Period and instant of a value."""
    period = {"gyldigFra": iso_day(value.since), "gyldigTil": iso_day(value.until)}
    return {"periode": period, "sidstOpdateret": register_stamp(value.updated)}


def iso_day(day: date | None) -> str | None:
    """A day, or null."""
    return None if day is None else day.isoformat()


def attribute_record(kind: str, value_kind: str, values: Sequence[tuple[str, DatedValue[Any]]]) -> Record:
    """One attribute with its values, each with its own period."""
    return {
        "sekvensnr": 0,
        "type": kind,
        "vaerditype": value_kind,
        "vaerdier": [{"vaerdi": text, **dated_fields(dated)} for text, dated in values],
    }


def municipality_record(place: Place) -> Record:
    """The municipality of a place: its name in capitals, its code a number."""
    since = {"periode": {"gyldigFra": "2007-01-01", "gyldigTil": None}}
    return {
        "kommuneKode": int(place.code or 0),
        "kommuneNavn": (place.municipality or "").upper(),
        **since,
        "sidstOpdateret": "2006-11-13T00:00:00.000+01:00",
    }


def form_record(code: str) -> Record:
    """A legal form by its code."""
    short, long = vocabulary.FORMS[code]
    supplier = _DATA_SUPPLIER.get(code, "E&S")
    return {
        "virksomhedsformkode": int(code),
        "kortBeskrivelse": short,
        "langBeskrivelse": long,
        "ansvarligDataleverandoer": supplier,
    }


def personal_number(position: int) -> str:
    """The personal number (CPR) of a company's director, ddmmyy-nnnn: what somebody wrote where none belongs.

    Day and month are possible, the check digit is not asked. No such number may be kept anywhere.
    """
    return f"{_BIRTHS + timedelta(days=position):%d%m%y}-{4000 + position:04}"
