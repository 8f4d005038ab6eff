"""Small worlds in which something went wrong once, each the shortest that shows it; planted mistakes are found here too.

What is asserted is what holds of every world (`world`): the runs check it by themselves.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.model.market import ACCOUNTS_KEY, FEED_KEY, OWNERS_KEY, REGISTER_KEY, Content
from tests.model.world import A_MINUTE, DIED, FAR_AHEAD, ORDINARY, REFUSED, Death, Delivery, PlainWorld, WholeWorld

ALL = ("1", "2", "3")


@pytest.fixture
def world(tmp_path: Path) -> PlainWorld:
    return PlainWorld(tmp_path)


def register(content: Content, day: int | None = None) -> Delivery:
    return Delivery(REGISTER_KEY, content, day, is_complete=True)


def feed(content: Content, day: int | None = None) -> Delivery:
    return Delivery(FEED_KEY, content, day)


def owners(content: Content, day: int | None = None, *, is_complete: bool = False) -> Delivery:
    return Delivery(OWNERS_KEY, content, day, is_complete)


def accounts(number: str, year: int, day: int | None = None) -> Delivery:
    return Delivery(ACCOUNTS_KEY, {number: (year, 100)}, day)


def told(world: WholeWorld) -> list[str]:
    return [event["event_type"] for event in world.events]


def test_world_whose_statuses_and_shares_return_tells_each_transition(world: PlainWorld) -> None:
    """All on one day, so that no day of the world tells two transitions apart."""
    for status, band in (("open", (25, 50)), ("asleep", (50, 75))) * 2:
        files = [register(dict.fromkeys(ALL, status)), owners(dict.fromkeys(ALL, band))]
        assert world.run(files, after=A_MINUTE) == ORDINARY
    assert (told(world).count("status.changed"), told(world).count("ownership.changed")) == (9, 9)
    world.check_rebuild()


def test_world_of_several_days_in_one_release_is_told_in_their_order(world: PlainWorld) -> None:
    world.run([register(dict.fromkeys(ALL, "open"))])
    for status in ("asleep", "open"):
        assert world.run([register(dict.fromkeys(ALL, status))], Death("before commit", 2)) == DIED
    assert world.run([register(dict.fromkeys(ALL, "asleep"))]) == ORDINARY
    assert told(world) == ["status.changed"] * 9
    world.check_rebuild()


def test_world_whose_run_is_executed_again_loses_nothing(world: PlainWorld) -> None:
    world.run([register({"1": "open"})])
    assert world.run_again([owners({"1": (25, 50)}), register({"1": "asleep"})]) == REFUSED
    assert world.run([]) == ORDINARY
    assert list(world.subscriber.shares.values()) == [25]
    world.check_rebuild()


def test_world_whose_applied_run_is_executed_again_applies_it_with_the_next(world: PlainWorld) -> None:
    """The run had no files of its own and applied what another left: no dataset refuses its batch."""
    world.run([owners({"1": (25, 50)})])
    assert world.run_again([register({"1": "open"}, -1)]) == REFUSED
    assert world.run([]) == ORDINARY
    assert world.run_again([register({"1": "asleep"}), feed({"2": "open"})]) == REFUSED
    assert world.run([]) == ORDINARY
    assert world.subscriber.statuses == {"firm:FI:1": "dormant", "firm:FI:2": "active"}
    world.check_rebuild()


def test_world_with_a_late_file_keeps_what_was_known(world: PlainWorld) -> None:
    world.run([register({"1": "open", "2": "open"}), owners({"1": (25, 50)}, 1)])
    world.run([owners({"1": (50, 75), "2": (25, 50)}, -3)])
    world.run([accounts("1", 2024, 0)])
    world.check_rebuild()


def test_world_with_a_late_file_that_is_newer_for_its_company_tells_what_changes(world: PlainWorld) -> None:
    world.run([register({"1": "open"}, 0)])
    world.run([Delivery(REGISTER_KEY, {"2": "open"}, 2)])
    assert world.run([Delivery(REGISTER_KEY, {"1": "asleep"}, 1)]) == ORDINARY
    assert told(world) == ["status.changed"]
    world.check_rebuild()


def test_world_whose_states_are_a_tick_apart_is_told_in_their_order(world: PlainWorld) -> None:
    """A file that is issued again counts as a tick after what is known; so does a feed from behind that."""
    world.run([Delivery(REGISTER_KEY, dict.fromkeys(ALL, "asleep"), 0), feed({"1": "asleep"}, 0)])
    world.run([Delivery(REGISTER_KEY, dict.fromkeys(ALL, "asleep"), 1), accounts("1", 2024)])
    files = [Delivery(REGISTER_KEY, dict.fromkeys(ALL, "closed"), 1), feed(dict.fromkeys(ALL, "open"), 1)]
    assert world.run(files, after=A_MINUTE) == ORDINARY
    assert told(world) == ["status.changed"] * 6
    world.check_rebuild()


def test_world_whose_file_of_a_day_is_issued_again_serves_the_feed_of_a_refused_run(world: PlainWorld) -> None:
    world.run([Delivery(REGISTER_KEY, {"1": "asleep"}, 1), accounts("1", 2024)])
    assert world.run_again([feed({"1": "open"})]) == REFUSED
    assert world.run([Delivery(REGISTER_KEY, {"1": "closed"}, 1)], after=A_MINUTE) == ORDINARY
    assert (told(world), world.subscriber.statuses) == (["status.changed"], {"firm:FI:1": "active"})
    world.check_rebuild()


def test_world_whose_killed_run_was_applied_after_a_first_load_tells_what_it_would_have_told(world: PlainWorld) -> None:
    """Until the register itself is loaded a feed of it is silent, also where a later run applies it."""
    world.run([feed({"1": "open"})])
    assert world.run([feed({"1": "closed"})], Death("before commit", 2)) == DIED
    assert world.run([register({"1": "open"}, 1)]) == ORDINARY
    assert told(world) == []
    world.check_rebuild()


def test_world_with_answers_company_by_company_is_silent_about_the_first(world: PlainWorld) -> None:
    world.run([register({"1": "open", "2": "open"}), accounts("1", 2024)])
    world.run([accounts("2", 2024)])
    assert told(world) == []
    world.run([accounts("2", 2025)])
    assert told(world) == ["filing.added"]
    world.check_rebuild()


def test_world_with_a_file_of_the_far_future_goes_on_as_without_it(world: PlainWorld) -> None:
    world.run([register({"1": "open"})])
    world.run([register({"1": "closed"}, FAR_AHEAD)])
    world.run([register({"1": "asleep"})])
    assert told(world) == ["status.changed"]
    world.check_rebuild()


def test_world_whose_killed_run_is_older_than_a_dated_file_serves_the_file(world: PlainWorld) -> None:
    assert world.run([feed({"1": "closed"})], Death("line written")) == DIED
    assert world.run([register({"1": "open"}, 2)]) == ORDINARY
    assert world.subscriber.statuses == {"firm:FI:1": "active"}
    world.check_rebuild()


def test_world_whose_killed_run_fetched_a_feed_serves_the_newer_register(world: PlainWorld) -> None:
    """The register of the run that completes it is newer than what the feed had said before."""
    world.run([register({"1": "open"})])
    assert world.run([feed({"1": "closed"})], Death("line written", 1)) == DIED
    assert world.run([Delivery(REGISTER_KEY, {"1": "asleep"})]) == ORDINARY
    assert world.subscriber.statuses == {"firm:FI:1": "dormant"}
    world.check_rebuild()


def test_world_whose_two_killed_runs_left_a_file_and_its_feed_serves_the_feed(world: PlainWorld) -> None:
    """The second run read the first one's file as of its own instant, and fetched the feed after that."""
    world.run([Delivery(REGISTER_KEY, {"1": "open"})])
    assert world.run([Delivery(REGISTER_KEY, {"1": "open", "2": "open"})], Death("line written", 1)) == DIED
    assert world.run([feed({"2": "asleep"})], Death("line written", 1)) == DIED
    assert world.run([Delivery(REGISTER_KEY, {"1": "open"})]) == ORDINARY
    assert world.subscriber.statuses == {"firm:FI:1": "active", "firm:FI:2": "dormant"}
    world.check_rebuild()


