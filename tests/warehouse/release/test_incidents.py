"""Incidents as they follow from notes of runs, and which notes they need."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from warehouse.release.incidents import INCIDENT_DAYS, Incident, find_incidents, incident_notes
from warehouse.release.run_log import ErrorNote, QuarantineNote, RunNote

FIRST = datetime(2026, 8, 1, 4, tzinfo=UTC)
HELD = (QuarantineNote("no.roller", "max_shrink", 0.4, 0.02),)
FAILED = (ErrorNote("NO", "read: torn"),)


def note(day: int, *markets: str, **more: object) -> RunNote:
    began = FIRST + timedelta(days=day)
    whole = RunNote(f"{began:%Y%m%dT%H%M%S000Z}", markets or ("NO",), began, began + timedelta(minutes=5))
    return replace(whole, **more)  # type: ignore[arg-type]


def told(incidents: list[Incident]) -> list[tuple[str, str | None, int, int | None]]:
    """Market, dataset, and the days on which it began and ended."""
    return [
        (one.market, one.dataset, (one.began_at - FIRST).days, one.ended_at and (one.ended_at - FIRST).days)
        for one in incidents
    ]


def test_an_incident_lasts_until_the_next_complete_run_of_its_market() -> None:
    notes = [note(0), note(1, held=HELD), note(2, held=HELD), note(3, "SE"), note(4), note(5, "NO", "SE", held=HELD)]
    assert told(find_incidents(notes)) == [("NO", "no.roller", 5, None), ("NO", "no.roller", 1, 4)]
    assert find_incidents(reversed(notes)) == find_incidents(notes)


def test_a_failed_run_ends_no_quarantine_and_a_run_without_an_end_says_nothing() -> None:
    notes = [note(1, held=HELD), note(2, errors=FAILED), note(3, ended_at=None), note(4)]
    assert told(find_incidents(notes)) == [("NO", None, 2, 4), ("NO", "no.roller", 1, 4)]


def test_a_release_that_fails_is_an_incident_of_every_market_of_the_run() -> None:
    stopped = note(1, "NO", "SE", errors=(ErrorNote("release", "full disk"),))
    assert told(find_incidents([stopped, note(2, "SE")])) == [("SE", None, 1, 2), ("NO", None, 1, None)]


def test_notes_are_needed_as_long_as_their_incident_can_be_shown() -> None:
    notes = [note(0), note(1, errors=FAILED), note(2, errors=FAILED), note(3), note(4), note(10, held=HELD), note(11)]
    later = [note(day) for day in (INCIDENT_DAYS + 4, INCIDENT_DAYS + 9)]
    days = lambda kept: sorted(int(batch[6:8]) + 31 * (int(batch[4:6]) - 8) - 1 for batch in kept)  # noqa: E731
    assert days(incident_notes(notes)) == [0, 1, 3, 10, 11]
    assert days(incident_notes([*notes, later[0]])) == [4, 10, 11], "the record is complete since day 4"
    kept = [one for one in [*notes, later[0]] if one.batch in incident_notes([*notes, later[0]])]
    assert find_incidents([*kept, *later]) == find_incidents([*notes[4:], *later])
    assert incident_notes([]) == set()
