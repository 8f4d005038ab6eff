"""Retracted batches: out of what is served and told back, known as they were known, and complete after any kill."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import PresentRows, SharedTables
from pipelines.erasure.command import erase
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.maintenance.rebuild import RebuildOptions, rebuild
from pipelines.maintenance.replay import MissingStagedRowsError
from pipelines.maintenance.retract import RetractionError, RetractionRequest, RetractionResult, retract
from pipelines.runtime.batch_ids import next_batch
from pipelines.runtime.step_results import RunParameters
from pipelines.sources.source import FolderSource
from pipelines.steps.applied_batches import FIRST_LOAD_MARK
from pipelines.steps.apply_history import apply_snapshots
from pipelines.steps.fetch import BatchStagedError, fetch_dataset
from pipelines.steps.normalise import normalise_market
from pipelines.steps.publish import publish_outboxes
from pipelines.steps.reconciliation import IN_PART_MARK
from pipelines.steps.stage import stage_dataset
from pipelines.workspace import Workspace, WorkspaceOverrides
from tests.forked import run_forked
from tests.pipelines import retracting
from tests.pipelines.invented import MARKET, REGISTER
from tests.pipelines.places import ONE, THREE, TWO, Place, accounts
from warehouse.history.history import MarketHistory
from warehouse.ledger.ledger import Ledger
from warehouse.publish.publisher import ReleaseStore
from warehouse.raw.archive import RawArchive
from warehouse.release.retraction_log import read_retractions
from warehouse.schema.tables import COMPANIES, FILINGS, OWNERS
from warehouse.staged.store import StagedStore
from warehouse.storage.locks import AlreadyLockedError, market_lock

COMPANY = f"firm:FI:{ONE}"


@pytest.fixture(scope="module")
def misled(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A market whose second batch is wrong in everything, and whose third one is genuine."""
    place = Place(tmp_path_factory.mktemp("misled"))
    place.plain_ingested()
    retracting.mislead(place)
    assert dict(place.ingest().events) == {"filing.added": 1, "ownership.changed": 1, "status.changed": 1}
    retracting.go_on(place)
    assert dict(place.ingest().events) == {"filing.added": 1}
    return place


