"""Resolves the company of rows that name none, by following their links (`connectors.contract.dataset.Link`).

Belongs here: which link keys are stored with a row, when a link is followed again, and the result. Does not belong
here: the comparison (`warehouse.history.company_links`), or what a row means once it has its company
(`connectors`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Jurisdiction, Link
from pipelines.workspace import staged_tables
from warehouse.history.companions import CompanionPath
from warehouse.history.company_links import GAINED, KEY_PREFIX, LOST, MOVED, NAMELESS, KeyOf, LinkPath
from warehouse.history.history import MarketHistory
from warehouse.schema.types import Table

LINKED: Final = "_linked"  # of a snapshot: companies that gained or lost rows of a dataset by a link
_SCHEMA: Final = {"company_id": pl.String, "dataset": pl.String, "lost": pl.Boolean}


class CompanyLinker:
    """The links of one market in one run."""

    def __init__(self, jurisdiction: Jurisdiction, history: MarketHistory) -> None:
        self._history = history
        self._tables = staged_tables(jurisdiction)
        self._datasets = {name: dataset.key for dataset in jurisdiction.datasets for name in dataset.staged_tables}
        self._links = links_by_table(jurisdiction)
        self._keys = _computed_keys(jurisdiction.links)
        self.companions = {
            one.table: CompanionPath(self._tables[one.table], self._tables[one.through], one.columns)
            for one in jurisdiction.companions
        }
        for name in {table for link in jurisdiction.links for table in (link.table, link.through)}:
            history.prepare_links(self._tables[name], self._keys.get(name, {}))

    def keys_of(self, table: Table) -> Mapping[str, KeyOf]:
        """The link keys stored with a staged table's rows, by column."""
        return self._keys.get(table.name, {})

    def marked(self, table: Table, rows: pl.DataFrame) -> pl.DataFrame:
        """Staged rows, flagged if they name no company and links may resolve one."""
        named = pl.col("_company_id").is_null().alias(NAMELESS)
        return rows.with_columns(named) if table.name in self._links else rows

    def follow(self, changed: Collection[str]) -> tuple[pl.Series, pl.DataFrame]:
        """Follows the links of and through changed tables; returns companies concerned, and the rows of LINKED."""
        moves = [
            pairs.select(
                pl.col(side).alias("company_id"),
                pl.lit(self._datasets[name]).alias("dataset"),
                # rows moved from another company are no news of the new one (`transforms.events.emission_rules`)
                (pl.lit(value=True) if side == LOST else pl.col(MOVED)).alias("lost"),
            )
            for name, pairs in self._relinked_pairs(set(changed))
            for side in (GAINED, LOST)
        ]
        if not moves:
            none = pl.DataFrame(schema=_SCHEMA)
            return none["company_id"], none
        linked = pl.concat([pl.DataFrame(schema=_SCHEMA), *moves]).drop_nulls().unique()
        return linked["company_id"].unique().sort(), linked.sort(*_SCHEMA)

    def companies_of_companions(self, table: Table, rows: pl.DataFrame) -> pl.Series:
        """Companies that staged rows of a table of `companions` concern, once the rows of their instant are applied."""
        path = self.companions[table.name]
        return self._history.companies_of_companions(path, rows.select(path.columns))

    def with_companions(self, present: dict[str, pl.LazyFrame], company_ids: pl.Series) -> dict[str, pl.LazyFrame]:
        """Present rows of these companies with those that concern them by another table's rows."""
        found = {
            name: self._history.companion_rows(path, company_ids)
            for name, path in self.companions.items()
            if {name, path.through.name} <= present.keys()
        }
        return present | found

    def unlinked_rows(self, name: str) -> pl.DataFrame:
        """Unlinked rows of one staged table (`warehouse.history.company_links.unlinked_records`)."""
        return self._history.unlinked_records(
            self._tables[name], [self._link_path(link) for link in self._links.get(name, [])]
        )

    def _relinked_pairs(self, changed: set[str]) -> Iterator[tuple[str, pl.DataFrame]]:
        for name, links in self._links.items():
            if name not in changed and changed.isdisjoint(link.through for link in links):
                continue
            pairs = self._history.resolve_links(self._tables[name], [self._link_path(link) for link in links])
            if pairs.height:
                changed.add(name)  # rows linked through these rows move with them
            yield name, pairs

    def _link_path(self, link: Link) -> LinkPath:
        return LinkPath(key_column(link.key), self._tables[link.through], key_column(link.through_key))


def links_by_table(jurisdiction: Jurisdiction) -> dict[str, list[Link]]:
    """The links of a market by the staged table whose rows they link, in order of evaluation."""
    found: dict[str, list[Link]] = {}
    for link in jurisdiction.links:
        found.setdefault(link.table, []).append(link)
    return found


def _computed_keys(links: tuple[Link, ...]) -> Mapping[str, Mapping[str, KeyOf]]:
    """The computed keys of each table, by the column that holds them."""
    found: dict[str, dict[str, KeyOf]] = {}
    for link in links:
        for table, key in ((link.table, link.key), (link.through, link.through_key)):
            if isinstance(key, ComputedKey):
                found.setdefault(table, {})[key_column(key)] = key.of
    return found


def key_column(key: str | ComputedKey) -> str:
    """The column of a present table that holds a link's key."""
    return key if isinstance(key, str) else KEY_PREFIX + key.name
