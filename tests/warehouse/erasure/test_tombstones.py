"""Tombstones: stored hashes match the same subject for ever; a lifted one keeps nothing out."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.tables import check_cases
from warehouse.erasure.tombstones import STEPS, Tombstone, TombstoneStore
from warehouse.storage.atomic_files import json_fields, write_json
from warehouse.storage.layout import Layout

STONE = Tombstone("own_1", "NO", "firm:NO:1", datetime(2026, 1, 1, tzinfo=UTC), "request", salt="salt")


@check_cases(
    ("text", "trace"),
    [
        ("Åsa O’Neil & Sønn A/S", "4f81d8988de8c3678222cc5e2b1a9cf0"),
        ("ASA  O'NEIL SONN a.s.", "4f81d8988de8c3678222cc5e2b1a9cf0"),
        ("Łódź_1", "ddd00d966805e881d6678873d10a21d2"),
        ("-", "821bb59416cdc4d09afbf3a3e83dd3b5"),
    ],
)
def test_trace_of_a_text_is_the_stored_one(text: str, trace: str) -> None:
    assert STONE.trace(text) == trace


def test_lifted_tombstone_is_stored_and_not_in_force(tmp_path: Path) -> None:
    store = TombstoneStore(Layout(tmp_path))
    at = datetime(2026, 1, 2, tzinfo=UTC)
    store.add([STONE])
    (lifted,) = store.lift([STONE.subject], at, "error")
    assert (lifted.lifted_at, lifted.lift_reason, lifted.salt) == (at, "error", "salt")
    assert (store.list_tombstones(), store.unfinished_tombstones(), store.all_tombstones("NO")) == ((), (), (lifted,))
    other = TombstoneStore(Layout(tmp_path / "other"))
    other.replace_records("NO", store.export_records("NO"))
    assert other.all_tombstones() == (lifted,)
    assert store.add([STONE]) == (STONE,)


def test_tombstone_of_a_former_version_is_in_force(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    former = json_fields(STONE)
    del former["lifted_at"], former["lift_reason"]
    write_json(layout.tombstones_file, {"erased": [former]})
    assert TombstoneStore(layout).list_tombstones() == (STONE,)


def test_tombstone_of_other_rules_is_erased_again_once(tmp_path: Path) -> None:
    store = TombstoneStore(Layout(tmp_path))
    done = replace(STONE, done=STEPS, clean=7)
    lifted = replace(STONE, subject="own_2", lifted_at=STONE.at)
    store.replace_records("NO", map(json_fields, (done, lifted)))
    assert store.restart_outdated("new", "SE") == ()
    (again,) = store.restart_outdated("new", "NO")
    assert (again.subject, again.done, again.clean, again.rules) == ("own_1", (), None, "new")
    assert (again.salt, again.at) == (STONE.salt, STONE.at)
    assert store.restart_outdated("new") == ()
    assert [one.subject for one in store.unfinished_tombstones()] == ["own_1"]
