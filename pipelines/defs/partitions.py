"""Partitions: one set per market, with one partition per batch, which is one ingest.

Never one per company, and not one per day. Does not belong here: the ids of batches (`runtime.batch_ids`).
Docs: https://docs.dagster.io/guides/build/partitions-and-backfills
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.runtime.batch_ids import next_batch
from pipelines.workspace import Workspace

KEPT_PARTITIONS: Final = 500  # only Dagster's list; the stores know what a batch contains


def partitions_name(market: str) -> str:
    """Name of a market's set of partitions: `batches_<cc>`."""
    return f"batches_{market.lower()}"


@cache
def market_partitions(market: str) -> dg.DynamicPartitionsDefinition:
    """The batches of a market."""
    return dg.DynamicPartitionsDefinition(name=partitions_name(market))


def register_batch(instance: dg.DagsterInstance, markets: Iterable[str], batch: str) -> None:
    """Registers a batch as a partition of some markets and removes their oldest ones."""
    for market in markets:
        name = partitions_name(market)
        instance.add_dynamic_partitions(name, [batch])
        for old in sorted(instance.get_dynamic_partitions(name))[:-KEPT_PARTITIONS]:
            instance.delete_dynamic_partition(name, old)


def registered_batches(instance: dg.DagsterInstance, jurisdictions: Iterable[Jurisdiction]) -> set[str]:
    """The batches of all these markets."""
    return {batch for made in jurisdictions for batch in instance.get_dynamic_partitions(partitions_name(made.code))}


def new_batch(instance: dg.DagsterInstance, workspace: Workspace) -> str:
    """The id of a batch that begins now; no market has one of that id, since a batch has one folder of results."""
    taken = {*workspace.step_results.batches(), *registered_batches(instance, workspace.jurisdictions)}
    return next_batch(workspace.clock(), taken)
