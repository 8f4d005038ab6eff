"""Rows of `dk_virksomhed` from records of companies.

The register repeats the newest values ready made (`virksomhedMetadata`); the lists decide where it does not. Belongs
here: one record to one row, and what is counted. Does not belong here: the meaning of a status or code (`profile`),
owners (`owners`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from connectors.dk import code_lists
from connectors.dk.register import canonical_number, has_check_digit
from connectors.dk.virksomhed.owners import is_register_of_owners
from connectors.dk.virksomhed.periods import (
    AnyElement,
    current_element,
    first_day,
    newest_element,
    newest_first,
    period_of,
)
from connectors.dk.virksomhed.structs import Address, Employment, Metadata, RegisteredCompany, Value
from connectors.kit.staging import RejectedRecordError, SignalCounter

_FILLER: Final = "1901-01-01"  # of a day of foundation that is not known
_ENDED: Final = "dissolved"
_UNDER_5: Final = "EJERREGISTRERING_UNDER_5_PROCENT"
_NOTHING: Final = Metadata()
_CODE_DIGITS: Final = 6
_POSTAL_DIGITS: Final = 4
_MUNICIPALITY_DIGITS: Final = 3
_MONTHS_OF_QUARTER: Final = 3
_LAST_MONTH: Final = 12


CompanyRow = tuple[Any, ...]  # in the order of the columns of `COMPANIES`
LINES: Final = "\n"  # between the items of a list of texts, which have no line breaks
_NO_CODE: Final = (None, None, None)
_NO_ADDRESS: Final = (None,) * 7


def company_row(record: RegisteredCompany, day: str, tally: SignalCounter) -> CompanyRow:
    """The row of a record as of a day, dates as text. Raises RejectedRecordError without number, name or state.

    A tuple, and not a dict: a row for each of millions of companies costs half as much.
    """
    number = canonical_number(record.cvrNummer)
    if number is None:
        raise RejectedRecordError("the CVR number is not eight digits")
    if not has_check_digit(number):
        tally.add("wrong_check_digit", "cvrNummer", number)
    for member in record.left_out:
        tally.add("unknown_key", member, number)
    newest = record.virksomhedMetadata or _NOTHING
    name = _present(newest.nyesteNavn, record.navne, day)
    if name is None or not (called := _clean(name.navn)):
        raise RejectedRecordError("no name")
    if record.enhedsNummer is None:
        raise RejectedRecordError("no unit number")
    if not (record.livsforloeb or record.virksomhedsstatus or newest.sammensatStatus):
        raise RejectedRecordError("neither a status nor a life span")
    if _has_contradicting_status(record, newest, day):
        tally.add("contradicting_status", "sammensatStatus", number)
    return (
        number,
        record.enhedsNummer,
        record.samtId,
        record.sidstOpdateret,
        called,
        first_day(name) or None,
        _former_names(record, called, day),
        *_form_columns(record, newest, day),
        *_status_columns(record, newest, day),
        *_industry_columns(record, newest, day, number, tally),
        *_address_columns(_present(newest.nyesteBeliggenhedsadresse, record.beliggenhedsadresse, day)),
        _website(record, day),
        *_employee_columns(newest, day, number, tally),
        record.reklamebeskyttet,
        _has_only_small_owners(record, day),
        record.fejlRegistreret,
        _lists_all_holders(record),
    )


def days_to_come(record: RegisteredCompany, day: str, latest: str) -> list[str]:
    """Days after a day, up to the latest one, from which on the record states something else; sorted."""
    newest = record.virksomhedMetadata or _NOTHING
    lists = (
        record.navne,
        record.virksomhedsform,
        record.hovedbranche,
        record.beliggenhedsadresse,
        record.virksomhedsstatus,
        record.livsforloeb,
        record.hjemmeside,
    )
    ready = (newest.nyesteNavn, newest.nyesteVirksomhedsform, newest.nyesteHovedbranche)
    stated = chain(*lists, (one for one in (*ready, newest.nyesteBeliggenhedsadresse) if one is not None))
    return sorted({found for element in stated if day < (found := first_day(element)) <= latest})


def _clean(text: str | None) -> str | None:
    return " ".join(text.split()) or None if text else None


def _padded(code: int | str | None, digits: int) -> str | None:
    """A code with the zeros that JSON numbers lack; None for none and for zero."""
    text = "" if code is None else str(code).strip()
    return text.rjust(digits, "0") if text.strip("0") else None


def _present(ready: AnyElement | None, elements: Sequence[AnyElement], day: str) -> AnyElement | None:
    """The value that the register has ready made; the list decides where there is none, or one to come.

    A company that is to begin itself has values to come alone.
    """
    has_come = ready is not None and first_day(ready) <= day
    return ready if has_come else newest_element(elements, day) or ready


def _former_names(record: RegisteredCompany, current: str, day: str) -> str:
    if len(record.navne) <= 1:
        return ""
    names = (_clean(name.navn) for name in newest_first(record.navne) if first_day(name) <= day)
    return LINES.join(name for name in dict.fromkeys(names) if name and name != current)


def _lists_all_holders(record: RegisteredCompany) -> bool:
    """Whether the record lists who takes part in it, and names every holder: one without a name may be anybody."""
    if record.deltagerRelation is None:
        return False
    holders = (one.deltager for one in record.deltagerRelation if any(map(is_register_of_owners, one.organisationer)))
    return all(holder is not None and holder.enhedsNummer is not None for holder in holders)


def _has_only_small_owners(record: RegisteredCompany, day: str) -> bool:
    values: list[Value] = [value for one in record.attributter if one.type == _UNDER_5 for value in one.vaerdier]
    found = current_element(values, day)
    return found is not None and (found.vaerdi or "").casefold() == "true"


def _website(record: RegisteredCompany, day: str) -> str | None:
    found = current_element(record.hjemmeside, day) if record.hjemmeside else None
    return None if found is None or found.hemmelig else _clean(found.kontaktoplysning)


def _status_columns(record: RegisteredCompany, newest: Metadata, day: str) -> CompanyRow:
    """Status and life span: the end of the latest span where none is open on the day; the day of foundation."""
    status = newest_element(record.virksomhedsstatus, day)
    spans = [period_of(span) for span in record.livsforloeb]
    begun = [span for span in spans if (span.gyldigFra or "") <= day] or spans  # one to come is not open yet
    ends = [span.gyldigTil for span in begun if span.gyldigTil is not None]
    is_open = len(ends) < len(begun)
    founded = newest.stiftelsesDato
    return (
        _clean(newest.sammensatStatus),
        None if status is None else _clean(status.status),
        None if status is None else first_day(status) or None,
        min((span.gyldigFra for span in spans if span.gyldigFra), default=None),
        None if is_open else max(ends, default=None),
        bool(spans),
        None if founded == _FILLER else founded,
    )


def _has_contradicting_status(record: RegisteredCompany, newest: Metadata, day: str) -> bool:
    """True if the ready-made word means another state than the list's, or an end beside an open life span."""
    word, listed = newest.sammensatStatus, current_element(record.virksomhedsstatus, day)
    if word is None:
        return False
    meaning = code_lists.STATUSES.get(word.strip().lower(), "status")
    other = None if listed is None else code_lists.STATUSES.get((listed.status or "").strip().lower(), "status")
    is_open = meaning == _ENDED and current_element(record.livsforloeb, day) is not None
    return is_open or (meaning is not None and other is not None and meaning != other)


