"""Manual decisions on holders: shows a company's owners, validates the ids, records decisions.

Does not belong here: where decisions are stored (`warehouse.decisions`), how they change lines
(`transforms.holders.match_rules`), when a run applies them (`steps.normalise`), or printing (`firm`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import polars as pl

from pipelines.transforms.holders.match_rules import RENEWED, HolderJoin
from pipelines.transforms.holders.resolve import find_holder_joins, holder_ids, reassigned_holder_ids
from warehouse.decisions import DecisionLog, DecisionRecord
from warehouse.erasure import history as erasure_history
from warehouse.history.database import existing_history_path
from warehouse.history.history import MarketHistory
from warehouse.schema import identifiers
from warehouse.schema.decisions import SAME
from warehouse.schema.ids import holder_id
from warehouse.schema.tables import HOLDINGS, OWNERS
from warehouse.storage.layout import Layout

_HOLDER: Final = "own_"
_COMPANY: Final = f"{identifiers.PREFIX}:"


class HolderDecisionError(ValueError):
    """An unknown company or holder; the message says what to do."""


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """A manual decision to record: `one` is a holder's id, `other` another holder's or a company's."""

    company: str
    one: str
    other: str
    verdict: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class CompanyOwners:
    """A company's owners. lines: OWNERS rows; records: HOLDINGS rows with their own `holder_id`; joins: reasons."""

    market: str
    company_id: str
    lines: tuple[dict[str, Any], ...]
    records: tuple[dict[str, Any], ...]
    joins: tuple[HolderJoin, ...]

    def line_of(self, record: dict[str, Any]) -> str | None:
        """The id of the line that contains a record."""
        key = (record["register"], record["native_id"])
        for line in self.lines:
            sources = json.loads(line["sources"])
            if key in [(source["register"], source["native_id"]) for source in sources]:
                return line["holder_id"]
        return None


def load_company_owners(layout: Layout, company: str) -> CompanyOwners:
    """The owners currently known for a company. Raises HolderDecisionError; Locked while its market is written."""
    number = identifiers.parse_company_number(company)
    if number is None:
        raise HolderDecisionError(
            f"{company} is not a company number or id: give firm:NO:923609016 or the number alone"
        )
    if existing_history_path(layout, number.market) is None:
        raise HolderDecisionError(f"market {number.market} has no data here: run firm ingest {number.market}")
    wanted = pl.Series("company_id", [number.company_id])
    with MarketHistory(layout, number.market) as history:
        holdings, owners = (history.current_rows(table, wanted) for table in (HOLDINGS, OWNERS))
    if holdings.is_empty():
        raise HolderDecisionError(f"no holder of {number.company_id} is known")
    records = holdings.with_columns(holder_ids(holdings)).to_dicts()
    lines = dict(reassigned_holder_ids(owners))
    found = [
        join
        for join in find_holder_joins(holdings, DecisionLog(layout).holder_decisions(number.market))
        # marks of persons, which are not stored, keep records of one name apart
        if join.rule != RENEWED or lines.get(join.one, join.one) == lines.get(join.other, join.other)
    ]
    return CompanyOwners(number.market, number.company_id, tuple(owners.to_dicts()), tuple(records), tuple(found))


def record_decision(layout: Layout, request: DecisionRequest, at: datetime) -> DecisionRecord:
    """Stores a decision; the next ingest of the market applies it. Raises HolderDecisionError."""
    owners = load_company_owners(layout, request.company)
    one = _record_id(owners, request.one)
    is_holder = request.other.startswith(_HOLDER)
    other = _record_id(owners, request.other) if is_holder else _company_id(layout, request.other)
    if one == other:
        raise HolderDecisionError(f"{request.one} and {request.other} are the same record: no decision is needed")
    if other == owners.company_id and request.verdict == SAME:
        raise HolderDecisionError(f"{other} is the company itself: treasury shares are taken from its registers")
    row = DecisionRecord(
        0, owners.market, owners.company_id, one, other, request.verdict, request.by, at, request.reason
    )
    return DecisionLog(layout).add(row)


def _record_id(owners: CompanyOwners, holder: str) -> str:
    """Resolves a holder id to a record's own id; the id of a line resolves to its first record."""
    ids = [record["holder_id"] for record in owners.records]
    if holder in ids:
        return holder
    for line in owners.lines:
        if line["holder_id"] == holder:
            source = json.loads(line["sources"])[0]
            return holder_id(owners.company_id, source["register"], source["native_id"])
    raise HolderDecisionError(
        f"{holder} is not a holder of {owners.company_id}: run firm owners show {owners.company_id}"
    )


def _company_id(layout: Layout, text: str) -> str:
    number = identifiers.parse_company_number(text)
    if number is None:
        raise HolderDecisionError(f"{text} is neither a holder (own_…) nor a company (firm:NO:923609016)")
    if not erasure_history.is_company_known(layout, number.market, number.company_id):
        raise HolderDecisionError(f"{number.company_id} is unknown here: ingest its market first, or check the number")
    return number.company_id
