"""Erasing somebody: out of everything that is stored, kept out, and nobody else's loss; killed anywhere, it ends."""

from __future__ import annotations

import gzip
import io
import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from connectors.kit.redact import remove_records
from connectors.kit.redact.remove_records import SubjectPatterns
from pipelines.erasure import command as pipelines_erase
from pipelines.erasure import market
from pipelines.erasure.market import ReleaseInUseError, UnknownSubjectError
from pipelines.erasure.raw import BodyRewriter
from pipelines.steps.suppression import REFUSED, REMOVED, RETURNED, SuppressionMatcher
from pipelines.workspace import Workspace
from tests.forked import run_forked
from tests.pipelines import erased
from tests.pipelines.erased import ANNOUNCED_ROW, COMPANY, HOLDER_NAME, NAME, NEW_NAME, OTHER, REMOVED_ROW, Erased
from tests.pipelines.places import ONE, TWO, accounts, owner
from tests.searched import found
from warehouse.erasure.tombstones import CONTROL, STEPS, Tombstone, TombstoneStore
from warehouse.exports.exports import FORMATS, ExportStore
from warehouse.ledger.ledger import Ledger
from warehouse.publish.publisher import ReleaseStore
from warehouse.raw.archive import RawArchive, RawBody
from warehouse.reader.reader import ReleaseReader
from warehouse.schema.ids import holder_id
from warehouse.schema.market_state import QuarantineReason
from warehouse.staged.store import StagedIndex, StagedStore
from warehouse.storage.locks import AlreadyLockedError, market_lock

FIGURES = ["1234567", "7654321"]
WORDS = [NAME, HOLDER_NAME, *FIGURES]
HOLDER = holder_id(COMPANY, "fi.owners", "o1")
BEFORE_CONTROL = list(STEPS[: STEPS.index(CONTROL)])


class Died(BaseException):
    """Stands for a kill where a process of its own would cost seconds."""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Erased:
    place = Erased(tmp_path_factory.mktemp("loaded"))
    place.load()
    return place


@pytest.fixture
def place(loaded: Erased, tmp_path: Path) -> Erased:
    return loaded.copied(tmp_path)


def data(place: Erased) -> Path:
    return place.settings.data


def left(place: Erased, *words: str) -> set[tuple[str, str]]:
    return found(data(place), list(words or WORDS))


def events(place: Erased) -> dict[str, tuple[int, dict]]:
    told = Ledger(place.settings.layout).after(0, 1000)
    return {event.event_id: (event.sequence, json.loads(event.data)) for event in told}


def bodies(place: Erased) -> list[bytes]:
    archive = RawArchive(place.settings.layout)
    return [piece.open().read() for dataset in archive.datasets() for piece in archive.bodies(dataset)]


def finish_control(place: Erased) -> None:
    """What the command line does last."""
    stones = TombstoneStore(place.settings.layout)
    stones.record_step([stone.subject for stone in stones.unfinished_tombstones()], CONTROL)


def is_done(place: Erased) -> bool:
    return all(list(stone.done) == BEFORE_CONTROL for stone in TombstoneStore(place.settings.layout).list_tombstones())


def test_before_it_is_everywhere(loaded: Erased) -> None:
    rooms = {path.partition("/")[0] for path, _ in left(loaded)}
    assert rooms == {"archive", "staged", "history", "ledger", "releases", "runs", "exports"}


def test_a_company_is_taken_out_of_everything(place: Erased) -> None:
    before, served = events(place), place.profile(OTHER)
    place.erase(COMPANY)
    assert left(place) == set()
    assert place.profile(COMPANY) is None
    assert place.profile(OTHER) == served
    assert is_done(place)
    after = events(place)
    assert {key: sequence for key, (sequence, _) in after.items()} == {
        key: sequence for key, (sequence, _) in before.items()
    }
    for key, (_, told) in after.items():
        was = before[key][1]
        if told["company_id"] == OTHER:
            assert told == was
        else:
            assert (told["name"], told["occurred_at"], told.keys()) == (ONE, was["occurred_at"], was.keys())


