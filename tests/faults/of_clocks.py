"""Clocks that jump: a year ahead for one run and back again, or back for one run."""

from __future__ import annotations

from typing import Final

from tests.faults.declared import Cell, Fault, Untouched

TEST: Final = "tests/faults/test_fault_clock.py::test_a_clock_that_jumps"
_API: Final = "tests/api/"
_STAYS: Final = "every row and event; time stamps are in order, although those of one run are wrong"
_HEALS: Final = (
    "stamps its data just after the run that was ahead; publishes the same release as runs with a correct clock"
)
_PROVOKED: Final = "the clock is a year ahead for one run, or a year behind for one run"

CELLS: Final = (
    *(
        Cell(
            Fault.CLOCK,
            step,
            _PROVOKED,
            0,
            "the clock says …, an earlier run …: new data is stamped just after that run; correct the clock",
            _STAYS,
            _HEALS,
            (TEST,),
        )
        for step in ("raw", "release")
    ),
    Cell(
        Fault.CLOCK,
        "fan-out",
        "a leader whose clock was a day ahead dies",
        None,
        "",
        "every event",
        "another process becomes leader at once",
        (_API + "webhooks/delivery/test_uncertain.py::test_a_lease_of_a_clock_that_was_ahead_is_nobodys",),
    ),
    Cell(
        Fault.CLOCK,
        "worker",
        "the clock is set back an hour or a day, or ahead an hour, between attempts",
        None,
        "",
        "every delivery; none is sent twice, no wait is shorter than agreed",
        "makes the scheduled attempts",
        (
            _API + "webhooks/delivery/test_retry_policy.py::test_clock_jump_back",
            _API + "webhooks/delivery/test_retry_policy.py::test_a_lease_of_before_the_clock_was_set_back_binds_nobody",
        ),
    ),
    Cell(
        Fault.CLOCK,
        "mail",
        "the clock passes the end of a claim while its process is still sending",
        None,
        "",
        "the mail; it may come twice, with one Message-ID",
        "another process sends it",
        (_API + "email/test_outbox_repository.py::test_a_claim_that_ran_out_is_taken_over_and_says_no_more",),
    ),
    Cell(
        Fault.CLOCK,
        "pruning",
        "a clock a month ahead",
        None,
        "",
        "unfinished deliveries with their events; the log of finished deliveries is deleted early",
        "keeps 30 days of the log again",
        (_API + "webhooks/test_retention.py::test_what_is_unfinished_stays_with_its_event",),
    ),
    Cell(
        Fault.CLOCK,
        "serving",
        "the clock is set back over the end of a month; a clock restarts",
        None,
        "",
        "every count; no caller is locked out",
        "counts in the month of the clock",
        (
            _API + "rate_limits/test_limiter_meters.py::test_a_clock_that_is_set_back_over_a_month_loses_no_count",
            _API + "rate_limits/test_token_buckets.py::test_a_clock_that_began_anew_locks_nobody_out",
        ),
    ),
)
UNTOUCHED: Final = (
    Untouched(
        Fault.CLOCK,
        ("staged", "normalised", "history", "events"),
        "uses time stamps from RAW and the run's facts; tested through to the release",
    ),
    Untouched(Fault.CLOCK, ("export",), "uses the date of the release"),
)
