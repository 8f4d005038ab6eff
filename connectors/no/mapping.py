"""Maps Norway's staged tables to the shared tables, per touched company: one function for each contribution.

Belongs here: the sources of holdings and their precedence (docs/formats/no.md 13.5). Does not belong here: the
mapping of one kind of record or source (`profile.companies`, `regnskap.mapping`, `konsern.holdings`), or one line
per holder (pipelines).
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import PresentRows, SharedTables
from connectors.kit.holdings_history import latest_statements, superseded_statements
from connectors.kit.staging import present_rows
from connectors.no import euronext
from connectors.no.aksjonaerregister import holdings as aksjonaerregister_holdings
from connectors.no.aksjonaerregister import schema as aksjonaerregister_schema
from connectors.no.enheter.schema import DELETED, ENTITIES, NUMBER, REMOVED
from connectors.no.konsern import holdings as konsern_holdings
from connectors.no.konsern import schema as konsern_schema
from connectors.no.newsweb import mapping as newsweb_mapping
from connectors.no.newsweb import schema as newsweb_schema
from connectors.no.profile import companies
from connectors.no.register import company_ids
from connectors.no.regnskap import mapping as regnskap_mapping
from connectors.no.regnskap.schema import ACCOUNTS
from connectors.no.roller import holdings as roller_holdings
from connectors.no.roller.schema import ROLES
from warehouse.schema.tables import COMPANIES, FILINGS, HOLDINGS, HOLDINGS_EARLIER, IDENTIFIERS, LISTINGS

# Major holding notices, group structure, the yearly list; roles come last.
OWNERSHIP: Final = (newsweb_schema.KEY, konsern_schema.KEY, aksjonaerregister_schema.KEY)
# Sources that date each statement; the others update theirs in place.
DATED: Final = (newsweb_schema.KEY, aksjonaerregister_schema.KEY)


def map_registers(present: PresentRows, today: date) -> SharedTables:
    """Profiles, accounts and holders."""
    figures = regnskap_mapping.map_filings_and_financials(present)
    return {COMPANIES.name: companies.map_companies(present, today), **_map_holdings(present), **figures}


def map_announcements(present: PresentRows, _today: date) -> SharedTables:
    """Reports that issuers announce on NewsWeb."""
    announced = newsweb_mapping.map_filings(
        present_rows(present, newsweb_schema.MESSAGES),
        present_rows(present, newsweb_schema.TEXTS),
        present_rows(present, ACCOUNTS) if newsweb_mapping.CALENDAR_YEARS.has_data(present) else None,
    )
    return {FILINGS.name: announced}


def map_shares(present: PresentRows, _today: date) -> SharedTables:
    """Listings and ISINs of shares on the markets of Oslo."""
    shares = present_rows(present, euronext.SHARES)
    return {LISTINGS.name: euronext.map_listings(shares), IDENTIFIERS.name: euronext.map_identifiers(shares)}


def _map_holdings(present: PresentRows) -> dict[str, pl.DataFrame]:
    """Current holders, and earlier statements of dated sources, of companies that are not removed."""
    entities = present_rows(present, ENTITIES)
    shareholders = present_rows(present, aksjonaerregister_schema.SHAREHOLDERS)
    lists = aksjonaerregister_holdings.map_holdings(shareholders, entities)
    yearly = latest_statements(lists)
    groups = konsern_holdings.map_holdings(
        present_rows(present, konsern_schema.MEMBERS),
        present_rows(present, konsern_schema.ANSWERS),
        present_rows(present, konsern_schema.GROUPS),
        entities,
    )
    flags, messages = (present_rows(present, table) for table in (newsweb_schema.FLAGS, newsweb_schema.MESSAGES))
    notices = newsweb_mapping.map_holdings(flags, messages, entities, shareholders)
    now = [latest_statements(notices), _drop_contradicted_ends(groups, yearly), yearly]
    if ROLES.name in present:
        now.append(roller_holdings.map_holdings(present[ROLES.name]))
    before = [superseded_statements(notices), superseded_statements(lists)]
    found = {HOLDINGS.name: pl.concat(now), HOLDINGS_EARLIER.name: pl.concat(before)}
    if DELETED.name not in present:
        return found
    gone = _removed_companies(present_rows(present, DELETED), entities).collect()
    return {name: rows.join(gone, on="company_id", how="anti") for name, rows in found.items()}


def _removed_companies(short: pl.LazyFrame, entities: pl.LazyFrame) -> pl.LazyFrame:
    """Companies that are removed and not back, as in the profile's status: a newer profile shows the latter."""
    profiles = entities.select(NUMBER, pl.col("_observed_at").alias("_profile_seen"))
    is_back = (pl.col("_profile_seen") > pl.col("_observed_at")).fill_null(value=False)
    removed = short.filter(pl.col("respons_klasse") == REMOVED).join(profiles, on=NUMBER, how="left")
    return removed.filter(~is_back).select(company_ids(pl.col(NUMBER)).alias("company_id"))


def _drop_contradicted_ends(groups: pl.DataFrame, yearly: pl.DataFrame) -> pl.DataFrame:
    """Drops ended edges if the yearly list still names the parent: leaving a group is not a sale."""
    still = yearly.filter(pl.col("ended_on").is_null(), pl.col("holder_company_id").is_not_null())
    ended = groups.filter(pl.col("ended_on").is_not_null())
    kept = ended.join(still, on=["company_id", "native_id"], how="anti")
    return pl.concat([groups.filter(pl.col("ended_on").is_null()), kept])
