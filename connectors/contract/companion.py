"""Rows of one staged table that concern every company which another table's rows with the same keys concern.

Belongs here: the declaration. Does not belong here: finding the rows (`warehouse.history.companions`), or when they are
found (`pipelines.steps.normalise`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Companion:
    """Gives rows to each company with rows of another table that have the same values.

    The cover of a manager's report concerns every issuer of whom the manager has reported positions:
    `Companion("us_13f_cover", "us_13f_position", ("managerCik",))`. A row is in `to_shared_tables` once for
    each such company, under its `_company_id`; a row that comes makes these companies be normalised again. Soft-deleted
    rows of `through` count: what concerned a company goes on to. A null value matches nothing.

    table: rows that concern no company by themselves. through: rows of companies. columns: in both tables.
    """

    table: str
    through: str
    columns: tuple[str, ...]
