"""Processes that end in the middle of a step, and two that do one thing at one time."""

from __future__ import annotations

from typing import Final

from tests.faults.declared import Cell, Fault, Untouched

_KILLS: Final = "tests/pipelines/test_kills.py::test_a_killed_ingest_heals"
_API: Final = "tests/api/"
_MATCHING: Final = _API + "webhooks/delivery/test_fanout_twice.py::"
_WORKERS: Final = _API + "webhooks/delivery/test_worker.py::"
_EXPORTS: Final = "tests/warehouse/exports/test_exports_exports_publishing.py::"
_RETRACTING: Final = "tests/pipelines/maintenance/test_retract.py::"
_STAYS: Final = "the last release, RAW and history, and the output of earlier steps"
_HEALS: Final = "marks the dead run as failed in Dagster and continues where it ended; publishes the same release as a run without the kill"
_SILENCE: Final = ""  # nobody is left to say anything
_PARSING: Final = "tests/pipelines/runtime/test_parser_pool.py::"
_STEPS: Final = ("raw", "staged", "normalised", "history", "events", "release")
"""At whose boundaries a run is killed (`BOUNDARIES` of the test)."""


def _killed(step: str, provoked: str, stays: str, heals: str, *tests: str) -> Cell:
    return Cell(Fault.KILLED, step, provoked, -9 if step in _STEPS else None, _SILENCE, stays, heals, tests)


