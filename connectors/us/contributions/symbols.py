"""What symbols contribute to the market: those that trade on its exchanges.

Belongs here: listing the dataset, its mapping, and the link from a symbol to its filer. Does not belong here:
reading (`nasdaq_symbol_directory`).
"""

from __future__ import annotations

from datetime import date
from typing import Final

from connectors.contract.contribution import Contribution
from connectors.contract.dataset import Link, PresentRows, SharedTables
from connectors.kit.staging import present_rows
from connectors.us.symbols import company_tickers, nasdaq_symbol_directory
from connectors.us.symbols import schema as f
from warehouse.schema.tables import LISTINGS


def _to_shared_tables(present: PresentRows, today: date) -> SharedTables:
    del today
    return {
        LISTINGS.name: nasdaq_symbol_directory.map_listings(
            present_rows(present, f.NASDAQ), present_rows(present, f.OTHERS)
        )
    }


SYMBOLS: Final = Contribution(
    name="symbols",
    datasets=(nasdaq_symbol_directory.DATASET,),
    to_shared_tables=_to_shared_tables,
    links=tuple(Link(table.name, f.TICKER, company_tickers.TICKERS.name, "ticker") for table in (f.NASDAQ, f.OTHERS)),
)
