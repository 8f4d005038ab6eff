"""Manual decisions on holders: shows a company's owners, validates the ids, lists decisions not applied yet.

Does not belong here: where decisions are stored (`warehouse.judgements`), how they change lines
(`steps.holder_rules`), or printing (`firm`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import polars as pl

from pipelines.steps.holder_ids import holder_ids
from pipelines.steps.holder_rules import Join
from pipelines.steps.holders import joins
from warehouse import erasing_history
from warehouse.history import History, path_of
from warehouse.judgements import Judgement, Judgements
from warehouse.paths import Layout
from warehouse.schema import identifiers
from warehouse.schema.ids import holder_id
from warehouse.schema.tables import HOLDINGS, OWNERS
from warehouse.schema.verdicts import SAME

JUDGED_MARK: Final = "judged"
_HOLDER: Final = "own_"
_COMPANY: Final = f"{identifiers.PREFIX}:"


class NotKnown(ValueError):  # noqa: N818 - named for what it says
    """An unknown company or holder; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Told:
    """A manual decision to record: `one` is a holder's id, `other` another holder's or a company's."""

    company: str
    one: str
    other: str
    verdict: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Known:
    """A company's owners. lines: OWNERS rows; records: HOLDINGS rows with their own `holder_id`; joins: reasons."""

    market: str
    company_id: str
    lines: tuple[dict[str, Any], ...]
    records: tuple[dict[str, Any], ...]
    joins: tuple[Join, ...]

    def line_of(self, record: dict[str, Any]) -> str | None:
        """The id of the line that contains a record."""
        key = (record["register"], record["native_id"])
        for line in self.lines:
            sources = json.loads(line["sources"])
            if key in [(source["register"], source["native_id"]) for source in sources]:
                return line["holder_id"]
        return None


def known(layout: Layout, company: str) -> Known:
    """The owners currently known for a company. Raises NotKnown; Locked while its market is written."""
    number = identifiers.parse(company)
    if number is None:
        raise NotKnown(f"{company} is not a company number or id: give firm:NO:923609016 or the number alone")
    if path_of(layout, number.market) is None:
        raise NotKnown(f"market {number.market} has no data here: run firm ingest {number.market}")
    wanted = pl.Series("company_id", [number.company_id])
    with History(layout, number.market) as history:
        holdings, owners = (history.open_rows(table, wanted) for table in (HOLDINGS, OWNERS))
    if holdings.is_empty():
        raise NotKnown(f"no holder of {number.company_id} is known")
    records = holdings.with_columns(holder_ids(holdings)).to_dicts()
    found = joins(holdings, Judgements(layout).verdicts(number.market))
    return Known(number.market, number.company_id, tuple(owners.to_dicts()), tuple(records), tuple(found))


def judge(layout: Layout, told: Told, at: datetime) -> Judgement:
    """Stores a decision; the next ingest of the market applies it. Raises NotKnown."""
    owners = known(layout, told.company)
    one = _record(owners, told.one)
    is_holder = told.other.startswith(_HOLDER)
    other = _record(owners, told.other) if is_holder else _company(layout, told.other)
    if one == other:
        raise NotKnown(f"{told.one} and {told.other} are the same record: no decision is needed")
    if other == owners.company_id and told.verdict == SAME:
        raise NotKnown(f"{other} is the company itself: treasury shares are taken from its registers")
    row = Judgement(0, owners.market, owners.company_id, one, other, told.verdict, told.by, at, told.reason)
    return Judgements(layout).add(row)


def _record(owners: Known, holder: str) -> str:
    """Resolves a holder id to a record's own id; the id of a line resolves to its first record."""
    ids = [record["holder_id"] for record in owners.records]
    if holder in ids:
        return holder
    for line in owners.lines:
        if line["holder_id"] == holder:
            source = json.loads(line["sources"])[0]
            return holder_id(owners.company_id, source["register"], source["native_id"])
    raise NotKnown(
        f"{holder} is not a holder of {owners.company_id}: run firm owners show {owners.company_id}"
    )


def _company(layout: Layout, text: str) -> str:
    number = identifiers.parse(text)
    if number is None:
        raise NotKnown(f"{text} is neither a holder (own_…) nor a company (firm:NO:923609016)")
    if not erasing_history.knows(layout, number.market, number.company_id):
        raise NotKnown(f"{number.company_id} is unknown here: ingest its market first, or check the number")
    return number.company_id


def waiting(layout: Layout, market: str, history: History) -> Sequence[Judgement]:
    """Decisions and reversals that no run of the market has applied yet."""
    taken = history.marked(JUDGED_MARK)
    return [row for row in Judgements(layout).all(market) if str(row.number) not in taken]


def follow(rows: Iterable[Judgement], history: History) -> None:
    """Marks decisions as applied, once the snapshots of their companies are written."""
    for row in rows:
        history.mark(JUDGED_MARK, str(row.number))
