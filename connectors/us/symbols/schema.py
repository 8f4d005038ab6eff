"""The staged tables of the symbol directory, and the meaning of its codes (docs/formats/news.md 3.5).

Does not belong here: reading (`nasdaq_symbol_directory`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "us.symdir"
TICKER: Final = "ticker"
_T: Final = ColumnKind.TEXT
_COLUMNS: Final = (
    Column("symbol", _T, "as the directory writes it: BRK.B", nullable=False),
    Column(TICKER, _T, "as the SEC writes it: BRK-B", nullable=False),
    Column("name", _T, "security, with its class"),
    Column("mic", _T, "venue, ISO 10383; null for a code that is not known"),
    Column("status", _T, "financial status: N normal, D deficient, E delinquent, …"),
)
NASDAQ: Final = Table("us_nasdaq_symbol", "Shares on Nasdaq; no test issues, no funds.", ("symbol",), _COLUMNS)
OTHERS: Final = Table("us_other_symbol", "Shares on other exchanges; no test issues, no funds.", ("symbol",), _COLUMNS)
EXCHANGES: Final = {"A": "XASE", "N": "XNYS", "P": "ARCX", "Z": "BATS", "V": "IEXG"}
MARKETS: Final = ("Q", "G", "S")  # Global Select, Global Market, Capital Market: all of Nasdaq
NASDAQ_MIC: Final = "XNAS"
STATUSES: Final = ("N", "D", "E", "Q", "G", "H", "J", "K")
