"""An ingest that Ctrl-C meets when a step is reached for the nth time: forked by test_firm_kills.

A step is what the stores name, or the beginning of a line of progress; `where` is `python` or `query`.
"""

import signal
from pathlib import Path

from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from tests.firm.endless_query import query


def python() -> None:
    """Is met by Ctrl-C as it stands."""
    signal.raise_signal(signal.SIGINT)


def main(data: str, folder: str, step: str, nth: int, where: str) -> None:
    left = nth

    def reached(name: str) -> None:
        nonlocal left
        if name.startswith(step):
            left -= 1
            if left == 0:
                {"python": python, "query": query}[where]()

    settings = IngestSettings(data=Path(data), workers=1)
    overrides = IngestOverrides(on_step=reached)
    try:
        ingest(settings, ["NO", "UK"], FolderSource(Path(folder)), progress=reached, overrides=overrides)
    except KeyboardInterrupt:  # ends a program of its own by the signal, and a forked process by an error
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
