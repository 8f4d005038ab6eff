"""Bodies of authorities, read straight and as they are archived."""

import io

import pytest

from connectors.contract.dataset import Batch, Dataset
from tests.connectors.regulators.feeding import Reading, piece_of


@pytest.fixture
def read() -> Reading:
    """All rows of a body as one batch, straight from the bytes."""

    def reading(dataset: Dataset, body: bytes) -> Batch:
        batches = list(dataset.read_batches(piece_of(dataset, body)))
        assert len({batch.table for batch in batches}) == 1
        return max(batches, key=lambda batch: (batch.rows.height, batch.rejects.height))

    return reading


@pytest.fixture
def archived() -> Reading:
    """The same of what the archive keeps of the body; what it keeps of that is the same again."""

    def reading(dataset: Dataset, body: bytes) -> Batch:
        assert dataset.redact is not None
        kept = dataset.redact(io.BytesIO(body)).read()
        assert dataset.redact(io.BytesIO(kept)).read() == kept
        batches = list(dataset.read_batches(piece_of(dataset, kept)))
        return max(batches, key=lambda batch: (batch.rows.height, batch.rejects.height))

    return reading
