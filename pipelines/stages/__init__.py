"""What each asset does, as plain functions on a workspace; each takes up whatever is there and not yet taken.

Belongs here: the order of reads, writes and marks, so that a kill at any moment loses and doubles nothing.
Does not belong here: Dagster (`assets`), the pure functions (`steps`), how things are stored (`warehouse`).
"""
