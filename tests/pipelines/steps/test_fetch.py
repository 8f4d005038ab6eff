"""The plan of a fetch: what is looked up, and that a staged batch gets nothing more. Plain data, no files."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from connectors.contract.dataset import AbsenceCheck, Cursor
from pipelines.steps.fetch import BatchStagedError, FetchState, plan_fetch
from pipelines.steps.lookups import LookupBacklog, MissingRecords
from tests.pipelines.invented import MARKET

NAMED = {"fi_register": pl.DataFrame({"number": ["1", "2"]})}
CHECK = AbsenceCheck("3", "fi_register", ("3",))
MISSING = MissingRecords({"fi_register": "fi.register/b1"}, NAMED, {})
ASKING = replace(
    MARKET.datasets[1],
    fetch=lambda _http, _cursor, _subjects: iter(()),
    subjects_to_fetch=lambda rows: iter(rows["fi_register"]["number"]),
    absences_to_confirm=lambda absent, _present: iter([CHECK] if absent is NAMED else []),
)


@pytest.mark.parametrize("newest", ["b2", "b3"])
def test_plan_fetch_of_a_batch_that_is_staged_or_overtaken_is_refused(newest: str) -> None:
    with pytest.raises(BatchStagedError, match=f"batch b2 is not fetched again, since batch {newest}"):
        plan_fetch(FetchState("b2", newest), ASKING)
    assert plan_fetch(FetchState("b2", "b1", cursor="7"), ASKING).cursor == Cursor("7")


def test_plan_fetch_looks_up_the_backlog_and_what_a_snapshot_lacks() -> None:
    progress = {"fi.register": "b1"}
    before = {"fi.register": "b0"}
    backlog = LookupBacklog({name: rows.lazy() for name, rows in NAMED.items()}, progress, before)
    known = FetchState("b2", is_live=True, backlog=backlog, missing=MISSING)
    plan = plan_fetch(known, ASKING)
    assert (plan.absence_checks, plan.snapshots, list(plan.subjects)) == ((CHECK,), MISSING.snapshots, ["1", "2"])
    assert (plan.processed, plan.processed_before) == (progress, before)
    assert (plan.is_query, plan.is_streamed) == (True, False)


def test_plan_fetch_of_a_folder_looks_up_nothing() -> None:
    plan = plan_fetch(FetchState("b2"), ASKING)
    assert (plan.absence_checks, list(plan.subjects), plan.processed, plan.is_query) == (None, [], None, False)
