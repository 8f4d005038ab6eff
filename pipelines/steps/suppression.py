"""Suppression filter: finds staged rows of erased subjects and keeps them out when a source delivers them again.

Belongs here: matching a row by its company, or by the salted hashes that tombstones keep. Does not belong
here: deleting stored rows (`market`), or the tombstones themselves (`warehouse.erasure.tombstones`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction, Link
from connectors.contract.pieces import Batch, Signal
from connectors.kit.redact import remove_records
from pipelines.runtime.parser_pool import ParseOutcome
from pipelines.steps.link_companies import key_column, links_by_table
from warehouse.erasure.free_texts import TextRedactor
from warehouse.erasure.tombstones import Tombstone
from warehouse.schema.types import Table
from warehouse.schema_render import POLARS

REMOVED: Final = "removed"  # figure of a staged batch: companies removed by the register
REFUSED: Final = "refused"  # figure of a staged batch: bodies with suppressed rows
RETURNED: Final = "erased_company_returned"  # code of a signal: a register has a company again that it had removed
_EXAMPLES: Final = 5


@dataclass(frozen=True)
class SuppressionMatcher:
    """Matches rows of the subjects of some tombstones of one market.

    keys: by staged table, keys and `_company_id` of present rows: those of the companies, and all rows
    assigned to any company by a link, which `touches` does not know.
    """

    jurisdiction: Jurisdiction
    tombstones: tuple[Tombstone, ...]
    keys: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @cached_property
    def companies(self) -> frozenset[str]:
        """The erased companies themselves."""
        return frozenset(stone.subject for stone in self.tombstones if stone.is_company)

    @cached_property
    def removed_by_register(self) -> frozenset[str]:
        """The companies that were erased because their register removed them."""
        return frozenset(stone.subject for stone in self.tombstones if stone.is_company and stone.by_register)

    @cached_property
    def _holder_tombstones(self) -> dict[str, list[Tombstone]]:
        found: dict[str, list[Tombstone]] = {}
        for stone in self.tombstones:
            if not stone.is_company:
                found.setdefault(stone.company_id, []).append(stone)
        return found

    @cached_property
    def _links(self) -> dict[str, list[Link]]:
        return links_by_table(self.jurisdiction)

    @property
    def concerned(self) -> frozenset[str]:
        """Every company with a row to remove."""
        return self.companies | self._holder_tombstones.keys()

    @property
    def nameless(self) -> frozenset[str]:
        """Tables with rows that may concern a subject without naming a company."""
        return frozenset(self._links)

    def mask(self, table: Table, rows: pl.DataFrame) -> pl.Series:
        """Mask of rows to remove: a company's, except the register's notice of its removal, and a holder's.

        A row that only a link assigns to a company, and that is not assigned yet, is matched by its content
        alone.
        """
        rows = _with_missing_columns(table, rows)
        staged = rows.select(table.names)
        company = self.jurisdiction.company_ids_of_rows(table.name, staged).cast(pl.String)
        linked = self._linked_companies(table, rows)
        hit = _is_in(company, self.companies) | _is_in(linked, self.companies)
        if table.name in self.jurisdiction.removal_masks:
            says = self.jurisdiction.removal_masks[table.name](rows).fill_null(value=False)
            hit &= ~(says & _is_in(company, self.removed_by_register))
        return hit | self._traced_mask(table, staged, pl.select(pl.coalesce(company, linked)).to_series())

    def _linked_companies(self, table: Table, rows: pl.DataFrame) -> pl.Series:
        """The company of each row by its link, as far as known."""
        if "_company_id" in rows.columns:
            return rows["_company_id"]
        keys = self.keys.get(table.name)
        if keys is None or keys.is_empty():
            return pl.repeat(None, n=rows.height, dtype=pl.String, eager=True)
        same = [pl.col(name).cast(rows.schema[name]) for name in table.key]
        known = keys.select(*same, "_company_id").unique(table.key)
        return rows.select(table.key).join(known, on=table.key, how="left", maintain_order="left")["_company_id"]

    def _traced_mask(self, table: Table, rows: pl.DataFrame, company: pl.Series) -> pl.Series:
        """Rows that name a holder by one of its traces, or that a link assigns to a company by one."""
        nameless = company.is_null() & (table.name in self._links)
        concerned = _is_in(company, self._holder_tombstones) | nameless
        found = [False] * rows.height
        places = concerned.arg_true()
        some = rows[places]
        everybody = [stone for stones in self._holder_tombstones.values() for stone in stones]
        for place, names, told in zip(places, self._names(table, some), self._link_texts(table, some), strict=True):
            known = company[place]
            held = everybody if known is None else self._holder_tombstones[known]
            found[place] = any(_has_trace(held, name) for name in names) or (
                known is None and told is not None and self._is_theirs(told)
            )
        return pl.Series("traced", found, dtype=pl.Boolean)

    def _names(self, table: Table, rows: pl.DataFrame) -> list[list[str]]:
        """The holders that each row names."""
        declared = self.jurisdiction.holder_columns.get(table.name, ())
        # as lists: an element of a series of lists is a series, not a list of texts
        columns = [(rows[one] if isinstance(one, str) else one.of(rows)).to_list() for one in declared]
        return [list(_text_values(column[place] for column in columns)) for place in range(rows.height)]

    def _link_texts(self, table: Table, rows: pl.DataFrame) -> list[str | None]:
        """The link key of each row: the first one present, in the form that tombstones hash."""
        ways = [
            (link, rows[link.key] if isinstance(link.key, str) else link.key.of(rows))
            for link in self._links.get(table.name, ())
        ]
        return [
            next((link_text(link, keys[place]) for link, keys in ways if keys[place]), None)
            for place in range(rows.height)
        ]

    def _is_theirs(self, text: str) -> bool:
        return _has_trace((stone for stone in self.tombstones if stone.is_company), text)

    def texts(self, table: Table, rows: pl.DataFrame) -> set[str]:
        """Texts that identify removed rows in raw bytes: their keys, the holders they name, their link keys."""
        links = [link.key for link in self._links.get(table.name, ()) if isinstance(link.key, str)]
        told = {text for row in rows.select({*table.key, *links}).iter_rows() for text in _text_values(row)}
        return told.union(*self._names(table, rows.select(table.names)))

    def linked_texts(self) -> set[str]:
        """Keys, as texts, of rows assigned to the companies by a link."""
        theirs = (keys.filter(_is_in(keys["_company_id"], self.companies)) for keys in self.keys.values())
        rows = (row for keys in theirs for row in keys.drop("_company_id").iter_rows())
        return {text for row in rows for text in _text_values(row)}

    @cached_property
    def _number_pattern(self) -> re.Pattern[bytes] | None:
        numbers = [remove_records.number_pattern(company.rpartition(":")[2]) for company in sorted(self.companies)]
        return remove_records.compile_patterns(numbers) if numbers else None

    @cached_property
    def free_texts(self) -> TextRedactor:
        """Finds subjects' names in texts that are no rows: names of files, rejects, signals."""
        return TextRedactor(self.tombstones)

    def mentions_subject(self, text: str) -> bool:
        """True if a text contains the number of an erased company, or the name of a subject."""
        if self._number_pattern is not None and self._number_pattern.search(text.encode()) is not None:
            return True
        return self.free_texts.mentions(text)


