"""An ingest that Ctrl-C meets when a step is reached for the nth time: run by test_firm_kills.

`interrupted.py DATA FOLDER STEP NTH WHERE`; a step is what the stores name, or the beginning of a line of progress,
WHERE is `python` or `query`.
"""

import signal
import sys
from pathlib import Path

from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from tests.firm.endless_query import query


def python() -> None:
    """Is met by Ctrl-C as it stands."""
    signal.raise_signal(signal.SIGINT)


def main(data: str, folder: str, step: str, nth: str, where: str) -> None:
    left = int(nth)

    def reached(name: str) -> None:
        nonlocal left
        if name.startswith(step):
            left -= 1
            if left == 0:
                {"python": python, "query": query}[where]()

    settings = IngestSettings(data=Path(data), workers=1)
    ingest(
        settings, ["NO", "UK"], FolderSource(Path(folder)), progress=reached, overrides=IngestOverrides(on_step=reached)
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
