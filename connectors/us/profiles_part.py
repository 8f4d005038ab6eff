"""The profiles part of the market: submissions, single responses about filers, symbols.

Belongs here: listing its datasets, their CIK columns and their mapping. Does not belong here: reading any of
them, or `companies`, to which every part contributes (`mapping`).
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.declare import SharedTables
from connectors.us import company_lists, filer, filings, profiles, submissions
from connectors.us import submissions_fields as f
from connectors.us.companyfacts_schema import FACTS
from connectors.us.fsds_schema import HISTORY
from connectors.us.parts import Part, Present, rows
from warehouse.schema.tables import FILINGS, IDENTIFIERS, LISTINGS


def _shared(present: Present, today: date) -> SharedTables:
    facts = pl.concat([rows(present, table).select(f.CIK, f.ACCESSION) for table in (FACTS, HISTORY)])
    return {
        FILINGS.name: filings.reports(rows(present, f.FILED_TABLE), facts, today),
        IDENTIFIERS.name: profiles.identifiers(present),
        LISTINGS.name: profiles.listings(present),
    }


PART: Final = Part(
    datasets=(submissions.DATASET, filer.DATASET, company_lists.DATASET),
    numbers={f.FILERS.name: f.CIK, f.FILED_TABLE.name: f.CIK, company_lists.TICKERS.name: "cik"},
    shared=_shared,
    precedence={
        "name": (f.KEY, company_lists.KEY),
        "status": (f.KEY,),
        "is_listed": (f.KEY, company_lists.KEY),
    },
)
