"""The workspace as a Dagster resource, and the tags of a run that it reads.

Does not belong here: composing the workspace (`workspace`).
Docs: https://docs.dagster.io/guides/build/external-resources
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Final

import dagster as dg

from pipelines.runtime import crash_recovery
from pipelines.runtime.crash_recovery import MARKET_TAG
from pipelines.workspace import Workspace

MARKETS_TAG: Final = "firm/markets"  # markets published by the release of a run
LOCKED_TAG: Final = "firm/locked"  # the starter of the run already holds the lock
BATCH_TAG: Final = "dagster/partition"

Around = Callable[[Workspace, str, str], AbstractContextManager[None]]


def workspace_resource(workspace: Workspace, wrap_step: Around) -> dg.ResourceDefinition:
    """The workspace as a Dagster resource: holds the run's market from its first step to its last.

    `wrap_step` is entered for runs that Dagster started, with the market and the batch of the run.
    """

    @dg.resource(description="Stores of one data root; holds the market's lock during the run.")
    def resource(context: dg.InitResourceContext) -> Iterator[Workspace]:
        tags = context.run.tags if context.run else {}
        market = tags.get(MARKET_TAG)
        with ExitStack() as stack:
            if market is not None and LOCKED_TAG not in tags and context.instance is not None:
                stack.enter_context(workspace.market_lease.hold_lease(market))
                crash_recovery.fail_dead_runs(context.instance, market, current_run=context.run)
                crash_recovery.recover_releases(workspace.release_store)
                stack.callback(workspace.close)
                stack.enter_context(wrap_step(workspace, market, tags[BATCH_TAG]))
            yield workspace

    return resource
