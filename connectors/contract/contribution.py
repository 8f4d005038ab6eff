"""What a source contributes to a market: datasets, company ids, links, and its mapping to shared rows.

Pure declarations; `connectors.kit.composition` merges them to a market, whatever their order. What needs an order
declares it: links and datasets of one table are in the order of the one contribution that declares them, and `rank`
decides between rows with one key. Does not belong here: any source or country.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.companion import Companion
from connectors.contract.dataset import (
    AbsenceRule,
    ComputedKey,
    Dataset,
    HostLimit,
    HostSecret,
    Link,
    PresentRows,
    SharedTables,
)

SHARED: Final = 1


# gives a shared table its final rows, from its merged rows, all merged tables and the logical date
TableRule = Callable[[pl.DataFrame, SharedTables, date], pl.DataFrame]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # declared once: compared by identity
class Contribution:
    """What one source, or several that are read together, add to a market.

    Only one contribution of a market may stage a table, link it, give it holders, or set the precedence of a
    field; `links`, `field_precedence` and the functions may name tables and datasets of any contribution.

    name: in error messages; unique in a market. rank: of shared rows with one key, those of the lowest rank hold,
    and others fill their nulls. Sources that markets share have SHARED or more, so that a market's own hold before
    them. datasets: of two that stage one table, the later wins on equal timestamps. company_ids: staged table ->
    the company of each row, as an expression over its columns. Rows of other tables concern no company, unless
    links find it. links: how rows without a company find one; of one table, hard keys before soft ones.
    companions: rows that concern every company of another table's rows.
    lei_columns: staged table -> its column with LEIs to look up. lei_records: declares the dataset that looks LEIs
    up, from the `lei_columns` of all contributions. to_shared_tables: present rows of any staged table, and the
    logical date, to shared rows. to_dependent_tables: further shared rows that depend on other contributions'
    (`to_shared_tables` of all, merged), as news of known companies. table_rules: shared table -> its final rows,
    from the tables of all contributions; rules do not see each other. field_precedence, holder_columns,
    removal_masks, removal_confirmations, host_secrets, host_limits, dated_datasets, untitled_datasets, news_items,
    absence_rules, registry_statuses, stake_codes, profile_registers, seat_datasets: as in `Jurisdiction`.
    """

    name: str
    rank: int = 0
    datasets: tuple[Dataset, ...] = ()
    company_ids: Mapping[str, pl.Expr] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    companions: tuple[Companion, ...] = ()
    lei_columns: Mapping[str, str] = field(default_factory=dict)
    lei_records: Callable[[Mapping[str, str]], Dataset] | None = None
    to_shared_tables: Callable[[PresentRows, date], SharedTables] = lambda _present, _today: {}
    to_dependent_tables: Callable[[SharedTables, PresentRows, date], SharedTables] = lambda _shared, _rows, _today: {}
    table_rules: Mapping[str, TableRule] = field(default_factory=dict)
    field_precedence: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    holder_columns: Mapping[str, tuple[str | ComputedKey, ...]] = field(default_factory=dict)
    removal_masks: Mapping[str, Callable[[pl.DataFrame], pl.Series]] = field(default_factory=dict)
    removal_confirmations: Mapping[str, Callable[[pl.DataFrame], pl.Series]] = field(default_factory=dict)
    host_secrets: tuple[HostSecret, ...] = ()
    host_limits: tuple[HostLimit, ...] = ()
    dated_datasets: tuple[str, ...] = ()
    untitled_datasets: tuple[str, ...] = ()
    news_items: Mapping[str, Callable[[pl.DataFrame], pl.DataFrame]] = field(default_factory=dict)
    absence_rules: tuple[AbsenceRule, ...] = ()
    registry_statuses: Mapping[str, str] = field(default_factory=dict)
    stake_codes: tuple[str, ...] = ()
    profile_registers: Mapping[str, str] = field(default_factory=dict)
    seat_datasets: tuple[str, ...] = ()
