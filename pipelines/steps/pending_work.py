"""Whether the steps after staging have anything to do for a market: if not, a run ends without them.

The stores decide, never what this run fetched: a run that was killed may have left work. Does not belong here:
doing it (`normalise`, `apply_history`, `publish`).
"""

from __future__ import annotations

from connectors.contract.dataset import Jurisdiction
from pipelines.steps.normalise import load_normalise_state
from pipelines.workspace import Workspace
from warehouse.erasure.tombstones import TombstoneStore


def has_pending_work(workspace: Workspace, jurisdiction: Jurisdiction, batch: str) -> bool:
    """True if something is to be applied, published or erased, or if the market was never published."""
    market = jurisdiction.code
    served = workspace.release_store.current_manifest()
    published = None if served is None else served.history.get(market)
    if published is None or not workspace.layout.history_file(market).exists():
        return True
    if workspace.snapshot_store.all(market) or TombstoneStore(workspace.layout).unfinished_tombstones(market):
        return True
    with workspace.open_history(market) as history:
        state = load_normalise_state(workspace, jurisdiction, history, batch)
        if state.pending or state.decisions or history.revision != published.revision:
            return True
        return not history.outbox_events().is_empty()
