"""Columns common to the shared tables: the company of a row, and its source and time.

Does not belong here: any table (`tables`, `ownership_tables`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind

COMPANY_ID: Final = Column("company_id", ColumnKind.TEXT, "firm:<COUNTRY>:<org_number>", nullable=False)
PROVENANCE: Final = (
    Column("register", ColumnKind.TEXT, "key of the dataset of the row, as no.enheter", nullable=False, business=False),
    Column("raw", ColumnKind.TEXT, "pointer into RAW: sha256[#member]", business=False),
    Column("observed_at", ColumnKind.INSTANT, "when the source reported it", nullable=False, business=False),
)