def test_what_is_others_stays_in_every_body(place: Erased) -> None:
    before = bodies(place)
    place.erase(COMPANY)
    after = bodies(place)
    assert len(after) == len(before)
    assert sum(TWO.encode() in body for body in after) == sum(TWO.encode() in body for body in before)
    assert not any(ONE.encode() in body for body in after)
    lines = [[line for line in body.splitlines() if ONE.encode() not in line] for body in before]
    assert [body.splitlines() for body in after] == lines


@pytest.mark.slow
def test_it_does_not_come_back(place: Erased) -> None:
    place.erase(COMPANY)
    known = events(place)
    assert place.take().events == {}  # the same files
    place.register((ONE, NEW_NAME, "open", ""), (TWO, "Kaksi Oy", "asleep", "2026-03-03"))
    place.records("accounts/a3.json", accounts("a3", ONE, 2026, 1234567))
    place.records("owners/o3.json", owner("o9", ONE, 75, 100, holder=HOLDER_NAME))
    report = place.take()
    assert (report.errors, report.events, events(place)) == ((), {}, known)
    assert left(place, *WORDS, NEW_NAME) == set()
    assert place.profile(COMPANY) is None


@pytest.mark.slow
def test_a_holder_is_taken_out_and_kept_out_and_the_company_stays(place: Erased) -> None:
    served = place.profile(COMPANY)
    place.erase(HOLDER)
    assert left(place, HOLDER_NAME) == set()
    assert left(place, "Matti")
    assert place.profile(COMPANY) == served
    told = [event["change"] for _, event in events(place).values() if "holder_id" in event.get("change", {})]
    assert {change["holder_id"]: change["holder_name"] for change in told} == {
        HOLDER: None,
        holder_id(OTHER, "fi.owners", "p1"): "Matti",
    }
    place.records(
        "owners/o4.json",
        owner("o1", ONE, 10, 25, holder=HOLDER_NAME),
        owner("o5", ONE, 1, 5, holder=HOLDER_NAME.upper()),
    )
    assert place.take().events == {}
    assert left(place, HOLDER_NAME) == set()


@pytest.mark.slow
def test_a_company_that_its_register_takes_away_stays_as_a_number(place: Erased) -> None:
    place.register(REMOVED_ROW, (TWO, "Kaksi Oy", "asleep", "2026-03-03"))
    report = place.take()
    assert (report.errors, report.events) == ((), {"status.changed": 1})
    assert left(place) == set()
    served = place.profile(COMPANY)
    assert served is not None
    assert {key: value for key, value in served.items() if value not in (None, False)} == {
        "id": COMPANY,
        "org_number": ONE,
        "name": ONE,
        "country": "FI",
        "status": "dissolved",
    }
    assert is_done(place)
    (stone,) = [stone for stone in TombstoneStore(place.settings.layout).list_tombstones() if stone.is_company]
    assert stone.by_register
    assert place.take().release is None  # told again: nothing follows
    assert place.profile(COMPANY) == served


@pytest.mark.slow
def test_ingest_removal_announced_once_erases_nothing_until_a_second_one_days_later(place: Erased) -> None:
    place.register(ANNOUNCED_ROW, (TWO, "Kaksi Oy", "asleep", "2026-03-03"))
    place.take()
    place.register(ANNOUNCED_ROW, (TWO, "Kaksi Uusi Oy", "asleep", "2026-03-03"))
    place.take()  # the same a day later
    assert TombstoneStore(place.settings.layout).list_tombstones() == ()
    assert left(place, NAME)
    place.register(ANNOUNCED_ROW, (TWO, "Kaksi Taas Oy", "asleep", "2026-03-03"))
    place.take()
    assert left(place) == set()
    assert is_done(place)


@pytest.mark.slow
def test_ingest_company_back_after_an_announcement_is_served_as_before(place: Erased) -> None:
    served = place.profile(COMPANY)
    place.register(ANNOUNCED_ROW, (TWO, "Kaksi Oy", "asleep", "2026-03-03"))
    place.take()
    place.register((ONE, NAME, "asleep", "2026-03-03"), (TWO, "Kaksi Oy", "asleep", "2026-03-03"))
    place.take()
    place.take()
    assert place.profile(COMPANY) == served
    assert TombstoneStore(place.settings.layout).list_tombstones() == ()


