"""A database server that is away for a minute: Dagster's records for a run, the control plane for the service."""

from __future__ import annotations

from typing import Final

from tests.faults.declared import Cell, Fault, Untouched

TEST: Final = "tests/faults/test_fault_database.py::test_a_database_that_is_gone"
PLACES: Final = {
    "raw": ("", 0),  # before the run begins
    "staged": ("staged written", 1),
    "normalised": ("image written", 1),
    "history": ("before commit", 3),
    "events": ("committed", 5),
    "release": ("segments linked", 1),
}
_SAYS: Final = (
    "firm: the database of Dagster's records (FIRM_DAGSTER_DATABASE_URL) failed (…): check that it responds, "
    "then run this again; the published release and ingested data are unchanged"
)
_STAYS: Final = "the last release, RAW and history, as they were"
_PUBLISHED: Final = (
    "RAW and history; the new release, which is published in full although its run is not recorded as done"
)
_API: Final = "tests/api/"
_AGAIN: Final = "…: the database fails; again in … s: …"
_BEGINS: Final = _API + "webhooks/test_runner.py::test_a_part_that_fails_begins_again"

CELLS: Final = (
    *(
        Cell(
            Fault.DATABASE,
            step,
            "PostgreSQL is stopped while the step writes, and started afterwards",
            1,
            _SAYS,
            _PUBLISHED if step == "release" else _STAYS,
            "continues where that run ended; publishes the same release as a run without the fault",
            (TEST,),
        )
        for step in PLACES
    ),
    *(
        Cell(
            Fault.DATABASE,
            part,
            "PostgreSQL crashes under load; commits fail",
            None,
            _AGAIN,
            "every delivery is acknowledged, held or failed with its log",
            "restarts automatically after 1 to 30 s",
            (
                _BEGINS,
                "tests/firm/test_webhook_chaos.py::test_chaos_loses_nothing",
                _API + "webhooks/delivery/test_worker.py::test_a_database_that_is_away_loses_nothing",
            ),
        )
        for part in ("fan-out", "worker")
    ),
    *(
        Cell(
            Fault.DATABASE,
            part,
            "the database queries of the part fail",
            None,
            _AGAIN,
            "all stored data",
            "restarts automatically after 1 to 30 s",
            (_BEGINS,),
        )
        for part in ("mail", "pruning")
    ),
    Cell(
        Fault.DATABASE,
        "serving",
        "the control-plane database cannot be opened, or does not answer",
        None,
        "firm_database_reachable",
        "cached keys keep working for 15 minutes; others get 503; counts wait in memory",
        "retries, first after two seconds",
        (
            _API + "observability/test_delivery_health.py::test_ready_while_the_database_is_away",
            _API + "http/test_authenticator.py::test_a_key_that_worked_goes_on_while_it_cannot_be_looked_up",
            _API + "observability/test_data_health.py::test_without_its_database_the_service_says_that_it_is_away",
        ),
    ),
)
UNTOUCHED: Final = (
    Untouched(Fault.DATABASE, ("export",), "`firm export` reads a release and uses no database server"),
)
