"""Exports of a data folder are written again without what was erased, whichever line of releases they are of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.warehouse.handed import objects, write
from tests.warehouse.world import learn, member, publish
from warehouse.erasure.files import replace_exports
from warehouse.exports.exports import ExportStore
from warehouse.storage.layout import Layout


@pytest.mark.slow
def test_exports_of_releases_that_are_lost_are_replaced_too(layout: Layout, tmp_path: Path) -> None:
    lost = Layout(tmp_path / "lost")
    learn(lost, "NO", 0, companies=[member("NO", 1, name="Erased AS")])
    publish(lost, "NO", at=1)
    write(lost, to=layout.exports_folder, formats=["ndjson"])
    learn(layout, "NO", 0, companies=[member("NO", 2)])
    publish(layout, "NO")
    exports = ExportStore(layout)
    replace_exports(exports, layout.exports_folder, "NO")
    [folder] = [path for path in (layout.exports_folder / "NO").iterdir() if path.is_dir()]
    made = exports.latest("NO")
    assert made is not None
    assert made.folder == folder
    assert json.loads((folder / "manifest.json").read_bytes())["release"] == 1
    assert [row["name"] for row in objects(made, "companies")] == ["Firma 2 AS"]
