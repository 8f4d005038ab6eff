"""The code location that `dagster dev` and the daemon load. Reads the settings once; opens nothing.

Its runs finish erasures in the control plane, as `firm ingest` does. Does not belong here: composition
(`pipelines.definitions_builder`).
"""

from __future__ import annotations

import os

from firm.erasure import finish_erasures
from pipelines.definitions_builder import build_defs
from pipelines.settings import IngestSettings

defs = build_defs(IngestSettings.read(os.environ), resources={"finish_erasures": finish_erasures})
