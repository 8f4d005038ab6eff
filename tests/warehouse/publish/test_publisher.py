from __future__ import annotations

import fcntl
import json
import sqlite3
from contextlib import closing
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.warehouse import kills
from tests.warehouse.former import with_whole_files
from tests.warehouse.helpers import day, event, killed_at, release_documents, rows, segment_file
from tests.warehouse.world import NO_EVENTS, learn, member, owner, parts, period, publish
from warehouse.history.history import MarketHistory
from warehouse.ledger.ledger import Ledger
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.reader.reader import CompanyQuery, ReleaseReader
from warehouse.release import manifest as release_manifest
from warehouse.release.manifest import MANIFEST, InvalidReleaseError
from warehouse.release.segments import DOCUMENTS, NAMES, ROWS
from warehouse.schema.market_state import DatasetState, QuarantineReason, Reconciliation
from warehouse.schema.tables import EVENTS
from warehouse.storage.atomic_files import ignore_step
from warehouse.storage.layout import Layout

ONE = "firm:NO:900000001"


def _served(layout: Layout, company_id: str = ONE) -> dict[str, Any] | None:
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        document = snapshot.profile(company_id)
    reader.close()
    return json.loads(document.body) if document else None


def _rows(layout: Layout, number: int) -> dict[str, list[Any]]:
    """Everything the documents' file answers from, in a comparable order."""
    with release_documents(layout, number) as connection:
        tables = ("companies", "financials", "owners", "events", "known_as", "ranked")
        return {name: sorted(connection.execute(f"SELECT * FROM {name}"), key=str) for name in tables}


def test_the_first_release(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1), member("NO", 2)])
    manifest = publish(layout, "NO", events=rows(EVENTS, event("a")))
    assert manifest is not None
    assert (manifest.release, manifest.kind, manifest.previous) == (1, "full", None)
    assert (manifest.first, manifest.last) == (1, 1)
    assert manifest.counts["companies"] == 2
    assert manifest.markets["NO"].companies == 2
    pointer = json.loads(layout.release_pointer_file.read_text())
    assert pointer["release"] == 1
    found = _served(layout)
    assert found is not None
    assert found["name"] == "Firma 1 AS"
    assert release_manifest.read_manifest(layout, 1) == manifest


