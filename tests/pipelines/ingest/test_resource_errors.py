"""Runs that disk, memory or Dagster's database end say so in words, with what to do; other errors stay loud."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from pipelines.ingest.resource_errors import RunInterruptedError, explain_resource_errors, with_hint
from pipelines.settings import IngestSettings

HERE = IngestSettings(data=Path("/data"))
AGAIN = ", then run this again; the published release and ingested data are unchanged"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/data/x"),
            "[Errno 28] No space left on device: '/data/x': free space on that disk" + AGAIN,
        ),
        (MemoryError(), "MemoryError: give this process more memory" + AGAIN),
        (FileNotFoundError(errno.ENOENT, "No such file", "/data/x"), "[Errno 2] No such file: '/data/x'"),
        (
            OperationalError("SELECT 'hidden'", {}, Exception("database or disk is full")),
            "the database of Dagster's records below /data/dagster failed (database or disk is full): "
            "free space on that disk" + AGAIN,
        ),
    ],
)
def test_what_ends_a_run_is_told_with_what_to_do(error: Exception, said: str) -> None:
    with pytest.raises(RunInterruptedError) as told, explain_resource_errors(HERE):
        raise error
    assert str(told.value) == said


def test_what_nobody_foresaw_stays_loud() -> None:
    with pytest.raises(ZeroDivisionError), explain_resource_errors(HERE):
        raise ZeroDivisionError
    assert with_hint("the key is null") == "the key is null"
