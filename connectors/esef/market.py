"""What ESEF contributes to a market: annual reports of issuers, found by their LEIs.

Does not belong here: any country, or LEI records (`connectors.gleif`).
"""

from __future__ import annotations

from connectors.contract.contribution import SHARED, Contribution
from connectors.contract.dataset import Link
from connectors.esef import mapping, schema
from connectors.esef.dataset import esef_dataset
from connectors.gleif.level1.schema import lei_table


def esef_contribution(code: str) -> Contribution:
    """`<cc>.esef`, linked by the records of the market's `<cc>.lei`."""
    tables = [table.name for table in (schema.index_table(code), schema.report_table(code))]
    return Contribution(
        name="ESEF reports",
        rank=SHARED,
        datasets=(esef_dataset(code),),
        links=tuple(Link(table, "lei", lei_table(code).name, "lei") for table in tables),
        lei_columns=dict.fromkeys(tables, "lei"),
        to_shared_tables=lambda present, _today: mapping.map_filings_and_financials(code, present),
    )
