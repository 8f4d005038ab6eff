"""Reading genuine ownership filings as the pipeline does: through the archive's door first."""

import hashlib
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


def read(dataset: Dataset, path: Path) -> list[Batch]:
    assert dataset.redact is not None
    kept = dataset.redact(BytesIO(path.read_bytes())).read()
    sha = hashlib.sha256(kept).hexdigest()
    piece = ArchiveMember(
        dataset.key, f"us/{path.parent.name}/{path.name}", sha, NOW, Scope.PART, "b", partial(BytesIO, kept)
    )
    return [batch for part in dataset.split_members(piece) for batch in dataset.read_batches(part)]
