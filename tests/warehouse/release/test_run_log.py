"""Notes of runs beside releases: what they say in one word, in what order they are read, which are kept."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.tables import check_cases
from warehouse.reader.reader import ReleaseReader
from warehouse.release import run_log
from warehouse.release.run_log import KEPT, ErrorNote, QuarantineNote, ReadNote, RunNote, SignalNote
from warehouse.storage.layout import Layout

BEGAN = datetime(2026, 11, 20, 4, tzinfo=UTC)
WHOLE = RunNote(
    "20261120T040000000Z",
    ("NO", "SE"),
    BEGAN,
    BEGAN.replace(minute=7),
    12,
    {"status.changed": 3},
    (ReadNote("no.enheter", 1_000, 2, 1),),
    (
        QuarantineNote("no.roller", "max_shrink", 0.4, 0.02),
        QuarantineNote("se.scb", "fetch", "503 of the registry", None),
    ),
    (ErrorNote("SE", "read: torn"),),
    (SignalNote("no.enheter", "unknown_code", "ÅÄÖ", 17),),
    {"NO": 41.25, "SE": 0.5},
    {"no.enheter": 3},
)


def test_a_note_is_read_as_it_was_written_newest_first(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    begun = RunNote("20261121T040000000Z", ("NO",), BEGAN.replace(day=21))
    assert run_log.read_run_log(layout) == []
    run_log.write_run_note(layout, WHOLE)
    run_log.write_run_note(layout, begun)
    reader = ReleaseReader(layout)
    assert reader.read_run_log() == [begun, WHOLE]
    ended = replace(begun, ended_at=begun.began_at)
    run_log.write_run_note(layout, ended)
    assert reader.read_run_log() == [ended, WHOLE], "what is noted of a run later takes its note's place"
    reader.close()


@check_cases(
    ("note", "outcome"),
    [
        (WHOLE, "failed"),
        (replace(WHOLE, ended_at=None), "failed"),
        (replace(WHOLE, errors=()), "held"),
        (replace(WHOLE, errors=(), held=()), "published"),
        (replace(WHOLE, errors=(), held=(), release=None), "unchanged"),
        (replace(WHOLE, errors=(), held=(), release=None, ended_at=None), "unfinished"),
    ],
)
def test_a_run_in_one_word(note: RunNote, outcome: str) -> None:
    assert note.outcome == outcome


def test_the_newest_runs_are_kept_with_those_that_began_or_ended_an_incident(tmp_path: Path) -> None:
    layout, good = Layout(tmp_path), replace(WHOLE, errors=(), held=())
    failing = (6, 7, 8)
    for number in range(KEPT + 20):
        note = replace(good, batch=f"20261120T04{number:02d}00000Z", began_at=BEGAN + timedelta(minutes=number))
        run_log.write_run_note(layout, replace(note, errors=WHOLE.errors) if number in failing else note)
    found = [int(note.batch[11:13]) for note in run_log.read_run_log(layout)]
    assert found == [*range(KEPT + 19, 19, -1), 9, 6, 0], "of an incident the first and the next complete run"
