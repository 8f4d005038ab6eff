"""Simulated responses of Bolagsverket's API «Värdefulla datamängder» on one day (docs/formats/se.md 5).

Belongs here: organisations, including partial responses, lists of documents, errors. Does not belong here: paths
and HTTP (`http`), or exports (`finansinspektionen`).
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from sandbox.companies.se import vocabulary
from sandbox.model.company import Company
from sandbox.model.se import ACTIVE
from sandbox.se import bulk_files
from sandbox.se.annual_reports import document_id
from sandbox.se.sole_traders import SoleTrader
from sandbox.world import World

_FINE: Final = {"fel": None}
_REGISTER, _STATISTICS = "Bolagsverket", "SCB"
_MOODS: Final = ("TIMEOUT", "OTILLGANGLIG_UPPGIFTSKALLA")
_UNKNOWN: Final = "ORGANISATION_FINNS_EJ"
Record = dict[str, Any]
# the spelling of the schema and of the registry's own example
SPELLINGS: Final = ("pagaendeAvvecklingsEllerOmstruktureringsforfarande", bulk_files.PROCEEDINGS)
STATISTICAL: Final = ("reklamsparr", "juridiskForm", "verksamOrganisation", "naringsgrenOrganisation")


def organisation_record(company: Company, day: date) -> Record:
    """One organisation in the first response of a day: in one of three a producer is down."""
    return _with_failed_producer(whole_record(company), company, day)


def whole_record(company: Company) -> Record:
    """One organisation in a complete response; blocks that SCB lacks yet fail as not existing."""
    told, position = company.swedish, company.position
    spelling = SPELLINGS[position % 2]
    return {
        "organisationsidentitet": {
            "identitetsbeteckning": company.number,
            "typ": {"kod": "ORGANISATIONSNUMMER", "klartext": "n/a"},
        },
        "namnskyddslopnummer": None,
        "registreringsland": {"kod": "SE-LAND", "klartext": "Sverige"},
        "organisationsnamn": _bolagsverket_block({"organisationsnamnLista": _name_records(company)}),
        "organisationsform": _bolagsverket_block({"kod": company.form, "klartext": vocabulary.FORMS[company.form][1]}),
        "avregistreradOrganisation": told.deregistered
        and _bolagsverket_block({"avregistreringsdatum": _date_or_midnight(told.deregistered, position)}),
        "avregistreringsorsak": told.reason
        and _bolagsverket_block({"kod": told.reason, "klartext": vocabulary.REASONS[told.reason]}),
        spelling: _bolagsverket_block({f"{spelling}Lista": _proceeding_records(company)}) if told.proceedings else None,
        "organisationsdatum": _bolagsverket_block(
            {"registreringsdatum": _date_or_midnight(company.registered, position + 1), "infortHosScb": None}
        ),
        "verksamhetsbeskrivning": _bolagsverket_block({"beskrivning": "\n     Påhittad verksamhet."}),
        "postadressOrganisation": _address_block(company),
        **_scb_blocks(company),
    }


def _bolagsverket_block(block: Record) -> Record:
    return {**block, "dataproducent": _REGISTER, **_FINE}


def _scb_block(block: Record) -> Record:
    return {**block, "dataproducent": _STATISTICS, **_FINE}


def _failed_block(kind: str, producer: str = _STATISTICS) -> Record:
    return {"dataproducent": producer, "fel": {"typ": kind, "felBeskrivning": "Påhittat fel."}}


def _date_or_midnight(day: date, position: int) -> str:
    """A day as a date or as its midnight: both occur."""
    return f"{day}T00:00:00.000+00:00" if position % 2 else str(day)


def _name_records(company: Company) -> list[Record]:
    kind = ("NAMN", "Namn") if company.form == "I" else ("FORETAGSNAMN", "Företagsnamn")
    named = [(company.swedish.name_registered_on, company.name), *company.former_names]
    return [
        {
            "namn": name,
            "organisationsnamntyp": {"kod": kind[0], "klartext": kind[1]},
            "registreringsdatum": str(since),
            "verksamhetsbeskrivningSarskiltForetagsnamn": None,
        }
        for since, name in named
    ]


def _proceeding_records(company: Company) -> list[Record]:
    return [
        {
            "kod": code,
            "klartext": vocabulary.PROCEEDINGS[code],
            "fromDatum": None if since is None else _date_or_midnight(since, company.position),
        }
        for code, since in company.swedish.proceedings
    ]


def _address_block(company: Company) -> Record | None:
    place = company.place
    if place is None or bulk_files.has_no_address(company):
        return None
    care_of = f"c/o Påhittad Byrå {company.position}" if company.position % 5 == 0 else None
    return _bolagsverket_block(
        {
            "postadress": {
                "utdelningsadress": company.street,
                "coAdress": care_of,
                "postnummer": place.postcode,
                "postort": place.town,
                "land": "Sverige",
            }
        }
    )


def _scb_blocks(company: Company) -> Record:
    """SCB's blocks."""
    told, industry = company.swedish, company.industry
    if told.activity is None:
        return {name: _failed_block(_UNKNOWN) for name in STATISTICAL}
    form = vocabulary.FORMS[company.form][0]
    sni = [] if industry is None else [{"kod": industry.code, "klartext": industry.label or "n/a"}]
    return {
        "reklamsparr": _scb_block({"kod": "JA" if told.declines_advertising else "NEJ"}),
        "juridiskForm": _scb_block({"kod": form, "klartext": vocabulary.STATISTICAL_LABELS[form]}),
        "verksamOrganisation": _scb_block({"kod": "JA" if told.activity == ACTIVE else "NEJ"}),
        "naringsgrenOrganisation": _scb_block({"sni": sni}),
    }


