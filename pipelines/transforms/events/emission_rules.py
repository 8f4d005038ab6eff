"""Which changes may become events (docs/architecture.md 6).

Does not belong here: how states are compared (`warehouse.history.history`) or the content of one kind of event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import polars as pl

SILENT_MONTHS: Final = 24  # periods that ended longer than this before the baseline create no event


@dataclass(frozen=True, slots=True)
class ProfileSources:
    """How the sources of a market's profiles belong together.

    registers: dataset -> the register that it is a channel of; others are registers of their own. seats: datasets that
    state a company's municipality by itself, and not as part of its address.
    """

    registers: Mapping[str, str] = field(default_factory=dict)
    seats: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class EmissionContext:
    """When a change was seen, and which datasets may emit events.

    `instant`: of the snapshot. `known_at`: when its content became known, later if known time had passed the instant
    already. `baselines`: by dataset, the instant of its first snapshot. `late_arriving_datasets`: datasets with a
    late-arriving snapshot at this instant. `link_changes`: (company_id, dataset, lost) of companies that gained or lost
    rows of a dataset by a link, without any change in the world; a row moved from one company to another counts as
    lost for both. `per_company_datasets`: datasets that are looked up company by company, so that their first load may
    take many runs. `first_loads`: by dataset whose first load broke off or was left to later runs, the instant of its
    last snapshot. `profile_sources`: of the market, for changed profiles. `loaded_before`: datasets that an earlier run
    had loaded.
    """

    instant: datetime
    known_at: datetime
    baselines: Mapping[str, datetime]
    late_arriving_datasets: frozenset[str] = frozenset()
    link_changes: pl.DataFrame | None = None
    per_company_datasets: frozenset[str] = frozenset()
    first_loads: Mapping[str, datetime] = field(default_factory=dict)
    profile_sources: ProfileSources = field(default_factory=ProfileSources)
    loaded_before: frozenset[str] = frozenset()

    def emitting_datasets(self) -> pl.DataFrame:
        """The datasets that may announce new records now, with their baselines and the ends of their first loads."""
        return self._dataset_frame(
            dataset
            for dataset, baseline in self.baselines.items()
            if baseline < self.instant and dataset not in self.late_arriving_datasets
        )

    def loaded_datasets(self) -> pl.DataFrame:
        """The datasets of which this is not the first snapshot, with their baselines and the ends of their first loads.

        What they change of a served state is announced, also by a file of a later run with the first one's instant.
        """
        later = (one for one, at in self.baselines.items() if at != self.instant or one in self.loaded_before)
        return self._dataset_frame(later)

    def _dataset_frame(self, datasets: Iterable[str]) -> pl.DataFrame:
        rows = [(one, at, max(at, self.first_loads.get(one, at))) for one in datasets for at in (self.baselines[one],)]
        instants = dict.fromkeys(("_baseline", "_loaded"), pl.Datetime("us", "UTC"))
        return pl.DataFrame(rows, schema={"_register": pl.String, **instants}, orient="row")


def emittable_rows(
    rows: pl.DataFrame, register: str, known_companies: pl.Series, context: EmissionContext
) -> pl.DataFrame:
    """New records of companies known before, from datasets that may announce them; adds `_baseline` and `_loaded`."""
    return _rows_of_datasets(rows, register, known_companies, context, context.emitting_datasets())


def emittable_transitions(
    rows: pl.DataFrame, register: str, known_companies: pl.Series, context: EmissionContext
) -> pl.DataFrame:
    """Served states of companies known before that have changed; adds `_baseline` and `_loaded`.

    Late-arriving records count too: who applies the events holds what is served.
    """
    return _rows_of_datasets(rows, register, known_companies, context, context.loaded_datasets())


def _rows_of_datasets(
    rows: pl.DataFrame, register: str, known_companies: pl.Series, context: EmissionContext, datasets: pl.DataFrame
) -> pl.DataFrame:
    # the order is kept: of rows with one event the first is announced
    known = known_companies.rename("company_id").to_frame().unique()
    of_known = rows.join(known, on="company_id", how="semi", maintain_order="left")
    heard = of_known.join(datasets, left_on=register, right_on="_register", how="inner", maintain_order="left")
    return (
        heard
        if context.link_changes is None or context.link_changes.is_empty()
        else _without_link_effects(heard, register, context.link_changes, context.instant)
    )


def without_first_load(rows: pl.DataFrame, day: pl.Expr, context: EmissionContext) -> pl.DataFrame:
    """Drops rows of a first load that took several runs; needs `_baseline` and `_loaded`.

    Rows that the source dates after the baseline (`day`) stay: those are new in the world.
    """
    return rows.filter((pl.lit(context.known_at) > pl.col("_loaded")) | _is_dated_after_baseline(day))


def without_first_answers(
    rows: pl.DataFrame, known: pl.DataFrame, day: pl.Expr, context: EmissionContext
) -> pl.DataFrame:
    """`without_first_load`, and drops rows of a company's first answer from a looked-up dataset, its own baseline.

    `known`: rows known before, with `company_id` and `register`.
    """
    rows = without_first_load(rows, day, context)
    if not context.per_company_datasets:
        return rows
    own = ["company_id", "register"]
    before = known.select(own).unique().with_columns(_known=pl.lit(value=True))
    is_first = pl.col("register").is_in(list(context.per_company_datasets)) & pl.col("_known").is_null()
    marked = rows.join(before, on=own, how="left", maintain_order="left")
    return marked.filter(~is_first | _is_dated_after_baseline(day)).drop("_known")


def _is_dated_after_baseline(day: pl.Expr) -> pl.Expr:
    return (day > pl.col("_baseline").dt.date()).fill_null(value=False)


def _without_link_effects(rows: pl.DataFrame, register: str, linked: pl.DataFrame, instant: datetime) -> pl.DataFrame:
    """Drops rows gained by a link that were observed before the dataset was loaded: they are not new.

    If a link has lost rows, keeps only rows observed at this instant: other differences result from the loss.
    """
    marks = linked.group_by("company_id", "dataset").agg(_lost=pl.col("lost").any())
    own = ["company_id", register]
    marked = rows.join(marks, left_on=own, right_on=["company_id", "dataset"], how="left", maintain_order="left")
    new = pl.col("observed_at") > pl.col("_loaded")
    new &= ~pl.col("_lost") | (pl.col("observed_at") >= instant)
    return marked.filter(pl.col("_lost").is_null() | new).drop("_lost")


def unlinked_companies(context: EmissionContext) -> frozenset[tuple[str, str]]:
    """Companies and the datasets of which they lost rows by a link."""
    if context.link_changes is None:
        return frozenset()
    return frozenset(context.link_changes.filter("lost").select("company_id", "dataset").iter_rows())


def is_within_window(day: pl.Expr) -> pl.Expr:
    """True for a period, or a document's date, within the window before the baseline; needs `_baseline`."""
    limit = pl.col("_baseline").dt.date().dt.offset_by(f"-{SILENT_MONTHS}mo")
    return day >= limit