def test_nothing_changed_publishes_nothing(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    publish(layout, "NO", events=rows(EVENTS, event("a")))
    learn(layout, "NO", 1, companies=[member("NO", 1, observed_at=day(1))])
    assert publish(layout, "NO", at=1, events=rows(EVENTS, event("a"))) is None
    assert publish(layout, "NO", at=1) is None
    releases = ReleaseStore(layout)
    releases.record_checks(["NO"], day(1))
    releases.record_checks(["SE"], day(2))
    assert ReleaseReader(layout).read_freshness().markets == {"NO": day(1), "SE": day(2)}
    assert [manifest.release for manifest in releases.list_releases()] == [1]


def test_without_any_history_there_is_no_release(layout: Layout) -> None:
    assert publish(layout) is None
    assert ReleaseStore(layout).current_manifest() is None


@pytest.mark.slow
def test_a_change_is_a_patch_and_equals_a_full_build(layout: Layout) -> None:
    two = "firm:NO:900000002"
    learn(
        layout,
        "NO",
        0,
        companies=[member("NO", 1), member("NO", 2), member("NO", 3)],
        financials=[period(ONE, 2023), period(two, 2023)],
        owners=[owner(ONE, "own_a", "10"), owner(two, "own_b", "20")],
    )
    publish(layout, "NO", events=rows(EVENTS, event("a")))
    learn(
        layout,
        "NO",
        1,
        companies=[member("NO", 1, name="Ny Ørn AS", employees=500), member("NO", 2), member("NO", 4)],
        financials=[period(ONE, 2023, revenue=5), period(ONE, 2024), period(two, 2023)],
        owners=[owner(ONE, "own_c", "55.5"), owner(two, "own_b", "20")],
    )
    patched = publish(layout, "NO", at=1, events=rows(EVENTS, event("b")))
    full = publish(layout, "NO", at=1, full=True)
    assert patched is not None
    assert full is not None
    assert (patched.kind, full.kind) == ("patch", "full")
    assert patched.content_fingerprint == full.content_fingerprint
    assert patched.counts == full.counts
    assert _rows(layout, 2) == _rows(layout, 3)
    assert _served(layout, "firm:NO:900000003") is None


names = st.sampled_from(["Alfa AS", "Ørsted A/S", "Æble", 'Beta "Gamma"', "100 %", "Straße"])
worlds = st.lists(
    st.dictionaries(st.integers(0, 4), st.tuples(names, st.integers(0, 3), st.booleans()), max_size=5),
    min_size=1,
    max_size=3,
)


@pytest.mark.slow
@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(worlds)
def test_any_run_of_patches_equals_a_full_build(tmp_path_factory: Any, worlds: list[dict[int, Any]]) -> None:
    layout = Layout(tmp_path_factory.mktemp("data"))
    learn(layout, "NO", 0, companies=[member("NO", 9)])
    publish(layout, "NO")
    for at, world in enumerate(worlds, 1):
        companies = [member("NO", 9)]
        financials = []
        for number, (name, years, listed) in world.items():
            companies.append(member("NO", number, name=name, is_listed=listed, employees=years * 100))
            financials += [period(companies[-1]["company_id"], 2020 + year) for year in range(years)]
        learn(layout, "NO", at, companies=companies, financials=financials)
        publish(layout, "NO", at=0)
    former = ReleaseStore(layout).current_manifest()
    full = publish(layout, "NO", full=True)
    assert former is not None
    assert full is not None
    assert former.content_fingerprint == full.content_fingerprint
    assert _rows(layout, former.release) == _rows(layout, full.release)


@pytest.mark.slow
def test_markets_that_bring_nothing_are_carried_over(layout: Layout) -> None:
    for market in ("NO", "SE"):
        learn(layout, market, 0, companies=[member(market, 1)])
    publish(layout, "NO", "SE")
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Ny AS")])
    learn(layout, "SE", 1, companies=[member("SE", 1, name="Ny AB")])
    for full in (False, True):
        manifest = publish(layout, "NO", at=1, full=full)
        assert manifest is not None
        assert set(manifest.markets) == {"NO", "SE"}
        carried = _served(layout, "firm:SE:900000001")
        assert carried is not None
        assert carried["name"] == "Firma 1 AS"
    publish(layout, "SE", at=1)
    moved = _served(layout, "firm:SE:900000001")
    assert moved is not None
    assert moved["name"] == "Ny AB"


def test_market_that_keeps_its_part_keeps_the_figures_of_that_part(layout: Layout) -> None:
    counted, newer = Reconciliation({"se.x": 3}, {"se.x": 1}), Reconciliation({"se.x": 9}, {"se.x": 9})
    for market in ("NO", "SE"):
        learn(layout, market, 0, companies=[member(market, 1)])
    fresh = MarketPart("SE", layout.history_file("SE"), "fresh", day(0), reconciliation=counted)
    first = ReleaseStore(layout).publish(dict(parts(layout, "NO")) | {"SE": fresh}, NO_EVENTS)
    assert first is not None
    assert first.markets["SE"].reconciliation == counted
    assert first.markets["NO"].reconciliation is None, "not counted is not 0"
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Ny")])
    held = MarketPart("SE", None, "held", day(0), reconciliation=newer)
    second = ReleaseStore(layout).publish(dict(parts(layout, "NO")) | {"SE": held}, NO_EVENTS)
    assert second is not None
    assert second.markets["SE"].reconciliation == counted
    assert release_manifest.read_manifest(layout, second.release).markets == second.markets


def test_a_held_market_keeps_its_part_and_says_why(layout: Layout) -> None:
    for market in ("NO", "SE"):
        learn(layout, market, 0, companies=[member(market, 1)])
    publish(layout, "NO", "SE")
    for market in ("NO", "SE"):
        learn(layout, market, 1, companies=[member(market, 1, name="Ny")])
    held = {"se.x": DatasetState(day(0), ("b1",), 5, QuarantineReason("max_shrink", 0.5, 0.02))}
    given_parts = dict(parts(layout, "NO")) | {"SE": MarketPart("SE", None, "held", day(0), held)}
    manifest = ReleaseStore(layout).publish(given_parts, NO_EVENTS)
    assert manifest is not None
    assert manifest.markets["SE"].state == "held"
    assert manifest.markets["SE"].datasets["se.x"].held == QuarantineReason("max_shrink", 0.5, 0.02)
    assert release_manifest.read_manifest(layout, manifest.release).markets == manifest.markets
    carried = _served(layout, "firm:SE:900000001")
    assert carried is not None
    assert carried["name"] == "Firma 1 AS"


@pytest.mark.slow
def test_garbage_above_its_share_is_written_away(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long ago the last full build was; a company that changes again and again is one."""
    monkeypatch.setattr("warehouse.release.segments.LEAST_GARBAGE", 2)
    kinds, segments, employees = [], [], dict.fromkeys(range(1, 21), 0)
    for at, changed in enumerate((1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6)):
        employees[changed] = at
        learn(layout, "NO", at * 100, companies=[member("NO", n, employees=count) for n, count in employees.items()])
        manifest = publish(layout, "NO", at=at * 100)
        assert manifest is not None
        kinds.append(manifest.kind)
        segments.append(len(manifest.segments))
    assert kinds == ["full", *["patch"] * 8, "full", "patch"]
    assert segments == [1, *[2] * 8, 1, 2]


def test_a_release_of_whole_files_serves_and_is_followed_by_segments(layout: Layout) -> None:
    """Also its part of a market that brings nothing."""
    for market in ("NO", "SE"):
        learn(layout, market, 0, companies=[member(market, 1)])
    publish(layout, "NO", "SE")
    with_whole_files(layout, 1)
    found = _served(layout)
    assert found is not None
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Ny AS")])
    made = publish(layout, "NO", at=1)
    assert made is not None
    assert (made.kind, dict(made.counts)["companies"], len(made.segments)) == ("full", 2, 1)
    carried = _served(layout, "firm:SE:900000001")
    assert carried is not None
    ReleaseStore(layout).verify_release(2)


@pytest.mark.slow
def test_a_kept_release_keeps_its_segments_when_others_go(layout: Layout) -> None:
    for at in range(3):
        learn(layout, "NO", at, companies=[member("NO", 1, employees=at), member("NO", 2)])
        publish(layout, "NO", at=at)
    releases = ReleaseStore(layout)
    shared = segment_file(layout, 3, ROWS, 0)
    assert shared.samefile(segment_file(layout, 1, ROWS, 0)), "linked, not copied"
    with (layout.release_folder(2) / MANIFEST).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        assert releases.prune_releases(1) == [1]
        releases.verify_release(2)
    assert releases.prune_releases(1) == [2]
    assert shared.stat().st_nlink == 1
    releases.verify_release(3)


def test_a_segment_of_other_bytes_is_named(layout: Layout) -> None:
    """Where nothing that is read has changed: the bytes are no longer those of the name."""
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    publish(layout, "NO")
    path = segment_file(layout, 1, ROWS)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(InvalidReleaseError, match=rf"{path.name}.*(SHA-256|cannot be read).*firm ingest"):
        ReleaseStore(layout).verify_release(1)


def test_a_history_made_anew_is_taken_whole(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1), member("NO", 2)])
    publish(layout, "NO")
    layout.history_file("NO").unlink()
    with MarketHistory(layout, "NO"):
        pass  # with an identity of its own, which `learn` copies
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    manifest = publish(layout, "NO")
    assert manifest is not None
    assert (manifest.kind, manifest.counts["companies"]) == ("full", 1)


@pytest.mark.slow
def test_rollback_is_old_content_under_a_new_number_and_events_go_on(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    first = publish(layout, "NO", events=rows(EVENTS, event("a")))
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Ny AS")])
    publish(layout, "NO", at=1, events=rows(EVENTS, event("b")))
    back = ReleaseStore(layout).rollback(1)
    assert first is not None
    assert (back.release, back.kind, back.rollback_of, back.last) == (3, "rollback", 1, 2)
    assert back.content_fingerprint == first.content_fingerprint
    found = _served(layout)
    assert found is not None
    assert found["name"] == "Firma 1 AS"
    assert [row[1] for row in _rows(layout, 3)["events"]] == [1, 2]
    ReleaseStore(layout).verify_release(3)
    again, found = publish(layout, "NO", at=2), _served(layout)
    assert again is not None
    assert found is not None
    assert (again.kind, found["name"]) == ("full", "Ny AS")
    with pytest.raises(InvalidReleaseError, match="not a kept release"):
        ReleaseStore(layout).rollback(4)


def test_release_by_a_clock_that_was_set_back_is_no_older_than_the_one_before(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    first = publish(layout, "NO", at=2)
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Ny AS")])
    second = publish(layout, "NO", at=1)
    assert first is not None
    assert second is not None
    assert second.built_at == first.built_at


@pytest.mark.slow
def test_old_releases_go_but_never_one_that_is_held(layout: Layout) -> None:
    for at in range(4):
        learn(layout, "NO", at, companies=[member("NO", 1, employees=at)])
        publish(layout, "NO", at=at)
    releases = ReleaseStore(layout)
    with (layout.release_folder(1) / MANIFEST).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        assert releases.prune_releases(2) == [2]
    assert [manifest.release for manifest in releases.list_releases()] == [1, 3, 4]
    assert releases.prune_releases(1) == [1, 3]
    assert releases.prune_releases(0) == []


def test_verification_names_what_does_not_hold(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    publish(layout, "NO")
    releases = ReleaseStore(layout)
    releases.verify_release(1)
    with closing(sqlite3.connect(segment_file(layout, 1, DOCUMENTS))) as connection:
        connection.execute("UPDATE companies SET body = CAST(replace(CAST(body AS TEXT), 'Firma', 'firma') AS BLOB)")
        connection.commit()
    with pytest.raises(InvalidReleaseError, match=r"release 1: documents\.[0-9a-f]{64}\.sqlite: the document of"):
        releases.verify_release(1)
    segment_file(layout, 1, ROWS).write_bytes(b"")
    with pytest.raises(InvalidReleaseError, match=r"\.duckdb is missing or not"):
        releases.verify_release(1)
    with pytest.raises(InvalidReleaseError, match="release 9 has no manifest"):
        releases.verify_release(9)


@pytest.mark.parametrize("kind", [DOCUMENTS, NAMES])
def test_a_file_that_is_as_long_as_it_was_and_none_any_more_is_told(kind: str, layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    publish(layout, "NO")
    path = segment_file(layout, 1, kind)
    path.write_bytes(b"X" * 100 + path.read_bytes()[100:])
    with pytest.raises(
        InvalidReleaseError, match=r"release 1: documents\..*: this file or .* cannot be read .*firm ingest"
    ):
        ReleaseStore(layout).verify_release(1)


def test_a_torn_release_is_built_anew_of_histories_alone(layout: Layout) -> None:
    for market in ("NO", "FI"):
        learn(layout, market, 0, companies=[member(market, 1)])
    publish(layout, "NO", "FI")
    path = segment_file(layout, 1, ROWS)
    path.write_bytes(path.read_bytes()[:-4096])
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Ny AS")])
    with pytest.raises(
        InvalidReleaseError, match=r"release 1: a file of its rows does not .* no copy with FI is available"
    ):
        publish(layout, "NO", at=1)
    made = publish(layout, "NO", "FI", at=1)
    assert made is not None
    assert (made.release, made.kind, made.counts["companies"]) == (2, "full", 2)


def test_a_manifest_that_was_changed_is_not_believed(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    publish(layout, "NO")
    path = layout.release_folder(1) / MANIFEST
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InvalidReleaseError, match="has changed since publication"):
        ReleaseStore(layout).current_manifest()


def test_a_lost_pointer_is_not_taken_for_a_new_beginning(layout: Layout) -> None:
    for at in range(2):
        learn(layout, "NO", at, companies=[member("NO", 1, employees=at)])
        publish(layout, "NO", at=at, events=rows(EVENTS, event(str(at))))
    layout.release_pointer_file.unlink()
    with pytest.raises(InvalidReleaseError, match="is missing though releases exist"):
        ReleaseStore(layout).remove_incomplete()
    assert len(list(layout.ledger_folder.glob("*.parquet"))) == 2


@pytest.mark.slow
def test_killed_at_any_step_the_former_release_serves_and_no_event_is_lost_or_doubled(layout: Layout) -> None:
    kills.learn(layout.root, ignore_step)
    kills.publish(layout.root, ignore_step)
    kills.learn(layout.root, ignore_step, name="Ny AS", at=1)
    at = 1
    while killed_at(partial(kills.publish, layout.root, at=1), at):
        served = release_manifest.served_position(layout)[0]
        found = _served(layout)
        assert found is not None
        assert found["name"] == ("Firma 1 AS" if served == 1 else "Ny AS")
        told = ReleaseStore(layout).remove_incomplete()
        assert [path.name for path in layout.releases_folder.glob("0*")] == [
            f"{n:010d}" for n in range(served, 0, -1)
        ] or (
            sorted(path.name for path in layout.releases_folder.glob("0*"))
            == [f"{n:010d}" for n in range(1, served + 1)]
        )
        assert not told or served == 1
        if served == 2:
            break
        at += 1
    assert at >= 8
    kills.publish(layout.root, ignore_step, at=1)
    events = Ledger(layout).after(0, 10)
    assert [(one.sequence, one.event_id) for one in events] == [(1, "evt_learned0"), (2, "evt_learned1")]
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        assert snapshot.release_number == 2
        assert snapshot.search_companies(CompanyQuery(q="ny"), None, 5).rows
    reader.close()