@pytest.mark.parametrize("is_complete", [False, True])
def test_world_whose_killed_run_left_a_file_that_a_dated_feed_follows_serves_the_feed(
    world: PlainWorld, *, is_complete: bool
) -> None:
    """The feed is dated between the killed run's file and the run that reads both."""
    for status in ("open", "asleep"):
        world.run([Delivery(REGISTER_KEY, {"1": status}, is_complete=is_complete)])
    killed = Delivery(REGISTER_KEY, {"1": "open"}, is_complete=is_complete)
    assert world.run([killed], Death("line written", 1)) == DIED
    assert world.run([feed({"1": "asleep"}, world.day + 1)]) == ORDINARY
    assert told(world)[-2:] == ["status.changed"] * 2
    assert world.subscriber.statuses == {"firm:FI:1": "dormant"}
    world.check_rebuild()


@pytest.mark.parametrize("is_complete", [False, True])
def test_world_whose_file_is_issued_again_after_a_feed_serves_the_feed(world: PlainWorld, *, is_complete: bool) -> None:
    """Also the company that the feed alone has: the file is older than what the feed says."""
    first = Delivery(REGISTER_KEY, {"1": "open", "2": "open"}, 1, is_complete)
    world.run([first])
    world.run([feed({"1": "closed", "3": "asleep"}, 2)])
    assert world.run([replace(first, content={"1": "open", "2": "asleep"})]) == ORDINARY
    expected = {"firm:FI:1": "dissolved", "firm:FI:2": "dormant", "firm:FI:3": "dormant"}
    assert world.subscriber.statuses == expected
    assert told(world) == ["status.changed"] * 2
    world.check_rebuild()
    assert world.run([replace(first, content={"1": "open", "2": "closed"})]) == ORDINARY
    assert world.subscriber.statuses == {**expected, "firm:FI:2": "dissolved"}
    assert world.run([replace(first, content={"1": "open"}, day=7)], after=timedelta(days=6)) == ORDINARY
    assert world.subscriber.statuses["firm:FI:1"] == "active"
    world.check_rebuild()


