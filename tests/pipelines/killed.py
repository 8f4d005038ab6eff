"""An ingest that kills its own process at one point, forked by test_kills."""

from __future__ import annotations

import os
import signal
from datetime import datetime
from pathlib import Path

from tests.pipelines.places import Place


def main(root: str, now: str, where: str) -> None:
    def die_at(name: str) -> None:
        if name == where:
            os.kill(os.getpid(), signal.SIGKILL)

    place = Place(Path(root), datetime.fromisoformat(now))
    place.ingest(die_at, on_step=die_at)
