"""The pipeline steps, as plain functions on a workspace; each processes whatever is pending.

Belongs here: the order of reads, writes and marks, so that a kill at any moment neither loses nor duplicates
data. Does not belong here: Dagster (`assets`), the pure functions (`steps`), how things are stored
(`warehouse`).
"""
