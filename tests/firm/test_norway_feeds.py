"""The three change feeds of Enhetsregisteret: whatever they do and wherever a run dies, the state is the truth.

The bulk of entities fails after the first day, so that nothing but the feeds can tell of a change.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox import SandboxServer, World, serve
from sandbox.no.feeds import ENTITIES, ROLES, FeedFaults, feed_entries
from tests.firm.feeding import Killed, Norway, planned, profiles, shares

pytestmark = pytest.mark.slow
WORLD = World(seed=5, companies=66, days=3, markets=("NO",))
NO_BULK = {"/enheter/lastned/csv": "html"}


@contextmanager
def registries(day: int, temper: FeedFaults | None = None, **settings: Any) -> Iterator[SandboxServer]:
    with serve(WORLD, **settings) as registry:
        registry.desk.feed_faults = temper or FeedFaults()
        for _ in range(day):
            registry.advance()
        yield registry


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Norway:
    made = Norway(tmp_path_factory.mktemp("feeds") / "data")
    with registries(0) as registry:
        made.ingest(registry)
    assert made.companies() == profiles(WORLD, 0)
    assert made.owners() == shares(WORLD, 0)
    assert made.events() == []
    return made


@pytest.fixture
def norway(loaded: Norway, tmp_path: Path) -> Norway:
    return loaded.copy(tmp_path / "data")


def is_the_truth(norway: Norway, *days: int) -> bool:
    assert norway.events() == planned(WORLD, *days)
    assert norway.companies() == profiles(WORLD, days[-1])
    assert norway.owners() == shares(WORLD, days[-1])
    return True


TEMPERS = {
    "as documented": FeedFaults(),
    "two entries a page": FeedFaults(largest=2),
    "every entry twice, out of order": FeedFaults(duplicates_entries=True, is_shuffled=True, largest=25),
    "from the beginning whatever is asked": FeedFaults(replayed=True),
}


@pytest.mark.parametrize("name", TEMPERS)
def test_the_feeds_alone_give_the_truth(name: str, norway: Norway) -> None:
    with registries(1, TEMPERS[name], faults=NO_BULK) as registry:
        norway.ingest(registry)
        assert is_the_truth(norway, 1)
        asked = [path for path in registry.requests if _is_single(path)]
        assert len(asked) == len(set(asked)), "nobody is asked for twice"
        norway.ingest(registry)
        assert [path for path in registry.requests if _is_single(path)] == asked, "nor again"
    assert is_the_truth(norway, 1)


def _is_single(request: str) -> bool:
    path = request.split()[1]
    return path.rsplit("/", 1)[-1].isdigit() and "/enheter/" in path


def test_killed_at_any_step_and_run_again(norway: Norway, tmp_path: Path) -> None:
    """After every page, every answer, every staged batch: small pages make the steps many."""
    temper = FeedFaults(largest=9)
    with registries(1, temper, faults=NO_BULK) as registry:
        whole = norway.copy(tmp_path / "whole").ingest(registry).total()
        assert whole > 60
        for number, step in enumerate(range(1, whole, whole // 5)):
            again = norway.copy(tmp_path / f"killed{number}")
            with pytest.raises(Killed):
                again.ingest(registry, die_at=step)
            again.ingest(registry)
            assert is_the_truth(again, 1), f"killed at step {step}"


def test_who_was_named_and_not_asked_is_asked_by_the_next_run(norway: Norway) -> None:
    """Killed between staging the feed's pages and asking: the feed says nothing new the second time."""
    with registries(1, faults=NO_BULK) as registry:
        steps = _until_the_feed_is_staged(norway, registry)
        assert not [path for path in registry.requests if _is_single(path)]
        assert steps
        norway.ingest(registry)
    assert is_the_truth(norway, 1)


def test_rebuild_after_a_killed_run_gives_the_ids_of_the_run_that_completed_it(norway: Norway) -> None:
    with registries(1, faults=NO_BULK) as registry:
        with pytest.raises(Killed):
            norway.ingest(registry, die_after="no.enhet")
        norway.ingest(registry)
    assert is_the_truth(norway, 1)
    told = norway.event_ids()
    assert told
    assert norway.replayed_event_ids() == told


