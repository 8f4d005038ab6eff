"""An ingest that kills its own process when a step is reached for the nth time: forked by test_firm_kills.

A step is what the stores name, or the beginning of a line of progress.
"""

import os
import signal
from pathlib import Path

from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource


def main(data: str, folder: str, step: str, nth: int) -> None:
    left = nth

    def reached(name: str) -> None:
        nonlocal left
        left -= name.startswith(step)
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    settings = IngestSettings(data=Path(data), workers=1)
    ingest(
        settings, ["NO", "UK"], FolderSource(Path(folder)), progress=reached, overrides=IngestOverrides(on_step=reached)
    )