def _form_columns(record: RegisteredCompany, newest: Metadata, day: str) -> CompanyRow:
    """Code, label, since."""
    form = _present(newest.nyesteVirksomhedsform, record.virksomhedsform, day)
    if form is None:
        return _NO_CODE
    return _padded(form.virksomhedsformkode, 2), _clean(form.langBeskrivelse), first_day(form) or None


def _industry_columns(
    record: RegisteredCompany, newest: Metadata, day: str, number: str, tally: SignalCounter
) -> CompanyRow:
    """Code, label, since. A code lacks one zero at most: a shorter one is of another level, and none."""
    industry = _present(newest.nyesteHovedbranche, record.hovedbranche, day)
    if industry is None:
        return _NO_CODE
    code = _padded(industry.branchekode, _CODE_DIGITS)
    if code is not None and (len(code) > _CODE_DIGITS or code.startswith("00")):
        tally.add("unreadable_value", "branchekode", number)
        code = None
    return code, _clean(industry.branchetekst), first_day(industry) or None


def _address_columns(address: Address | None) -> CompanyRow:
    """Country, lines, postal code and place, code and name of the municipality, since."""
    if address is None:
        return _NO_ADDRESS
    place = address.kommune
    return (
        _clean(address.landekode),
        LINES.join(_address_lines(address)),
        _padded(address.postnummer, _POSTAL_DIGITS),
        _clean(address.postdistrikt),
        None if place is None else _padded(place.kommuneKode, _MUNICIPALITY_DIGITS),
        None if place is None else _clean(place.kommuneNavn),
        first_day(address) or None,
    )


def _address_lines(address: Address) -> Iterator[str]:
    """Street with house number, floor and door; a village name; a foreign address as it is written."""
    if street := _clean(address.vejnavn):
        house = _number(address.husnummerFra, address.bogstavFra)
        until = _number(address.husnummerTil, address.bogstavTil)
        parts = [f"{street} {house}".strip() + (f"-{until}" if until else "")]
        parts += [f"{address.etage}." if str(address.etage).isdigit() else str(address.etage)] if address.etage else []
        yield " ".join(f"{', '.join(parts)} {address.sidedoer or ''}".split())
    for line in (address.bynavn, f"Postboks {address.postboks}" if address.postboks else None):
        if said := _clean(line):
            yield said
    for line in (address.fritekst or "").splitlines():
        if said := _clean(line):
            yield said


def _number(house: int | str | None, letter: str | None) -> str:
    return f"{'' if house is None else house}{letter or ''}"


def _employee_columns(newest: Metadata, day: str, number: str, tally: SignalCounter) -> tuple[int | None, str | None]:
    """Employees of the newest statistics: months before a quarter or year that ends with them; an interval is null.

    Statistics of a year to come, and fewer people than none, are counted and left.
    """
    series = (
        newest.nyesteErstMaanedsbeskaeftigelse,
        newest.nyesteMaanedsbeskaeftigelse,
        newest.nyesteKvartalsbeskaeftigelse,
        newest.nyesteAarsbeskaeftigelse,
    )
    stated = [one for one in series if one is not None and one.aar is not None]
    found = [one for one in stated if (one.aar or 0) <= int(day[:4])]
    if len(found) < len(stated):
        tally.add("implausible_period", "beskaeftigelse", number)
    if not found:
        return None, None
    last = max(found, key=_last_month)  # of equal ones the first: the monthly figures
    count = last.antalAnsatte
    if count is not None and count < 0:
        tally.add("unreadable_value", "antalAnsatte", number)
        count = None
    return count, _written_period(last)


def _last_month(one: Employment) -> tuple[int, int]:
    quarter = None if one.kvartal is None else one.kvartal * _MONTHS_OF_QUARTER
    return one.aar or 0, one.maaned or quarter or _LAST_MONTH


def _written_period(one: Employment) -> str:
    if one.maaned is not None:
        return f"{one.aar}-{one.maaned:02}"
    return f"{one.aar}" if one.kvartal is None else f"{one.aar}-K{one.kvartal}"