def _until_the_feed_is_staged(norway: Norway, registry: SandboxServer) -> int:
    """Kills runs of a copy ever later, until one has staged the feed; then the real one, there."""
    for step in range(3, 40):
        trial = norway.copy(norway.data.parent / f"trial{step}")
        with pytest.raises(Killed) as died:
            trial.ingest(registry, die_at=step)
        staged = trial.data / "staged" / "no.oppdateringer"
        if str(died.value) == "staged published" and len(list(staged.glob("*/index.json"))) > 1:
            registry.requests.clear()
            with pytest.raises(Killed):
                norway.ingest(registry, die_at=step)
            return step
    raise AssertionError("no step at which the feed is staged")


def test_a_registry_that_falls_silent_is_asked_the_rest_later(norway: Norway) -> None:
    with registries(1, faults=NO_BULK) as registry:
        number = next(company.number for company in WORLD.changing("NO", 1) if company.status == "dissolved")
        registry.troubles.by_path[f"/api/enheter/{number}"] = "cut_off"
        norway.ingest(registry)
        assert set(norway.events()) < set(planned(WORLD, 1))
        del registry.troubles.by_path[f"/api/enheter/{number}"]
        norway.ingest(registry)
    assert is_the_truth(norway, 1)


def test_entries_that_become_visible_behind_newer_ones_are_read(norway: Norway) -> None:
    late = frozenset(
        entry["oppdateringsid"]
        for stream in (ENTITIES, ROLES)
        for entry in feed_entries(WORLD, 1, stream, FeedFaults())[::3]
    )
    with registries(1, FeedFaults(withheld=late), faults=NO_BULK) as registry:
        norway.ingest(registry)
        assert set(norway.events()) < set(planned(WORLD, 1))
        registry.desk.feed_faults.withheld = frozenset()
        norway.ingest(registry)
    assert is_the_truth(norway, 1)


def test_a_full_snapshot_reports_what_the_feed_missed(norway: Norway) -> None:
    hidden = frozenset(entry["oppdateringsid"] for entry in feed_entries(WORLD, 1, ENTITIES, FeedFaults()))
    with registries(1, FeedFaults(withheld=hidden)) as registry:
        norway.ingest(registry)
    (signal,) = norway.signals
    assert (signal["dataset"], signal["code"]) == ("no.enheter", "missed_by_feed")
    assert signal["count"] >= len(signal["examples"]) == 5
    changing = {company.company_id for company in WORLD.changing("NO", 1)}
    assert set(signal["examples"]) <= changing
    assert norway.companies() == profiles(WORLD, 1)


def test_a_full_snapshot_after_a_sound_feed_has_nothing_to_report(norway: Norway) -> None:
    with registries(1) as registry:
        norway.ingest(registry)
        assert norway.signals == []
        registry.advance()
        norway.ingest(registry)
    assert norway.signals == []
    assert is_the_truth(norway, 1, 2)


def test_removed_for_legal_reasons(norway: Norway) -> None:
    """`Fjernet`, then 410: gone, and nobody is told to own it."""
    owned = next(company for company in WORLD.all("NO", 1) if company.form == "ENK" and company.position > 40)
    with registries(1, faults=NO_BULK, removed=frozenset({owned.number})) as registry:
        norway.ingest(registry)
    marks = norway.present("no_slettet")
    assert dict(marks.select("organisasjonsnummer", "respons_klasse").iter_rows())[owned.number] == "Fjernet"
    assert norway.companies()[owned.company_id]["status"] == "dissolved"
    assert norway.companies()[owned.company_id]["name"] == owned.number
    assert owned.company_id not in {company for company, _ in norway.owners()}


def test_accounts_are_dated_by_the_feed(norway: Norway) -> None:
    with registries(1, faults=NO_BULK) as registry:
        norway.ingest(registry)
    rows = norway.filings().drop_nulls("filed_at")
    filers = {company.company_id for company in WORLD.changing("NO", 1) if company.new_accounts}
    assert set(rows["company_id"]) <= filers
    assert len(set(rows["company_id"])) >= 2
    assert set(rows["filed_at"]) == {WORLD.date(1)}


def test_sub_units_belong_to_their_parents(norway: Norway) -> None:
    with registries(1, faults=NO_BULK) as registry:
        norway.ingest(registry)
    rows = norway.present("no_underenheter")
    living = rows.filter(rows["respons_klasse"].is_null() & rows["_retired_at"].is_null())
    assert set(living["_company_id"]) == {
        company.company_id for company in WORLD.all("NO", 1) if company.is_in_register
    }
    assert not set(living["organisasjonsnummer"]) & {row["org_number"] for row in norway.companies().values()}
