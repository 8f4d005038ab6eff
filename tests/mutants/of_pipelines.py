"""Breaks of what follows from two known states: thresholds, precedence, versions, silence, guards, retirement."""

from typing import Final

from tests.mutants.mutant import Mutant

_EVENTS: Final = "tests/pipelines/transforms/events/test_event_rows.py"
_OWNERSHIP: Final = "tests/pipelines/transforms/ownership/test_owners.py"
_RECONCILED: Final = "tests/pipelines/transforms/ownership/test_survivorship.py"

PIPELINES: Final = (
    Mutant(
        "threshold: reaching five percent is not crossing it",
        "pipelines/transforms/events/ownership.py",
        "return tuple(limit for limit in THRESHOLDS if previous < limit <= current)",
        "return tuple(limit for limit in THRESHOLDS if previous < limit < current)",
        f"{_OWNERSHIP}::test_thresholds",
    ),
    Mutant(
        "threshold: falling to five percent is falling below it",
        "pipelines/transforms/events/ownership.py",
        "return tuple(limit for limit in THRESHOLDS if previous >= limit > current)",
        "return tuple(limit for limit in THRESHOLDS if previous >= limit >= current)",
        f"{_OWNERSHIP}::test_thresholds",
    ),
    Mutant(
        "a status that returns with its day is the event of before",
        "warehouse/schema/ids.py",
        'return natural_id("evt", "status.changed", company_id, previous, current, effective, known_at)',
        'return natural_id("evt", "status.changed", company_id, previous, current, effective)',
        f"{_EVENTS}::test_transition_learned_at_another_instant_is_another_event",
    ),
    Mutant(
        "a share that returns with its day is the event of before",
        "warehouse/schema/ids.py",
        'return natural_id("evt", "ownership.changed", company_id, holder_id, as_of, *shares, known_at)',
        'return natural_id("evt", "ownership.changed", company_id, holder_id, as_of, *shares)',
        f"{_EVENTS}::test_transition_learned_at_another_instant_is_another_event",
    ),
    Mutant(
        "rebuild: what a killed run left was known when that run fetched it",
        "pipelines/maintenance/replay.py",
        "if batch not in left_to_later:",
        "if batch:",
        "tests/firm/test_norway_feeds.py::test_rebuild_after_a_killed_run_gives_the_ids_of_the_run_that_completed_it",
    ),
    Mutant(
        "rebuild: of transitions with one former id the last is taken for the published one",
        "pipelines/maintenance/former_ids.py",
        '.unique("former_id", keep="first", maintain_order=True)',
        '.unique("former_id", keep="last", maintain_order=True)',
        "tests/pipelines/maintenance/test_former_ids.py"
        "::test_published_ids_of_transitions_with_one_former_id_belong_to_the_first",
    ),
    Mutant(
        "bands: 25 to 50 and 50 to 75 percent may be one share",
        "pipelines/transforms/events/ownership.py",
        "return max(self.low, other.low) < min(self.high, other.high)",
        "return max(self.low, other.low) <= min(self.high, other.high)",
        f"{_EVENTS}::test_bands_that_touch_cross_on_the_day_it_was_seen",
    ),
    Mutant(
        "bands: an exact share on the lower end lies in the band",
        "pipelines/transforms/events/ownership.py",
        "return share == self.low == self.high or self.low < share <= self.high",
        "return share == self.low == self.high or self.low <= share <= self.high",
        f"{_OWNERSHIP}::test_bands_overlap",
    ),
    Mutant(
        "direction: who buys is told to have sold",
        "pipelines/transforms/events/ownership.py",
        '"direction": "up" if previous < current else "down",',
        '"direction": "up" if previous > current else "down",',
        f"{_EVENTS}::test_exact_shares_cross",
    ),
    Mutant(
        "a holding that ended counts as one",
        "pipelines/transforms/events/ownership.py",
        'if row[f"basis{suffix}"] is None or row[f"ended_on{suffix}"] is not None:',
        'if row[f"basis{suffix}"] is None:',
        f"{_EVENTS}::test_a_holder_who_ends_goes_to_nothing_on_the_day_it_ended",
    ),
    Mutant(
        "precedence: the yearly list speaks before the notice",
        "pipelines/transforms/ownership/survivorship.py",
        "place = precedence.index(register) if register in precedence else len(precedence)",
        "place = -precedence.index(register) if register in precedence else len(precedence)",
        f"{_RECONCILED}::test_the_register_that_stands_first_decides_and_all_are_shown",
    ),
    Mutant(
        "precedence: what ended in a notice goes on in an older list",
        "pipelines/transforms/ownership/survivorship.py",
        "ends = [day for day in days if day is not None and day >= record_date(record)]",
        "ends = [day for day in days if day is not None and day < record_date(record)]",
        f"{_RECONCILED}::test_an_end_in_a_register_ends_what_those_behind_it_said_before",
    ),
    Mutant(
        "baseline: a first load is told as news",
        "pipelines/transforms/events/emission_rules.py",
        "if baseline < self.instant and dataset not in self.late_arriving_datasets",
        "if baseline <= self.instant and dataset not in self.late_arriving_datasets",
        f"{_EVENTS}::test_the_first_edition_of_a_dataset_is_silent",
    ),
    Mutant(
        "late: an edition that is older than what is known is told as news",
        "pipelines/transforms/events/emission_rules.py",
        "if baseline < self.instant and dataset not in self.late_arriving_datasets",
        "if baseline < self.instant",
        f"{_EVENTS}::test_a_late_dataset_is_silent_and_the_others_speak",
    ),
    Mutant(
        "silence: accounts of many years ago are news",
        "pipelines/transforms/events/emission_rules.py",
        "SILENT_MONTHS: Final = 24  # periods that ended longer than this before the baseline create no event",
        "SILENT_MONTHS: Final = 25",
        f"{_EVENTS}::test_periods_long_before_the_baseline_are_silent",
    ),
    Mutant(
        "news of before the first load are told",
        "pipelines/transforms/events/news.py",
        'fresh = rows.filter(pl.col("published_at").dt.date() >= pl.col("_baseline").dt.date())',
        "fresh = rows",
        "tests/pipelines/transforms/events/test_news.py"
        "::test_what_was_published_before_the_baseline_or_comes_with_it_is_silent",
    ),
    Mutant(
        "rounding: the same figures in millions are a restatement",
        "pipelines/transforms/financials/versions.py",
        "if rounds and field in MONEY and was is not None and now is not None and abs(was - now) * 2 <= coarser:",
        "if rounds and field in MONEY and was is not None and now is not None and abs(was - now) * 2 > coarser:",
        "tests/pipelines/transforms/financials/test_versions.py"
        "::test_rounding_to_a_coarser_unit_is_no_version_and_finer_values_are",
    ),
    Mutant(
        "versions: leaving a figure out is a restatement",
        "pipelines/transforms/financials/versions.py",
        "return any(after[field] is not None for field in _iter_changed_fields(before, after))",
        "return any(True for field in _iter_changed_fields(before, after))",
        "tests/pipelines/transforms/financials/test_versions.py::test_leaving_a_figure_out_gives_no_other_value",
    ),
    Mutant(
        "group: of accounts that come together the company's are told, not the group's",
        "pipelines/transforms/events/filing.py",
        'ordered = rows.with_columns(_rank=rank).sort("_rank", "filing_id", descending=[True, False])',
        'ordered = rows.with_columns(_rank=rank).sort("_rank", "filing_id", descending=[False, False])',
        "tests/pipelines/transforms/events/test_filing.py"
        "::test_company_and_group_accounts_together_are_one_event_of_the_group",
    ),
    Mutant(
        "guard: a register that shrank by just the limit is held",
        "pipelines/steps/guards.py",
        "if shrink > guard.max_shrink:",
        "if shrink >= guard.max_shrink:",
        "tests/pipelines/steps/test_guards.py::test_what_refuses",
    ),
    Mutant(
        "PART: a sample is taken for the whole register",
        "pipelines/sources/folder.py",
        "scope = Scope.PART if scope is Scope.FULL and dataset.key not in day.complete else scope",
        "scope = found.scope if scope is Scope.FULL else scope",
        "tests/pipelines/sources/test_folder.py::test_only_the_folders_own_word_makes_a_dataset_complete",
    ),
    Mutant(
        "PART: what a part lacks is retired",
        "pipelines/steps/normalise_plan.py",
        "is_complete=scope == Scope.FULL and not is_late,",
        "is_complete=not is_late,",
        "tests/pipelines/ingest/test_run.py::test_a_sample_never_dissolves_what_it_lacks_and_a_complete_day_does",
    ),
    Mutant(
        "Dagster is told of a materialisation that was removed",
        "pipelines/dagster_instance/sqlite_event_log.py",
        "self._kept.clear()",
        "self._kept = dict(self._kept)",
        "tests/pipelines/test_dagster_storage.py::test_what_is_removed_is_told_of_no_longer",
    ),
    Mutant(
        "Dagster is told of the batch made last where another one is asked for",
        "pipelines/dagster_instance/sqlite_event_log.py",
        "return kept if kept is not None and partitions == [kept.partition_key] else None",
        "return kept",
        "tests/pipelines/test_dagster_storage.py::test_what_is_removed_is_told_of_no_longer",
    ),
)
