"""The staged tables of Form 13F: the cover of a manager's report, and its positions (docs/formats/us.md 7.4).

A position names its issuer by CUSIP alone; Schedules 13D and 13G link CUSIPs to issuers. Does not belong here:
parsing (`parse`), or the mapping of a position (`holdings`).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from warehouse.schema.types import Column, ColumnKind, Subject, Table, TurningDay

KEY: Final = "us.form13f"

SOURCE: Final = "source"
LINE: Final = "line"
MANAGER: Final = "managerCik"
MANAGER_NAME: Final = "manager"
CUSIP: Final = "cusip"
PERIOD: Final = "period"
# of our own choosing: after the end of a quarter, the deadline of the second report from it on; one may be late
SECOND_DEADLINE: Final = timedelta(days=2 * 92 + 45)
_T, _I, _D = ColumnKind.TEXT, ColumnKind.INTEGER, ColumnKind.DATE

_REPORT: Final = (
    Column("accession", _T, "accession number"),
    Column("form", _T, "13F-HR, 13F-HR/A, 13F-NT"),
    Column("filedOn", _D, "day of filing, from the header"),
    Column(MANAGER, _T, "ten digits of the manager; null of a table without its cover"),
    Column(MANAGER_NAME, _T, "manager as named"),
    Column(PERIOD, _D, "last day of the quarter"),
    Column("amendment", _T, "RESTATEMENT replaces what was reported for the period, NEW HOLDINGS adds to it"),
)
COVERS: Final = Table(
    "us_13f_cover",
    "Reports of institutional managers: one row per cover page.",
    (SOURCE,),
    (
        Column(SOURCE, _T, "accession number; the file's digest where nothing gives it", nullable=False),
        *_REPORT,
        Column("report", _T, "13F HOLDINGS REPORT, 13F NOTICE, 13F COMBINATION REPORT"),
        Column("place", _T, "EDGAR code of the manager's state or country"),
        Column("entries", _I, "rows that the table should have"),
        Column("value", _T, "sum of their values, as reported"),
        Column(
            "rowsRead",
            _I,
            "rows with a CUSIP that were read of the filing's tables; null where the file is the cover alone, or "
            "positions are omitted as confidential",
        ),
    ),
    subjects=(Subject(numbers=("managerCik",), names=("manager",)),),
)
POSITIONS: Final = Table(
    "us_13f_position",
    "Positions of institutional managers: one row per row of the information table.",
    (SOURCE, LINE),
    (
        Column(SOURCE, _T, "accession number; the file's digest where nothing gives it", nullable=False),
        Column(LINE, _T, "place in the tables of the filing, from 1", nullable=False),
        *_REPORT,
        Column("place", _T, "EDGAR code of the manager's state or country"),
        Column("issuer", _T, "issuer as named, cut off"),
        Column("classTitle", _T, "class as titled"),
        Column(CUSIP, _T, "eight or nine signs"),
        Column("value", _T, "value as reported: thousands of dollars until 2022, dollars since"),
        Column("dollars", _T, "the value in dollars; null if the unit is unknown"),
        Column("shares", _T, "number of shares, or principal amount"),
        Column("kind", _T, "SH: shares; PRN: principal amount of a debt"),
        Column("option", _T, "Put or Call: no shares are held"),
        Column("discretion", _T, "SOLE, DFND, OTR"),
        Column("others", _T, "numbers of other managers"),
    ),
    subjects=(Subject(numbers=("managerCik",), names=("manager",)), Subject(numbers=("cusip",), names=("issuer",))),
    turning_days=(TurningDay(PERIOD, after_days=SECOND_DEADLINE.days + 1),),
)
STAGED: Final = {table.name: table for table in (COVERS, POSITIONS)}