def test_world_whose_killed_run_fetched_a_register_and_its_feed_serves_both(world: PlainWorld) -> None:
    """Of one instant: the feed has a company that the complete file lacks, as in a run that is not killed."""
    world.fetches_first = True
    assert world.run([register({"1": "open"}), feed({"2": "open"})], Death("line written", 2)) == DIED
    assert world.run([]) == ORDINARY
    assert world.subscriber.statuses == {"firm:FI:1": "active", "firm:FI:2": "active"}
    world.check_rebuild()


def test_world_whose_runs_applied_batches_together_is_rebuilt_so(world: PlainWorld) -> None:
    """Alone, the second file would be late-arriving: the killed run staged the newer one."""
    world.run([register({"1": "open"}, -5)])
    assert world.run([register({"1": "asleep"}, 1)], Death("image published")) == DIED
    assert world.run([register({"1": "closed"}, 0)]) == ORDINARY
    assert told(world) == ["status.changed"] * 2
    world.check_rebuild()


@pytest.mark.parametrize("world_class", [PlainWorld, pytest.param(WholeWorld, marks=pytest.mark.slow)])
def test_world_with_a_late_row_of_a_company_that_a_newer_complete_file_lacks_keeps_it_gone(
    tmp_path: Path, world_class: type[WholeWorld]
) -> None:
    """Whether it had been deleted before the instant of the late row, or was not known at all."""
    world = world_class(tmp_path)
    world.run([register({"1": "open", "2": "open"})])
    world.run([register({"1": "asleep"})])
    world.run([register({"1": "open"}, 6)], after=timedelta(days=5))
    assert world.subscriber.statuses == {"firm:FI:1": "active", "firm:FI:2": "dissolved"}
    assert world.run([Delivery(REGISTER_KEY, {"2": "open", "3": "open"}, 5)]) == ORDINARY
    gone = dict.fromkeys(("firm:FI:2", "firm:FI:3"), "dissolved")
    assert world.subscriber.statuses == {"firm:FI:1": "active", **gone}
    assert world.run([feed({"2": "open"}, 7)]) == ORDINARY  # newer than the complete file
    assert world.subscriber.statuses["firm:FI:2"] == "active"
    world.check_rebuild()


def test_world_whose_complete_file_is_repeated_serves_it_rather_than_an_older_one(world: PlainWorld) -> None:
    for _ in range(2):
        world.run([register({"1": "open", "2": "open"}), owners({"1": (25, 50), "2": (25, 50)})])
    assert world.run([register({"1": "asleep", "3": "open"}, 2)]) == ORDINARY
    assert world.subscriber.statuses == {"firm:FI:1": "active", "firm:FI:2": "active", "firm:FI:3": "dissolved"}
    assert world.run([register({"1": "open", "2": "open"})]) == ORDINARY
    assert told(world).count("status.changed") == 5  # two of each company known before, one of the end of the third
    world.check_rebuild()