@pytest.mark.slow
def test_ingest_company_back_after_its_erasure_is_signalled_and_comes_in_once_lifted(place: Erased) -> None:
    place.register(REMOVED_ROW, (TWO, "Kaksi Oy", "asleep", "2026-03-03"))
    place.take()
    finish_control(place)
    place.register((ONE, NEW_NAME, "open", ""), (TWO, "Kaksi Oy", "asleep", "2026-03-03"))
    report = place.take()
    store = StagedStore(place.settings.layout)
    signals = store.signals("fi.register", store.batches("fi.register")[-1])
    assert [(one["code"], one["subject"], one["count"], one["examples"]) for one in signals] == [
        (RETURNED, "fi_register", 1, [COMPANY])
    ]
    assert report.signals == 1
    assert left(place, NEW_NAME) == set()
    lifted = place.lift(COMPANY)
    assert lifted[0].subject == COMPANY
    assert {stone.lift_reason for stone in lifted} == {"it is back"}
    place.register((ONE, f"{NEW_NAME} Oy", "open", ""), (TWO, "Kaksi Oy", "asleep", "2026-03-03"))
    assert place.take().events == {"status.changed": 1}
    served = place.profile(COMPANY)
    assert served is not None
    assert (served["name"], served["status"]) == (f"{NEW_NAME} Oy", "active")
    assert place.take().errors == ()
    assert place.profile(COMPANY) == served  # what was announced before the lift erases nothing


@pytest.mark.slow
def test_ingest_lifted_company_is_not_erased_by_what_was_announced_before(place: Erased) -> None:
    place.register(REMOVED_ROW, (TWO, "Kaksi Oy", "asleep", "2026-03-03"))
    place.take()
    finish_control(place)
    place.lift(COMPANY)
    place.register((TWO, "Kaksi Uusi Oy", "asleep", "2026-03-03"))
    place.take()
    assert TombstoneStore(place.settings.layout).list_tombstones() == ()
    place.register(REMOVED_ROW, (TWO, "Kaksi Taas Oy", "asleep", "2026-03-03"))
    place.take()  # announced again
    (stone,) = TombstoneStore(place.settings.layout).list_tombstones()
    assert (stone.subject, stone.by_register) == (COMPANY, True)


@pytest.mark.slow
def test_erase_lifted_holder_again_is_kept_out_as_before(place: Erased) -> None:
    place.erase(HOLDER)
    finish_control(place)
    with pytest.raises(pipelines_erase.NotErasedError, match=COMPANY):
        place.lift(COMPANY)
    (before,) = place.lift(HOLDER)
    assert TombstoneStore(place.settings.layout).list_tombstones() == ()
    (after,) = place.erase(HOLDER)
    assert (after.salt, after.traces, after.lifted_at) == (before.salt, before.traces, None)
    place.records("owners/o4.json", owner("o1", ONE, 10, 25, holder=HOLDER_NAME))
    place.take()
    assert left(place, HOLDER_NAME) == set()


def test_lift_unfinished_erasure_is_refused(place: Erased) -> None:
    place.erase(COMPANY)  # the control plane has not been done
    with pytest.raises(pipelines_erase.UnfinishedErasureError, match="run `firm erase` first"):
        place.lift(COMPANY)


@pytest.mark.slow
def test_erase_holder_named_by_a_rejected_record_removes_the_record(place: Erased) -> None:
    place.register((ONE, NAME, "open", ""), (TWO, "Kaksi Oy", "asleep", "2026-03-03"), (f"owned by {HOLDER_NAME}",))
    place.take()
    assert any("rejects" in path for path, _ in left(place, HOLDER_NAME))
    place.erase(HOLDER)
    assert not any(path.startswith("staged") for path, _ in left(place, HOLDER_NAME))


@pytest.mark.slow
def test_what_a_killed_ingest_has_left_is_taken_out_too(place: Erased) -> None:
    """An image that history has not taken in, and events that no release has."""

    def die(line: str) -> None:
        if line.endswith("companies touched"):
            raise Died

    place.register((ONE, NEW_NAME, "open", ""), (TWO, "Kolme Oy", "open", ""))
    with pytest.raises(Died):
        place.take(told=die)
    assert left(place, NEW_NAME)
    place.erase(COMPANY)
    assert left(place, *WORDS, NEW_NAME) == set()
    place.take()
    assert left(place, *WORDS, NEW_NAME) == set()
    served = place.profile(OTHER)
    assert served is not None
    assert served["name"] == "Kolme Oy"


