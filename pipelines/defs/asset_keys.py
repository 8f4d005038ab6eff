"""Names of assets, the layer last: `<cc>/<dataset>_raw`, `<cc>/<dataset>_staged`, `<cc>/<layer>`.

The asset graph labels a box with the last part of its key, so that no two boxes of a market have one label.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import dagster as dg

from connectors.contract.dataset import Dataset, Jurisdiction

RELEASE: Final = dg.AssetKey("release")


def raw_key(dataset: Dataset) -> dg.AssetKey:
    """Key of a RAW asset: `<cc>/<dataset>_raw`."""
    return _dataset_key(dataset, "raw")


def staged_key(dataset: Dataset) -> dg.AssetKey:
    """Key of a STAGED asset: `<cc>/<dataset>_staged`."""
    return _dataset_key(dataset, "staged")


def step_name(dataset: Dataset) -> str:
    """Name of the step that fetches and reads a dataset: `<cc>__<dataset>`."""
    return dataset.key.replace(".", "__")


def _dataset_key(dataset: Dataset, layer: str) -> dg.AssetKey:
    market, _, name = dataset.key.partition(".")
    return dg.AssetKey([market, f"{name}_{layer}"])


def fetched_datasets(jurisdiction: Jurisdiction, keys: Iterable[dg.AssetKey]) -> frozenset[str]:
    """Keys of the datasets whose RAW assets are among these assets."""
    wanted = set(keys)
    return frozenset(dataset.key for dataset in jurisdiction.datasets if raw_key(dataset) in wanted)


def market_key(jurisdiction: Jurisdiction, layer: str) -> dg.AssetKey:
    """Key of a market's asset: `<cc>/<layer>`."""
    return dg.AssetKey([jurisdiction.code.lower(), layer])


def pool_name(dataset: Dataset) -> str:
    """Pool name of a dataset: one pool per registry host."""
    return "host_" + "".join(sign if sign.isalnum() else "_" for sign in dataset.host.lower())
