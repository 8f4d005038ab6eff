"""msgspec structs of a company object of YTJ v3 and of the notices API, in the source's own spelling.

See docs/formats/fi.md 2.2.

Belongs here: every documented key, so that anything else is drift. Any key may be absent, null or "", and codes
are text or numbers, so every scalar accepts both. Does not belong here: what keys mean (`rows`).
"""
# ruff: noqa: N815 - attribute names are the source's

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec

Scalar = str | int | float | bool | None
Blank = Literal[""] | None
T = TypeVar("T")


class RegisteredItem(msgspec.Struct, forbid_unknown_fields=True):
    """What describes a company from a day on, by a source."""

    registrationDate: Scalar = None
    source: Scalar = None


class EndingItem(RegisteredItem):
    """The same until a day."""

    endDate: Scalar = None


class LocalisedLabel(msgspec.Struct, forbid_unknown_fields=True):
    """A label in one language."""

    languageCode: Scalar = None
    description: Scalar = None


class CompanyIdentifier(RegisteredItem):
    """Business id or EUID."""

    value: Scalar = None


class CompanyName(EndingItem):
    """One name, current or former."""

    name: Scalar = None
    type: Scalar = None
    version: Scalar = None


class BusinessLine(RegisteredItem):
    """The industry."""

    type: Scalar = None
    typeCodeSet: Scalar = None
    descriptions: list[LocalisedLabel] | Blank = None


class CompanyWebsite(RegisteredItem):
    """The website."""

    url: Scalar = None


class CompanyForm(EndingItem):
    """One legal form, current or former."""

    type: Scalar = None
    descriptions: list[LocalisedLabel] | Blank = None
    version: Scalar = None


class CompanySituation(EndingItem):
    """Bankruptcy, liquidation or restructuring."""

    type: Scalar = None
    descriptions: Any = None


class RegisterEntry(msgspec.Struct, forbid_unknown_fields=True):
    """One entry in one register."""

    type: Scalar = None
    descriptions: list[LocalisedLabel] | Blank = None
    registrationDate: Scalar = None
    endDate: Scalar = None
    register: Scalar = None
    authority: Scalar = None


class PostOffice(msgspec.Struct, forbid_unknown_fields=True):
    """The post office in one language, with the municipality."""

    city: Scalar = None
    languageCode: Scalar = None
    municipalityCode: Scalar = None
    active: Scalar = None
    postCode: Scalar = None


class CompanyAddress(EndingItem):
    """One address. `co` sometimes names a person and is not read."""

    type: Scalar = None
    street: Scalar = None
    buildingNumber: Scalar = None
    entrance: Scalar = None
    apartmentNumber: Scalar = None
    apartmentIdSuffix: Scalar = None
    postOfficeBox: Scalar = None
    co: Any = None
    postCode: Scalar = None
    postOffices: list[PostOffice] | Blank = None
    country: Scalar = None
    freeAddressLine: Scalar = None


class YtjCompany(msgspec.Struct, forbid_unknown_fields=True):
    """One company object."""

    businessId: CompanyIdentifier | Blank = None
    euId: CompanyIdentifier | Blank = None
    names: list[CompanyName] | Blank = None
    mainBusinessLine: BusinessLine | Blank = None
    website: CompanyWebsite | Blank = None
    companyForms: list[CompanyForm] | Blank = None
    companySituations: list[CompanySituation] | Blank = None
    registeredEntries: list[RegisterEntry] | Blank = None
    addresses: list[CompanyAddress] | Blank = None
    tradeRegisterStatus: Scalar = None
    status: Scalar = None
    registrationDate: Scalar = None
    endDate: Scalar = None
    lastModified: Scalar = None


def scalar_text(value: Scalar) -> str | None:
    """A scalar as text: blank becomes None, 16 and 16.0 become «16».

    See docs/formats/fi.md 9: codes are text or numbers.
    """
    if isinstance(value, str) and value.isalnum():
        return value  # the common case
    if value is None or value == "" or isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(str(value).split()) or None


def list_or_empty(value: list[T] | Blank) -> list[T]:
    """A list; empty if absent, null or ""."""
    return value if isinstance(value, list) else []


def object_or_none(value: T | Blank) -> T | None:
    """An object; None if absent, null or ""."""
    return None if isinstance(value, str) else value
