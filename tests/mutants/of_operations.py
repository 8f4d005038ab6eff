"""Breaks of what an operator relies on: backups that work elsewhere, rebuilds without an echo, pruning with care."""

from typing import Final

from tests.mutants.mutant import Mutant

_BACKUP: Final = "tests/firm/test_backup.py"
_REBUILD: Final = "tests/pipelines/maintenance/test_maintenance_rebuild.py"

OPERATIONS: Final = (
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
        "redact_deliveries(installation, stones) if stones else 0,",
        "0,",
        f"{_BACKUP}::test_who_was_erased_after_the_backup_stays_erased",
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
)
