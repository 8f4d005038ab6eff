"""Ingest report and run log of a run, both made from the results of its steps."""
