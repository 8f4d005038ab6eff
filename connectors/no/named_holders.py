"""Staged columns that name a holder, used to find an erased holder (`Jurisdiction.holders`).

Two tables store a company's holders in one cell: their Keys list every holder in the cell. Does not belong here:
the holdings (`roller_holdings`, `konsern_holdings`), or removing rows (pipelines).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
import polars as pl

from connectors.declare import Key
from connectors.no import aksjonaer_fields, konsern_fields, newsweb_fields, roller_fields
from connectors.no.roller_holdings import holder_of


def _by_roles(role: Mapping[str, Any]) -> Iterable[str | None]:
    found = holder_of(role) or {}
    return (found.get(name) for name in ("native", "holder_name"))


def _by_edges(edge: Mapping[str, Any]) -> Iterable[str | None]:
    return (edge.get(name) for name in (konsern_fields.PARENT, "navn"))


def _listed(
    column: str, named: Callable[[Mapping[str, Any]], Iterable[str | None]]
) -> Callable[[pl.DataFrame], pl.Series]:
    def of(rows: pl.DataFrame) -> pl.Series:
        cells = [msgspec.json.decode(cell or "[]") for cell in rows[column]]
        names = [[name for one in cell for name in named(one) if name] for cell in cells]
        return pl.Series(column, names, pl.List(pl.String))

    return of


HOLDERS: Final[Mapping[str, tuple[str | Key, ...]]] = {
    roller_fields.ROLES.name: (Key("role_holders", _listed(roller_fields.GROUPS, _by_roles)),),
    konsern_fields.MEMBERS.name: (Key("group_parents", _listed(konsern_fields.EDGES, _by_edges)),),
    aksjonaer_fields.SHAREHOLDERS.name: (aksjonaer_fields.HOLDER, "navn"),
    newsweb_fields.FLAGS.name: ("holder", "name"),
}
