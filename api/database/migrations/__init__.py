"""Alembic migrations of the control-plane database, run by `api.database.migrate`."""
