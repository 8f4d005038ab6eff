"""The code location that `dagster dev` and the daemon load. Reads the settings once; opens nothing.

Does not belong here: composition (`definitions_builder`).
"""

from __future__ import annotations

import os

from pipelines.definitions_builder import build_defs
from pipelines.settings import IngestSettings

defs = build_defs(IngestSettings.read(os.environ))
