"""A market that is misled by one batch, and a retraction that kills its own process at a step.

test_retract forks it.
"""

from __future__ import annotations

import os
import shutil
import signal
from datetime import datetime
from pathlib import Path

from pipelines.maintenance.retract import RetractionRequest, retract
from pipelines.workspace import WorkspaceOverrides
from tests.pipelines.places import ONE, THREE, TWO, Place, accounts, owner


def mislead(place: Place) -> None:
    """Files in which everything is wrong: a status, a company, a document, a share."""
    place.register(
        (ONE, "Yksi Oy", "asleep", "2026-03-03"), (TWO, "Kaksi Oy", "open", ""), (THREE, "Kolme Oy", "open", "")
    )
    place.records("accounts/a2.json", accounts("a2", ONE, 2025, 90))
    place.records("owners/o1.json", owner("o1", ONE, 75, 100))


def go_on(place: Place) -> None:
    """A genuine document of the day after, without the wrong files."""
    shutil.rmtree(place.folder)
    place.records("accounts/a3.json", accounts("a3", TWO, 2025, 70))


def main(root: str, now: str, batch: str, where: str) -> None:
    def die_at(name: str) -> None:
        if name == where:
            os.kill(os.getpid(), signal.SIGKILL)

    place = Place(Path(root), datetime.fromisoformat(now))
    request = RetractionRequest((batch,), by="anna", reason="wrong file")
    retract(place.settings, request, overrides=WorkspaceOverrides((place.market,), place.clock, die_at))
