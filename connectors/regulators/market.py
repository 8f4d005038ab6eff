"""What regulators contribute to a market: their acts, and notices about its companies.

Belongs here: linking an act to its company (by LEI, else by its full name, only if exactly one company matches),
acts of linked companies as shared notices, unmatched acts for manual review. An authority's text is not passed on:
the title, the fine and the URL are. Does not belong here: any country's register.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.contribution import SHARED, Contribution
from connectors.contract.dataset import Dataset, Link, PresentRows, SharedTables
from connectors.kit import staging
from connectors.kit.name_keys import Names, core_key, formless_core_key, full_name_key
from connectors.regulators import schema
from connectors.regulators.act_types import ACTION_TYPES, NEVER_MATCHED
from connectors.regulators.authorities import LIMITS
from connectors.regulators.schema import SURE
from name_matching.company_markers import CompanyMarker
from name_matching.core_name import is_weak_core, split_core_and_forms
from warehouse.schema.identifiers import iso_country
from warehouse.schema.ids import natural_id
from warehouse.schema.tables import COMPANIES, NOTICES
from warehouse.schema.types import Table

_LEI: Final = "lei"
_SEVERAL: Final = 2  # words of a core name after an «and» that may be part of it; with fewer it is not matched

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class CompanyRegister:
    """The staged table with the names of a market's companies.

    names: null for rows that no act can mean. cores: of companies that a list of companies may name without
    their legal form; None if the market has no such list. leis: its LEI records; None if companies are not found
    by LEI.
    """

    table: str
    names: Names
    cores: Names | None = None
    leis: Table | None = None


def acts_contribution(code: str, datasets: tuple[Dataset, ...], register: CompanyRegister) -> Contribution:
    """These datasets of acts, all of them in `<cc>_acts`, and the notices about the market's companies."""
    table = schema.acts_table(code).name
    hosts = {dataset.host for dataset in datasets}
    return Contribution(
        name="acts of regulators",
        rank=SHARED,
        datasets=datasets,
        links=tuple(_act_links(code, table, register)),
        lei_columns={table: _LEI},
        to_dependent_tables=partial(_map_notices, code),
        host_limits=tuple(limit for limit in LIMITS if limit.host in hosts),
    )


def _act_links(code: str, table: str, register: CompanyRegister) -> Iterator[Link]:
    if register.leis is not None:
        yield Link(table, _LEI, register.leis.name, _LEI)
    of_act = full_name_key(code, _full_names_selector(code))
    yield Link(table, of_act, register.table, full_name_key(code, register.names))
    if register.cores is not None:
        of_list = formless_core_key(code, _company_list_names)
        yield Link(table, of_list, register.table, core_key(code, register.cores))


def _map_notices(code: str, shared: SharedTables, present: PresentRows, _today: date) -> SharedTables:
    known = shared[COMPANIES.name] if COMPANIES.name in shared else staging.empty_staged_frame(COMPANIES)
    return {NOTICES.name: map_notices(code, present, known)}


def _full_names_selector(market: str) -> Names:
    """Names of acts that may be matched with their legal forms."""

    def names(rows: pl.DataFrame) -> pl.Series:
        found = [_linkable_full_name(market, row) for row in rows.iter_rows(named=True)]
        return pl.Series("name", found, dtype=pl.String)

    return names


def _linkable_full_name(market: str, row: Row) -> str | None:
    name = row["name"]
    if not isinstance(name, str) or not _is_linkable_by_name(row) or row["mark"] == CompanyMarker.NONE.value:
        return None
    core, forms = split_core_and_forms(name, market)
    if not row["is_whole"] and (is_weak_core(core) or len(core.split()) < _SEVERAL):
        return None
    return name if forms or not is_weak_core(core) else None


def _company_list_names(rows: pl.DataFrame) -> pl.Series:
    """Names from lists that contain companies only."""
    found = [
        row["name"] if row["mark"] == SURE and _is_linkable_by_name(row) else None for row in rows.iter_rows(named=True)
    ]
    return pl.Series("name", found, dtype=pl.String)


def _is_linkable_by_name(row: Row) -> bool:
    """Whether a name may be used for linking: not a warning's (another company's name), nor if there is an LEI."""
    return row["kind"] not in NEVER_MATCHED and row["lei"] is None


def map_notices(market: str, present: Mapping[str, pl.LazyFrame], companies: pl.DataFrame) -> pl.DataFrame:
    """`map_notices`: one per act and company, however many of its names the act uses.

    companies: COMPANIES rows; acts of others are left out. So is an act linked by name alone that is older than
    the company: another company had the name.
    """
    table = schema.acts_table(market).name
    if table not in present:
        return staging.empty_staged_frame(NOTICES)
    rows = (
        present[table]
        .filter(pl.col("_company_id").is_not_null())
        .sort("_company_id", "authority_code", "native_id", "place")
        .unique(["_company_id", "authority_code", "native_id"], keep="first", maintain_order=True)
        .collect()
    )
    known = companies.select(pl.col("company_id").alias("_company_id"), "registered_date")
    was_there = pl.col("published_at").dt.date() >= pl.col("registered_date")
    rows = rows.join(known, on="_company_id", maintain_order="left").filter(
        pl.col("lei").is_not_null() | was_there.fill_null(value=True)
    )
    parts = rows.select("authority_code", "native_id", "_company_id").iter_rows()
    ids = pl.Series("notice_id", [natural_id("ntc", *part) for part in parts], dtype=pl.String)
    kinds = pl.col("kind").replace_strict(ACTION_TYPES, default="other", return_dtype=pl.String)
    found = rows.with_columns(ids, *staging.ORIGIN, kinds.alias("action_type"))
    return staging.cast_to_table(found, NOTICES)


UNMATCHED_COLUMNS: Final = ("register", "published_at", "title", "name", "url", "why")


def unmatched_acts(market: str, present: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """Acts without a company, newest first, with the columns UNMATCHED_COLUMNS.

    present: present rows by staged table, with META_COLUMNS. Acts of other countries' authorities are left out:
    they are staged only for the few companies found by LEI.
    """
    table = schema.acts_table(market).name
    if table not in present:
        return pl.DataFrame(
            schema={**dict.fromkeys(UNMATCHED_COLUMNS, pl.String), "published_at": pl.Datetime("us", "UTC")}
        )
    why = (
        pl.when(pl.col("kind").is_in(NEVER_MATCHED))
        .then(pl.lit("a warning: the name is never matched"))
        .when(pl.col("lei").is_not_null())
        .then(pl.lit("no company of the market has this LEI, or it is not fetched yet"))
        .when(pl.col("name").is_null() | (pl.col("mark") == CompanyMarker.NONE.value))
        .then(pl.lit("no name"))
        .when(~pl.col("is_whole"))
        .then(pl.lit("possibly part of a name: «and» precedes it"))
        .otherwise(pl.lit("no company of that name, or several"))
    )
    own = pl.col("authority_country") == iso_country(market)
    rows = present[table].filter(pl.col("_company_id").is_null(), own.fill_null(value=True))
    return (
        rows.with_columns(why=why)
        .sort("published_at", "authority_code", "native_id", "place", descending=[True, False, False, False])
        .select(UNMATCHED_COLUMNS)
        .collect()
    )
