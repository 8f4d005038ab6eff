"""Converts company objects to rows of `fi_ytj`, selecting among several names, forms, entries and addresses.

Belongs here: one object to one row, counting unknown codes. Does not belong here: streams (`stream`), the
shared profile and its status (`profile.companies`, `profile.status`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

from connectors.fi.register import MUNICIPALITIES, POST_CODES, ZONE, finnish_day, has_check_digit, parse_business_id
from connectors.fi.ytj import schema as f
from connectors.fi.ytj.structs import (
    Blank,
    CompanyAddress,
    CompanyForm,
    CompanyName,
    CompanySituation,
    LocalisedLabel,
    RegisterEntry,
    Scalar,
    YtjCompany,
    list_or_empty,
    object_or_none,
    scalar_text,
)
from connectors.kit.columns.text import AHEAD
from connectors.kit.staging import SignalCounter
from connectors.nasdaq.names import issuer_key

_LANGUAGES: Final = ("3", "1", "2")  # English before Finnish before Swedish
_CITY_LANGUAGES: Final = ("1", "2", "3")
_SWEDISH_FIRST: Final = ("2", "1", "3")
_ALAND: Final = "21"  # region
_NEVER: Final = date.min
_EARLIEST: Final = 1700  # companies of the 19th century are registered; 0001-01-01 is a day not stated
_FIRST: Final = 1
_INDUSTRY_DIGITS: Final = 5
_VERSION: Final = re.compile(r"\d{1,9}")


class CompanyRowBuilder:
    """Converts company objects to rows; unknown and unreadable values are counted with the company's number."""

    def __init__(self, tally: SignalCounter, observed_at: datetime) -> None:
        self._tally = tally
        self._today = finnish_day(observed_at)
        self._latest = self._today + AHEAD  # a later day is a filler, as 9999-12-31
        self._number = ""

    def of(self, company: YtjCompany, number: str) -> dict[str, Any]:
        """The row of one company."""
        self._number = number
        if not has_check_digit(number):
            self._tally.add("wrong_check_digit", f.NUMBER, number)
        issued, euid, website = (
            object_or_none(company.businessId),
            object_or_none(company.euId),
            object_or_none(company.website),
        )
        form = self._present_form(list_or_empty(company.companyForms))
        return {
            f.NUMBER: number,
            "businessId.registrationDate": self._parse_day(issued and issued.registrationDate),
            "euId": euid and scalar_text(euid.value),
            **self._name_columns(list_or_empty(company.names), form, not self._has_ended(company.endDate)),
            **self._industry_columns(company),
            "website.url": website and scalar_text(website.url),
            "companyForm.type": form and scalar_text(form.type),
            "companyForm.description": form and preferred_label(form.descriptions),
            "companyForm.registrationDate": form and self._parse_day(form.registrationDate),
            **self._situation_columns(list_or_empty(company.companySituations)),
            **self._entry_columns(list_or_empty(company.registeredEntries)),
            **self._address_columns(list_or_empty(company.addresses)),
            "tradeRegisterStatus": self._checked_code(
                company.tradeRegisterStatus, f.ENTRY_TYPES, "tradeRegisterStatus"
            ),
            "status": scalar_text(company.status),
            "registrationDate": self._parse_day(company.registrationDate),
            "endDate": self._parse_end(company.endDate),
            "lastModified": self._parse_instant(company.lastModified),
        }

    def _parse_day(self, value: Scalar) -> date | None:
        written = scalar_text(value)
        if written is None:
            return None
        found = _iso_day(written)
        if found is None or found.year < _EARLIEST or found > self._latest:
            self._tally.add("unreadable_value", written, self._number)
            return None
        return found

    def _is_to_come(self, value: Scalar) -> bool:
        """True for a day after the observation: 9999-12-31 for no end, an end or an entry that is decided already."""
        day = _iso_day(scalar_text(value) or "")
        return day is not None and day > self._today

    def _has_ended(self, value: Scalar) -> bool:
        """True if an end is stated, unless it is still to come."""
        return scalar_text(value) is not None and not self._is_to_come(value)

    def _parse_end(self, value: Scalar) -> date | None:
        """The day of an end that has come."""
        return self._parse_day(value) if self._has_ended(value) else None

    def _parse_instant(self, value: Scalar) -> datetime | None:
        """Parses `2026-08-19T10:04:06` and `2024-11-21 01:49:24`, in Helsinki time (docs/formats/fi.md 2.2)."""
        written = scalar_text(value)
        if written is None:
            return None
        try:
            found = datetime.fromisoformat(written)
            return (found if found.tzinfo else found.replace(tzinfo=ZONE)).astimezone(UTC)
        except (ValueError, OverflowError):  # a first or last day of the calendar that overflows when shifted
            self._tally.add("unreadable_value", "lastModified", self._number)
            return None

    def _checked_code(self, value: Scalar, known: Iterable[str], subject: str) -> str | None:
        """The code; an undocumented one is counted and kept."""
        code = scalar_text(value)
        if code is not None and code not in known:
            self._tally.add("unknown_code", f"{subject} {code}", self._number)
        return code

    def _name_columns(self, names: list[CompanyName], form: CompanyForm | None, living: bool) -> dict[str, Any]:
        """Names: type 1 without an end, lowest version, then newest; for a ceased company the last one."""
        kinds = [(self._checked_code(one.type, f.NAME_TYPES, "names.type"), one) for one in names]
        own = [one for kind, one in kinds if kind == f.COMPANY_NAME and scalar_text(one.name)]
        present = [one for one in own if not self._has_ended(one.endDate)]
        former = sorted((one for one in own if self._has_ended(one.endDate)), key=self._ended, reverse=True)
        chosen = self._newest_version(present, "names") or (former[0] if former else None)
        name = scalar_text(chosen.name) if chosen is not None else None
        if name is None:
            self._tally.add("no_name", f.NUMBER, self._number)
        parallel = [
            scalar_text(one.name) for kind, one in kinds if kind == f.PARALLEL_NAME and not self._has_ended(one.endDate)
        ]
        is_public = form is not None and scalar_text(form.type) == f.PUBLIC_LIMITED
        previous = dict.fromkeys(scalar_text(one.name) for one in former if one is not chosen)
        return {
            "name": name,
            "name.registrationDate": chosen and self._parse_day(chosen.registrationDate),
            "previousNames": [one for one in previous if one and one != name],
            "parallelNames": [one for one in parallel if one],
            "issuerKey": issuer_key(name, is_public=is_public) if name and living and present else None,
        }

    def _ended(self, one: CompanyName | CompanySituation) -> date:
        return self._parse_day(one.endDate) or _NEVER

    def _newest_version(self, found: Sequence[Any], subject: str) -> Any:
        """The item with the lowest version, then the latest registration; of several equal ones the first, told."""
        if not found:
            return None
        ranks = [
            (_version_number(one.version), -(self._parse_day(one.registrationDate) or _NEVER).toordinal())
            for one in found
        ]
        first = found[ranks.index(min(ranks))]
        if any(rank == min(ranks) and one != first for rank, one in zip(ranks, found, strict=True)):
            self._tally.add("undecided_order", subject, self._number)
        return first

    def _present_form(self, forms: list[CompanyForm]) -> CompanyForm | None:
        present = [one for one in forms if not self._has_ended(one.endDate)]
        return self._newest_version(present or forms, "companyForms")

    def _industry_columns(self, company: YtjCompany) -> dict[str, Any]:
        line = object_or_none(company.mainBusinessLine)
        code = None if line is None else scalar_text(line.type)
        if line is None or code is None:
            return {}
        if not isinstance(line.type, str) and len(code) < _INDUSTRY_DIGITS:  # as a number, the code lost its zeros
            self._tally.add("unreadable_value", "mainBusinessLine.type", self._number)
            return {}
        if not code.strip("0."):  # «Industry unknown»
            return {}
        edition = self._checked_code(line.typeCodeSet, (*f.SCHEMES, *f.OLD_SETS), "typeCodeSet")
        return {
            "mainBusinessLine.type": code.replace(".", ""),
            "mainBusinessLine.typeCodeSet": edition,
            "mainBusinessLine.description": preferred_label(line.descriptions),
            "mainBusinessLine.registrationDate": self._parse_day(line.registrationDate),
        }

    def _situation_columns(self, found: list[CompanySituation]) -> dict[str, Any]:
        begun = (one for one in found if not self._is_to_come(one.registrationDate))
        kinds = [(self._checked_code(one.type, f.SITUATIONS, "companySituations.type"), one) for one in begun]
        # an unknown one is counted and ignored
        still = [(kind, one) for kind, one in kinds if kind in f.SITUATIONS and not self._has_ended(one.endDate)]
        gravest = min(still, key=lambda pair: f.SITUATIONS.index(pair[0]), default=None)
        closed = [self._parse_end(one.endDate) for kind, one in kinds if kind in f.SITUATIONS]
        return {
            "companySituation": gravest and gravest[0],
            "companySituation.registrationDate": gravest and self._parse_day(gravest[1].registrationDate),
            "companySituation.endDate": max((day for day in closed if day), default=None),
        }

    def _entry_columns(self, found: list[RegisterEntry]) -> dict[str, Any]:
        entries = [one for one in found if not self._is_to_come(one.registrationDate)]
        for one in entries:
            self._checked_code(one.type, f.ENTRY_TYPES, "registeredEntries.type")
        registers = [
            (self._checked_code(one.register, f.REGISTERS, "registeredEntries.register"), one) for one in entries
        ]
        tax = [(self._parse_end(one.endDate), one) for register, one in registers if register in f.TAX_REGISTERS]
        ends = [end for end, _ in tax if end]
        vat = any(
            register == f.VAT_REGISTER
            and not self._has_ended(one.endDate)
            and scalar_text(one.type) not in (f.UNREGISTERED, f.CEASED)
            for register, one in registers
        )
        still = [one for end, one in tax if end is None and scalar_text(one.type) not in (f.UNREGISTERED, f.CEASED)]
        return {
            **self._trade_register_columns([one for register, one in registers if register == f.TRADE_REGISTER]),
            "taxRegisters.open": len(still),
            "taxRegisters.registrationDate": max(
                (day for one in still if (day := self._parse_day(one.registrationDate))), default=None
            ),
            "taxRegisters.endDate": max(ends, default=None),
            "vat": vat,
        }

    def _trade_register_columns(self, entries: list[RegisterEntry]) -> dict[str, Any]:
        """The newest entry of the Trade Register, and a deletion superseded by a newer entry."""
        if not entries:
            return {}
        dated = [(self._parse_day(one.registrationDate) or _NEVER, place, one) for place, one in enumerate(entries)]
        first, _, newest = max(dated, key=lambda entry: entry[:2])
        ceased = [
            self._parse_end(one.endDate) for one in entries if scalar_text(one.type) == f.CEASED and one is not newest
        ]
        return {
            "tradeRegister.type": scalar_text(newest.type),
            "tradeRegister.registrationDate": first if first != _NEVER else None,
            "tradeRegister.endDate": self._parse_end(newest.endDate),
            "tradeRegister.ceased": max((day for day in ceased if day), default=None),
        }

    def _address_columns(self, addresses: list[CompanyAddress]) -> dict[str, Any]:
        """The visiting address, else the postal one; the municipality from the first that has one.

        Of several of one kind that have not ended the newest. See docs/formats/fi.md 7.
        """
        kinds = [(self._checked_code(one.type, (f.VISITING, f.POSTAL), "addresses.type"), one) for one in addresses]
        present = [(kind, one) for kind, one in kinds if _has_address_text(one) and not self._has_ended(one.endDate)]
        newest = sorted(
            present, key=lambda pair: _iso_day(scalar_text(pair[1].registrationDate) or "") or _NEVER, reverse=True
        )
        said = [one for kind in (f.VISITING, f.POSTAL) for found, one in newest if found == kind]
        if not said:
            return {}
        chosen = said[0]
        municipality, post_code = self._find_municipality(said)
        return {
            "address.lines": _address_lines(chosen) or None,
            "address.postCode": scalar_text(chosen.postCode),
            "address.city": _city_name(chosen),
            "address.country": scalar_text(chosen.country),
            "address.registrationDate": self._parse_day(chosen.registrationDate),
            "address.municipalityCode": municipality,
            "address.placedBy": post_code,
        }

    def _find_municipality(self, said: list[CompanyAddress]) -> tuple[str | None, str | None]:
        """The municipality by its code, else by the post code; none for a foreign address."""
        for one in said:
            for office in list_or_empty(one.postOffices):
                code = scalar_text(office.municipalityCode)
                if code is not None:
                    code = code.zfill(3)
                    if code not in MUNICIPALITIES:
                        self._tally.add("unknown_municipality", code, self._number)
                    return code, None
        for one in said:
            post_code = scalar_text(one.postCode)
            found = None if scalar_text(one.country) not in (None, "FI") else POST_CODES.get(post_code, "municipality")
            if found is not None:
                return found, post_code
        return None, None


