"""dagster_instance of pipelines.

Holds celery_app, concurrency_slots, errors, materialization_cache, postgres_storage, sqlite_engines,
sqlite_event_log, sqlite_storage.
"""
