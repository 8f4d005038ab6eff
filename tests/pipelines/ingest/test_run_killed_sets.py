"""A complete set of files that a killed run fetched in part is one set with what the next run fetches of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.reporting.report import DONE
from tests.pipelines.places import ONE, THREE, TWO, Place
from warehouse.publish.release_tables import open_release_tables
from warehouse.release.manifest import served_manifest

pytestmark = pytest.mark.slow


class KilledError(Exception):
    """A run that ends after it has fetched."""


def kill(said: str) -> None:
    if said == "fi.register: 1 new":
        raise KilledError(said)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Three companies in a complete set of two files."""
    place = Place(tmp_path)
    place.write("day.json", '{"complete": ["fi.register"]}')
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), name="a.csv")
    place.register((THREE, "Kolme Oy", "open", ""), name="b.csv")
    assert place.ingest().release == 1
    return place


def served(place: Place) -> dict[str, str]:
    """Status by name, as the newest release has it."""
    manifest = served_manifest(place.settings.layout)
    assert manifest is not None
    with open_release_tables(place.settings.layout, manifest.release) as release:
        return dict(release.execute("SELECT name, status FROM companies").fetchall())


def test_no_company_of_a_file_that_a_killed_run_fetched_or_did_not_fetch_is_dissolved(place: Place) -> None:
    place.register((ONE, "Yksi Uusi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), name="a.csv")
    (place.folder / "fi" / "register" / "b.csv").unlink()
    assert place.ingest(hook=kill).errors
    place.register((THREE, "Kolme Uusi Oy", "open", ""), name="b.csv")
    report = place.ingest()
    assert (report.held, report.errors, report.exit_code) == ((), (), DONE)
    assert served(place) == dict.fromkeys(("Yksi Uusi Oy", "Kaksi Oy", "Kolme Uusi Oy"), "active")