def business_id_of(company: YtjCompany) -> str | None:
    """The canonical business id of a company object; None if it has none."""
    issued = object_or_none(company.businessId)
    return None if issued is None else parse_business_id(scalar_text(issued.value))


def _iso_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def preferred_label(descriptions: list[LocalisedLabel] | Blank) -> str | None:
    """The English, else Finnish, else Swedish label; their order is arbitrary (docs/formats/fi.md 2.2)."""
    by_language = {scalar_text(one.languageCode): scalar_text(one.description) for one in list_or_empty(descriptions)}
    return next((by_language[code] for code in _LANGUAGES if by_language.get(code)), None)


def _version_number(value: Scalar) -> int:
    written = scalar_text(value)
    return int(written) if written is not None and _VERSION.fullmatch(written) else _FIRST


def _has_address_text(address: CompanyAddress) -> bool:
    return any(
        scalar_text(value)
        for value in (address.street, address.postCode, address.postOfficeBox, address.freeAddressLine)
    )


def _address_lines(address: CompanyAddress) -> list[str]:
    number = "".join(filter(None, (scalar_text(address.apartmentNumber), scalar_text(address.apartmentIdSuffix))))
    street = " ".join(
        filter(
            None,
            (scalar_text(address.street), scalar_text(address.buildingNumber), scalar_text(address.entrance), number),
        )
    )
    box = scalar_text(address.postOfficeBox)
    lines = (street if scalar_text(address.street) else None, box and f"PL {box}", scalar_text(address.freeAddressLine))
    return [line for line in lines if line]


def _city_name(address: CompanyAddress) -> str | None:
    """The post office in Finnish, on Åland, where Swedish alone is official, in Swedish."""
    codes = [scalar_text(one.municipalityCode) for one in list_or_empty(address.postOffices)]
    placed = next(filter(None, codes), None) or POST_CODES.get(scalar_text(address.postCode), "municipality")
    is_swedish = placed is not None and MUNICIPALITIES.get(placed.zfill(3), "region") == _ALAND
    languages = _SWEDISH_FIRST if is_swedish else _CITY_LANGUAGES
    by_language = {scalar_text(one.languageCode): scalar_text(one.city) for one in list_or_empty(address.postOffices)}
    ordered = (by_language.get(code) for code in (*languages, None))
    return next((city for city in ordered if city), None)
