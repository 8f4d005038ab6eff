"""Where benchmarks keep between runs what takes long to make.

Does not belong here: what is kept, or when it is made anew (each benchmark's own).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def folder() -> Path:
    """BENCH_FOLDER of the environment; below the system's temporary folder otherwise."""
    return Path(os.environ.get("BENCH_FOLDER") or Path(tempfile.gettempdir()) / "firmdata-benchmarks")