def _is_shortened(new: Batch, old: Batch) -> bool:
    return new.rows.height < old.rows.height or new.rejects.height < old.rejects.height


def _with_missing_columns(table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows written under an older version of the table, with the columns added since."""
    missing = [column for column in table.columns if column.name not in rows.columns]
    return rows.with_columns(pl.lit(None, POLARS[column.kind]).alias(column.name) for column in missing)


def _text_values(row: Iterable[Any]) -> Iterator[str]:
    for value in row:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (text for text in value if isinstance(text, str))


def _has_trace(stones: Iterable[Tombstone], text: str) -> bool:
    return any(stone.trace(text) in stone.traces for stone in stones)


def _is_in(companies: pl.Series, some: Collection[str]) -> pl.Series:
    return companies.is_in(list(some)).fill_null(value=False)


def link_text(link: Link, value: object) -> str:
    """A link key as company tombstones hash it; with its table, since numbers of two tables may coincide."""
    return f"{link.through} {key_column(link.through_key)} {value}"


def removal_tables(jurisdiction: Jurisdiction, dataset: Dataset) -> frozenset[str]:
    """The staged tables of a dataset in which the register announces removals."""
    return frozenset(jurisdiction.removal_masks.keys() & dataset.staged_tables.keys())


class SuppressionFilter:
    """Suppression filter between parsing and writing a staged batch; also records removals by the register."""

    def __init__(self, jurisdiction: Jurisdiction, dataset: Dataset, tombstones: Iterable[Tombstone]) -> None:
        self._jurisdiction = jurisdiction
        self._dataset = dataset
        self._refused = SuppressionMatcher(jurisdiction, tuple(tombstones))
        self._companies: set[str] = set()
        self._bodies: set[str] = set()

    def passed(self, outcome: ParseOutcome) -> ParseOutcome:
        """A member's outcome without rows of erased subjects."""
        if removal_tables(self._jurisdiction, self._dataset):
            for batch in outcome.batches:
                self._record_removals(batch)
        if not self._refused.tombstones:
            return outcome
        kept = tuple(map(self._without_suppressed, outcome.batches))
        if any(_is_shortened(new, old) for new, old in zip(kept, outcome.batches, strict=True)):
            self._bodies.add(outcome.member.sha256)
        reason = None if outcome.reason is None else self._refused.free_texts.redact_text(outcome.reason)
        return replace(outcome, batches=kept, reason=reason)

    def figures(self) -> dict[str, list[str]]:
        """Figures for the staged batch."""
        told = {REMOVED: sorted(self._companies), REFUSED: sorted(self._bodies)}
        return {name: found for name, found in told.items() if found}

    def _record_removals(self, batch: Batch) -> None:
        says = self._jurisdiction.removal_masks.get(batch.table)
        if says is not None and batch.rows.height:
            rows = batch.rows.filter(says(batch.rows).fill_null(value=False))
            self._companies |= set(self._jurisdiction.company_ids_of_rows(batch.table, rows).drop_nulls())

    def _without_suppressed(self, batch: Batch) -> Batch:
        mask = self._refused.mask(self._dataset.staged_tables[batch.table], batch.rows)
        mentions_subject = self._refused.mentions_subject
        texts = batch.rejects.select(pl.concat_str(pl.all(), ignore_nulls=True, separator=" ")).to_series()
        told = pl.Series([mentions_subject(text or "") for text in texts], dtype=pl.Boolean)
        return replace(
            batch,
            rows=batch.rows.filter(~mask),
            rejects=batch.rejects.filter(~told) if told.len() else batch.rejects,
            signals=(
                *(
                    replace(
                        signal,
                        subject=self._refused.free_texts.redact_text(signal.subject),
                        examples=tuple(one for one in signal.examples if not mentions_subject(one)),
                    )
                    for signal in batch.signals
                ),
                *self._return_signals(batch.table, batch.rows.filter(mask)),
            ),
        )

    def _return_signals(self, table: str, suppressed: pl.DataFrame) -> Iterator[Signal]:
        """A signal for companies that their register removed, and of which it delivers records again."""
        if not removal_tables(self._jurisdiction, self._dataset):
            return
        companies = self._jurisdiction.company_ids_of_rows(table, suppressed).cast(pl.String)
        returned = companies.filter(_is_in(companies, self._refused.removed_by_register))
        if returned.len():
            examples = tuple(sorted(set(returned))[:_EXAMPLES])
            yield Signal(self._dataset.key, RETURNED, table, returned.len(), examples)
