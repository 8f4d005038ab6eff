"""Names of assets. A dataset key `<cc>.<dataset>` gives the path `<cc>/<dataset>`."""

from __future__ import annotations

from typing import Final

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction

RELEASE: Final = dg.AssetKey("release")


def raw_key(dataset: Dataset) -> dg.AssetKey:
    """Key of a RAW asset: `raw/<cc>/<dataset>`."""
    return dg.AssetKey(["raw", *dataset.key.split(".")])


def staged_key(dataset: Dataset) -> dg.AssetKey:
    """Key of a STAGED asset: `staged/<cc>/<dataset>`."""
    return dg.AssetKey(["staged", *dataset.key.split(".")])


def market_key(jurisdiction: Jurisdiction, layer: str) -> dg.AssetKey:
    """Key of a market's asset: `<cc>/<layer>`."""
    return dg.AssetKey([jurisdiction.code.lower(), layer])


def pool_name(dataset: Dataset) -> str:
    """Pool name of a dataset: one pool per registry host."""
    return "host_" + "".join(sign if sign.isalnum() else "_" for sign in dataset.host.lower())
