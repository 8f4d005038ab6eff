"""Readers are sent to the processes of the parser pool."""

from __future__ import annotations

import pickle

import connectors


def test_every_dataset_readers_are_picklable() -> None:
    for jurisdiction in connectors.JURISDICTIONS:
        for dataset in jurisdiction.datasets:
            assert pickle.dumps((dataset.read_batches, dataset.split_members)), dataset.key
