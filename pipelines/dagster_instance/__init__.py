"""What this project changes in Dagster's own records, for which Dagster has no public name; the Celery application.

Dagster documents its storage classes by their places in `dagster.yaml` alone, so a class of ours derives from private
ones. They are imported in `dagster_internals` and nowhere else. There are three reasons:

- a lost wake-up of concurrency slots (`concurrency_slots`);
- pools that two workers create at once in PostgreSQL, https://github.com/dagster-io/dagster/issues/33552
  (`postgres_storage`);
- connections that are kept, where Dagster opens one for every event in SQLite (`sqlite_storage`).

`tests/pipelines/dagster_instance/test_dagster_internals.py` names each part of Dagster that is replaced or relied upon
and fails when one of them changes.
"""