def test_what_nothing_is_known_of_cannot_be_erased(place: Erased) -> None:
    for subject in ("firm:FI:9999999-9", "own_nobody", "anything"):
        with pytest.raises(UnknownSubjectError, match=subject):
            place.erase(subject)
    assert TombstoneStore(place.settings.layout).list_tombstones() == ()


def test_while_the_market_is_taken_in_nothing_is_erased(place: Erased) -> None:
    with market_lock(place.settings.layout, "FI"), pytest.raises(AlreadyLockedError):
        place.erase(COMPANY)
    assert left(place)


@pytest.mark.slow
def test_a_release_that_is_being_read_goes_when_it_is_let_go_of(place: Erased) -> None:
    reader = ReleaseReader(place.settings.layout)
    with reader.pin_release(), pytest.raises(ReleaseInUseError, match="release 2"):
        place.erase(COMPANY)
    reader.close()
    assert {path.partition("/")[0] for path, _ in left(place)} == {"releases", "exports"}
    place.erase()
    assert left(place) == set()
    assert is_done(place)


@pytest.mark.slow
def test_a_service_that_follows_ends_an_erasure_by_the_register_and_later_releases_are_as_any_other(
    place: Erased,
) -> None:
    reader = ReleaseReader(place.settings.layout)

    def asked() -> int:
        with reader.pin_release() as snapshot:
            return snapshot.release_number

    asked()
    wholly = []
    for day in ("first", "second", "third"):
        place.register(REMOVED_ROW, (TWO, f"Kaksi {day} Oy", "asleep", "2026-03-03"))
        told = place.take()
        number = told.release
        assert number is not None, (told.errors, told.held, place.lines[-12:])
        manifest = ReleaseStore(place.settings.layout).current_manifest()
        assert manifest is not None
        wholly.append(manifest.full_at == manifest.built_at)
        assert asked() == number  # lets go of the one before
    reader.close()
    assert wholly == [True, False, False]
    assert is_done(place)
    assert [manifest.release for manifest in ReleaseStore(place.settings.layout).list_releases()] == [3, 4, 5]
    assert left(place) == set()


@pytest.mark.slow
def test_killed_while_a_body_that_came_again_is_written_it_goes_in_the_next_run(place: Erased) -> None:
    place.erase(COMPANY)
    place.register((ONE, NAME, "open", ""), (TWO, "Kaksi Taas", "open", ""))
    manifest = place.settings.layout.raw_folder / "manifest/fi.register.jsonl"
    before = manifest.read_text().count('"erased"')

    def die(step: str) -> None:
        if step == "line written" and manifest.read_text().count('"erased"') > before:
            raise Died

    with pytest.raises(Died):
        place.take(on_step=die)
    assert left(place, NAME)
    place.take()
    assert left(place, NAME) == set()


