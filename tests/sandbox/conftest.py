"""One world of all markets for the tests of this folder that only read it."""

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox import World, write_days


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path, dict[str, Any]]:
    """The world, the folder of its files, and what is true in it."""
    folder = tmp_path_factory.mktemp("world")
    world = World(seed=7, companies=400, days=4)
    write_days(world, folder)
    return world, folder, json.loads((folder / "truth.json").read_text(encoding="utf-8"))
