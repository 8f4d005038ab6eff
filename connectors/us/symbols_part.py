"""The symbols part of the market: the symbols that trade on its exchanges.

Belongs here: listing its dataset, its mapping, and the link from a symbol to its filer. Does not belong here:
reading (`symbol_directory`).
"""

from __future__ import annotations

from datetime import date
from typing import Final

from connectors.declare import Link, SharedTables
from connectors.us import company_lists, symbol_directory
from connectors.us import symbol_fields as f
from connectors.us.parts import Part, Present, rows
from warehouse.schema.tables import LISTINGS


def _shared(present: Present, today: date) -> SharedTables:
    del today
    return {LISTINGS.name: symbol_directory.listings(rows(present, f.NASDAQ), rows(present, f.OTHERS))}


PART: Final = Part(
    datasets=(symbol_directory.DATASET,),
    shared=_shared,
    links=tuple(
        Link(table.name, f.TICKER, company_lists.TICKERS.name, "ticker") for table in (f.NASDAQ, f.OTHERS)
    ),
)
