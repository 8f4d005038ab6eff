"""`<cc>/export`: the bulk export of one market, from the current release.

See docs/contract/contract.md 4.15.
"""

from typing import Any

import dagster as dg

from connectors.contract.dataset import Jurisdiction
from pipelines.defs.asset_keys import RELEASE, market_key
from pipelines.workspace import Workspace


def export_asset(jurisdiction: Jurisdiction) -> dg.AssetsDefinition:
    """The export of one market. Not partitioned: it belongs to a release, not to a batch."""

    @dg.asset(
        key=market_key(jurisdiction, "export"),
        deps=[RELEASE],
        group_name="exports",
        description="All data of the market as Parquet and NDJSON, with a manifest.",
        kinds={"parquet"},
    )
    def asset(workspace: dg.ResourceParam[Workspace]) -> dg.MaterializeResult[Any]:
        [export] = workspace.exports.write([jurisdiction.code])
        workspace.share_export(jurisdiction.code)
        return dg.MaterializeResult(
            metadata={
                "release": export.manifest["release"],
                "as_of_sequence": export.manifest["as_of_sequence"],
                "folder": str(export.folder),
                "is_new": export.is_new,
            }
        )

    return asset