def test_world_whose_killed_run_fetched_a_complete_file_serves_that_of_the_next_run_alone(world: PlainWorld) -> None:
    world.run([register({"1": "open"})])
    assert world.run([register({"1": "open", "2": "open"})], Death("line written")) == DIED
    assert world.run([register({"1": "asleep"})]) == ORDINARY
    assert world.subscriber.statuses == {"firm:FI:1": "dormant", "firm:FI:2": "dissolved"}
    world.check_rebuild()


def test_world_whose_run_executed_again_finds_a_changed_file_is_ordinary(world: PlainWorld) -> None:
    """The first time it found the file unchanged: both are of one instant, so that neither is beyond doubt."""
    before = owners(dict.fromkeys(ALL, (25, 50)), is_complete=True)
    world.run([before])
    world.run([Delivery(REGISTER_KEY, {"1": "open"}, world.day + 1 + FAR_AHEAD), before])  # refused
    files = [Delivery(REGISTER_KEY, {"1": "open"}), owners({"1": (50, 75)}, is_complete=True)]
    assert world.run_again(files) == ORDINARY
    world.check_rebuild()


@pytest.mark.slow
def test_world_whose_retracted_accounts_a_late_file_states_again_keeps_what_was_known(tmp_path: Path) -> None:
    """With the late file as its source: the retracted one is named no more."""
    world = WholeWorld(tmp_path)
    world.run([register({"1": "open"}), accounts("1", 2024)])
    world.run([accounts("1", 2024, day=-1)])
    world.retract(0)
    world.check_rebuild()


@pytest.mark.slow
def test_whole_and_plain_world_number_the_same_events(tmp_path: Path) -> None:
    """What the fast worlds keep in plain objects is what the product stores."""
    found = []
    for name, made in (("whole", WholeWorld), ("plain", PlainWorld)):
        world = made(tmp_path / name)
        world.run([register({"1": "open", "2": "open"}, -2), owners({"1": (25, 50), "2": (75, 100)})])
        world.run([register({"1": "asleep"}), accounts("1", 2024)], Death("image published"))
        world.run([owners({"1": (50, 75)}, 1), accounts("2", 2025, 0)])
        world.run_again([feed({"2": "closed"})])
        world.run([register({"1": "open", "2": "closed"})])
        world.check_rebuild()
        found.append([(event["sequence"], event["event_id"], event["data"]) for event in world.events])
    assert found[0] == found[1]
    assert len(found[0]) > 2


def test_world_whose_run_loads_a_register_after_its_feed_is_silent_about_both(world: PlainWorld) -> None:
    """The feed says something older than the register's first file, and both come in one run."""
    world.run([feed({"1": "open"}), feed({"1": "open", "2": "open"}, 0)])
    assert world.run([register({"1": "open"}, 1), feed({"2": "asleep"}, 0)], after=A_MINUTE) == ORDINARY
    assert told(world) == []
    world.check_rebuild()


def test_world_whose_killed_run_loads_a_register_after_its_feed_is_silent_about_both(world: PlainWorld) -> None:
    world.run([feed({"1": "open"}), feed({"1": "open", "2": "open"}, 0)])
    files = [register({"1": "open"}, 1), feed({"2": "asleep"}, 0)]
    assert world.run(files, Death("line written", 2), A_MINUTE) == DIED
    statuses: Content = {"1": "closed", "2": "open", "3": "open"}
    answers = [accounts("3", 2024), accounts("2", 2024), Delivery(FEED_KEY, statuses, is_complete=True)]
    assert world.run(answers) == ORDINARY
    world.check_rebuild()


def test_world_whose_register_is_completed_by_a_file_of_its_first_instant_tells_what_that_changes(
    world: PlainWorld,
) -> None:
    """The first file's instant is no first load any more, once a release has it."""

    def part(content: Content, day: int | None = None) -> Delivery:
        return Delivery(REGISTER_KEY, content, day)

    world.run([part({"1": "open"}, 1)])
    world.run([part({"3": "asleep"}, 0), part({"1": "open"})])
    assert world.run([part({"3": "open"}, 1)]) == ORDINARY
    assert told(world) == ["status.changed"]
    world.check_rebuild()
