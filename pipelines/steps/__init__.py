"""The pipeline steps, as plain functions on a workspace; each processes whatever is pending.

Belongs here: the order of reads, writes and marks, so that a kill at any moment neither loses nor duplicates
data. Does not belong here: Dagster (`defs`), the tables derived (`transforms`), how things are stored
(`warehouse`).
"""
