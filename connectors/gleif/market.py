"""What GLEIF contributes to a market: LEI records, consolidating parents, issuers of ISINs.

Belongs here: their datasets, links and shared rows as contributions. Does not belong here: any country, or reading
(`level1.dataset`, `level2.dataset`, `isin_mapping`).
"""

from __future__ import annotations

from functools import partial

import polars as pl

from connectors.contract.contribution import SHARED, Contribution
from connectors.contract.dataset import Link
from connectors.gleif import isin_mapping
from connectors.gleif.level1 import dataset as level1
from connectors.gleif.level1.schema import NUMBER, lei_table
from connectors.gleif.level2 import holdings
from connectors.gleif.level2 import schema as level2_schema
from connectors.gleif.level2.dataset import parents_dataset
from warehouse.schema.identifiers import company_id
from warehouse.schema.tables import HOLDINGS, IDENTIFIERS

_LEI = "lei"
_AFTER_SHARES = SHARED + 2  # the register of a traded share holds for its ISIN


def lei_contribution(code: str) -> Contribution:
    """`<cc>.lei`: the records of LEIs that the market's tables name, linked by their number in its register."""
    return Contribution(
        name="LEI records",
        rank=SHARED,
        lei_records=partial(level1.lei_dataset, code),
        company_ids={lei_table(code).name: company_id_of_record(code)},
        to_shared_tables=lambda present, _today: {IDENTIFIERS.name: level1.map_identifiers(code, present)},
        host_limits=(level1.LIMIT,),
    )


def company_id_of_record(code: str) -> pl.Expr:
    """The company of an LEI record; null if it is no company of the market."""
    return pl.lit(company_id(code, "")) + pl.col(NUMBER)


def parents_contribution(code: str) -> Contribution:
    """`<cc>.lei_parents`: consolidating parents, by the LEIs of the market's companies."""
    lei = lei_table(code).name
    return Contribution(
        name="consolidating parents",
        rank=SHARED,
        datasets=(parents_dataset(code),),
        links=(
            Link(level2_schema.relations_table(code).name, "child", lei, _LEI),
            Link(level2_schema.exceptions_table(code).name, _LEI, lei, _LEI),
        ),
        to_shared_tables=lambda present, _today: {HOLDINGS.name: holdings.map_holdings(code, present)},
    )


def isin_contribution(code: str, through: str) -> Contribution:
    """`<cc>.isin`: ISINs by the LEIs of their issuers, which the staged table `through` knows."""
    return Contribution(
        name="issuers of ISINs",
        rank=_AFTER_SHARES,
        datasets=(isin_mapping.isin_dataset(code),),
        links=(Link(isin_mapping.isin_table(code).name, _LEI, through, _LEI),),
        to_shared_tables=lambda present, _today: {IDENTIFIERS.name: isin_mapping.map_identifiers(code, present)},
    )
