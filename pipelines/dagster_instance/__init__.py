"""Dagster's own records in SQLite or PostgreSQL, faster or safer than with its classes; the Celery application."""
