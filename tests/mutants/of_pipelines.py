"""Breaks of what follows from two known states: thresholds, precedence, versions, silence, guards, retirement."""

from typing import Final

from tests.mutants.mutant import Mutant

_DATES: Final = "tests/firm/test_ingest_dates.py"
_FUTURE: Final = "tests/pipelines/ingest/test_run_future.py"
_INSTANTS: Final = "tests/pipelines/steps/test_future_instants.py"
_EVENTS: Final = "tests/pipelines/transforms/events/test_event_rows.py"
_PROFILES: Final = "tests/pipelines/transforms/events/test_profile.py"
_OWNERSHIP: Final = "tests/pipelines/transforms/ownership/test_owners.py"
_RULES: Final = "tests/pipelines/steps/test_reconciliation.py"
_UNACCOUNTED: Final = "tests/firm/test_reconciliations.py"
_RECONCILED: Final = "tests/pipelines/transforms/ownership/test_survivorship.py"
_FIRST_LOADS: Final = "tests/pipelines/ingest/test_run_first_loads.py"
_ERASE: Final = "tests/firm/test_erase.py"

_SCHEDULES: Final = "tests/pipelines/defs/test_schedules.py"
_CADENCE: Final = "tests/pipelines/runtime/test_cadence.py"
_DUE: Final = f"{_CADENCE}::test_due_datasets_are_those_with_a_tick_that_no_run_has_answered"
_DATASETS: Final = "tests/pipelines/ingest/test_run_datasets.py"

_VERSIONS: Final = "tests/pipelines/transforms/financials/test_versions.py"

_SUBJECTS: Final = "tests/pipelines/transforms/ownership/test_changed_subjects.py"
_RELATIONS: Final = "tests/pipelines/transforms/ownership/test_relations.py"

_REJECTED: Final = "tests/pipelines/ingest/test_run_rejected_rows.py"

