"""Rows of `dk_virksomhed` from records of companies.

The register repeats the newest values ready made (`virksomhedMetadata`); the lists decide where it does not. Belongs
here: one record to one row, and what is counted. Does not belong here: the meaning of a status or code (`profile`),
owners (`owners`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from connectors.dk.register import canonical_number, has_check_digit
from connectors.dk.virksomhed.periods import current_element, first_day, newest_element, newest_first, period_of
from connectors.dk.virksomhed.structs import Address, Employment, Metadata, RegisteredCompany, Value
from connectors.kit.staging import RejectedRecordError, SignalCounter

_FILLER: Final = "1901-01-01"  # of a day of foundation that is not known
_UNDER_5: Final = "EJERREGISTRERING_UNDER_5_PROCENT"
_NOTHING: Final = Metadata()
_CODE_DIGITS: Final = 6
_POSTAL_DIGITS: Final = 4
_MUNICIPALITY_DIGITS: Final = 3
_MONTHS_OF_QUARTER: Final = 3
_LAST_MONTH: Final = 12


def company_row(record: RegisteredCompany, day: str, tally: SignalCounter) -> dict[str, Any]:
    """The row of a record as of a day, dates as text. Raises RejectedRecordError without number, name or state."""
    number = canonical_number(record.cvrNummer)
    if number is None:
        raise RejectedRecordError("the CVR number is not eight digits")
    if not has_check_digit(number):
        tally.add("wrong_check_digit", "cvrNummer", number)
    for member in record.left_out:
        tally.add("unknown_key", member, number)
    newest = record.virksomhedMetadata or _NOTHING
    name = newest.nyesteNavn or newest_element(record.navne, day)
    if name is None or not (called := _clean(name.navn)):
        raise RejectedRecordError("no name")
    if record.enhedsNummer is None:
        raise RejectedRecordError("no unit number")
    if not (record.livsforloeb or record.virksomhedsstatus or newest.sammensatStatus):
        raise RejectedRecordError("neither a status nor a life span")
    return {
        "cvr_nummer": number,
        "enheds_nummer": record.enhedsNummer,
        "samt_id": record.samtId,
        "sidst_opdateret": record.sidstOpdateret,
        "navn": called,
        "navn_fra": first_day(name) or None,
        "tidligere_navne": _former_names(record, called),
        "reklamebeskyttet": record.reklamebeskyttet,
        "ejere_under_5": _has_only_small_owners(record, day),
        "fejl_registreret": record.fejlRegistreret,
        "hjemmeside": _website(record, day),
        **_status_columns(record, newest, day),
        **_form_columns(record, newest, day),
        **_industry_columns(record, newest, day),
        **_address_columns(newest.nyesteBeliggenhedsadresse or newest_element(record.beliggenhedsadresse, day)),
        **_employee_columns(newest),
    }


def _clean(text: str | None) -> str | None:
    return " ".join(text.split()) or None if text else None


def _padded(code: int | str | None, digits: int) -> str | None:
    """A code with the zeros that JSON numbers lack; None for none and for zero."""
    text = "" if code is None else str(code).strip()
    return text.rjust(digits, "0") if text.strip("0") else None


def _former_names(record: RegisteredCompany, current: str) -> list[str]:
    if len(record.navne) <= 1:
        return []
    names = (_clean(name.navn) for name in newest_first(record.navne))
    return [name for name in dict.fromkeys(names) if name and name != current]


def _has_only_small_owners(record: RegisteredCompany, day: str) -> bool:
    values: list[Value] = [value for one in record.attributter if one.type == _UNDER_5 for value in one.vaerdier]
    found = current_element(values, day)
    return found is not None and (found.vaerdi or "").casefold() == "true"


def _website(record: RegisteredCompany, day: str) -> str | None:
    found = current_element(record.hjemmeside, day) if record.hjemmeside else None
    return None if found is None or found.hemmelig else _clean(found.kontaktoplysning)


def _status_columns(record: RegisteredCompany, newest: Metadata, day: str) -> dict[str, Any]:
    """Status and life span: the end of the latest span where none is open on the day."""
    status = newest_element(record.virksomhedsstatus, day)
    spans = [period_of(span) for span in record.livsforloeb]
    ends = [span.gyldigTil for span in spans if span.gyldigTil is not None]
    is_open = len(ends) < len(spans)
    founded = newest.stiftelsesDato
    return {
        "sammensat_status": _clean(newest.sammensatStatus),
        "status": None if status is None else _clean(status.status),
        "status_fra": None if status is None else first_day(status) or None,
        "livsforloeb_fra": min((span.gyldigFra for span in spans if span.gyldigFra), default=None),
        "livsforloeb_til": None if is_open else max(ends, default=None),
        "har_livsforloeb": bool(spans),
        "stiftelses_dato": None if founded == _FILLER else founded,
    }


def _form_columns(record: RegisteredCompany, newest: Metadata, day: str) -> dict[str, Any]:
    form = newest.nyesteVirksomhedsform or newest_element(record.virksomhedsform, day)
    if form is None:
        return {"form_kode": None, "form_tekst": None, "form_fra": None}
    return {
        "form_kode": _padded(form.virksomhedsformkode, 2),
        "form_tekst": _clean(form.langBeskrivelse),
        "form_fra": first_day(form) or None,
    }


def _industry_columns(record: RegisteredCompany, newest: Metadata, day: str) -> dict[str, Any]:
    industry = newest.nyesteHovedbranche or newest_element(record.hovedbranche, day)
    if industry is None:
        return {"branche_kode": None, "branche_tekst": None, "branche_fra": None}
    return {
        "branche_kode": _padded(industry.branchekode, _CODE_DIGITS),
        "branche_tekst": _clean(industry.branchetekst),
        "branche_fra": first_day(industry) or None,
    }


def _address_columns(address: Address | None) -> dict[str, Any]:
    if address is None:
        return {}
    place = address.kommune
    return {
        "landekode": _clean(address.landekode),
        "adresse": list(_address_lines(address)),
        "postnummer": _padded(address.postnummer, _POSTAL_DIGITS),
        "postdistrikt": _clean(address.postdistrikt),
        "kommune_kode": None if place is None else _padded(place.kommuneKode, _MUNICIPALITY_DIGITS),
        "kommune_navn": None if place is None else _clean(place.kommuneNavn),
        "adresse_fra": first_day(address) or None,
    }


def _address_lines(address: Address) -> Iterator[str]:
    """Street with house number, floor and door; a village name; a foreign address as it is written."""
    if street := _clean(address.vejnavn):
        house = f"{_number(address.husnummerFra, address.bogstavFra)}"
        until = _number(address.husnummerTil, address.bogstavTil)
        parts = [f"{street} {house}".strip() + (f"-{until}" if until else "")]
        parts += [f"{address.etage}." if str(address.etage).isdigit() else str(address.etage)] if address.etage else []
        yield ", ".join(parts) + (f" {address.sidedoer}" if address.sidedoer else "")
    for line in (address.bynavn, f"Postboks {address.postboks}" if address.postboks else None):
        if said := _clean(line):
            yield said
    for line in (address.fritekst or "").splitlines():
        if said := _clean(line):
            yield said


def _number(house: int | str | None, letter: str | None) -> str:
    return f"{'' if house is None else house}{letter or ''}"


_STATISTICS: Final[tuple[Callable[[Metadata], Employment | None], ...]] = (
    lambda newest: newest.nyesteErstMaanedsbeskaeftigelse,
    lambda newest: newest.nyesteMaanedsbeskaeftigelse,
    lambda newest: newest.nyesteKvartalsbeskaeftigelse,
    lambda newest: newest.nyesteAarsbeskaeftigelse,
)


def _employee_columns(newest: Metadata) -> dict[str, Any]:
    """Employees of the newest statistics: months before a quarter or year that ends with them; an interval is null."""
    found = [one for told in _STATISTICS if (one := told(newest)) is not None and one.aar is not None]
    if not found:
        return {"antal_ansatte": None, "ansatte_pr": None}
    last = max(found, key=_last_month)  # of equal ones the first: the monthly figures
    count = last.antalAnsatte
    return {"antal_ansatte": count if count is not None and count >= 0 else None, "ansatte_pr": _written_period(last)}


def _last_month(one: Employment) -> tuple[int, int]:
    quarter = None if one.kvartal is None else one.kvartal * _MONTHS_OF_QUARTER
    return one.aar or 0, one.maaned or quarter or _LAST_MONTH


def _written_period(one: Employment) -> str:
    if one.maaned is not None:
        return f"{one.aar}-{one.maaned:02}"
    return f"{one.aar}" if one.kvartal is None else f"{one.aar}-K{one.kvartal}"