def test_bodies_of_a_batch_that_is_held_are_written_again_too(loaded: Erased, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {REFUSED: ["body"], REMOVED: [COMPANY]}
    index = StagedIndex("fi.owners", "1", {}, 0, (), (), held=QuarantineReason("min_rows", 1, 2), figures=told)
    monkeypatch.setattr(StagedStore, "all_indexes", lambda _, dataset: [index] if dataset == "fi.owners" else [])
    workspace = Workspace(loaded.settings, (erased.ERASED_MARKET,))
    bodies_ = market.staged_batch_figures(workspace, erased.ERASED_MARKET, REFUSED)
    assert [(dataset.key, found_) for dataset, found_ in bodies_] == [("fi.owners", ["body"])]
    assert list(market.staged_batch_figures(workspace, erased.ERASED_MARKET, REMOVED)) == []


def test_the_hand_over_is_written_again_without_it(place: Erased) -> None:
    place.erase(COMPANY)
    newest = ExportStore(place.settings.layout).latest("FI")
    assert newest is not None
    assert [path.name for path in newest.folder.parent.iterdir() if path.is_dir()] == [newest.folder.name]
    assert newest.manifest["formats"] == list(FORMATS)
    statements = gzip.decompress((newest.folder / "ownership.bods.json.gz").read_bytes()).decode()
    assert OTHER in statements
    assert not any(gone in statements for gone in (COMPANY, erased.HOLDER_NAME))
    rows = {file["name"]: file["rows"] for file in newest.manifest["files"]}
    assert rows["companies.parquet"] == 1


@pytest.mark.slow
def test_a_body_that_no_way_rewrites_is_removed_and_what_was_read_of_it_stays(
    place: Erased, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.kit.redact.remove_records.remove_records", lambda *_, **__: False)
    before = place.profile(OTHER)
    place.erase(COMPANY)
    assert left(place) == set()
    assert bodies(place) == []
    assert place.profile(OTHER) == before
    (table,) = erased.MARKET.dataset("fi.accounts").staged_tables.values()
    lake = StagedStore(place.settings.layout)
    rows = [lake.read_rows("fi.accounts", batch, table).collect().height for batch in lake.batches("fi.accounts")]
    assert rows == [1, 1]


def test_a_body_is_not_written_again_where_somebody_else_would_lose_a_record(loaded: Erased) -> None:
    """Another company's record names the number: no way tells the two apart, so nothing is quietly lost."""
    place = loaded
    (piece, _) = RawArchive(place.settings.layout).bodies("fi.accounts")
    dataset = erased.MARKET.dataset("fi.accounts")
    other = json.dumps(accounts(f"see {ONE}", TWO, 2020, 5))
    body = piece.open().read() + b"\n" + other.encode()
    stone = Tombstone(COMPANY, "FI", COMPANY, place.now, "asked for")
    workspace = Workspace(place.settings, (erased.ERASED_MARKET,))
    told = SubjectPatterns((remove_records.compile_patterns([remove_records.number_pattern(ONE)]),))
    replaced: list[tuple[object, ...]] = []

    class Kept(BodyRewriter):
        def _replace_body(self, piece: RawBody, path: Path | None) -> None:
            replaced.append((piece.name, path))

    rewriting = Kept(workspace, dataset, SuppressionMatcher(erased.ERASED_MARKET, (stone,)), [told], "asked for")
    assert rewriting.rewrite_body(replace(piece, open=lambda: io.BytesIO(body)))
    assert replaced == [(piece.name, None)]  # removed whole, and told of in the manifest


def test_history_keeps_no_freed_page(place: Erased) -> None:
    place.erase(COMPANY)
    body = place.settings.layout.history_file("FI").read_bytes()
    with duckdb.connect(place.settings.layout.history_file("FI"), read_only=True) as connection:
        sizes = connection.execute("PRAGMA database_size").fetchall()
    assert sizes[0][5] == 0  # free blocks
    assert not any(word.encode() in body for word in WORDS)


def _dying(nth: int) -> Callable[[str], None]:
    passed = iter(range(nth))

    def die(_: str) -> None:
        if next(passed, None) is None:
            raise Died

    return die


@pytest.mark.slow
def test_ended_at_any_step_it_is_taken_up_again(loaded: Erased, tmp_path: Path) -> None:
    steps: list[str] = []
    loaded.copied(tmp_path / "whole").erase(COMPANY, on_step=steps.append)
    assert {f"erased {step}" for step in BEFORE_CONTROL} <= set(steps)
    whole = len(steps)
    for nth in range(0, whole, max(1, whole // 7)):
        place = loaded.copied(tmp_path / str(nth))
        with pytest.raises(Died):
            place.erase(COMPANY, on_step=_dying(nth))
        place.erase()
        assert left(place) == set(), steps[nth]
        assert is_done(place)
        assert [sequence for sequence, _ in events(place).values()] == list(range(1, len(events(place)) + 1))


@pytest.mark.slow
@pytest.mark.parametrize("step", ["body erased", "erased history"])
def test_killed_it_is_ended_by_the_next_ingest(loaded: Erased, tmp_path: Path, step: str) -> None:
    place = loaded.copied(tmp_path)
    ended = run_forked(erased.main, str(place.root), place.now.isoformat(), step, COMPANY)
    assert ended.exit_code == -signal.SIGKILL, ended.said
    assert place.take().errors == ()
    assert left(place) == set()
    assert is_done(place)
    assert place.profile(COMPANY) is None
