"""The bundle of company pages: built from the components as they are, named by its content, small."""

import gzip
import re
import shutil
from pathlib import Path

import pytest

from api.dashboard.templating import bundle_names, static_assets
from tests import browsing

BUNDLE = Path(__file__).parents[3] / "api/dashboard/bundle"
LARGEST_BYTES = {"company.js": 110_000, "company.css": 5_000}
"""Compressed: React takes 60 kB of the first, the scales of the charts 12."""


def test_the_bundle_is_named_by_its_content_and_served_whole() -> None:
    assert sorted(bundle_names()) == sorted(LARGEST_BYTES)
    assert {path.name for path in BUNDLE.iterdir()} == {"bundle.json", *bundle_names().values()}
    for name, file in bundle_names().items():
        assert re.fullmatch(r"company-[0-9A-Z]{8}\.(js|css)", file)
        assert static_assets()[file].body == (BUNDLE / file).read_bytes()
        assert len(gzip.compress(static_assets()[file].body)) < LARGEST_BYTES[name], name


@pytest.mark.slow
def test_the_bundle_is_that_of_the_components(tmp_path: Path) -> None:
    """`make generate` after a change of ui."""
    run = browsing.tools()
    shutil.rmtree(tmp_path)
    made = run("node", "scripts/bundle.mjs", tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
    built, kept = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (tmp_path, BUNDLE))
    assert built.keys() == kept.keys()
    assert built == kept
