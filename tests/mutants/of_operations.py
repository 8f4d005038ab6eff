"""Breaks of what an operator relies on: backups that work elsewhere, rebuilds without an echo, pruning with care."""

from typing import Final

from tests.mutants.mutant import Mutant

_BACKUP: Final = "tests/firm/test_backup.py"
_REBUILD: Final = "tests/pipelines/maintenance/test_maintenance_rebuild.py"
_RETRACT: Final = "tests/pipelines/maintenance/test_retract.py"

OPERATIONS: Final = (
    Mutant(
        "runs: a step waits for a pool that a killed run holds",
        "pipelines/dagster_instance/concurrency_slots.py",
        "self.on_full_pool(concurrency_key)",
        "return found",
        "tests/pipelines/runtime/test_dead_runs.py::test_pool_of_a_killed_run_of_another_market_is_free",
    ),
    Mutant(
        "backup: tables of several moments are one backup",
        "api/database/backup.py",
        'options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True, "stream_results": True}',
        'options = {"isolation_level": "READ COMMITTED", "postgresql_readonly": True, "stream_results": True}',
        "tests/api/database/test_backup.py::test_a_copy_is_one_moment_of_a_database_that_is_written_to[postgresql]",
    ),
    Mutant(
        "restore: keys of another pepper are put in, and none works",
        "firm/backup/restore.py",
        "if secret_fingerprint(secrets.pepper) != manifest.pepper:",
        "if not manifest.pepper:",
        f"{_BACKUP}::test_a_backup_without_its_secrets_is_refused",
    ),
    Mutant(
        "restore: a ledger that ends too early swallows events",
        "firm/backup/restore.py",
        "if manifest.matched is not None and published < manifest.matched:",
        "if manifest.matched is None and published:",
        f"{_BACKUP}::test_a_ledger_that_ends_before_the_backup_is_refused",
    ),
    Mutant(
        "restore: who was erased meanwhile is back",
        "firm/backup/restore.py",
        "return redact_deliveries(copied, in_force)",
        "return 0 if copied else 0",
        f"{_BACKUP}::test_who_was_erased_after_the_backup_stays_erased",
    ),
    Mutant(
        "retract: the wrong batch is replayed too, and nothing changes",
        "pipelines/maintenance/replay.py",
        "return cls(history.recorded_keys(applied_batches.STAGED_MARK) - _left_out(retractions), decided, retractions)",
        "return cls(history.recorded_keys(applied_batches.STAGED_MARK), decided, retractions)",
        f"{_RETRACT}::test_retract_batch_tells_the_way_back_and_serves_the_rest",
    ),
    Mutant(
        "retract: a rebuild takes the wrong batch out at its end, after what came later",
        "pipelines/maintenance/replay.py",
        'self._retract_before(batch, {f"{dataset}/{one}" for dataset, one in staged}, retractions)',
        "self._retract_before(batches[0], frozenset(), retractions)",
        f"{_RETRACT}::test_rebuild_after_a_retraction_derives_every_event_and_the_same_state",
    ),
    Mutant(
        "retract: what was known of the batch is forgotten",
        "pipelines/maintenance/retraction_state.py",
        "instant = state.first_instant_from(retraction.at)",
        "instant = state.first_instant_from(datetime.min.replace(tzinfo=retraction.at.tzinfo))",
        f"{_RETRACT}::test_retract_batch_keeps_what_was_known_of_it_until_then",
    ),
    Mutant(
        "retract: files that came late because of the batch are never told",
        "pipelines/maintenance/retraction_state.py",
        'history.add_to_outbox(silenced.filter(~pl.col("event_id").is_in(derived_ids.implode())))',
        "pass",
        f"{_RETRACT}::test_retract_batch_dated_ahead_gives_late_files_their_events",
    ),
    Mutant(
        "retract: the market stays in the future that the batch was dated to",
        "warehouse/history/adoption.py",
        'self.connection.execute("DELETE FROM marks WHERE step = $1", [_KNOWN])',
        "pass",
        f"{_RETRACT}::test_retract_batch_dated_ahead_gives_late_files_their_events",
    ),
    Mutant(
        "retract: wrong figures stay the last that was told",
        "pipelines/maintenance/retraction_state.py",
        "history.add_to_outbox(event_frame(returned_filing_events(diffs, tables, context), instant))",
        "event_frame(returned_filing_events(diffs, tables, context), instant)",
        f"{_RETRACT}::test_retract_wrong_accounts_tells_the_figures_that_count_again",
    ),
    Mutant(
        "retract: a retraction that was killed is never completed",
        "pipelines/ingest/run.py",
        "finish_retractions(workspace, jurisdiction)",
        "pass",
        f"{_RETRACT}::test_retraction_killed_at_any_step_is_completed_by_the_next_run",
    ),
    Mutant(
        "retract: rows that a later batch only repeats are lost",
        "pipelines/maintenance/retract.py",
        "return any(body.batch in batches for body in unchanged_bodies(index)) or not set(archives).isdisjoint(bodies)",
        "return not set(archives).isdisjoint(bodies)",
        f"{_RETRACT}::test_retract_batch_that_a_later_one_repeats_needs_both",
    ),
    Mutant(
        "retract: an erased company stays in the rows of retracted batches",
        "pipelines/erasure/market.py",
        "for batch in self._workspace.staged_store.all_batches(dataset.key):",
        "for batch in self._workspace.staged_store.batches(dataset.key):",
        f"{_RETRACT}::test_erase_company_reaches_rows_and_bodies_of_retracted_batches",
    ),
    Mutant(
        "retract: absences that only the batch had confirmed stay confirmed",
        "warehouse/staged/store.py",
        "self.reopen_deletion_checks(dataset, self.checks_answered_by(dataset, retraction.batches))",
        "pass",
        "tests/pipelines/steps/test_absence_check.py"
        "::test_absence_that_only_a_retracted_batch_answered_is_checked_again",
    ),
    Mutant(
        "retract: a rebuild applies what was pending before the retraction",
        "pipelines/maintenance/replay.py",
        "if batch is not None and retraction.newest >= batch and not set(retraction.pending) & set(applied):",
        "if batch is not None and retraction.newest >= batch:",
        f"{_RETRACT}::test_batch_staged_before_a_retraction_and_applied_after_it_is_replayed_after_it",
    ),
    Mutant(
        "retract: a register of which the full snapshot is out of use counts as loaded in full",
        "pipelines/maintenance/retraction_state.py",
        "_ADOPTED_MARKS: Final = (FIRST_LOAD_MARK, IN_PART_MARK)",
        "_ADOPTED_MARKS: Final = (FIRST_LOAD_MARK,)",
        f"{_RETRACT}::test_retract_only_full_snapshot_of_a_register_leaves_it_loaded_in_part",
    ),
    Mutant(
        "retract: a changed rule is told of the whole market",
        "warehouse/history/adoption.py",
        "found = found.filter(found.is_in(companies.implode()))",
        "pass",
        f"{_RETRACT}::test_retract_after_a_change_of_rules_tells_what_the_batch_changed_alone",
    ),
    Mutant(
        "retract: the operator's page names no retraction",
        "pipelines/maintenance/retract.py",
        "retraction_log.write_retractions(workspace.layout, every)",
        "retraction_log.write_retractions(workspace.layout, ())",
        f"{_RETRACT}::test_retract_batch_tells_the_way_back_and_serves_the_rest",
    ),
    Mutant(
        "unlinked rows of a run without a release are counted in its report alone",
        "warehouse/release/freshness.py",
        "if key in datasets and seen.counted is not None",
        "if False",
        "tests/warehouse/release/test_release_freshness.py"
        "::test_rows_that_were_counted_since_replace_those_of_the_release",
    ),
    Mutant(
        "retract: the same wrong bytes are never ingested again, even when they are right",
        "warehouse/market_index/manifests.py",
        'run(f"UPDATE lines INDEXED BY lines_by_batch {retracted} AND batch = ?", (dataset, batch))',
        "pass",
        "tests/warehouse/raw/test_raw_archive.py::test_retracted_bodies_stay_stored_and_are_new_when_they_come_again",
    ),
    Mutant(
        "retract: entries of a feed in the batch are never read again",
        "warehouse/staged/store.py",
        "found |= one.repeated_batches(staged)",
        "pass",
        "tests/warehouse/staged/test_store.py"
        "::test_retracted_batch_is_not_listed_and_takes_the_cursor_back_until_a_later_batch",
    ),
    Mutant(
        "rebuild: what a new rule derives is told unasked",
        "pipelines/maintenance/rebuild.py",
        "if self.wishes.emit:",
        "if matched.height:",
        f"{_REBUILD}::test_another_rule_changes_what_is_served_and_tells_nobody_unasked",
    ),
    Mutant(
        "rebuild: judgements are followed before they were made",
        "pipelines/maintenance/replay.py",
        "self._judge_until(batch_instant(batch))",
        "self._judge_until(None)",
        f"{_REBUILD}::test_what_nothing_has_moved_comes_out_the_same",
    ),
    Mutant(
        "prune: a body that a later batch was read from goes",
        "pipelines/maintenance/retention.py",
        "spare = _body_hashes(past) - self._still_read(past) - self._elsewhere()",
        "spare = _body_hashes(past)",
        "tests/pipelines/maintenance/test_retention.py::test_the_newest_complete_edition_and_the_newest_batch_stay",
    ),
    Mutant(
        "doctor: late-arriving files of recent runs are nothing",
        "firm/doctor/ingests.py",
        "files.update(note.late)",
        "files.update({})",
        "tests/firm/test_ingest_dates.py::test_ingest_days_in_the_wrong_order_is_said_by_report_run_log_and_doctor",
    ),
    Mutant(
        "audit: lines with a key are left out",
        "tests/audit/__main__.py",
        'r"(?i:key|pass|pwd|secret|contrase|xox)",',
        'r"(?i:pass|pwd|secret|contrase|xox)",',
        "tests/audit/test_audit.py::test_line_without_signs_is_none_that_a_detector_matches",
    ),
)