CELLS: Final = (
    *(
        Cell(
            Fault.MEMORY,
            step,
            "the system kills the process (SIGKILL) while the step writes",
            -9,
            _SILENCE,
            _STAYS,
            _HEALS,
            (_KILLS,),
        )
        for step in _STEPS
        if step != "staged"
    ),
    Cell(
        Fault.MEMORY,
        "staged",
        "the system kills (SIGKILL) the process that reads a file, or the process of the run",
        None,
        "",
        "every other file; the served release",
        "continues where it ended; a file that killed its reader is not read again until its source sends other bytes",
        (_PARSING + "test_a_piece_that_kills_its_process_is_rejected_alone_and_order_stays", _KILLS),
    ),
    *(_killed(step, "SIGKILL while the step writes", _STAYS, _HEALS, _KILLS) for step in _STEPS),
    _killed(
        "export",
        "SIGKILL at each of its steps",
        "the previous export, complete",
        "writes it",
        _EXPORTS + "test_killed_at_any_step_the_former_export_is_whole_and_the_next_run_mends",
    ),
    _killed(
        "fan-out",
        "killed between matching and its commit",
        "the fan-out cursor",
        "matches the events again, once",
        _MATCHING + "test_a_crash_in_between_repeats_and_loses_nothing",
        _MATCHING + "test_one_leads_and_the_other_takes_over_when_it_is_gone",
    ),
    _killed(
        "worker",
        "SIGKILL between a response and its commit",
        "every delivery",
        "another worker repeats the running attempts, once per kill",
        _WORKERS + "test_kill_9_between_send_and_commit",
    ),
    _killed(
        "mail",
        "a claim of a dead process",
        "the mail in its outbox",
        "another process sends it when the claim has expired",
        _API + "email/test_outbox_repository.py::test_a_claim_that_ran_out_is_taken_over_and_says_no_more",
    ),
    _killed(
        "pruning",
        "a lease of a dead process; each step is one commit",
        "unfinished deliveries",
        "continues with the rest",
        _API + "webhooks/test_retention.py::test_in_bounded_steps",
        _API + "webhooks/delivery/test_uncertain.py::test_a_lease_of_a_clock_that_was_ahead_is_nobodys",
    ),
    Cell(
        Fault.KILLED,
        "serving",
        "SIGKILL of one of several workers",
        None,
        "…by SIGKILL; a new one is started",
        "everything except the requests it was answering and at most 50 counts",
        "another worker takes over at once",
        (
            "tests/firm/test_serve_workers.py::test_a_killed_worker_is_replaced_and_the_end_loses_nothing",
            _API + "usage/test_counter_killed.py::test_a_killed_process_loses_fifty_requests_at_most_and_invents_none",
        ),
    ),
    _killed(
        "retraction",
        "SIGKILL at each of its steps",
        "the last release, published events, RAW and STAGED",
        "completes it before it fetches; if RAW did not have its line yet, nothing has happened",
        _RETRACTING + "test_retraction_killed_at_any_step_is_completed_by_the_next_run",
        _RETRACTING + "test_retraction_killed_before_it_is_recorded_is_undone",
    ),
    Cell(
        Fault.TWO,
        "retraction",
        "a retraction while the market is being ingested",
        1,
        "…market FI…",
        "the running ingest",
        "ingests the market; the retraction is to be repeated after it",
        (_RETRACTING + "test_retract_while_the_market_is_being_ingested_is_refused",),
    ),
    Cell(
        Fault.TWO,
        "raw",
        "a second ingest of the market while one is running",
        1,
        "firm: market NO is being written by process …wait until it is done, then run this again",
        "the running ingest; other markets are not blocked",
        "ingests the market",
        ("tests/firm/test_firm_kills.py::test_a_second_ingest_at_the_same_time_is_refused",),
    ),
    Cell(
        Fault.TWO,
        "export",
        "a second export of the market while one is written",
        1,
        "the export of NO",
        "the export being written",
        "writes it",
        (_EXPORTS + "test_one_at_a_time",),
    ),
    Cell(
        Fault.TWO,
        "fan-out",
        "many leaders at once",
        None,
        _SILENCE,
        "every delivery is created once",
        "one leads, the holder of the lease",
        (_MATCHING + "test_many_at_once_make_every_delivery_once",),
    ),
    Cell(
        Fault.TWO,
        "worker",
        "three workers on one queue",
        None,
        _SILENCE,
        "every delivery is sent once",
        "each delivers only what it has leased",
        (_WORKERS + "test_two_dispatchers_no_double_claim",),
    ),
    Cell(
        Fault.TWO,
        "mail",
        "many mailers at once",
        None,
        _SILENCE,
        "every mail is sent once",
        "each sends only what it has claimed",
        (_API + "email/test_outbox_worker.py::test_mail_once_under_race",),
    ),
    Cell(
        Fault.TWO,
        "pruning",
        "a second process while one prunes",
        None,
        _SILENCE,
        "entries that have not expired",
        "one prunes, the holder of the lease",
        (_API + "webhooks/test_retention.py::test_one_prunes_at_a_time",),
    ),
)
_AS_KILLED: Final = "the system kills a process that is out of memory by SIGKILL: see «Kill -9»"
UNTOUCHED: Final = (
    Untouched(Fault.MEMORY, ("export", "fan-out", "worker", "mail", "pruning", "serving", "retraction"), _AS_KILLED),
    *(
        Untouched(fault, ("retraction",), "it replays staged rows; it uses no registry")
        for fault in (
            Fault.RATE_LIMITED,
            Fault.UNAVAILABLE,
            Fault.PAGE,
            Fault.CUT_OFF,
            Fault.SLOW,
            Fault.HANG,
            Fault.NAMELESS,
        )
    ),
    *(
        Untouched(fault, ("retraction",), "a failed write ends it as a kill at that write does: see «Kill -9»")
        for fault in (Fault.FULL, Fault.READ_ONLY)
    ),
    Untouched(
        Fault.CLOCK, ("retraction",), "its state becomes known after all that the rest of the market knows, or now"
    ),
    Untouched(Fault.DATABASE, ("retraction",), "it uses no control-plane database"),
    Untouched(Fault.CORRUPT, ("retraction",), "it replays staged rows and reads no body"),
    Untouched(
        Fault.HALF_WRITTEN,
        ("retraction",),
        "it removes what an interrupted release left before it begins, as a run does",
    ),
    Untouched(
        Fault.TWO,
        ("staged", "normalised", "history", "events", "release"),
        "the second ingest is refused before it begins; runs of different markets wait for each other's release",
    ),
    Untouched(Fault.TWO, ("serving",), "any number of processes read a release without a lock"),
)