@pytest.fixture(scope="module")
def corrected(misled: Place, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The same market without its wrong batch, to be read only."""
    place = copied(misled, tmp_path_factory.mktemp("corrected") / "place")
    retracted(place, batches(place)[1])
    return place


@pytest.fixture
def place(misled: Place, tmp_path: Path) -> Place:
    return copied(misled, tmp_path / "place")


@pytest.fixture
def place_after(corrected: Place, tmp_path: Path) -> Place:
    """A copy of the market without its wrong batch."""
    return copied(corrected, tmp_path / "after")


def copied(place: Place, root: Path) -> Place:
    shutil.copytree(place.root, root)
    return Place(root, place.now)


def batches(place: Place, dataset: str = "fi.register") -> list[str]:
    return StagedStore(place.settings.layout).all_batches(dataset)


def retracted(
    place: Place, *names: str, on_step: Callable[[str], None] = lambda _: None, **wishes: Any
) -> RetractionResult:
    place.now += timedelta(days=1)
    overrides = WorkspaceOverrides((place.market,), place.clock, on_step)
    request = RetractionRequest(names, **{"by": "anna", "reason": "wrong file", **wishes})
    [done] = retract(place.settings, request, place.lines.append, overrides)
    return done


def rebuilt(place: Place, **wishes: bool) -> tuple[int, dict[str, int], dict[str, int]]:
    place.now += timedelta(days=1)
    overrides = WorkspaceOverrides((place.market,), place.clock)
    [done] = rebuild(place.settings, ["fi"], RebuildOptions(**wishes), place.lines.append, overrides)
    return done.told, dict(done.untold), dict(done.missing)


def told(place: Place, kind: str = "") -> list[dict[str, Any]]:
    """The data of published events by sequence."""
    return [json.loads(one.data) for one in Ledger(place.settings.layout).after(0, 100) if kind in one.event_type]


def sequences(place: Place) -> list[tuple[int, str]]:
    return [(one.sequence, one.event_id) for one in Ledger(place.settings.layout).after(0, 100)]


def fingerprint(place: Place) -> str:
    current = ReleaseStore(place.settings.layout).current_manifest()
    assert current is not None
    return current.content_fingerprint


def moves(place: Place) -> list[tuple[str, str]]:
    changes = [data["change"] for data in told(place, "status.changed")]
    return [(change["previous_status"], change["current_status"]) for change in changes]


def state(place: Place, at: datetime | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """What is known of companies, filings and owners; at: what was known then."""
    wanted = {COMPANIES: ("org_number", "name", "status"), FILINGS: ("native_id",), OWNERS: ("pct_min",)}
    with MarketHistory(place.settings.layout, "FI") as history:
        return {
            table.name: sorted(
                (history.current_rows(table) if at is None else history.rows_known_at(table, at)).select(names).rows()
            )
            for table, names in wanted.items()
        }


KILLED_AT = (
    "retraction recorded",
    "batch retracted",
    "retraction merged",
    "retraction applied",
    "events numbered",
    "pointer replaced",
)
GOOD = {
    "companies": [(ONE, "Yksi Oy", "active"), (TWO, "Kaksi Oy", "active")],
    "filings": [("a1",), ("a3",)],
    "owners": [(25,)],
}


@pytest.mark.slow
def test_retract_batch_tells_the_way_back_and_serves_the_rest(place: Place) -> None:
    before, served, wrong = sequences(place), fingerprint(place), batches(place)[1]
    looked = retracted(place, wrong, is_preview=True)
    assert (looked.changes.events, looked.release) == ({"ownership.changed": 1, "status.changed": 1}, None)
    assert looked.changes.rows["companies"] == (0, 1, 1)
    assert looked.changes.rows["filings"] == (0, 1, 0)
    assert looked.changes.lost == (f"firm:FI:{THREE}",)
    assert looked.staged_rows == {"fi.accounts": 1, "fi.owners": 1, "fi.register": 3}
    assert (sequences(place), fingerprint(place), batches(place)[1]) == (before, served, wrong)
    done = retracted(place, wrong)
    assert (done.changes, done.release) == (looked.changes, 4)
    [noted] = read_retractions(place.settings.layout)
    assert (noted.batches, noted.by, noted.reason) == ((wrong,), "anna", "wrong file")
    assert state(place) == GOOD
    assert sequences(place)[: len(before)] == before
    assert moves(place) == [("active", "dormant"), ("dormant", "active")]
    shares = [(data["change"]["previous_pct"], data["change"]["current_pct"]) for data in told(place, "ownership")]
    assert shares == [(25, 75), (75, 25)]
    report = place.ingest()
    assert (dict(report.events), report.release, report.errors) == ({}, None, ()), "the next run has nothing to add"


@pytest.mark.slow
def test_retract_batch_keeps_what_was_known_of_it_until_then(place: Place, place_after: Place) -> None:
    between, then = place.now, state(place, place.now)
    assert state(place_after, between) == then
    assert then["companies"] != GOOD["companies"]
    assert state(place_after, place_after.now) == GOOD


@pytest.mark.slow
def test_rebuild_after_a_retraction_derives_every_event_and_the_same_state(place_after: Place) -> None:
    place = place_after
    place.register((ONE, "Yksi Oy", "closed", "2026-03-20"), (TWO, "Kaksi Oy", "open", ""))
    assert dict(place.ingest().events) == {"status.changed": 1}
    before, known, served = sequences(place), state(place), fingerprint(place)
    assert rebuilt(place, emit=True) == (len(before), {}, {})
    assert (sequences(place), state(place), fingerprint(place)) == (before, known, served)
    with pytest.raises(RetractionError, match=r"was retracted already, on 2026-03-\d\d .* by anna: wrong file"):
        retracted(place, batches(place)[1])


@pytest.mark.slow
def test_retract_batch_dated_ahead_gives_late_files_their_events(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.plain_ingested()
    dated = place.write("day.json", json.dumps({"observed_at": "2062-03-01T08:00:00Z"}))
    place.register((ONE, "Yksi Oy", "asleep", "2026-03-02"), (TWO, "Kaksi Oy", "open", ""))
    place.records("accounts/a2.json", accounts("a2", TWO, 2024, 80))
    overrides = IngestOverrides(jurisdictions=(MARKET,), clock=place.clock)
    place.now += timedelta(days=1)
    simulated = datetime(2062, 3, 1, 8, tzinfo=UTC)
    assert ingest(place.settings, ["fi"], FolderSource(place.folder), simulated, overrides=overrides).events
    dated.unlink()
    place.register((ONE, "Yksi Oy", "closed", "2026-03-03"), (TWO, "Kaksi Oy", "open", ""))
    place.records("accounts/a3.json", accounts("a3", ONE, 2025, 90))
    assert dict(place.ingest().events) == {}
    done = retracted(place, batches(place)[1])
    assert done.changes.events == {"filing.added": 1, "status.changed": 1}
    assert moves(place) == [("active", "dormant"), ("dormant", "dissolved")]
    assert [data["filing"]["fiscal_year"] for data in told(place, "filing.added")] == [2024, 2025]
    with MarketHistory(place.settings.layout, "FI") as history:
        assert (history.known_until() or place.now) <= place.now
        assert history.rows_known_at(COMPANIES, place.now).height == 2
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""))
    assert dict(place.ingest().events) == {"status.changed": 1}
    assert rebuilt(place, check=True) == (5, {}, {})


@pytest.mark.slow
@pytest.mark.parametrize("where", KILLED_AT if os.environ.get("FIRM_TESTS") == "full" else KILLED_AT[::3])
def test_retraction_killed_at_any_step_is_completed_by_the_next_run(place: Place, corrected: Place, where: str) -> None:
    sound = corrected
    assert killed(place, where) == -signal.SIGKILL
    place.now += timedelta(days=2)
    report = place.ingest()
    assert report.errors == ()
    assert (fingerprint(place), state(place)) == (fingerprint(sound), GOOD)
    assert moves(place) == moves(sound)
    assert [number for number, _ in sequences(place)] == list(range(1, len(sequences(sound)) + 1))
    assert not place.settings.layout.rebuild_root("FI").exists()
    assert rebuilt(place, check=True) == (len(sequences(sound)), {}, {})


@pytest.mark.slow
def test_retraction_killed_before_it_is_recorded_is_undone(place: Place) -> None:
    before, known = sequences(place), state(place)
    assert killed(place, "line begun") == -signal.SIGKILL
    place.now += timedelta(days=2)
    report = place.ingest()
    assert (report.errors, report.release) == ((), None)
    assert (sequences(place), state(place)) == (before, known)


def killed(place: Place, where: str) -> int | None:
    """How a process ended that retracts the wrong batch and kills itself at a step."""
    ended = run_forked(retracting.main, str(place.root), place.now.isoformat(), batches(place)[1], where)
    assert ended.exit_code != 1, ended.said
    return ended.exit_code


def test_retract_names_what_it_cannot_find(place: Place) -> None:
    wrong = batches(place)[1]
    for names, only, message in (
        (("20200101T000000000Z",), (), "batch 20200101T000000000Z is unknown"),
        ((wrong,), ("se",), "se is no market and no dataset"),
        ((batches(place, "fi.accounts")[2],), ("fi.owners",), "has nothing of fi.owners: it has fi.accounts"),
    ):
        with pytest.raises(RetractionError, match=message):
            retracted(place, *names, only=only)


def test_retract_while_the_market_is_being_ingested_is_refused(place: Place) -> None:
    with market_lock(place.settings.layout, "FI"), pytest.raises(AlreadyLockedError, match="market FI"):
        retracted(place, batches(place)[1])


def test_retract_with_rows_of_other_batches_missing_changes_nothing(place: Place) -> None:
    first, wrong = batches(place)[:2]
    (place.settings.layout.staged_folder / "fi.register" / first / "fi_register.parquet").unlink()
    with pytest.raises(MissingStagedRowsError, match=f"fi.register/{first}"):
        retracted(place, wrong)
    assert RawArchive(place.settings.layout).retractions("fi.register") == []


@pytest.mark.slow
def test_retract_wrong_accounts_tells_the_figures_that_count_again(place: Place) -> None:
    place.records("accounts/a9.json", accounts("a9", ONE, 2024, 999))
    assert dict(place.ingest().events) == {"filing.updated": 1}
    done = retracted(place, batches(place, "fi.accounts")[-1])
    assert (done.changes.events, done.changes.rows["financials"]) == ({"filing.updated": 1}, (0, 1, 1))
    filing = told(place, "filing.updated")[-1]["filing"]
    assert (filing["revenue"], filing["version"], filing["previous_version"]) == (100, 1, 2)
    assert (filing["reason"], filing["period"]) == ("correction", "2024")
    assert filing["changed_fields"] == [{"field": "revenue", "previous": 999, "current": 100}]
    assert rebuilt(place, check=True) == (len(sequences(place)), {}, {})


@pytest.mark.slow
def test_retract_one_dataset_leaves_the_others(place: Place) -> None:
    done = retracted(place, batches(place)[1], only=("fi.register",))
    assert done.changes.events == {"status.changed": 1}
    assert state(place) == GOOD | {"filings": [("a1",), ("a2",), ("a3",)], "owners": [(75,)]}
    assert retracted(place, batches(place)[1]).changes.events == {"ownership.changed": 1}
    assert state(place) == GOOD


@pytest.mark.slow
def test_file_that_comes_again_after_its_retraction_is_ingested_again(place_after: Place) -> None:
    place = place_after
    wrong = batches(place)[1]
    place.records("accounts/a2.json", accounts("a2", ONE, 2025, 90))
    report = place.ingest()
    assert (dict(report.events), report.datasets[1].rows) == ({}, 1), "its event was published before"
    assert ("a2",) in state(place)["filings"]
    workspace = Workspace(place.settings, (MARKET,), place.clock)
    with pytest.raises(BatchStagedError, match=f"batch {wrong} is not fetched again"):
        fetch_dataset(workspace, MARKET, MARKET.datasets[0], FolderSource(place.folder), wrong)


@pytest.mark.slow
def test_batch_staged_before_a_retraction_and_applied_after_it_is_replayed_after_it(place: Place) -> None:
    place.register((ONE, "Yksi Oy", "closed", "2026-03-20"), (TWO, "Kaksi Oy", "open", ""))
    place.now += timedelta(days=1)
    run = next_batch(place.now, batches(place))
    with closing(Workspace(place.settings, (MARKET,), place.clock)) as workspace:
        workspace.step_results.begin(run, RunParameters(place.now, frozenset()))
        for dataset in MARKET.datasets:
            fetch_dataset(workspace, MARKET, dataset, FolderSource(place.folder), run)
            stage_dataset(workspace, MARKET, dataset, run)
    retracted(place, batches(place)[1])
    with closing(Workspace(place.settings, (MARKET,), place.clock)) as workspace:  # the same run, from its failure
        normalise_market(workspace, MARKET, run)
        apply_snapshots(workspace, MARKET, run)
        publish_outboxes(workspace, ["FI"])
    assert moves(place) == [("active", "dormant"), ("dormant", "active"), ("active", "dissolved")]
    assert rebuilt(place, check=True) == (len(sequences(place)), {}, {})


@pytest.mark.slow
def test_retract_only_full_snapshot_of_a_register_leaves_it_loaded_in_part(place: Place) -> None:
    def in_part() -> bool:
        with MarketHistory(place.settings.layout, "FI") as history:
            return "fi.register" in history.recorded_keys(IN_PART_MARK)

    assert in_part(), "files of a folder are parts"
    place.write("day.json", json.dumps({"complete": ["fi.register"]}))
    place.register((ONE, "Yksi Oy", "asleep", ""), (TWO, "Kaksi Oy", "open", ""), (THREE, "Kolme Oy", "open", ""))
    place.ingest()
    assert not in_part()
    retracted(place, batches(place)[-1])
    assert in_part()


@pytest.mark.slow
def test_retract_part_of_a_first_load_ends_the_first_load_before_it(place: Place) -> None:
    dated = f"fi.register {datetime(2062, 3, 1, tzinfo=UTC).isoformat()}"
    with MarketHistory(place.settings.layout, "FI") as history:
        history.record_step(FIRST_LOAD_MARK, dated)
    retracted(place, batches(place)[1])
    with MarketHistory(place.settings.layout, "FI") as history:
        assert history.recorded_keys(FIRST_LOAD_MARK) == frozenset(), "as a history without the batch has it"


@pytest.mark.slow
def test_retract_after_a_change_of_rules_tells_what_the_batch_changed_alone(place: Place) -> None:
    def by_other_rules(present: PresentRows, today: date) -> SharedTables:
        tables = dict(MARKET.to_shared_tables(present, today))
        status = pl.when(pl.col("org_number") == TWO).then(pl.lit("dormant")).otherwise("status")
        tables["companies"] = tables["companies"].with_columns(status.alias("status"))
        return tables

    place.market = replace(MARKET, to_shared_tables=by_other_rules)
    done = retracted(place, batches(place)[1])
    assert done.changes.events == {"ownership.changed": 1, "status.changed": 1}
    assert state(place) == GOOD, "a rebuild brings the other rules to all companies"


@pytest.mark.slow
def test_retract_only_batch_of_a_market_leaves_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.plain_ingested()
    done = retracted(place, batches(place)[0])
    assert (done.changes.lost, done.changes.events) == ((COMPANY, f"firm:FI:{TWO}"), {})
    assert state(place) == {"companies": [], "filings": [], "owners": []}
    assert dict(place.ingest().events) == {}
    assert place.ingest().errors == ()


@pytest.mark.slow
def test_retract_quarantined_batch_frees_its_market(place: Place) -> None:
    place.write("day.json", json.dumps({"complete": ["fi.register"]}))
    place.register((ONE, "Yksi Oy", "open", ""))
    assert place.ingest().held
    assert retracted(place, batches(place)[-1]).changes.companies == 0
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "asleep", ""), (THREE, "Kolme Oy", "open", ""))
    report = place.ingest()
    assert (report.held, dict(report.events)) == ((), {"status.changed": 2})


@pytest.mark.slow
def test_retract_batch_that_a_later_one_repeats_needs_both(tmp_path: Path) -> None:
    """A complete register of two files: what the second run found unchanged is staged in the first batch alone."""
    place = Place(tmp_path)
    place.write("day.json", json.dumps({"complete": ["fi.register"]}))
    place.register((ONE, "Yksi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), name="register-1.csv")
    place.register((THREE, "Kolme Oy", "open", ""), name="register-2.csv")
    place.ingest()
    place.register((ONE, "Uusi Oy", "open", ""), (TWO, "Kaksi Oy", "open", ""), name="register-1.csv")
    place.ingest()
    first, second = batches(place)
    with pytest.raises(RetractionError, match=rf"retract them together \(firm retract {first} {second}\)"):
        retracted(place, first)
    assert len(retracted(place, first, second).changes.lost) == 3


@pytest.mark.slow
def test_erase_company_reaches_rows_and_bodies_of_retracted_batches(place_after: Place) -> None:
    place = place_after
    overrides = WorkspaceOverrides((MARKET,), place.clock)
    erase(place.settings, [COMPANY], "requested", overrides=overrides)
    staged = StagedStore(place.settings.layout)
    for batch in batches(place):
        assert ONE not in staged.read_rows("fi.register", batch, REGISTER).collect()["number"].to_list()
    bodies = RawArchive(place.settings.layout).all_bodies("fi.register")
    assert all(ONE.encode() not in body.open().read() for body in bodies)
    assert place.ingest().errors == ()


@pytest.mark.slow
def test_retract_older_complete_file_leaves_the_repeated_one_in_use(tmp_path: Path) -> None:
    """The older file, superseded by the newer one that was found unchanged, changes nothing; nor does its retraction."""
    place = Place(tmp_path)
    for day, status in (("2026-02-01", "open"), ("2026-02-03", "open"), ("2026-02-02", "asleep")):
        shutil.rmtree(place.folder, ignore_errors=True)
        place.register((ONE, "Yksi Oy", status, ""), day=day)
        place.day(day, "fi.register")
        place.ingest()
    told_before = told(place)
    assert not told(place, "status.changed")
    retracted(place, batches(place)[-1])
    bodies = RawArchive(place.settings.layout).bodies("fi.register")
    assert [body.observed_at.day for body in bodies] == [1]
    assert told(place) == told_before
