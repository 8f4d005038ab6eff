"""`firm doctor` names exports that no list shows."""

import json
from pathlib import Path

from tests.firm.inside import Inside


def test_doctor_names_an_export_that_is_left_out_of_lists(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    manifest = firm.data / "exports" / "NO" / "0000000042" / "manifest.json"
    manifest.parent.mkdir(parents=True)
    told = {"market": "NO", "release": 42, "released_at": "2026-11-20T03:30:00Z", "as_of_sequence": 7}
    entry = {"name": "x.orc", "format": "orc", "compression": "zlib", "rows": 1, "bytes": 1, "sha256": "0" * 64}
    manifest.write_text(json.dumps(told | {"files": [entry | {"table": "companies"}]}))
    said = firm.run("doctor").out
    assert f"warn\texport {manifest}: x.orc: unknown format 'orc'\tit is left out of lists: run `firm export`" in said
    assert json.loads(firm.run("exports", "--json").out) == {"files": []}
    manifest.write_text("{")
    assert f"warn\texport {manifest}: Input data was truncated\t" in firm.run("doctor").out
    manifest.write_text(json.dumps(told | {"files": []}))
    assert str(manifest) not in firm.run("doctor").out
