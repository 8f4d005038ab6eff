"""Maps Finland's registers to the shared tables, per touched company.

Does not belong here: the mapping of one kind of record (`profile.companies`, `profile.status`, `xbrl.mapping`), or
issuers' releases (`nasdaq`).
"""

from __future__ import annotations

from datetime import date

import polars as pl

from connectors.contract.dataset import PresentRows, SharedTables
from connectors.fi.notices import mapping as notices_mapping
from connectors.fi.notices.schema import DIGITAL, NOTICES
from connectors.fi.profile import companies
from connectors.fi.xbrl import mapping as xbrl_mapping
from connectors.fi.xbrl.schema import REGISTERED, STATEMENTS
from connectors.fi.ytj.schema import COMPANIES as YTJ
from connectors.kit.staging import present_rows
from warehouse.schema.tables import COMPANIES, FILINGS, IDENTIFIERS


def to_shared_tables(present: PresentRows, _today: date) -> SharedTables:
    """Builds the shared tables of the touched companies. `_today` is unused: no Finnish rule depends on age."""
    ytj, statements, registered = (present_rows(present, table) for table in (YTJ, STATEMENTS, REGISTERED))
    digital = xbrl_mapping.map_filings_and_financials(statements, registered)
    told = pl.concat([registered, present_rows(present, DIGITAL)], how="diagonal")
    paper = notices_mapping.map_filings(present_rows(present, NOTICES), xbrl_mapping.registration_days(told))
    return {
        **digital,
        COMPANIES.name: companies.map_companies(ytj, xbrl_mapping.statement_names(statements)),
        IDENTIFIERS.name: companies.map_identifiers(ytj),
        FILINGS.name: pl.concat([digital[FILINGS.name], paper]),
    }
