"""Composes a market from its contributions.

The merge does not depend on their order: a table is linked after those that it is linked through, rows with one key
are merged by rank, and contributions that contradict each other raise ValueError when the market is imported. Does
not belong here: the declaration of a contribution (`connectors.contract.contribution`), any source or country.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from graphlib import TopologicalSorter
from itertools import groupby
from typing import Final, TypeVar

import polars as pl

from connectors.contract.contribution import Contribution, TableRule
from connectors.contract.dataset import (
    CONTRADICTIONS,
    CONTRADICTIONS_SCHEMA,
    MAPPING_SIGNALS,
    MAPPING_SIGNALS_SCHEMA,
    Dataset,
    HostLimit,
    Jurisdiction,
    Link,
    PresentRows,
    SharedTables,
)
from connectors.kit import staging
from connectors.kit.columns.text import with_visible_names
from warehouse.schema.markets import MARKETS
from warehouse.schema.tables import NORMALISED, PASSING
from warehouse.schema.types import Table

_T = TypeVar("_T")
_PROVENANCE: Final = ("register", "sources", "document_url")


def compose_market(code: str, contributions: Iterable[Contribution]) -> Jurisdiction:
    """Merges contributions to a declared market. Raises ValueError if two of them declare the same thing."""
    parts = tuple(sorted(contributions, key=lambda part: (part.rank, part.name)))
    merge = _Merge(code, parts)
    merge.by_key("name", lambda part: {part.name: part})
    lei_columns = merge.by_key("the LEI column of", lambda part: part.lei_columns)
    datasets = merge.by_key("dataset", lambda part: {made.key: made for made in _datasets(part, lei_columns)})
    merge.by_key(
        "staged table",
        lambda part: {
            name: table for made in _datasets(part, lei_columns) for name, table in made.staged_tables.items()
        },
    )
    precedence = merge.by_key("the precedence of", lambda part: part.field_precedence)
    if unknown := {key for keys in precedence.values() for key in keys} - datasets.keys():
        raise ValueError(f"{code}: precedence names {', '.join(sorted(unknown))}, which no contribution declares")
    company_ids = merge.by_key("company ids of", lambda part: part.company_ids)
    links = _order_links(merge.by_key("links of", _links_by_table))
    rules = merge.by_key("the rule", lambda part: {rule.name: rule for rule in part.absence_rules})
    if strange := {read.key for rule in rules.values() for read in rule.reads} - datasets.keys():
        raise ValueError(f"{code}: a rule reads {', '.join(sorted(strange))}, which no contribution declares")
    return Jurisdiction(
        code=code,
        state=MARKETS[code].state,
        datasets=tuple(datasets.values()),
        field_precedence=precedence,
        company_ids_of_rows=company_ids_resolver(company_ids),
        to_shared_tables=_MarketMapping(parts, merge.by_key("the rule of", lambda part: part.table_rules)),
        links=links,
        companions=tuple(
            merge.by_key("companions of", lambda part: {one.table: one for one in part.companions}).values()
        ),
        holder_columns=merge.by_key("holders of", lambda part: part.holder_columns),
        removal_masks=merge.by_key("removals of", lambda part: part.removal_masks),
        removal_confirmations=merge.by_key("confirmations of", lambda part: part.removal_confirmations),
        host_secrets=tuple(
            merge.by_key("the secret of", lambda part: {one.host: one for one in part.host_secrets}).values()
        ),
        host_limits=merge_limits(limit for part in parts for limit in part.host_limits),
        dated_datasets=tuple(key for part in parts for key in part.dated_datasets),
        untitled_datasets=tuple(key for part in parts for key in part.untitled_datasets),
        news_items=merge.by_key("news of", lambda part: part.news_items),
        absence_rules=tuple(rules.values()),
        registry_statuses=merge.by_key("the meaning of", lambda part: part.registry_statuses),
        profile_registers=merge.by_key("the register of", lambda part: part.profile_registers),
        seat_datasets=tuple(key for part in parts for key in part.seat_datasets),
        company_tables=frozenset(company_ids) | {link.table for link in links},
        stake_codes=tuple(code for part in parts for code in part.stake_codes),
    )


def company_ids_resolver(company_ids: Mapping[str, pl.Expr]) -> Callable[[str, pl.DataFrame], pl.Series]:
    """Builds `Jurisdiction.company_ids_of_rows`: rows of a staged table to company ids, null where there is none."""

    def resolve(table: str, rows: pl.DataFrame) -> pl.Series:
        found = company_ids.get(table, pl.repeat(None, pl.len(), dtype=pl.String))
        return rows.select(found.alias("_company_id")).to_series()

    return resolve


def merge_limits(limits: Iterable[HostLimit]) -> tuple[HostLimit, ...]:
    """Each host once, by name. Raises ValueError if a host has two different limits."""
    found: dict[str, HostLimit] = {}
    for limit in limits:
        if found.setdefault(limit.host, limit) != limit:
            raise ValueError(f"{limit.host} has two limits: {found[limit.host]} and {limit}")
    return tuple(found[host] for host in sorted(found))


@dataclass(frozen=True, slots=True)
class _Merge:
    """Merges mappings of contributions of which each key may be declared once."""

    code: str
    parts: tuple[Contribution, ...]

    def by_key(self, what: str, declared: Callable[[Contribution], Mapping[str, _T]]) -> dict[str, _T]:
        """All entries; raises ValueError with both names if two contributions have the same key."""
        found: dict[str, _T] = {}
        owners: dict[str, str] = {}
        for part in self.parts:
            for key, value in declared(part).items():
                if key in owners:
                    raise ValueError(f"{self.code}: {owners[key]} and {part.name} both declare {what} {key}")
                found[key], owners[key] = value, part.name
        return found


def _datasets(part: Contribution, lei_columns: Mapping[str, str]) -> Iterator[Dataset]:
    yield from part.datasets
    if part.lei_records is not None:
        yield part.lei_records(lei_columns)


def _links_by_table(part: Contribution) -> dict[str, tuple[Link, ...]]:
    ordered = sorted(part.links, key=lambda link: link.table)  # stable: each table's links stay in order
    return {table: tuple(links) for table, links in groupby(ordered, key=lambda link: link.table)}


def _order_links(links: Mapping[str, tuple[Link, ...]]) -> tuple[Link, ...]:
    """Tables after those that they are linked through. Raises ValueError if tables are linked in a circle."""
    through = {table: sorted({link.through for link in links[table]}) for table in sorted(links)}
    return tuple(link for table in TopologicalSorter(through).static_order() for link in links.get(table, ()))


@dataclass(frozen=True, slots=True)
class _MarketMapping:
    """`Jurisdiction.to_shared_tables`: rows of all contributions, then rows that depend on them, then the rules.

    Names are served as they are seen, whatever hidden signs a register has in them.
    """

    parts: tuple[Contribution, ...]
    rules: Mapping[str, TableRule]

    def __call__(self, present: PresentRows, today: date) -> SharedTables:
        given = [part.to_shared_tables(present, today) for part in self.parts]
        merged = _merge_tables(given)
        first = {name: made.rows for name, made in merged.items()}
        late = [part.to_dependent_tables(first, present, today) for part in self.parts]
        grown = {name for made in late for name in made}
        both = [rows for pair in zip(given, late, strict=True) for rows in pair]  # still by rank
        merged |= _merge_tables([{name: one[name] for name in grown & one.keys()} for one in both])
        shared = {name: made.rows for name, made in merged.items()}
        finals = {name: rule(shared[name], shared, today) for name, rule in self.rules.items() if name in shared}
        found = [made.contradictions for made in merged.values()]
        signals = [tables[MAPPING_SIGNALS] for tables in both if MAPPING_SIGNALS in tables]
        return {
            **{name: with_visible_names(rows) for name, rows in (shared | finals).items()},
            CONTRADICTIONS: pl.concat([CONTRADICTIONS_SCHEMA.to_frame(), *found]),
            MAPPING_SIGNALS: pl.concat([MAPPING_SIGNALS_SCHEMA.to_frame(), *signals]),
        }


@dataclass(frozen=True, slots=True)
class _MergedTable:
    rows: pl.DataFrame
    contradictions: pl.DataFrame


def _merge_tables(given: list[SharedTables]) -> dict[str, _MergedTable]:
    """The tables that are given, each merged; of one key the first row holds and later ones fill its nulls."""
    return {
        table.name: _merge_rows(table, [tables[table.name] for tables in given if table.name in tables])
        for table in (*NORMALISED, *PASSING)
        if any(table.name in tables for tables in given)
    }


def _merge_rows(table: Table, frames: list[pl.DataFrame]) -> _MergedTable:
    schema = staging.staged_schema(table)
    some = [frame.select(table.names).cast(schema) for frame in frames if not frame.is_empty()]  # pyright: ignore[reportArgumentType]
    rows = some[0] if some else staging.empty_staged_frame(table)
    found = [CONTRADICTIONS_SCHEMA.to_frame()]
    for then in some[1:]:
        found.append(_contradicting_values(table, rows, then))
        rows = _fill_rows(table, rows, then)
    return _MergedTable(rows, pl.concat(found))


def _contradicting_values(table: Table, first: pl.DataFrame, then: pl.DataFrame) -> pl.DataFrame:
    """Business values that both frames state for one key, and that differ. Provenance differs by its nature."""
    pairs = then.join(first, on=list(table.key), how="inner", suffix="_first")
    columns = [name for name in table.business if name not in {*table.key, *_PROVENANCE}]
    register = pl.col("register") if "register" in table.names else pl.lit(None, pl.String)
    found = [
        pairs.filter(pl.col(name) != pl.col(f"{name}_first")).select(
            register.alias("register"), table=pl.lit(table.name), column=pl.lit(name), company_id="company_id"
        )
        for name in columns
        if not pairs.is_empty()
    ]
    return pl.concat([CONTRADICTIONS_SCHEMA.to_frame(), *found])


def _fill_rows(table: Table, first: pl.DataFrame, then: pl.DataFrame) -> pl.DataFrame:
    key = list(table.key)
    if then.join(first.select(key), on=key, how="semi").is_empty():
        return pl.concat([first, then])
    rest = [name for name in table.names if name not in table.key]
    both = first.join(then, on=key, how="full", coalesce=True, suffix="_then")
    return both.select(*key, *(pl.coalesce(name, f"{name}_then") for name in rest)).select(table.names)
