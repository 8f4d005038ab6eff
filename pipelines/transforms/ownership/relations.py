"""Relations of companies to the companies that hold them: one line per holder and kind of relation.

A record is a shareholding if it states a share of capital or votes, control if it has a code of control, an accounting
consolidation if it is one; it may be the first two at once, which give two lines. A code that means no control
(`Jurisdiction.stake_codes`) makes a shareholding, of an unknown share if none is stated. Records of one kind are
reconciled as owners are (`survivorship`): kinds are never mixed, so that control has no percentage of its own.

Left out, as no member of a group: natural persons, nominees, holders of an unknown kind that no number or LEI
identifies (a person protected by law is one), and a company as its own holder. Does not belong here: owners (`owners`),
which keep every holder, or the groups that relations make (`warehouse.reader.queries.groups`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import polars as pl

from pipelines.transforms.ownership.owners import SHARE, SourcePrecedence, reconciled_lines
from warehouse.schema.codes import CONSOLIDATED_PARENT
from warehouse.schema.tables import RELATIONS

SHAREHOLDING, CONTROL, CONSOLIDATION = "shareholding", "control", "accounting_consolidation"
_HOLDER: Final = ["company_id", "holder_id"]
_LEI: Final = r"^([0-9A-Z]{18}[0-9]{2})"
_NAMED_KINDS: Final = ("company", "state", "fund")
_OPEN_KINDS: Final = ("group", "unknown")  # members of a group only if a number or an LEI identifies them
_PERSON: Final = "person"


def build_relations(
    records: pl.DataFrame,
    previous_rows: pl.DataFrame,
    instant: datetime,
    sources: SourcePrecedence,
    stake_codes: Sequence[str] = (),
) -> pl.DataFrame:
    """RELATIONS rows of some companies.

    Args:
        records: all records of these companies, as `owners.holder_records` gives them.
        previous_rows: RELATIONS rows known before, of the same companies.
        instant: when this state was observed.
        sources: properties of the market's registers.
        stake_codes: control codes that mean no control (`Jurisdiction.stake_codes`).
    """
    members = _members(records)
    if members.is_empty():
        return previous_rows.select(RELATIONS.names).clear()
    lines = [
        reconciled_lines(found, previous_rows.filter(pl.col("relation") == relation), instant, sources).with_columns(
            relation=pl.lit(relation)
        )
        for relation, found in _by_relation(members, stake_codes).items()
        if not found.is_empty()
    ]
    rows = pl.concat(lines, how="diagonal").with_columns(skips_parent=_skips_parent())
    return rows.select(RELATIONS.names).sort(RELATIONS.key)


def _members(records: pl.DataFrame) -> pl.DataFrame:
    """Records of holders that may be members of a group, with their LEI if it is what names them."""
    is_named_by_lei = pl.col("controls").list.contains(CONSOLIDATED_PARENT)
    rows = records.with_columns(holder_lei=pl.when(is_named_by_lei).then(pl.col("native_id").str.extract(_LEI)))
    is_identified = pl.any_horizontal(pl.col("holder_company_id", "holder_lei").is_not_null())
    kind = pl.col("holder_type")
    is_member = kind.is_in(_NAMED_KINDS) | (kind.is_in(_OPEN_KINDS) & is_identified)
    is_itself = (pl.col("holder_company_id") == pl.col("company_id")).fill_null(value=False)
    # one record that calls the holder a person speaks for all of them
    persons = rows.filter(kind == _PERSON).select(_HOLDER).unique()
    return rows.filter(is_member & ~is_itself).join(persons, on=_HOLDER, how="anti", maintain_order="left")


def _by_relation(members: pl.DataFrame, stake_codes: Sequence[str]) -> Mapping[str, pl.DataFrame]:
    """The records that each kind of relation is made of; only those of shareholdings have shares."""
    codes = pl.col("controls")
    consolidates = codes.list.contains(CONSOLIDATED_PARENT)
    controls = ~consolidates & (codes.list.set_difference(list(stake_codes)).list.len() > 0)
    has_share = pl.any_horizontal(pl.col(name).is_not_null() for name in SHARE if name != "basis")
    no_share = [pl.lit(None, members.schema[name]).alias(name) for name in SHARE]
    found = {
        SHAREHOLDING: members.filter(has_share | (~consolidates & ~controls)),
        CONTROL: members.filter(controls).with_columns(no_share),
        CONSOLIDATION: members.filter(consolidates).with_columns(no_share),
    }
    several = pl.len().over(_HOLDER) > 1
    return {relation: rows.with_columns(_several=several) for relation, rows in found.items()}


def _skips_parent() -> pl.Expr:
    """True for an ultimate parent's consolidation, if another parent consolidates the company directly."""
    consolidates = pl.col("relation") == CONSOLIDATION
    is_direct = consolidates & pl.col("is_direct") & pl.col("ended_on").is_null()
    names_direct = is_direct.fill_null(value=False).any().over("company_id")
    return (consolidates & ~pl.col("is_direct") & names_direct).fill_null(value=False)
