"""`firm ingest`: runs markets, in this process or one process each, then publishes; what ends a run early.

Does not belong here: what the steps do (`steps`), or runs that Dagster's daemon starts (`defs`).
"""
