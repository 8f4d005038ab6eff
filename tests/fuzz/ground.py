"""One company of each market as its register has it: whose rows are mapped beside those of a case.

Acts, news and listings of a company that no register knows come to nothing; beside a profile they are mapped. Does not
belong here: bodies that cases are made from (`lent`, `invented`).
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Final

import polars as pl

from connectors.contract.dataset import ArchiveMember, Jurisdiction, Scope
from tests.connectors.dk import records
from tests.connectors.fi import finnish_files
from tests.connectors.se import bulk_files
from tests.connectors.us import filer_bodies
from tests.fuzz.case import Case

KNOWN_AT: Final = datetime(2026, 11, 1, tzinfo=UTC)
_ENTITY: Final[dict[str, Any]] = {
    "organisasjonsnummer": "923609016", "navn": "EKSEMPEL ASA", "registreringsdatoEnhetsregisteret": "1995-03-12",
    "organisasjonsform": {"kode": "ASA", "beskrivelse": "Allmennaksjeselskap"}, "registrertIMvaregisteret": True,
    "konkurs": False, "underAvvikling": False, "underTvangsavviklingEllerTvangsopplosning": False,
}  # fmt: skip
_PROFILE: Final[dict[str, Any]] = {
    "resource_kind": "company-profile", "resource_uri": "/company/00000006",
    "data": {"company_name": "EXAMPLE PLC", "company_number": "00000006", "company_status": "active", "type": "plc"},
    "event": {"timepoint": 1, "published_at": "2026-10-01T10:00:00", "type": "changed"},
}  # fmt: skip
BODIES: Final[Mapping[str, tuple[str, Case]]] = {  # by market: the dataset that reads it
    "DK": ("dk.virksomhed", Case("cvr_virksomhed/1.json", records.answer(records.company()))),
    "FI": ("fi.ytj", Case("ytj/all.json", json.dumps([finnish_files.company()]).encode())),
    "NO": ("no.enheter", Case("enheter/alle.json", json.dumps([_ENTITY]).encode())),
    "SE": ("se.bolagsverket", Case("bolagsverket/bulkfil.txt", bulk_files.bulk(bulk_files.organisation()))),
    "UK": ("uk.profiles", Case("companies/1.json", json.dumps(_PROFILE).encode())),
    "US": ("us.submissions", Case("submissions/CIK.json", json.dumps(filer_bodies.filer()).encode())),
}


@cache
def ground(jurisdiction: Jurisdiction) -> Mapping[str, pl.DataFrame]:
    """Staged rows of the market's company, by table."""
    key, case = BODIES[jurisdiction.code]
    piece = ArchiveMember(key, case.name, "0" * 64, KNOWN_AT, Scope.PART, "batch", partial(io.BytesIO, case.body))
    dataset = jurisdiction.dataset(key)
    batches = [batch for part in dataset.split_members(piece) for batch in dataset.read_batches(part)]
    return {
        table: pl.concat([batch.rows for batch in batches if batch.table == table])
        for table in {batch.table for batch in batches}
    }


@cache
def company(jurisdiction: Jurisdiction) -> str:
    """Whose they are."""
    ids = (jurisdiction.company_ids_of_rows(table, rows) for table, rows in ground(jurisdiction).items())
    return next(found for series in ids for found in series.drop_nulls())
