"""The code location of two markets over a folder, as workers of a test load it; one of them may be told to stand still.

FIRM_TEST_FOLDER holds `day`, a file that names the folder of the day, and `pause`, where somebody is to stand still.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg

import connectors
from pipelines.definitions_builder import build_defs
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from pipelines.workspace import Workspace

MARKETS = ("FI", "NO")
FOLDER = Path(os.environ["FIRM_TEST_FOLDER"])


@dg.resource
def _day(_: dg.InitResourceContext) -> Iterator[FolderSource]:
    yield FolderSource(Path((FOLDER / "day").read_text()))


def _stand_still(step: str) -> None:
    """Once, where history has been written and nothing is published yet."""
    if step == "committed" and (FOLDER / "pause").exists():
        (FOLDER / "pause").unlink(missing_ok=True)
        data = settings.layout.root
        held = [
            path.stem.removeprefix("market-")
            for path in settings.layout.locks_folder.glob("market-*")
            if path.read_text()
        ]
        (FOLDER / "told").write_text(f"{held[0]} {data.name}")
        (FOLDER / "told").rename(FOLDER / "paused")
        time.sleep(600)


settings = IngestSettings.read(os.environ)
markets = tuple(made for made in connectors.JURISDICTIONS if made.code in MARKETS)
defs = build_defs(settings, workspace=Workspace(settings, markets, on_step=_stand_still), resources={"origin": _day})
