"""Publishes the histories of the named markets in full, without events: `python -m benchmarks.full_release UK SE`.

Run as a process of its own, so that its memory is measured alone (`bench_universe`).
"""

from __future__ import annotations

import sys

from connectors import JURISDICTIONS
from firm.environment import read_ingest_settings
from pipelines.steps.publish import republish_markets
from pipelines.workspace import Workspace

if __name__ == "__main__":
    republish_markets(Workspace(read_ingest_settings(), JURISDICTIONS), sys.argv[1:])