PIPELINES: Final = (
    Mutant(
        "a late-arriving file turns the day of the rules back",
        "pipelines/steps/normalise_plan.py",
        "days = max(instant, before or instant).date(), before and before.date()",
        "days = instant.date(), before and before.date()",
        "tests/pipelines/steps/test_normalise_plan.py"
        "::test_rules_of_the_day_have_the_newest_day_so_far_and_the_one_before",
    ),
    Mutant(
        "a row that a complete file has and nobody can read counts as missing",
        "pipelines/steps/normalise.py",
        "return pl.concat([keys, unread.select(keys.columns)])",
        "return keys",
        f"{_REJECTED}::test_company_whose_row_was_rejected_stays_and_one_that_is_missing_ends",
    ),
    Mutant(
        "a short word of a key is sought in texts of rejected rows",
        "pipelines/steps/batch_figures.py",
        "_SHORTEST_NUMBER: Final = 4  # characters; a shorter word is in texts that are about something else",
        "_SHORTEST_NUMBER: Final = 1",
        "tests/pipelines/steps/test_batch_figures.py::test_records_named_in_a_text",
    ),
    Mutant(
        "control has the percentage of a shareholding",
        "pipelines/transforms/ownership/relations.py",
        "CONTROL: members.filter(controls).with_columns(no_share),",
        "CONTROL: members.filter(controls),",
        f"{_RELATIONS}::test_control_has_no_percentage_of_its_own",
    ),
    Mutant(
        "a person is a member of a group where another register does not call it one",
        "pipelines/transforms/ownership/relations.py",
        "persons = rows.filter(kind == _PERSON).select(_HOLDER).unique()",
        "persons = rows.filter(kind == _PERSON).select(_HOLDER).clear()",
        f"{_RELATIONS}::test_a_holder_that_one_register_calls_a_person_is_no_member",
    ),
    Mutant(
        "two persons of one name are one holder",
        "pipelines/transforms/holders/match_rules.py",
        'return len(marks) > len({mark.partition("-")[0] for mark in marks})',
        "return False",
        "tests/firm/test_person_marks.py::test_successor_of_the_same_name_is_another_holder",
    ),
    Mutant(
        "a new key is made in place of one that is lost",
        "pipelines/runtime/mark_key.py",
        "if used:",
        "if not used:",
        "tests/firm/test_person_marks.py::test_key_that_is_lost_or_changed_ends_the_fetch_until_it_is_back_or_replaced",
    ),
    Mutant(
        "owners: a stored holder_id means another company",
        "pipelines/transforms/ownership/changed_subjects.py",
        "return other_number.fill_null(is_later) | other_kind",
        "return is_later | other_kind",
        f"{_SUBJECTS}::test_record_with_another_company_number_is_an_exit_and_an_entry",
    ),
    Mutant(
        "periods: first accounts of fifteen months are no annual accounts",
        "pipelines/transforms/financials/periods.py",
        "pl.when(of_a_year & _DAYS.is_between(*ANNUAL_ACCOUNTS_DAYS))",
        "pl.when(of_a_year & _DAYS.is_between(*ANNUAL_DAYS))",
        f"{_VERSIONS}::test_period_type_of_annual_accounts_is_annual_up_to_eighteen_months",
    ),
    Mutant(
        "periods: a transition report of the SEC is a year",
        "pipelines/transforms/financials/periods.py",
        'of_a_year = (pl.col("filing_type") == ANNUAL_ACCOUNTS) & ~pl.col("register").str.contains(SEVERAL_DURATIONS)',
        'of_a_year = pl.col("filing_type") == ANNUAL_ACCOUNTS',
        f"{_VERSIONS}::test_period_type_of_filings_with_several_durations_goes_by_days",
    ),
    Mutant(
        "cadence: a week's tick while the machine was off is lost",
        "pipelines/runtime/cadence.py",
        "requested_until = max((run.due_until for run in runs if not run.is_lost), default=_NEVER)",
        "requested_until = until - timedelta(minutes=1)",
        _DUE,
    ),
    Mutant(
        "cadence: what a killed run did not fetch waits for its next cadence",
        "pipelines/runtime/cadence.py",
        "lost = [run for run in own if run.fetched is not None and key not in run.fetched]",
        "lost = list[RequestedRun]()",
        _DUE,
    ),
    Mutant(
        "cadence: a run that waits is requested again at every tick",
        "pipelines/runtime/cadence.py",
        "if any(run.is_waiting for run in held):",
        "if any(run.is_waiting for run in held[:0]):",
        _DUE,
    ),
    Mutant(
        "cadence: what could not be fetched waits for its next cadence",
        "pipelines/runtime/cadence.py",
        "if failed_at is not None and last_held <= failed_at and until >= failed_at + retry_wait(cron, failed_at):",
        "if failed_at is not None and last_held > failed_at and until >= failed_at + retry_wait(cron, failed_at):",
        _DUE,
    ),
    Mutant(
        "cadence: what a run with a failed step did not fetch waits for its next cadence",
        "pipelines/runtime/cadence.py",
        "if any(run.due_until == last_held and key in run.unfetched for run in held):",
        "if any(run.due_until > last_held and key in run.unfetched for run in held):",
        _DUE,
    ),
    Mutant(
        "cadence: what can never be fetched is requested all the time",
        "pipelines/runtime/cadence.py",
        "return min(max(between / RETRY_SHARE, SHORTEST_WAIT), LONGEST_WAIT)",
        "return min(between / RETRY_SHARE, LONGEST_WAIT)",
        f"{_CADENCE}::test_retry_wait_is_a_quarter_of_the_cadence_within_limits",
    ),
    Mutant(
        "schedule: a run that was overtaken while it waited fails, and its datasets wait for their next cadence",
        "pipelines/defs/resources.py",
        "if newest <= run.tags[PARTITION_TAG]:",
        "if newest >= run.tags[PARTITION_TAG]:",
        f"{_SCHEDULES}::test_schedule_run_that_an_ingest_overtook_fetches_nothing_and_is_requested_again",
    ),
    Mutant(
        "doctor: a source that cannot be fetched is not named",
        "firm/doctor/sources.py",
        "if check.held_since is None:",
        "if check.held_since is not None:",
        "tests/firm/test_doctor_sources.py::test_doctor_names_a_source_that_could_not_be_fetched_and_when_it_is_retried",
    ),
    Mutant(
        "schedule: one dataset's cadence stands for its market's",
        "pipelines/defs/schedules.py",
        "cron_schedule=sorted({RETRY_CRON, *(dataset.cadence.cron for dataset in jurisdiction.datasets)}),",
        "cron_schedule=[RETRY_CRON, jurisdiction.datasets[0].cadence.cron],",
        f"{_SCHEDULES}::test_every_declared_cadence_is_one_of_its_markets_schedule",
    ),
    Mutant(
        "schedule: a killed run blocks its market for ever",
        "pipelines/runtime/dead_runs.py",
        "old = [record.dagster_run for record in found if now - record.update_timestamp >= BEGINNING]",
        "old = [record.dagster_run for record in found[:0] if now - record.update_timestamp >= BEGINNING]",
        f"{_SCHEDULES}::test_schedule_fails_a_run_whose_process_was_killed_and_requests_it_again",
    ),
    Mutant(
        "idle: a run without news forgets a release that was never made",
        "pipelines/steps/pending_work.py",
        "if published is None or not workspace.layout.history_file(market).exists():",
        "if not workspace.layout.history_file(market).exists():",
        f"{_DATASETS}::test_ingest_after_a_run_that_died_before_its_release_is_not_without_news",
    ),
    Mutant(
        "retention: an asset forgets when it was materialised",
        "pipelines/runtime/run_retention.py",
        "deleted = [run_id for run_id in old if run_id not in last]",
        "deleted = [run_id for run_id in old if run_id or last]",
        "tests/pipelines/runtime/test_run_retention.py"
        "::test_old_runs_of_dagster_go_with_their_files_but_not_the_newest_of_a_job_nor_an_assets_last",
    ),
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
        "baseline: a first load in parts is a storm of events",
        "pipelines/transforms/events/emission_rules.py",
        'is_first = pl.col("register").is_in(list(context.per_company_datasets)) & pl.col("_known").is_null()',
        "is_first = pl.lit(value=False)",
        "tests/model/test_sequences.py::test_world_with_answers_company_by_company_is_silent_about_the_first",
    ),
    Mutant(
        "as-of: a file from behind known time is known from its own day",
        "pipelines/steps/normalise_plan.py",
        "passed = sorted(instant for instant in by_instant if until is not None and instant <= until)",
        "passed = list[datetime]()",
        "tests/pipelines/steps/test_normalise_plan.py"
        "::test_plan_content_from_behind_known_time_is_known_by_the_run_that_brings_it",
    ),
    Mutant(
        "sequence: an event of content from behind known time is ordered by the content's day",
        "pipelines/steps/apply_history.py",
        "context = EmissionContext(instant, known_at, rules.baselines, late, part.get(LINKED), *loads)",
        "context = EmissionContext(instant, instant, rules.baselines, late, part.get(LINKED), *loads)",
        "tests/pipelines/steps/test_apply_history.py"
        "::test_events_of_content_from_behind_known_time_are_known_since_the_run_that_brought_it",
    ),
    Mutant(
        "as-of: history is told of a late file's day, not of when it came",
        "pipelines/steps/apply_history.py",
        "diffs = {table.name: history.merge_snapshot(table, tables[table.name], companies, known_at) for table in TABLES}",
        "diffs = {table.name: history.merge_snapshot(table, tables[table.name], companies, instant) for table in TABLES}",
        "tests/model/test_sequences.py::test_world_with_a_late_file_keeps_what_was_known",
    ),
    Mutant(
        "a status that returns with its day is the event of before",
        "warehouse/schema/ids.py",
        'return natural_id("evt", "status.changed", company_id, previous, current, effective, known_at)',
        'return natural_id("evt", "status.changed", company_id, previous, current, effective)',
        f"{_EVENTS}::test_transition_learned_at_another_instant_is_another_event",
    ),
    Mutant(
        "a field that another register states now is news of the company",
        "pipelines/transforms/events/profile.py",
        "if before is None or after is None or before.register != after.register:",
        "if before is None or after is None:",
        f"{_PROFILES}::test_another_source_that_wins_is_no_change",
    ),
    Mutant(
        "a recoded industry is news of the company",
        "pipelines/transforms/events/profile_values.py",
        'return scheme is not None and before["industry_scheme"] == scheme and has_other_text(before, after, "industry_code")',
        'return has_other_text(before, after, "industry_code")',
        f"{_PROFILES}::test_what_only_looks_like_a_change_is_not_told",
    ),
    Mutant(
        "a municipality that was redrawn is news of its companies",
        "pipelines/transforms/events/profile.py",
        "return source if source is None or is_seat else address",
        "return source",
        f"{_PROFILES}::test_what_only_looks_like_a_change_is_not_told",
    ),
    Mutant(
        "a company that is dissolved is delisted by its market",
        "pipelines/transforms/events/profile_listing.py",
        'if is_same or _DISSOLVED in (before["status"], after["status"]) or after["is_listed_source"] is None:',
        'if is_same or after["is_listed_source"] is None:',
        f"{_PROFILES}::test_rule_about_listings_that_decides_otherwise_is_not_told",
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
        "if batch not in moved:",
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
        f"{_EVENTS}::test_late_dataset_with_new_records_and_changed_states_announces_the_states",
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
        'ordered = rows.with_columns(_rank=-rank).sort("_rank", *_FILED_FIRST, nulls_last=True)',
        'ordered = rows.with_columns(_rank=rank).sort("_rank", *_FILED_FIRST, nulls_last=True)',
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
        "Dagster's records: the file of a deleted run stays",
        "pipelines/dagster_instance/sqlite_storage.py",
        "path.with_name(name).unlink(missing_ok=True)",
        "path.with_name(name).touch()",
        "tests/pipelines/test_dagster_storage.py::test_a_deleted_run_leaves_no_file_open_or_on_disk",
    ),
    Mutant(
        "Dagster's records: every run's file stays open",
        "pipelines/dagster_instance/sqlite_storage.py",
        "if len(self._kept) > _KEPT:",
        "if len(self._kept) > _KEPT * 100:",
        "tests/pipelines/test_dagster_storage.py::test_of_many_runs_few_files_stay_open_and_none_after_the_end",
    ),
    Mutant(
        "Dagster's records: two processes create them at once",
        "pipelines/ingest/job_runs.py",
        """with exclusive_lock(settings.layout, "dagster", "the folder of Dagster's records", _OPENING_SECONDS):""",
        "if settings:",
        "tests/pipelines/test_dagster_storage.py::test_a_folder_is_made_once_by_many_that_open_it_at_once",
    ),
    Mutant(
        "erasure: one answer of a register erases a company",
        "pipelines/erasure/register_removals.py",
        "if company in records.confirmed or max(found) - min(found) >= REMOVAL_CONFIRMED_AFTER",
        "if company in records.confirmed or found",
        "tests/pipelines/erasure/test_register_removals.py::test_confirmed_removals",
    ),
    Mutant(
        "erasure: a company that was there between two answers is erased",
        "pipelines/erasure/register_removals.py",
        "if notice.observed_at >= records.seen_at.get(notice.company_id, _NEVER):",
        "if notice.observed_at >= _NEVER:",
        "tests/pipelines/erasure/test_register_removals.py::test_confirmed_removals",
    ),
    Mutant(
        "erasure: an answer from before the lift erases again",
        "pipelines/erasure/register_removals.py",
        "if notice.company_id not in erased and notice.observed_at > lifted.get(notice.company_id, _NEVER)",
        "if notice.company_id not in erased",
        "tests/pipelines/erasure/test_market.py::test_ingest_lifted_company_is_not_erased_by_what_was_announced_before",
    ),
    Mutant(
        "erasure: an erased company that is back goes unnoticed",
        "pipelines/steps/suppression.py",
        "if returned.len():",
        "if returned.len() < 0:",
        "tests/pipelines/erasure/test_market.py::test_ingest_company_back_after_its_erasure_is_signalled_and_comes_in_once_lifted",
    ),
    Mutant(
        "erasure: a holder that is named in a list of holders stays",
        "pipelines/steps/suppression.py",
        "columns = [(rows[one] if isinstance(one, str) else one.of(rows)).to_list() for one in declared]",
        "columns = [(rows[one] if isinstance(one, str) else one.of(rows)) for one in declared]",
        "tests/firm/test_erase.py::test_erase_holder_whose_key_in_the_register_is_the_name_leaves_no_name_in_events",
    ),
    Mutant(
        "dates: a file dated in the future is ingested, and silences its market",
        "pipelines/steps/fetch.py",
        "if stated is not None and stated > plan.latest:",
        "if stated is None:",
        "tests/model/test_sequences.py::test_world_with_a_file_of_the_far_future_goes_on_as_without_it",
    ),
    Mutant(
        "dates: an answer named in the future moves the cursor past all that follows",
        "pipelines/steps/fetch.py",
        "stated = stated_instant(dataset, file) if plan.is_query else file.observed_at",
        "stated = file.observed_at",
        f"{_FUTURE}::test_ingest_answer_named_in_the_future_does_not_move_the_cursor",
    ),
    Mutant(
        "dates: what is left of a set without its refused file is all there is",
        "pipelines/steps/fetch.py",
        "if plan.refused and file.scope == Scope.FULL:",
        "if plan.is_query and file.scope == Scope.FULL:",
        f"{_FUTURE}::test_ingest_complete_set_without_its_refused_file_retires_nothing",
    ),
    Mutant(
        "dates: an old time of a run makes files of today future ones",
        "pipelines/steps/future_instants.py",
        "return max(at, now) + FUTURE_SLACK",
        "return at + FUTURE_SLACK",
        f"{_INSTANTS}::test_the_latest_instant_follows_the_later_of_run_and_clock",
    ),
    Mutant(
        "dates: a future time in a record is believed",
        "pipelines/steps/future_instants.py",
        "return rows.with_columns(known).filter(~mask), rejects, signals",
        "return rows.filter(~mask), rejects, signals",
        f"{_INSTANTS}::test_an_optional_future_instant_becomes_unknown_and_is_named",
    ),
    Mutant(
        "dates: late-arriving files are not told of",
        "pipelines/steps/normalise.py",
        "if snapshot.is_late_arriving:",
        "if snapshot.is_late_arriving and snapshot.is_complete:",
        f"{_FUTURE}::test_ingest_late_file_is_counted_in_report_and_run_log",
    ),
    Mutant(
        "ingest: a folder of which no dataset reads a file is a success",
        "pipelines/reporting/report.py",
        "return self.unreadable > 0 or self.has_only_unread_files",
        "return self.unreadable > 0",
        f"{_DATES}::test_ingest_folder_of_unread_files_ends_with_four",
    ),
    Mutant(
        "ingest: a misspelled dataset in day.json is as if it were not there",
        "pipelines/sources/folder.py",
        "for key in sorted(day.complete - set(datasets)):",
        "for key in sorted(day.complete & set()):",
        f"{_DATES}::test_ingest_day_with_an_unknown_name_is_refused",
    ),
    Mutant(
        "first load: the second part of one that broke off is told as news",
        "pipelines/transforms/events/emission_rules.py",
        'return rows.filter((pl.lit(context.known_at) > pl.col("_loaded")) | _is_dated_after_baseline(day))',
        "return rows",
        f"{_FIRST_LOADS}::test_status_of_a_first_load_in_two_runs_is_silent_and_told_after_it",
    ),
    Mutant(
        "first load: one of which nothing is left goes on",
        "pipelines/steps/stage_plan.py",
        "return bool(last.figures.get(PARTIAL_FETCH)) and last.batch in first_load_batches(state.indexes)",
        "return False",
        "tests/pipelines/steps/test_stage_plan.py::test_plan_completes_a_first_load_that_took_several_runs",
    ),
    Mutant(
        "first load: a company's first owners are told as news",
        "pipelines/transforms/events/ownership.py",
        'rows = without_first_answers(moved, _known_records(differences, snapshot), pl.col("_stated"), context)',
        "rows = moved",
        "tests/pipelines/ingest/test_run_first_answers.py"
        "::test_ingest_of_owners_looked_up_company_by_company_is_silent_until_the_companys_first_answer",
    ),
    Mutant(
        "order: a step that is executed again stages what later runs fetched",
        "pipelines/steps/stage_plan.py",
        "state = replace(state, pending=[body for body in state.pending if body.batch <= state.batch])",
        "state = replace(state, pending=list(state.pending))",
        "tests/pipelines/steps/test_stage_plan.py"
        "::test_plan_of_a_batch_leaves_bodies_of_later_runs_and_all_behind_a_later_batch_to_the_next_run",
    ),
    Mutant(
        "order: a snapshot is compared with an older one that was ingested later",
        "pipelines/steps/guards.py",
        "return max(counts, key=lambda found: found[:2])[-1] if counts else None",
        "return counts[-1][-1] if counts else None",
        "tests/pipelines/steps/test_guards.py"
        "::test_last_full_rows_are_those_of_the_newest_instant_not_of_the_last_ingest",
    ),
    Mutant(
        "archives: of a complete one the unchanged members are absent",
        "pipelines/steps/stage_plan.py",
        "if pair is None or body.replaces is not None or body.scope == Scope.FULL:",
        "if pair is None or body.replaces is not None:",
        "tests/pipelines/steps/test_stage_plan_archives.py"
        "::test_archive_that_is_complete_is_read_whole_and_deletes_only_what_it_lacks",
    ),
    Mutant(
        "erasure: runs of Dagster leave the control plane as it is",
        "firm/definitions.py",
        'defs = build_defs(IngestSettings.read(os.environ), resources={"finish_erasures": finish_erasures})',
        "defs = build_defs(IngestSettings.read(os.environ))",
        f"{_ERASE}::test_dagster_run_finishes_an_erasure_in_the_control_plane",
    ),
    Mutant(
        "archive: a record that vanished from a member stays for ever",
        "pipelines/steps/normalise_plan.py",
        "return self.dataset.complete_subjects.get(table.name, ())",
        "return ()",
        "tests/pipelines/steps/test_stage_plan_archives.py"
        "::test_archive_with_a_member_that_lacks_a_record_retires_it_alone",
    ),
    Mutant(
        "erasure: a rejected record brings a name back",
        "pipelines/steps/suppression.py",
        "return self.free_texts.mentions(text)",
        "return False",
        f"{_ERASE}::test_erase_and_ingest_leave_no_name_in_any_file_or_table",
    ),
    Mutant(
        "erasure: the name of a file brings a name back",
        "pipelines/steps/fetch.py",
        "named = _without_erased_names(file, plan.redactor)",
        "named = file",
        f"{_ERASE}::test_erase_and_ingest_leave_no_name_in_any_file_or_table",
    ),
    Mutant(
        "reconciliation: companies stay undecided when the dataset comes",
        "pipelines/steps/normalise.py",
        "tables = staged_tables(self.jurisdiction).values() if any(rule not in now for rule in before) else ()",
        "tables = () if before or now else ()",
        f"{_UNACCOUNTED}::test_ingest_of_scb_decides_what_was_open_without_an_event",
    ),
    Mutant(
        "reconciliation: a part of a register says who is absent from it",
        "connectors/contract/dataset.py",
        "return any(name in loaded and not (self.needs_full and name in in_part) for name in tables)",
        "return any(name in loaded for name in tables)",
        f"{_RULES}::test_rules_without_data_are_those_that_read_datasets_never_loaded",
    ),
    Mutant(
        "reconciliation: a status of another source is unexplained",
        "pipelines/steps/reconciliation.py",
        "if meaning is None or meaning == group.served or (group.source is not None and group.source not in own):",
        "if meaning is None or meaning == group.served:",
        f"{_RULES}::test_unexplained_status_is_another_meaning_without_another_source",
    ),
    Mutant(
        "publish: a subscriber hears what a quarantined market does not serve",
        "pipelines/steps/publish.py",
        "one if parts[one.jurisdiction.code].history is not None else replace(one, events=one.events.clear())",
        "one",
        "tests/pipelines/ingest/test_market_run_quarantined.py"
        "::test_release_step_executed_again_while_the_market_is_quarantined_keeps_its_events",
    ),
    Mutant(
        "events: what an old file tells late is numbered before what was known earlier",
        "pipelines/transforms/events/event_rows.py",
        "context.known_at,",
        "context.instant,",
        "tests/pipelines/steps/test_apply_history.py"
        "::test_events_of_content_from_behind_known_time_are_known_since_the_run_that_brought_it",
    ),
    Mutant(
        "valid time: earlier statements of holders with one record are skipped",
        "pipelines/transforms/ownership/valid_time.py",
        "if earlier.is_empty() and not _has_several_records(lines) and not _has_several_records(joins):",
        "if not _has_several_records(lines) and not _has_several_records(joins):",
        "tests/pipelines/transforms/ownership/test_valid_time.py"
        "::test_a_notice_that_comes_late_fills_the_days_it_speaks_of",
    ),
    Mutant(
        "look-ups: what a budget left counts as looked up",
        "pipelines/steps/fetch.py",
        "if plan.processed is not None and not result.is_partial:  # what a budget left is looked up by the next run",
        "if plan.processed is not None and result.failure is None:",
        "tests/pipelines/steps/test_lookups.py::test_fetch_dataset_what_a_budget_left_is_asked_for_by_the_next_run",
    ),
    Mutant(
        "look-ups: what the first run of a load left counts as looked up before progress was recorded",
        "pipelines/steps/fetch.py",
        "workspace.staged_store.record_looked_up_batches(dataset.key, plan.processed_before)",
        "pass",
        "tests/pipelines/steps/test_lookups.py"
        "::test_fetch_dataset_first_load_that_breaks_off_leaves_the_rest_to_the_next_run",
    ),
)
