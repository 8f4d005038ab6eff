"""Mistakes that were once in the product, planted again: what must hold of every small world finds them."""

from typing import Final

from tests.mutants.mutant import Mutant

_WORLDS: Final = "tests/model/test_sequences.py"

WORLDS: Final = (
    Mutant(
        "world: what a killed run left passes a newer file of the same records",
        "pipelines/steps/normalise_plan.py",
        "return deliver_same_records(snapshot.dataset, other.dataset)",
        "return False",
        "tests/pipelines/steps/test_normalise_plan.py"
        "::test_plan_unfinished_run_passes_nothing_newer_of_the_same_records",
    ),
    Mutant(
        "world: a feed is told before its register is loaded, where one run reads both",
        "pipelines/steps/applied_batches.py",
        "loaded = {key: at for key, at in knowledge.baselines.items() if at <= instant or key in state.watermarks}",
        "loaded = dict(knowledge.baselines)",
        f"{_WORLDS}::test_world_whose_run_loads_a_register_after_its_feed_is_silent_about_both",
    ),
    Mutant(
        "world: a file of the first one's instant is silent, whenever it comes",
        "pipelines/transforms/events/emission_rules.py",
        "later = (one for one, at in self.baselines.items() if at != self.instant or one in self.loaded_before)",
        "later = (one for one, at in self.baselines.items() if at != self.instant)",
        f"{_WORLDS}::test_world_whose_register_is_completed_by_a_file_of_its_first_instant_tells_what_that_changes",
    ),
    Mutant(
        "world: a transition that returns has the id of before",
        "warehouse/schema/ids.py",
        'return natural_id("evt", "status.changed", company_id, previous, current, effective, known_at)',
        'return natural_id("evt", "status.changed", company_id, previous, current, effective)',
        f"{_WORLDS}::test_world_whose_statuses_and_shares_return_tells_each_transition",
    ),
    Mutant(
        "world: a holder that returns has the id of before",
        "warehouse/schema/ids.py",
        'return natural_id("evt", "ownership.changed", company_id, holder_id, as_of, *shares, known_at)',
        'return natural_id("evt", "ownership.changed", company_id, holder_id, as_of, *shares)',
        f"{_WORLDS}::test_world_whose_statuses_and_shares_return_tells_each_transition",
    ),
    Mutant(
        "world: the ledger is in the order of days and hashes",
        "warehouse/schema/tables.py",
        'sort=("known_at", "occurred_at", "event_id"),  # so that the newest known state comes last',
        'sort=("occurred_at", "event_id"),',
        f"{_WORLDS}::test_world_of_several_days_in_one_release_is_told_in_their_order",
    ),
    Mutant(
        "world: what is pending follows from the order of batch names",
        "pipelines/steps/normalise.py",
        'if f"{dataset.key}/{one}" not in applied',
        'if one > max((key.rpartition("/")[2] for key in applied), default="")',
        f"{_WORLDS}::test_world_whose_run_is_executed_again_loses_nothing",
    ),
    Mutant(
        "world: a late file rewrites what was known",
        "pipelines/steps/normalise_plan.py",
        "passed = sorted(instant for instant in by_instant if until is not None and instant <= until)",
        "passed = list[datetime]()",
        f"{_WORLDS}::test_world_with_a_late_file_keeps_what_was_known",
    ),
    Mutant(
        "world: two states a tick apart are known at one instant",
        "pipelines/steps/normalise_plan.py",
        "known[instant] = at if instant <= until else max(instant, at)",
        "known[instant] = at if instant <= until else instant",
        f"{_WORLDS}::test_world_whose_states_are_a_tick_apart_is_told_in_their_order",
    ),
    Mutant(
        "world: a killed run's snapshots are told by what later runs have loaded",
        "pipelines/steps/apply_history.py",
        "known = rules_of_snapshot(workspace, rules, snapshot)",
        "known = rules",
        f"{_WORLDS}::test_world_whose_killed_run_was_applied_after_a_first_load_tells_what_it_would_have_told",
    ),
    Mutant(
        "world: first answers are a storm of events",
        "pipelines/transforms/events/emission_rules.py",
        'is_first = pl.col("register").is_in(list(context.per_company_datasets)) & pl.col("_known").is_null()',
        "is_first = pl.lit(value=False)",
        f"{_WORLDS}::test_world_with_answers_company_by_company_is_silent_about_the_first",
    ),
    Mutant(
        "world: a file of the far future is believed",
        "pipelines/steps/future_instants.py",
        "return max(at, now) + FUTURE_SLACK",
        "return max(at, now) + FUTURE_SLACK * 36_500",
        f"{_WORLDS}::test_world_with_a_file_of_the_far_future_goes_on_as_without_it",
    ),
    Mutant(
        "world: a late file changes what is served and tells nobody",
        "pipelines/transforms/events/emission_rules.py",
        "return self._dataset_frame(later)",
        "return self.emitting_datasets()",
        f"{_WORLDS}::test_world_with_a_late_file_that_is_newer_for_its_company_tells_what_changes",
    ),
    Mutant(
        "world: a killed run's file counts as of the run that reads it, wherever that puts it",
        "pipelines/steps/stage_plan.py",
        "if body.scope != Scope.FULL or not _is_of_killed_run(body, state):",
        "if not _is_of_killed_run(body, state):\n        return body\n    if body.scope != Scope.FULL:"
        "\n        return replace(body, observed_at=state.run_instants[state.batch])\n    if False:",
        f"{_WORLDS}::test_world_whose_killed_run_left_a_file_that_a_dated_feed_follows_serves_the_feed",
    ),
    Mutant(
        "world: what a killed run fetched passes what is newer",
        "pipelines/steps/normalise_plan.py",
        "if not (passes_applied or passes_pending):",
        "if not passes_applied:",
        "tests/pipelines/steps/test_normalise_plan.py"
        "::test_plan_what_a_killed_run_fetched_passes_nothing_newer_of_the_same_records",
    ),
    Mutant(
        "world: a file that is issued again passes the feed that has come since",
        "pipelines/steps/stage_plan.py",
        "_with_reissue_instant(body, state.bodies, _after_newest(state))",
        "_with_reissue_instant(body, state.bodies, max(_after_newest(state), state.run_instants[state.batch]))",
        f"{_WORLDS}::test_world_whose_file_is_issued_again_after_a_feed_serves_the_feed",
    ),
    Mutant(
        "world: a killed run's complete file hides what its feed has stated at the same instant",
        "pipelines/steps/normalise.py",
        "self.history.record_complete(table, snapshot.instant)",
        "self.history.record_complete(table, snapshot.dated_at)",
        f"{_WORLDS}::test_world_whose_killed_run_fetched_a_register_and_its_feed_serves_both",
    ),
    Mutant(
        "world: a late row revives what a newer complete file lacks",
        "warehouse/history/history.py",
        "return current_records.upsert_records(self._connection, table, rows, keys, self.complete_instant(table))",
        "return current_records.upsert_records(self._connection, table, rows, keys)",
        f"{_WORLDS}::test_world_with_a_late_row_of_a_company_that_a_newer_complete_file_lacks_keeps_it_gone",
    ),
    Mutant(
        "world: a complete file that is repeated does not count again",
        "pipelines/steps/stage_state.py",
        "confirmed=_load_confirmed(workspace, dataset, retracted),",
        "confirmed=(),",
        f"{_WORLDS}::test_world_whose_complete_file_is_repeated_serves_it_rather_than_an_older_one",
    ),
    Mutant(
        "world: a killed run's complete file is united with that of the next run",
        "pipelines/steps/stage_plan.py",
        "return _downgraded(body) if any(one.scope == Scope.FULL and one.observed_at == at for one in own) else body",
        "return replace(body, observed_at=at) if list(own) else body",
        f"{_WORLDS}::test_world_whose_killed_run_fetched_a_complete_file_serves_that_of_the_next_run_alone",
    ),
    Mutant(
        "world: a run that is applied is applied again",
        "pipelines/steps/normalise.py",
        "if state.pending and applied_batches.has_been_applied(history, batch):",
        "if not state.pending and applied_batches.has_been_applied(history, batch):",
        f"{_WORLDS}::test_world_whose_applied_run_is_executed_again_applies_it_with_the_next",
    ),
    Mutant(
        "world: a rebuild applies one by one what a run applied together",
        "pipelines/maintenance/replay.py",
        "return own | {staged: run for staged, run in (former | later).items() if staged in own}",
        "return own",
        f"{_WORLDS}::test_world_whose_runs_applied_batches_together_is_rebuilt_so",
    ),
    Mutant(
        "baseline: a file older than the first load is a storm of new holders",
        "pipelines/transforms/events/ownership.py",
        'moved = moved.filter(pl.col("as_of_before").is_not_null() | (pl.col("_baseline") < context.instant))',
        'moved = moved.filter(pl.col("register").is_not_null())',
        "tests/pipelines/transforms/events/test_event_rows.py"
        "::test_dataset_with_a_file_older_than_its_first_announces_changes_of_known_states_alone",
    ),
    Mutant(
        "rebuild: events of a run that died before its history are lost",
        "pipelines/maintenance/rebuild.py",
        "if batches and self.workspace.snapshot_store.all(code):",
        "if not batches:",
        "tests/pipelines/maintenance/test_maintenance_rebuild.py"
        "::test_rebuild_after_a_run_that_died_before_its_history_publishes_its_events",
    ),
)
