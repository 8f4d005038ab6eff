"""Partitions: one per batch, which is one ingest (`batches`). Never one per company, and not one per day.

Docs: https://docs.dagster.io/guides/build/partitions-and-backfills
"""

from __future__ import annotations

from typing import Final

import dagster as dg

BATCHES: Final = dg.DynamicPartitionsDefinition(name="batches")
KEPT_PARTITIONS: Final = 500  # only Dagster's list; the stores know what a batch contains


def register_batch(instance: dg.DagsterInstance, batch: str) -> None:
    """Registers a batch as a Dagster partition and removes the oldest ones."""
    name = BATCHES.name
    if name is None:
        raise ValueError("the batch partitions have no name")
    instance.add_dynamic_partitions(name, [batch])
    for old in sorted(instance.get_dynamic_partitions(name))[:-KEPT_PARTITIONS]:
        instance.delete_dynamic_partition(name, old)
