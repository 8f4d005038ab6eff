"""The past of releases: where it begins, what an erasure leaves of it, and what stops a publish."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from tests.searched import found
from tests.warehouse.former import with_whole_files
from tests.warehouse.helpers import day
from tests.warehouse.world import NO_EVENTS, learn, member, owner, parts, publish
from warehouse.publish.publisher import ReleaseStore
from warehouse.reader.company_state import NotKnownThenError, StateQuery
from warehouse.reader.reader import ReleaseReader
from warehouse.release import manifest as release_manifest
from warehouse.release.manifest import MANIFEST, InvalidReleaseError, ReleaseManifest
from warehouse.serving.past_db import ErasedSubjects
from warehouse.storage.layout import Layout

ONE, TWO = "firm:NO:900000001", "firm:NO:900000002"
FIVE_YEARS = dt.date(2026, 1, 1)


def _name(layout: Layout, company: str, at: int) -> str | None:
    """The name that was served on a day; None where nothing was."""
    reader = ReleaseReader(layout)
    try:
        with reader.pin_release() as snapshot:
            state = snapshot.company_state(company, StateQuery(day(at)))
            return None if state is None else json.loads(state.profile())["name"]
    except NotKnownThenError:
        return None
    finally:
        reader.close()


def _holders(layout: Layout, company: str, at: int) -> list[str]:
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        state = snapshot.company_state(company, StateQuery(day(at)))
        assert state is not None
        page, _ = state.owners(FIVE_YEARS, None, None, 100)
    reader.close()
    return [json.loads(row)["holder_id"] for row in page.rows]


def _take(layout: Layout, at: int, *names: str) -> ReleaseManifest:
    learn(layout, "NO", at, companies=[member("NO", number, name=name) for number, name in enumerate(names, 1)])
    made = publish(layout, "NO", at=at, keep=1)
    assert made is not None
    return made


def test_the_past_begins_at_the_release_of_an_earlier_version(layout: Layout) -> None:
    _take(layout, 0, "Alfa", "Beta")
    with_whole_files(layout, 1)
    path = layout.release_folder(1) / MANIFEST
    former = json.loads(path.read_bytes())
    del former["past"]
    path.write_text(json.dumps(former))
    release_manifest.write_pointer(layout, 1)
    _take(layout, 1, "Alfa Ny", "Beta")
    assert [_name(layout, ONE, at) for at in (-1, 0, 1)] == [None, "Alfa", "Alfa Ny"]
    assert [_name(layout, TWO, at) for at in (0, 1)] == ["Beta", "Beta"]


def test_a_damaged_past_stops_a_publish_and_moved_away_begins_anew(layout: Layout) -> None:
    _take(layout, 0, "Alfa")
    made = _take(layout, 1, "Beta")
    path = layout.release_folder(made.release) / made.past[-1].file
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    learn(layout, "NO", 2, companies=[member("NO", 1, name="Gamma")])
    with pytest.raises(InvalidReleaseError) as refused:
        publish(layout, "NO", at=2)
    assert str(refused.value) == (
        f"release {made.release}: {path} is not {len(whole)} bytes long, and no history has what it had: restore it from "
        "a backup or another machine (`firm release pull`), or move it away to publish without it: the past then begins "
        "after it"
    )
    for damaged in (b"x" * len(whole), whole[: len(whole) // 2] + b"x" * (len(whole) - len(whole) // 2)):
        path.write_bytes(damaged)
        with pytest.raises(InvalidReleaseError) as refused:
            publish(layout, "NO", at=2)
        said = str(refused.value)
        assert said.startswith(f"release {made.release}: {path} cannot be read (")
        assert "\n" not in said
        assert said.endswith("or move it away to publish without it: the past then begins after it")
    path.unlink()
    assert publish(layout, "NO", at=2) is not None
    assert [_name(layout, ONE, at) for at in (0, 1, 2)] == [None, None, "Gamma"]


def test_a_rollback_to_the_segments_before_keeps_what_it_replaces(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1, name="Alfa")])
    publish(layout, "NO", at=0)
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Beta"), member("NO", 2, name="Gamma")])
    publish(layout, "NO", at=1)
    made = ReleaseStore(layout, clock=lambda: day(2)).rollback(1)
    assert made.kind == "rollback"
    assert [_name(layout, ONE, at) for at in (0, 1, 2)] == ["Alfa", "Beta", "Alfa"]
    assert [_name(layout, TWO, at) for at in (0, 1, 2)] == [None, "Gamma", None]


def test_verification_reads_the_past(layout: Layout) -> None:
    made = _take(layout, 0, "Alfa")
    path = layout.release_folder(1) / made.past[-1].file
    path.write_bytes(b"x" * made.sizes[made.past[-1].file])
    with pytest.raises(InvalidReleaseError, match=r"past\..* cannot be read"):
        ReleaseStore(layout).verify_release(1)


def test_an_erased_subject_is_in_no_past_and_others_are(layout: Layout) -> None:
    """Of two companies one is erased, of the other's owners one; a third is kept by its register in another form."""
    three = "firm:NO:900000003"
    held = [owner(TWO, name, "10", holder_name=f"Holder {name}") for name in ("own_a", "own_b")]
    names = ("Erased Person", "Beta", "Removed Person")
    learn(layout, "NO", 0, companies=[member("NO", n, name=name) for n, name in enumerate(names, 1)], owners=held)
    publish(layout, "NO", at=0, keep=1)
    _take(layout, 1, "Erased Person", "Beta Ny", "Removed Person")
    kept = [member("NO", 2, name="Beta Nyere"), member("NO", 3, name="900000003")]
    learn(layout, "NO", 2, companies=kept, owners=held[:1])
    erased = ErasedSubjects(frozenset({ONE, three}), frozenset({"own_b"}))
    store = ReleaseStore(layout, clock=lambda: day(2), keep=1)
    assert store.publish(parts(layout, "NO", at=2), NO_EVENTS, full=True, erased=erased) is not None
    words = ["Erased Person", ONE, "Removed Person", "own_b", "Holder own_b"]
    assert found(layout.releases_folder, words) == set()
    assert [_name(layout, TWO, at) for at in (0, 1, 2)] == ["Beta", "Beta Ny", "Beta Nyere"]
    assert [_holders(layout, TWO, at) for at in (0, 1, 2)] == [["own_a"]] * 3
    assert [_name(layout, three, at) for at in (0, 1, 2)] == [None, None, "900000003"]
    assert _name(layout, ONE, 1) is None
    learn(layout, "NO", 3, companies=[*kept, member("NO", 1, name="Lifted")])
    publish(layout, "NO", at=3)
    assert [_name(layout, ONE, at) for at in (1, 2, 3)] == [None, None, "Lifted"]


def test_a_publish_takes_a_past_that_is_linked_and_one_file_more(layout: Layout) -> None:
    """As a file of many rows is not written again by a publish of few."""
    _take(layout, 0, *(f"Firma {number}" for number in range(20)))
    many = _take(layout, 1, *(f"Ny {number}" for number in range(20)))
    few = _take(layout, 2, "Nyere", *(f"Ny {number}" for number in range(1, 20)))
    assert few.past[0] == many.past[0]
    assert few.past[1].rows < 9
    assert [_name(layout, ONE, at) for at in (0, 1, 2)] == ["Firma 0", "Ny 0", "Nyere"]
