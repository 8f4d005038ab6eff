"""What the listings of shares contribute to a market: lines of FIRDS, and the rule of `is_listed`.

Belongs here: their contributions, and those of all sources that markets with LEIs in their register share. Does not
belong here: any country, or the rule itself (`is_listed`).
"""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.contribution import SHARED, Contribution
from connectors.contract.dataset import AbsenceRule, Dataset, Link, PresentRows, SharedTables
from connectors.esef.market import esef_contribution
from connectors.firds import schema as firds_schema
from connectors.firds.dataset import FirdsAuthority, firds_datasets
from connectors.gleif.level1.schema import lei_table
from connectors.gleif.market import isin_contribution, lei_contribution, parents_contribution
from connectors.kit import staging
from connectors.listings import is_listed, mapping
from warehouse.schema.tables import COMPANIES, IDENTIFIERS, LISTINGS

_LEI: Final = "lei"
_AFTER_RECORDS: Final = SHARED + 1  # identifiers that a source gives itself hold before those of its shares


def issuer_contributions(code: str, authority: FirdsAuthority, *further: Dataset) -> tuple[Contribution, ...]:
    """LEIs, their parents, ISINs, ESEF reports and listings of a market whose companies are found by LEI.

    authority: publisher of FIRDS for the market. further: datasets that give evidence of listings after FIRDS.
    """
    firds = firds_contribution(code, authority)
    return (
        lei_contribution(code),
        parents_contribution(code),
        isin_contribution(code, through=lei_table(code).name),
        esef_contribution(code),
        firds,
        listing_rule(code, firds.datasets[0], *further, changes=firds.datasets[1:]),
    )


def firds_contribution(code: str, authority: FirdsAuthority) -> Contribution:
    """`<cc>.firds` and `<cc>.firds_changes`: equities on venues, by the LEIs of their issuers."""
    tables = [table.name for table in (*firds_schema.full_tables(code), firds_schema.changes_table(code))]
    return Contribution(
        name="FIRDS",
        rank=SHARED,
        datasets=firds_datasets(code, authority),
        links=tuple(Link(table, _LEI, lei_table(code).name, _LEI) for table in tables),
        lei_columns=dict.fromkeys(tables, _LEI),
        to_shared_tables=lambda present, _today: {LISTINGS.name: mapping.map_firds_listings(code, present)},
    )


def listing_rule(code: str, *evidence: Dataset, changes: tuple[Dataset, ...] = ()) -> Contribution:
    """`is_listed` of every company and the identifiers of listed shares, from the listings of all sources.

    evidence: datasets with evidence, strongest first; changes: feeds of the first. Where none of them was loaded, every
    company is unlisted without a source.
    """
    order = tuple(dataset.key for dataset in evidence)
    return Contribution(
        name="listed companies",
        rank=_AFTER_RECORDS,
        to_dependent_tables=_map_identifiers,
        table_rules={COMPANIES.name: partial(_decide_listed, order)},
        field_precedence={"is_listed": order},
        absence_rules=(
            AbsenceRule(
                name=f"{code.lower()}.is_listed.evidence",
                reads=(*evidence, *changes),
                undecided=pl.col("is_listed_source").is_null() & (pl.col("status") != "dissolved"),
                is_open_without_records=True,
            ),
        ),
    )


def _map_identifiers(shared: SharedTables, _present: PresentRows, today: date) -> SharedTables:
    return {IDENTIFIERS.name: mapping.map_identifiers(_listings(shared), today, shared.get(IDENTIFIERS.name))}


def _decide_listed(order: tuple[str, ...], companies: pl.DataFrame, shared: SharedTables, today: date) -> pl.DataFrame:
    return is_listed.derive_is_listed(companies, _listings(shared), order, today)


def _listings(shared: SharedTables) -> pl.DataFrame:
    return shared[LISTINGS.name] if LISTINGS.name in shared else staging.empty_staged_frame(LISTINGS)
