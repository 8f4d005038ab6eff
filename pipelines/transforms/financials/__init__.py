"""Versions of financial statements, and their periods."""
