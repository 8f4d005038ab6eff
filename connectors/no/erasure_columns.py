"""Staged columns that decide what is erased: those that name a holder, and the marks of removed entities.

Two tables store a company's holders in one cell: their Keys list every holder in the cell. Does not belong here:
the holdings (`roller.holdings`, `konsern.holdings`), or the erasure itself, which follows the ingest (pipelines).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
import polars as pl

from connectors.contract.dataset import ComputedKey
from connectors.no.aksjonaerregister import schema as aksjonaerregister_schema
from connectors.no.enheter.schema import DELETED, REMOVED
from connectors.no.konsern import schema as konsern_schema
from connectors.no.newsweb import schema as newsweb_schema
from connectors.no.oppdateringer import schema as feed
from connectors.no.roller import schema as roller_schema
from connectors.no.roller.holdings import holder_of_role


def _holder_names_of_role(role: Mapping[str, Any]) -> Iterable[str | None]:
    found = holder_of_role(role) or {}
    return (found.get(name) for name in ("native", "holder_name"))


def _parent_names_of_edge(edge: Mapping[str, Any]) -> Iterable[str | None]:
    return (edge.get(name) for name in (konsern_schema.PARENT, "navn"))


def _names_per_row(
    column: str, named: Callable[[Mapping[str, Any]], Iterable[str | None]]
) -> Callable[[pl.DataFrame], pl.Series]:
    def of(rows: pl.DataFrame) -> pl.Series:
        cells = [msgspec.json.decode(cell or "[]") for cell in rows[column]]
        names = [[name for one in cell for name in named(one) if name] for cell in cells]
        return pl.Series(column, names, pl.List(pl.String))

    return of


HOLDERS: Final[Mapping[str, tuple[str | ComputedKey, ...]]] = {
    roller_schema.ROLES.name: (
        ComputedKey("role_holders", _names_per_row(roller_schema.GROUPS, _holder_names_of_role)),
    ),
    konsern_schema.MEMBERS.name: (
        ComputedKey("group_parents", _names_per_row(konsern_schema.EDGES, _parent_names_of_edge)),
    ),
    aksjonaerregister_schema.SHAREHOLDERS.name: (aksjonaerregister_schema.HOLDER, "navn"),
    newsweb_schema.FLAGS.name: ("holder", "name"),
}


def _is_removed(rows: pl.DataFrame) -> pl.Series:
    """Removed for legal reasons: status 410. Their personal data must be erased, once that is confirmed."""
    return rows["respons_klasse"] == REMOVED


def _is_reported_removed(rows: pl.DataFrame) -> pl.Series:
    """The newest entry of the entity feed says `Fjernet`."""
    return (rows[feed.STREAM] == feed.ENTITIES) & (rows[feed.KIND] == feed.REMOVED)


REMOVALS: Final[Mapping[str, Callable[[pl.DataFrame], pl.Series]]] = {DELETED.name: _is_removed}
REMOVAL_CONFIRMATIONS: Final[Mapping[str, Callable[[pl.DataFrame], pl.Series]]] = {
    feed.NAMED.name: _is_reported_removed
}
