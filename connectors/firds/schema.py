"""The staged tables of FIRDS, and the XML paths of their columns (docs/formats/news.md 3.3).

Full files alternate weekly between two tables: a line missing from one file is still in the other table, so
that it ends only when missing twice in a row (docs/formats/news.md 3.7). Does not belong here: reading
(`parse`), or the meaning of a line (`listings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

from warehouse.schema.types import Column, ColumnKind, Subject, Table, TurningDay

_T: Final = ColumnKind.TEXT
EQUITY: Final = r"^E[SPDFC]"  # common, preferred, depositary receipts, limited classes
FULL: Final = "full"
TERMINATED: Final = "terminated"
CANCELLED: Final = "cancelled"
# element of a change -> `record`
CHANGES: Final[Mapping[str, str]] = {
    "NewRcrd": "new",
    "ModfdRcrd": "modified",
    "TermntdRcrd": TERMINATED,
    "CancRcrd": CANCELLED,
}
COLUMNS: Final = (
    Column("isin", _T, "of the instrument", nullable=False),
    Column("mic", _T, "of the venue, ISO 10383", nullable=False),
    Column("lei", _T, "of the issuer", nullable=False),
    Column("cfi", _T, "classification, ISO 10962", nullable=False),
    Column("name", _T, "full name"),
    Column("currency", _T, "notional currency"),
    Column("is_requested", ColumnKind.BOOLEAN, "the issuer requested admission"),
    Column("approved_on", ColumnKind.DATE, "the issuer approved admission"),
    Column("first_traded", ColumnKind.DATE, "first day of trading"),
    Column("ends_on", ColumnKind.DATE, "last day of trading; null for the far future"),
    Column("record", _T, "full, new, modified, terminated or cancelled", nullable=False),
    Column("edition", ColumnKind.DATE, "day of the file", nullable=False),
)
VENUE_ELEMENT: Final = "TradgVnRltdAttrbts"
PATHS: Final[Mapping[str, str]] = {
    "isin": "FinInstrmGnlAttrbts/Id",
    "mic": f"{VENUE_ELEMENT}/Id",
    "lei": "Issr",
    "cfi": "FinInstrmGnlAttrbts/ClssfctnTp",
    "name": "FinInstrmGnlAttrbts/FullNm",
    "currency": "FinInstrmGnlAttrbts/NtnlCcy",
    "is_requested": f"{VENUE_ELEMENT}/IssrReq",
    "approved_on": f"{VENUE_ELEMENT}/AdmssnApprvlDtByIssr",
    "first_traded": f"{VENUE_ELEMENT}/FrstTradDt",
    "ends_on": f"{VENUE_ELEMENT}/TermntnDt",
}
DAYS: Final = ("approved_on", "first_traded", "ends_on")
_TURNING: Final = tuple(TurningDay(name) for name in DAYS)
_KEY: Final = ("isin", "mic")
_DAYS_A_WEEK: Final = 7


def full_tables(market: str) -> tuple[Table, Table]:
    """The tables of full files: of even and of odd weeks."""
    return tuple(  # type: ignore[return-value]
        Table(
            f"{market.lower()}_firds_{turn}",
            "Equities on venues, of a whole file.",
            _KEY,
            COLUMNS,
            subjects=(Subject(numbers=("lei",)),),
            turning_days=_TURNING,
        )
        for turn in ("even", "odd")
    )


def changes_table(market: str) -> Table:
    """The table of daily changes."""
    return Table(
        f"{market.lower()}_firds_change",
        "Equities on venues that changed.",
        _KEY,
        COLUMNS,
        subjects=(Subject(numbers=("lei",)),),
        turning_days=_TURNING,
    )


def full_table(market: str, snapshot_date: date) -> Table:
    """The table for the full file of a day; files are made on Saturdays, so the tables alternate."""
    return full_tables(market)[snapshot_date.toordinal() // _DAYS_A_WEEK % 2]
