"""Pages of SCB's register of enterprises written by hand in the API's form, and reading them."""

import io
import json
from datetime import datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Scope
from connectors.se import SWEDEN
from tests.connectors.se.bulk_files import INSTANT, ONE

REGISTER = SWEDEN.dataset("se.foretagsregister")


def legal_unit(number: str = ONE, **changed: Any) -> dict[str, Any]:
    """One unit with all its members: texts and numbers mixed, blanks for what is missing."""
    unit = {
        "peOrgNr": f"16{number}",
        "orgNr": number,
        "namn": "EXEMPEL AB",
        "postAdress": {"gatuAdress": "Box 1", "coAdress": "", "postNr": "11122", "postOrt": "STOCKHOLM"},
        "kommunSate": "1480",
        "lanSate": "14",
        "aeAnt": 1,
        "anstKl": "2",
        "ftgStat": "1",
        "jurform": "49",
        "reklamSparrTyp": 1,
        "telefonSparrTyp": 1,
        "epostSparrTyp": 1,
        "startDat": "2025-02-02T23:00:00.000Z",
        "regDat": "2025-01-20T15:16:00.000Z",
        "expImp": "0",
        "tel": "031-000000",
        "epost": "nobody@example.com",
        "omsAr": 2024,
        "omsKl": "1",
        "agKat": "41",
        "foretagsnamn": " ",
        "foretagsnamnAnt": 1,
        "arbGivStat": "0",
        "momsStat": "1",
        "fSkattStat": "1",
        "bolStat": "0",
        "privPubl": "0",
        "sektor": "111000",
        "naringsgrenar": [{"rangordning": 1, "naringsgren": "62100", "andelProcent": 100, "avdelningsKod": "K"}],
    }
    return unit | changed


def page(*units: dict[str, Any], following: int | None = None) -> bytes:
    """A page; `following` is the cursor of the next one."""
    pagination = {"nextCursorId": following, "limit": 5000, "hasMore": following is not None}
    return json.dumps({"pagination": pagination, "jes": list(units)}).encode()


def batches(body: bytes, at: datetime = INSTANT) -> list[Batch]:
    member = ArchiveMember(REGISTER.key, "x.json", "0" * 64, at, Scope.PART, "b", lambda: io.BytesIO(body))
    return list(REGISTER.read_batches(member))


def rows(body: bytes, at: datetime = INSTANT) -> pl.DataFrame:
    return pl.concat([batch.rows for batch in batches(body, at)])
