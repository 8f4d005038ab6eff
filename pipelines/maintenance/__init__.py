"""Maintenance of stored data: rebuilding histories from STAGED, retention of RAW and STAGED."""