def _with_failed_producer(answer: Record, company: Company, day: date) -> Record:
    """Makes one response in three partial, as if a producer were down, once a company is some days old."""
    if (company.position + day.toordinal()) % 3 or day - company.registered < timedelta(days=4):
        return answer
    kind = _MOODS[company.position % 2]
    down = STATISTICAL if company.position % 2 else ("organisationsnamn", "avregistreradOrganisation", *SPELLINGS)
    producer = _STATISTICS if company.position % 2 else _REGISTER
    return {name: _failed_block(kind, producer) if name in down else block for name, block in answer.items()}


def unknown_organisation() -> Record:
    """Response for an unknown number: status 200, every block has failed, and even the identity is missing."""
    blocks = ("organisationsnamn", "organisationsform", "organisationsdatum", "verksamhetsbeskrivning")
    failed = {name: _failed_block(_UNKNOWN, _REGISTER) for name in blocks}
    return {"organisationsidentitet": None, **failed, **{name: _failed_block(_UNKNOWN) for name in STATISTICAL}}


def sole_trader_records(alone: SoleTrader) -> list[Record]:
    """One element for each firm under the same number."""
    return [
        {
            "organisationsidentitet": {
                "identitetsbeteckning": alone.number,
                "typ": {"kod": alone.kind, "klartext": "n/a"},
            },
            "namnskyddslopnummer": serial,
            "organisationsnamn": _bolagsverket_block(
                {
                    "organisationsnamnLista": [
                        {
                            "namn": firm,
                            "organisationsnamntyp": {"kod": "FORETAGSNAMN", "klartext": "n/a"},
                            "registreringsdatum": "1990-02-09",
                        }
                    ]
                }
            ),
            "organisationsform": _bolagsverket_block({"kod": "E", "klartext": "Enskild näringsidkare"}),
        }
        for serial, firm in enumerate(alone.firms, 1)
    ]


def document_list(company: Company | None) -> Record:
    """The list of a company's digital reports; empty if it filed none."""
    reports = company.accounts if company is not None else []
    return {
        "dokument": [
            {
                "dokumentId": document_id(company, accounts),
                "filformat": "application/zip",
                "rapporteringsperiodTom": str(accounts.end),
                "registreringstidpunkt": str(accounts.published),
            }
            for accounts in reports
            if company is not None
        ]
    }


def error_body(status: int, title: str, detail: str) -> Record:
    """An error body."""
    return {
        "type": "about:blank",
        "instance": "client.error",
        "status": status,
        "timestamp": None,
        "requestId": None,
        "title": title,
        "detail": detail,
    }


def known_organisations(world: World, day: int) -> list[tuple[str, Record]]:
    """Numbers and responses of the companies that are looked up: recently registered ones that still exist."""
    newest = max(company.registered for company in world.all("SE", day))
    return [
        (company.number, organisation_record(company, world.date(day)))
        for company in world.all("SE", day)
        if company.swedish.is_looked_up and newest - company.registered < timedelta(days=60)
    ]
