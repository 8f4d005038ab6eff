"""Answers of the API «Värdefulla datamängder» written by hand, and reading them."""

import io
import json
from datetime import datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Scope
from connectors.se import SWEDEN
from tests.connectors.se.bulk_files import INSTANT, ONE

API = SWEDEN.dataset("se.organisationer")
FINE = {"fel": None, "dataproducent": "Bolagsverket"}


def failed(kind: str = "TIMEOUT", **values: Any) -> dict[str, Any]:
    """A block whose producer did not answer."""
    return {"fel": {"typ": kind, "felBeskrivning": "…"}, "dataproducent": "SCB", **values}


def organisation(number: str = ONE, **changed: Any) -> dict[str, Any]:
    name = {
        "namn": "Svar AB",
        "organisationsnamntyp": {"kod": "FORETAGSNAMN", "klartext": "Företagsnamn"},
        "registreringsdatum": "2020-03-15",
        "verksamhetsbeskrivningSarskiltForetagsnamn": None,
    }
    return {
        "organisationsidentitet": {"identitetsbeteckning": number},
        "namnskyddslopnummer": None,
        "organisationsnamn": {"organisationsnamnLista": [name], **FINE},
        "registreringsland": {"kod": "SE-LAND", "klartext": "Sverige"},
        "organisationsform": {"kod": "AB", "klartext": "Aktiebolag", **FINE},
        "avregistreradOrganisation": None,
        "avregistreringsorsak": None,
        "pagaendeAvvecklingsEllerOmstruktureringsforfarande": None,
        "juridiskForm": {"kod": "49", "klartext": "Övriga aktiebolag", **FINE},
        "verksamOrganisation": {"kod": "JA", **FINE},
        "organisationsdatum": {"registreringsdatum": "2000-01-23", "infortHosScb": "2000-02-03", **FINE},
        "verksamhetsbeskrivning": {"beskrivning": "\n   Handel", **FINE},
        "naringsgrenOrganisation": {"sni": [{"kod": "62100", "klartext": "Programmering"}], **FINE},
        "postadressOrganisation": {
            "postadress": {
                "utdelningsadress": "Storgatan 1",
                "coAdress": None,
                "postnummer": "75023",
                "postort": "UPPSALA",
                "land": "Sverige",
            },
            **FINE,
        },
        **changed,
    }


def answer(*organisations: dict[str, Any]) -> bytes:
    return json.dumps({"organisationer": list(organisations)}).encode()


def batches(body: bytes, at: datetime = INSTANT) -> list[Batch]:
    return list(
        API.read_batches(ArchiveMember(API.key, "x.json", "0" * 64, at, Scope.PART, "b", lambda: io.BytesIO(body)))
    )


def rows(body: bytes, at: datetime = INSTANT) -> pl.DataFrame:
    return pl.concat([batch.rows for batch in batches(body, at)])
