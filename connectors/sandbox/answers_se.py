"""Simulated responses of Bolagsverket's API «Värdefulla datamängder» on one day (docs/formats/se.md 5).

Belongs here: organisations, including partial responses, lists of documents, errors. Does not belong here: paths
and HTTP (`desk_se`), or exports (`exports_se`).
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from connectors.sandbox import bulk_se, names_se
from connectors.sandbox.model import Company
from connectors.sandbox.model_se import ACTIVE
from connectors.sandbox.people_se import Trader
from connectors.sandbox.reports_se import document_id
from connectors.sandbox.world import World

_FINE: Final = {"fel": None}
_REGISTER, _STATISTICS = "Bolagsverket", "SCB"
_MOODS: Final = ("TIMEOUT", "OTILLGANGLIG_UPPGIFTSKALLA")
_UNKNOWN: Final = "ORGANISATION_FINNS_EJ"
Record = dict[str, Any]
# the spelling of the schema and of the registry's own example
SPELLINGS: Final = ("pagaendeAvvecklingsEllerOmstruktureringsforfarande", bulk_se.PROCEEDINGS)
STATISTICAL: Final = ("reklamsparr", "juridiskForm", "verksamOrganisation", "naringsgrenOrganisation")


def organisation(company: Company, day: date) -> Record:
    """One organisation in a complete response; blocks that SCB lacks yet fail as not existing."""
    told, position = company.swedish, company.position
    spelling = SPELLINGS[position % 2]
    answer = {
        "organisationsidentitet": {
            "identitetsbeteckning": company.number,
            "typ": {"kod": "ORGANISATIONSNUMMER", "klartext": "n/a"},
        },
        "namnskyddslopnummer": None,
        "registreringsland": {"kod": "SE-LAND", "klartext": "Sverige"},
        "organisationsnamn": _ours({"organisationsnamnLista": _names(company)}),
        "organisationsform": _ours({"kod": company.form, "klartext": names_se.FORMS[company.form][1]}),
        "avregistreradOrganisation": told.deregistered
        and _ours({"avregistreringsdatum": _stamped(told.deregistered, position)}),
        "avregistreringsorsak": told.reason
        and _ours({"kod": told.reason, "klartext": names_se.REASONS[told.reason]}),
        spelling: _ours({f"{spelling}Lista": _proceedings(company)}) if told.proceedings else None,
        "organisationsdatum": _ours(
            {"registreringsdatum": _stamped(company.registered, position + 1), "infortHosScb": None}
        ),
        "verksamhetsbeskrivning": _ours({"beskrivning": "\n     Påhittad verksamhet."}),
        "postadressOrganisation": _address(company),
        **_statistics(company),
    }
    return _failing(answer, company, day)


def _ours(block: Record) -> Record:
    return {**block, "dataproducent": _REGISTER, **_FINE}


def _failed(kind: str, producer: str = _STATISTICS) -> Record:
    return {"dataproducent": producer, "fel": {"typ": kind, "felBeskrivning": "Påhittat fel."}}


def _stamped(day: date, position: int) -> str:
    """A day as a date or as its midnight: both occur."""
    return f"{day}T00:00:00.000+00:00" if position % 2 else str(day)


def _names(company: Company) -> list[Record]:
    kind = ("NAMN", "Namn") if company.form == "I" else ("FORETAGSNAMN", "Företagsnamn")
    named = [(company.swedish.named, company.name), *company.former_names]
    return [
        {
            "namn": name,
            "organisationsnamntyp": {"kod": kind[0], "klartext": kind[1]},
            "registreringsdatum": str(since),
            "verksamhetsbeskrivningSarskiltForetagsnamn": None,
        }
        for since, name in named
    ]


def _proceedings(company: Company) -> list[Record]:
    return [
        {
            "kod": code,
            "klartext": names_se.PROCEEDINGS[code],
            "fromDatum": None if since is None else _stamped(since, company.position),
        }
        for code, since in company.swedish.proceedings
    ]


def _address(company: Company) -> Record | None:
    place = company.place
    if place is None or bulk_se.has_no_address(company):
        return None
    care_of = f"c/o Påhittad Byrå {company.position}" if company.position % 5 == 0 else None
    return _ours(
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


def _statistics(company: Company) -> Record:
    """SCB's blocks; `klartext` of the industry is the only source of its label."""
    told, industry = company.swedish, company.industry
    if told.activity is None:
        return {name: _failed(_UNKNOWN) for name in STATISTICAL}
    form = names_se.FORMS[company.form][0]
    sni = [] if industry is None else [{"kod": industry.code, "klartext": industry.label or "n/a"}]
    return {
        "reklamsparr": {
            "kod": "JA" if told.declines_advertising else "NEJ",
            "dataproducent": _STATISTICS,
            **_FINE,
        },
        "juridiskForm": {
            "kod": form,
            "klartext": names_se.STATISTICAL_LABELS[form],
            "dataproducent": _STATISTICS,
            **_FINE,
        },
        "verksamOrganisation": {
            "kod": "JA" if told.activity == ACTIVE else "NEJ",
            "dataproducent": _STATISTICS,
            **_FINE,
        },
        "naringsgrenOrganisation": {"sni": sni, "dataproducent": _STATISTICS, **_FINE},
    }


def _failing(answer: Record, company: Company, day: date) -> Record:
    """Makes one response in three partial, as if a producer were down, once a company is some days old."""
    if (company.position + day.toordinal()) % 3 or day - company.registered < timedelta(days=4):
        return answer
    kind = _MOODS[company.position % 2]
    down = (
        STATISTICAL
        if company.position % 2
        else ("organisationsnamn", "avregistreradOrganisation", *SPELLINGS)
    )
    producer = _STATISTICS if company.position % 2 else _REGISTER
    return {name: _failed(kind, producer) if name in down else block for name, block in answer.items()}


def unknown() -> Record:
    """Response for an unknown number: status 200, every block has failed, and even the identity is missing."""
    blocks = ("organisationsnamn", "organisationsform", "organisationsdatum", "verksamhetsbeskrivning")
    failed = {name: _failed(_UNKNOWN, _REGISTER) for name in blocks}
    return {"organisationsidentitet": None, **failed, **{name: _failed(_UNKNOWN) for name in STATISTICAL}}


def sole_trader(alone: Trader) -> list[Record]:
    """One element for each firm under the same number."""
    return [
        {
            "organisationsidentitet": {
                "identitetsbeteckning": alone.number,
                "typ": {"kod": alone.kind, "klartext": "n/a"},
            },
            "namnskyddslopnummer": serial,
            "organisationsnamn": _ours(
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
            "organisationsform": _ours({"kod": "E", "klartext": "Enskild näringsidkare"}),
        }
        for serial, firm in enumerate(alone.firms, 1)
    ]


def documents(company: Company | None) -> Record:
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


def error(status: int, title: str, detail: str) -> Record:
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
        (company.number, organisation(company, world.date(day)))
        for company in world.all("SE", day)
        if company.swedish.asked and newest - company.registered < timedelta(days=60)
    ]
