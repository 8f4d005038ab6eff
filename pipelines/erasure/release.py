"""Releases without erased subjects: the erasure's steps before a release, and those that follow it.

Does not belong here: the steps (`market`), or what a release contains (`steps.publish`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pipelines.erasure.market import MarketErasure, ReleaseInUseError
from pipelines.steps import publish
from pipelines.steps.publish import PublishResult
from pipelines.workspace import Workspace


def publish_run(workspace: Workspace, markets: Iterable[str], batch: str) -> PublishResult:
    """Publishes the markets of a run, in full where a subject was erased since the last release.

    What older releases contain of subjects is deleted; if one is still being read, by a later run.
    """
    at = workspace.step_results.facts(batch).at
    erasures = {market: MarketErasure(workspace, workspace.jurisdiction(market)) for market in sorted(markets)}
    erased = [market for market, erasure in erasures.items() if erasure.erase_before_release(at)]
    result = publish.publish(workspace, erasures, batch, erased)
    for erasure in erasures.values():
        try:
            erasure.erase_after_release()
        except ReleaseInUseError as error:
            workspace.report_progress(str(error))
    return result


def republish_market(workspace: Workspace, market: str, at: datetime) -> None:
    """Completes the erasures of a market with a release of its current history. Raises ReleaseInUseError."""
    erasure = MarketErasure(workspace, workspace.jurisdiction(market))
    if erasure.erase_before_release(at):
        number = publish.republish_markets(workspace, [market])
        workspace.report_progress(
            f"{market}: nothing was published" if number is None else f"{market}: release {number}"
        )
    erasure.erase_after_release()
