"""Companies of the Finnish trade register in YTJ v3 JSON, and with their notices (docs/formats/fi.md 2.2 and 4).

Belongs here: converting one company of the world to one object, quirks included: absent, null or empty keys
alike, descriptions in any order and without English, two formats of time stamps, `status` 2 for active and
ceased companies. Does not belong here: files and folders (`files`), HTTP (`http`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any, Final, TypeVar

from sandbox.companies.fi import vocabulary
from sandbox.companies.fi.initial_state import RECODED, SCHEME_BEGAN, TRADE
from sandbox.model.company import Company
from sandbox.model.fi import RegisteredNotice, RegisterEntry
from sandbox.vocabulary import Place

LANGUAGES: Final = ("1", "2", "3")  # Finnish, Swedish, English
_CONSTANT: Final = "2"  # status of the business id: the same for active and ceased companies
_AUTHORITIES: Final = {TRADE: "2"}
_TAX_ADMINISTRATION: Final = "1"
_EMPTY_PARTS: Final = ("entrance", "apartmentNumber", "apartmentIdSuffix", "co")
_NOT_WITH_NOTICES: Final = ("mainBusinessLine", "website")
NOTICE_TYPES: Final = {  # NRT
    "TA": "Financial statements",
    "M": "Amendment",
    "U": "Start-up",
    "OI": "Rectification",
    "JH": "Public summons to creditors",
    "FUU": "Merger",
    "DIF": "Demerger",
}
Record = dict[str, Any]
T = TypeVar("T")


def company_object(company: Company) -> Record:
    """The company object, the same in the bulk file and the search; missing values are omitted."""
    own = company.finnish
    record: Record = {"businessId": _business_id(company)}
    if company.position % 5 == 0:
        record["euId"] = {"value": f"FIFPRO.{company.number}", "source": "1"}
    record["names"] = _name_records(company)
    if company.industry:
        record["mainBusinessLine"] = _business_line(company)
    if company.website:
        record["website"] = {"url": company.website, "registrationDate": "2019-07-01", "source": "0"}
    record["companyForms"] = [_form_record(company)]
    record["companySituations"] = [
        _with_dates({"type": item.kind}, item.since, item.ended) | {"source": "1"} for item in own.situations
    ]
    record["registeredEntries"] = [_entry_record(company, entry) for entry in _rotate_items(company, own.entries)]
    record["addresses"] = _address_records(company)
    record["tradeRegisterStatus"] = _trade_status(own.entries)
    record["status"] = _CONSTANT
    if any(entry.kind != "0" for entry in own.entries):
        record["registrationDate"] = company.registered.isoformat()
    if own.ended:
        record["endDate"] = own.ended.isoformat()
    record["lastModified"] = _modified_stamp(company)
    return _with_gaps(company, record)


def _business_id(company: Company) -> Record:
    """The business id with its registration date; the scheme began in 1978, so older companies have that day."""
    issued = max(company.registered, SCHEME_BEGAN)
    return {"value": company.number, "registrationDate": issued.isoformat(), "source": "3"}


def _name_records(company: Company) -> list[Record]:
    """Current, former, parallel and auxiliary names in one list, the current one not always first."""
    own, since = company.finnish, company.registered
    found: list[Record] = []
    for version, (changed, name) in reversed(list(enumerate(company.former_names, 2))):
        found.append(_name_record(name, "1", since, changed - timedelta(days=1), version))
        since = changed
    found.append(_name_record(company.name, "1", since, own.ended, 1))
    if own.parallel:
        found.append(_name_record(own.parallel, "2", company.registered, own.ended, 1))
    if own.auxiliary:  # registered later than the name; must never be taken for the name
        found.append(_name_record(own.auxiliary, "3", company.registered + timedelta(days=400), own.ended, 1))
    return list(_rotate_items(company, found))


def _name_record(name: str, kind: str, since: date, ended: date | None, version: int) -> Record:
    return _with_dates({"name": name, "type": kind}, since, ended) | {"version": version, "source": "1"}


def _with_dates(record: Record, since: date, ended: date | None) -> Record:
    end = {"endDate": ended.isoformat()} if ended else {}
    return {**record, "registrationDate": since.isoformat(), **end}


def _business_line(company: Company) -> Record:
    code = company.industry.code if company.industry else ""
    line = vocabulary.line_by_code(code)
    code_set = company.finnish.code_set
    since = RECODED if code_set == "TOIMI4" else company.registered
    return {
        "type": code,
        "descriptions": _description_records(company, (line.finnish, line.swedish, line.english)),
        "typeCodeSet": code_set,
        "registrationDate": since.isoformat(),
        "source": "2",
    }


def _description_records(company: Company, texts: tuple[str, str, str | None]) -> list[Record]:
    found = [
        {"languageCode": code, "description": text}
        for code, text in zip(LANGUAGES, texts, strict=True)
        if text is not None
    ]
    return list(_rotate_items(company, found))


def _rotate_items(company: Company, items: Sequence[T]) -> Sequence[T]:
    """Rotates the list: order is meaningless in this register."""
    cut = company.position % max(len(items), 1)
    return [*items[cut:], *items[:cut]]


def _form_record(company: Company) -> Record:
    record: Record = {
        "type": company.form,
        "descriptions": _description_records(company, vocabulary.FORMS[company.form]),
    }
    return _with_dates(record, company.registered, company.finnish.ended) | {"version": 1, "source": "1"}


def _entry_record(company: Company, entry: RegisterEntry) -> Record:
    record: Record = {"type": entry.kind, "descriptions": _description_records(company, vocabulary.ENTRIES[entry.kind])}
    authority = _AUTHORITIES.get(entry.register, _TAX_ADMINISTRATION)
    return _with_dates(record, entry.since, entry.ended) | {"register": entry.register, "authority": authority}


def _trade_status(entries: Sequence[RegisterEntry]) -> str:
    return next(entry.kind for entry in reversed(entries) if entry.register == TRADE and not entry.ended)


def _address_records(company: Company) -> list[Record]:
    """A visiting address, both visiting and postal, or only postal; abroad a free-text line."""
    place = company.place
    if place is None:
        line = f"{company.street}, 99999 Musterstadt"
        return [{"type": 1, "country": "DE", "freeAddressLine": line, "registrationDate": "2019-07-01"}]
    visiting = _address_record(company, 1, place)
    postal = _address_record(company, 2, place) | {"street": "", "buildingNumber": ""}
    postal["postOfficeBox"] = str(100 + company.position % 900)
    match company.position % 4:
        case 0:
            return [postal, visiting]
        case 1:
            return [postal]
        case _:
            return [visiting]


def _address_record(company: Company, kind: int, place: Place) -> Record:
    street, _, building = company.street.rpartition(" ")
    towns = {"1": place.town, "2": vocabulary.SWEDISH_TOWNS.get(place.town, place.town)}
    if kind == 2 and company.position % 6 == 0:  # noqa: PLR2004 - a post office may be a company's own
        towns = dict.fromkeys(towns, company.name.upper())
    offices = [
        {"city": city, "languageCode": language, "municipalityCode": place.code} for language, city in towns.items()
    ]
    return {
        "type": kind,
        "street": street,
        "postCode": place.postcode,
        "postOffices": list(_rotate_items(company, offices)),
        "buildingNumber": building,
        **dict.fromkeys(_EMPTY_PARTS, ""),
        "registrationDate": "2019-07-01",
        "source": "0",
    }


def _modified_stamp(company: Company) -> str:
    """Time stamp without zone, in two formats: both are Finnish time."""
    day = company.finnish.modified or company.registered
    return f"{day}T10:04:06" if company.position % 2 else f"{day} 01:49:24"


def _with_gaps(company: Company, record: Record) -> Record:
    """Empty values are omitted, null or an empty list: all three occur and mean the same."""
    match company.position % 3:
        case 0:
            return {key: value for key, value in record.items() if value != []}
        case 1:
            return {**record, **{key: None for key in ("website", "mainBusinessLine") if key not in record}}
        case _:
            return record


def company_with_notices(company: Company) -> Record:
    """Company with its notices, newest first; without notices the key is absent."""
    record = {key: value for key, value in company_object(company).items() if key not in _NOT_WITH_NOTICES}
    if company.finnish.notices:
        newest = sorted(company.finnish.notices, key=lambda notice: (notice.day, notice.number), reverse=True)
        record["publicNotices"] = [_notice_record(notice) for notice in newest]
    return record


def _notice_record(notice: RegisteredNotice) -> Record:
    return {
        "registrationDate": notice.day.isoformat(),
        "recordNumber": notice.number,
        "typeOfRegistration": notice.kind,
        "entryCodes": list(notice.codes),
    }


def companies_with_notices(companies: Iterable[Company], first: str, last: str) -> list[Record]:
    """The companies with a notice in the given days."""
    return [
        company_with_notices(company)
        for company in companies
        if any(first <= str(notice.day) <= last for notice in company.finnish.notices)
    ]
