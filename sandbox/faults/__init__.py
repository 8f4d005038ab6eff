"""Faults on demand: damaged files, and failing requests."""
