"""What lies on the disk and is not what was written: bodies of RAW before they are read, files of the release served."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path

import dagster as dg
import pytest

from firm.commands.ingest import print_problems
from tests.faults import of_stored
from tests.faults.declared import Cell, Fault
from tests.faults.world import State, at
from tests.pipelines.places import ONE, TWO, Place
from tests.warehouse.helpers import segment_file
from warehouse.publish.publisher import ReleaseStore
from warehouse.raw.archive import RawArchive
from warehouse.raw.blobs import blob_path
from warehouse.release.manifest import InvalidReleaseError
from warehouse.release.segments import DOCUMENTS, NAMES, ROWS

CUT = 5  # bytes that a damaged file lacks


def cell(fault: Fault, step: str) -> Cell:
    return next(one for one in of_stored.CELLS if (one.fault, one.step) == (fault, step))


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The first day taken in; the second lies in the folder."""
    with dg.DagsterInstance.ephemeral() as instance:
        made = Place(tmp_path_factory.mktemp("loaded"), instance=instance)
        made.plain()
        made.write("day.json", '{"complete": ["fi.register"]}')
        assert made.ingest().exit_code == 0
    made.register((ONE, "Yksi Oy", "asleep", "2026-02-01"), (TWO, "Kaksi Oyj", "open", ""))
    return made


def copied(loaded: Place, root: Path, instance: dg.DagsterInstance) -> Place:
    shutil.copytree(loaded.root, root)
    return Place(root, loaded.now, instance=instance)


@pytest.fixture(scope="module")
def due(loaded: Place, tmp_path_factory: pytest.TempPathFactory) -> State:
    """What the second day comes to without a fault."""
    with dg.DagsterInstance.ephemeral() as instance:
        place = copied(loaded, tmp_path_factory.mktemp("sound") / "place", instance)
        assert place.ingest().exit_code == 0
    return State.of(place.settings.data)


@pytest.fixture
def place(loaded: Place, tmp_path: Path) -> Iterator[Place]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield copied(loaded, tmp_path / "place", instance)


def newest_body(place: Place) -> Path:
    """The file of the register that came last."""
    piece = list(RawArchive(place.settings.layout).bodies("fi.register"))[-1]
    return blob_path(place.settings.layout.raw_folder, piece.sha256)


def cut(path: Path) -> bytes:
    whole = path.read_bytes()
    path.write_bytes(whole[:-CUT])
    return whole


def comes_again(_place: Place, _whole: bytes) -> None:
    """The folder has the same file still."""


def copy_is_brought_back(place: Place, whole: bytes) -> None:
    newest_body(place).write_bytes(whole)
    shutil.rmtree(place.folder / "fi" / "register")


@pytest.mark.slow
@pytest.mark.parametrize("mended", [comes_again, copy_is_brought_back])
def test_a_body_that_is_damaged_before_it_is_read(
    mended: Callable[[Place, bytes], None], place: Place, due: State
) -> None:
    told, whole = cell(Fault.CORRUPT, "staged"), []
    before = State.of(place.settings.data)
    struck = at("fi.register: 1 new", lambda: whole.append(cut(newest_body(place))))
    report = place.ingest(struck)
    err = io.StringIO()
    with redirect_stderr(err):
        print_problems(report, place.settings.layout)
    assert report.exit_code == told.exit_code
    assert told.is_said_in(err.getvalue()), err.getvalue()
    [reason] = [file.reason for file in report.files if file.path.endswith("register.csv")]
    assert reason is not None
    assert "restore it from a copy, or ingest the same file again" in reason
    assert State.of(place.settings.data) == before
    mended(place, whole[0])
    assert place.ingest().exit_code == 0
    found = State.of(place.settings.data)
    assert (found.content, found.events) == (due.content, due.events)
    assert place.ingest().release is None, "and it is read once"


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ROWS, DOCUMENTS, NAMES])
def test_a_release_that_is_torn(kind: str, place: Place, due: State) -> None:
    releases = ReleaseStore(place.settings.layout)
    path = segment_file(place.settings.layout, 1, kind)
    cut(path)
    with pytest.raises(InvalidReleaseError, match=rf"release 1: .*{path.name} is missing or not \d+ bytes long"):
        releases.verify_release(1)
    assert place.ingest().exit_code == cell(Fault.HALF_WRITTEN, "release").exit_code
    assert State.of(place.settings.data) == due
    made = releases.current_manifest()
    assert made is not None
    assert made.kind == "full"
    releases.verify_release(made.release)
