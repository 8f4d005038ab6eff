"""Columns that the shared tables have in common: whose row it is, and who said so when.

Does not belong here: any table (`tables`, `owner_tables`).
"""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, Kind

COMPANY_ID: Final = Column("company_id", Kind.TEXT, "firm:<COUNTRY>:<org_number>", nullable=False)
PROVENANCE: Final = (
    Column(
        "register",
        Kind.TEXT,
        "key of the dataset that gave the row, as no.enheter",
        nullable=False,
        business=False,
    ),
    Column("raw", Kind.TEXT, "pointer into RAW: sha256[#member]", business=False),
    Column("observed_at", Kind.INSTANT, "when the source said so", nullable=False, business=False),
)
