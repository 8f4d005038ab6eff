"""Records of companies as CVR's index `virksomhed` has them, in the edition of 2022 (docs/formats/dk.md 2 to 4).

Belongs here: converting one company of the world to one record, quirks included: lists in any order, values that are
all dated, the newest ones repeated in `virksomhedMetadata`, counts of employees as numbers and intervals. Does not
belong here: participants (`participants`), searches (`elasticsearch`), files and HTTP.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any, Final, TypeVar

from sandbox.companies.dk import vocabulary
from sandbox.companies.dk.initial_state import unit_number
from sandbox.dk import participants
from sandbox.dk.values import attribute_record, dated_fields, form_record, municipality_record, register_stamp
from sandbox.model.company import Company
from sandbox.model.dk import Address, DatedValue
from sandbox.vocabulary import Industry
from sandbox.world import FIRST_DAY

Record = dict[str, Any]
T = TypeVar("T")
_INTERVALS: Final = (
    (0, "ANTAL_0_0"), (1, "ANTAL_1_1"), (4, "ANTAL_2_4"), (9, "ANTAL_5_9"), (19, "ANTAL_10_19"), (49, "ANTAL_20_49"),
    (99, "ANTAL_50_99"), (199, "ANTAL_100_199"), (499, "ANTAL_200_499"), (999, "ANTAL_500_999"),
)  # fmt: skip
_QUIET_DAYS: Final = 200  # before the first day, in which the records were last written
_LISTS_WITHOUT_VALUES: Final = (*("sekundaertTelefonNummer", "sekundaertTelefaxNummer", "obligatoriskEmail"),)


def last_written(company: Company) -> str:
    """When the record was last written, as `sidstOpdateret` and the index's sort have it."""
    day = company.danish.updated or FIRST_DAY - timedelta(days=1 + company.position % _QUIET_DAYS)
    return register_stamp(day, company.position // 60, company.position)


def company_record(company: Company) -> Record:
    """The whole record, below the name of its kind."""
    own = company.danish
    lists = _dated_lists(company)
    record: Record = {
        "cvrNummer": int(company.number),
        "regNummer": [_registration_number(company)] if company.registered.year < _NEW_NUMBERS else [],
        "brancheAnsvarskode": None,
        "reklamebeskyttet": own.is_protected,
        "navne": lists["navne"],
        "binavne": _secondary_names(company),
        "postadresse": [],
        "beliggenhedsadresse": lists["beliggenhedsadresse"],
        "telefonNummer": [_contact(company, "00000000")] if company.position % 3 == 0 else [],
        "telefaxNummer": [_contact(company, "00000001")] if company.position % 7 == 0 else [],
        **{name: [] for name in _LISTS_WITHOUT_VALUES},
        "elektroniskPost": [_contact(company, f"post{company.position}@example.com")],
        "hjemmeside": [_contact(company, company.website)] if company.website else [],
        "livsforloeb": lists["livsforloeb"],
        "hovedbranche": lists["hovedbranche"],
        "bibranche1": _second_industry(company),
        **{f"bibranche{place}": [] for place in (2, 3)},
        "status": [],
        "virksomhedsstatus": lists["virksomhedsstatus"],
        "virksomhedsform": lists["virksomhedsform"],
        **_employment(company),
        "attributter": _attributes(company),
        "penheder": [{"pNummer": 1_900_000_000 + company.position, **dated_fields(own.lives[0])}],
        "deltagerRelation": participants.relations(company),
        "fusioner": [],
        "spaltninger": [],
        "virksomhedMetadata": _metadata(company),
        "samtId": 10 + own.revision,
        "fejlRegistreret": False,
        "dataAdgang": 0,
        "enhedsNummer": unit_number(company.position),
        "enhedstype": "VIRKSOMHED",
        "sidstIndlaest": register_stamp(own.updated or FIRST_DAY, 40, company.position),
        "sidstOpdateret": last_written(company),
        "fejlVedIndlaesning": False,
        "naermesteFremtidigeDato": None,
        "fejlBeskrivelse": None,
        "virkningsAktoer": "BT",
    }
    return {"Vrvirksomhed": record}


_NEW_NUMBERS: Final = 1999  # companies of before also have the number of an older register


def _registration_number(company: Company) -> Record:
    own = company.danish
    return {"regnummer": f"ApS9{company.position:05d}", **dated_fields(own.lives[0])}


def _contact(company: Company, value: str) -> Record:
    return {"kontaktoplysning": value, "hemmelig": False, **dated_fields(company.danish.lives[0])}


def _dated_lists(company: Company) -> dict[str, list[Record]]:
    """Every list of values with their periods. The order means nothing: some have the newest first."""
    own = company.danish
    return {
        "navne": _entries(company, own.names, lambda name: {"navn": name}),
        "beliggenhedsadresse": _entries(company, own.addresses, _address),
        "livsforloeb": _entries(company, own.lives, lambda _: {}),
        "hovedbranche": _entries(company, own.industries, _industry),
        "virksomhedsstatus": _entries(company, own.statuses, lambda word: {"status": word}),
        "virksomhedsform": _entries(company, own.forms, form_record),
    }


def _secondary_names(company: Company) -> list[Record]:
    """Another name of some companies, registered later than the name: it must never be taken for it."""
    if company.position % 4:
        return []
    later = DatedValue(None, company.registered + timedelta(days=400), company.registered + timedelta(days=400))
    return [{"navn": f"Binavn {company.position}", **dated_fields(later)}]


def _second_industry(company: Company) -> list[Record]:
    """A lesser industry of some companies, younger than the main one."""
    if company.position % 3:
        return []
    later = DatedValue(None, company.registered + timedelta(days=400), company.registered + timedelta(days=400))
    return [{**_industry(vocabulary.HOLDINGS), **dated_fields(later)}]


def _entries(company: Company, values: Sequence[DatedValue[T]], render: Callable[[T], Record]) -> list[Record]:
    found = [{**render(value.value), **dated_fields(value)} for value in values]
    return found[::-1] if company.position % 2 else found


def _newest(values: Sequence[DatedValue[T]], render: Callable[[T], Record]) -> Record | None:
    if not values:
        return None
    newest = max(values, key=lambda value: value.since or date.min)
    return {**render(newest.value), **dated_fields(newest)}


def _industry(industry: Industry) -> Record:
    return {"branchekode": industry.code, "branchetekst": industry.label}


def _address(address: Address) -> Record:
    """One address; abroad it is free text without anything else."""
    place = address.place
    street, _, house = address.street.rpartition(" ")
    is_abroad = place is None
    return {
        "landekode": "DE" if is_abroad else "DK",
        "fritekst": f"{address.street}\n99999 Musterstadt\nTyskland" if is_abroad else None,
        "vejkode": None if is_abroad else 205,
        "kommune": None if place is None else municipality_record(place),
        "husnummerFra": None if is_abroad else int(house),
        "adresseId": None,
        "sidstValideret": None,
        **dict.fromkeys(("husnummerTil", "bogstavFra", "bogstavTil", "etage", "sidedoer", "conavn", "postboks")),
        "vejnavn": None if is_abroad else street,
        "bynavn": None,
        "postnummer": None if place is None else int(place.postcode),
        "postdistrikt": None if place is None else place.town,
    }


def _employment(company: Company) -> Record:
    """Counts by year, quarter and month. Of those that end with 2019 the register has no newer ones."""
    month = _monthly_count(company)
    if month is None:
        return {name: [] for name in _COUNTS}
    return dict(zip(_COUNTS, ([_yearly_count(company)], [_QUARTER], [_MONTH], [month]), strict=True))


_COUNTS: Final = (
    *("aarsbeskaeftigelse", "kvartalsbeskaeftigelse", "maanedsbeskaeftigelse", "erstMaanedsbeskaeftigelse"),
)
_OLD_COUNTS: Final = {
    "antalAarsvaerk": 777,
    "antalAnsatte": 777,
    "sidstOpdateret": "2020-01-02T22:59:43.000+01:00",
    "intervalKodeAntalAarsvaerk": "ANTAL_500_999",
    "intervalKodeAntalAnsatte": "ANTAL_500_999",
}
_QUARTER: Final[Record] = {"aar": 2019, "kvartal": 3, **_OLD_COUNTS}
_MONTH: Final[Record] = {"aar": 2019, "maaned": 9, **_OLD_COUNTS}


def _monthly_count(company: Company) -> Record | None:
    counted = company.employees_counted
    if company.employees is None or counted is None:
        return None
    return {
        "aar": counted.year,
        "maaned": counted.month,
        "antalAarsvaerk": company.employees,
        "antalAnsatte": company.employees,
        "sidstOpdateret": register_stamp(company.danish.updated or counted, 56, 20),
        "intervalKodeAntalAarsvaerk": _interval(company.employees),
        "intervalKodeAntalAnsatte": _interval(company.employees),
    }


def _yearly_count(company: Company) -> Record:
    interval = _interval(company.employees or 0)
    return {
        "aar": 2025,
        "antalInklusivEjere": None,
        "antalAarsvaerk": None,
        "antalAnsatte": None,
        "sidstOpdateret": "2026-03-18T22:02:35.000+01:00",
        "intervalKodeAntalInklusivEjere": None,
        "intervalKodeAntalAarsvaerk": interval,
        "intervalKodeAntalAnsatte": interval,
    }


def _interval(count: int) -> str:
    return next((code for limit, code in _INTERVALS if count <= limit), "ANTAL_1000_999999")


def _attributes(company: Company) -> list[Record]:
    first = company.danish.lives[0]
    capital = "400000.00" if company.form == vocabulary.STOCK else "40000.00"
    stated = (
        ("FORMÅL", "string", "Selskabets formål er at være opdigtet."),
        ("KAPITAL", "decimal", capital),
        ("KAPITALVALUTA", "string", "DKK"),
        ("REGNSKABSÅR_START", "string", "--01-01"),
        ("REGNSKABSÅR_SLUT", "string", "--12-31"),
        ("REVISION_FRAVALGT", "boolean", "true"),
        ("PSEUDOCVRNR", "boolean", "false"),
    )
    return [attribute_record(kind, value_kind, [(value, first)]) for kind, value_kind, value in stated]


def _metadata(company: Company) -> Record:
    """The newest values once more, ready made."""
    own = company.danish
    newest = {name: counts[-1] if counts else None for name, counts in _employment(company).items()}
    return {
        "nyesteNavn": _newest(own.names, lambda name: {"navn": name}),
        "nyesteBinavne": [name["navn"] for name in _secondary_names(company)],
        "nyesteVirksomhedsform": _newest(own.forms, form_record),
        "nyesteBeliggenhedsadresse": _newest(own.addresses, _address),
        "nyesteHovedbranche": _newest(own.industries, _industry),
        "nyesteBibranche1": next(iter(_second_industry(company)), None),
        **{f"nyesteBibranche{place}": None for place in (2, 3)},
        "nyesteStatus": None,
        "nyesteKontaktoplysninger": [f"post{company.position}@example.com"],
        "antalPenheder": 1,
        **{f"nyeste{name[0].upper()}{name[1:]}": count for name, count in newest.items()},
        "sammensatStatus": _composed_status(company),
        "stiftelsesDato": "1901-01-01" if company.position % 9 == 0 else company.registered.isoformat(),
        "virkningsDato": company.registered.isoformat(),
    }


def _composed_status(company: Company) -> str:
    """Sole traders and foundations have no status of their own but «Aktiv»."""
    if company.form in vocabulary.WITHOUT_STATUS:
        return vocabulary.ACTIVE if company.is_in_register else vocabulary.CEASED
    return company.danish.statuses[-1].value
