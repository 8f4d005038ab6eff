from __future__ import annotations

import subprocess
import sys
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import pairwise

import polars as pl
import pytest

from tests.warehouse import kills
from tests.warehouse.helpers import ROOT, company, day, event, ids, killed_at, rows
from tests.warehouse.kills import STAGED, staged_rows
from warehouse.history import database
from warehouse.history.history import AlreadyLockedError, MarketHistory
from warehouse.schema.tables import COMPANIES, EVENTS, HOLDINGS, OWNERS
from warehouse.storage.atomic_files import ignore_step
from warehouse.storage.duckdb import open_database
from warehouse.storage.layout import Layout

ONE = "firm:NO:900000001"


def _present(frame: pl.DataFrame, at: int, *, company_id: str | None = ONE) -> pl.DataFrame:
    return frame.with_columns(
        pl.lit(company_id, pl.String).alias("_company_id"),
        pl.lit(day(at)).alias("_observed_at"),
        pl.lit(f"sha{at}").alias("_raw"),
    )


def test_the_same_image_again_changes_nothing(layout: Layout) -> None:
    frame = rows(COMPANIES, company(1), company(2))
    with MarketHistory(layout, "NO") as history:
        first = history.merge_snapshot(COMPANIES, frame, ids(frame), day(0))
        assert first.added.equals(frame)
        assert first.known.to_list() == []
        revision = history.revision
        second = history.merge_snapshot(COMPANIES, frame, ids(frame), day(1))
        assert second.is_empty
        assert sorted(second.known) == ids(frame).to_list()
        assert history.revision == revision


def test_columns_that_say_how_we_learned_it_change_nothing(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        for at, source in enumerate(("[1]", "[2]")):
            frame = rows(COMPANIES, company(1, sources=source, observed_at=day(at)))
            changes = history.merge_snapshot(COMPANIES, frame, ids(frame), day(at))
        assert changes.is_empty


def test_changes_carry_before_and_after_of_the_same_keys(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        before = rows(COMPANIES, company(1), company(2, employees=None), company(3))
        history.merge_snapshot(COMPANIES, before, ids(before), day(0))
        after = rows(COMPANIES, company(1), company(2, employees=0), company(4))
        changes = history.merge_snapshot(COMPANIES, after, pl.concat([ids(before), ids(after)]), day(1))
        assert changes.added["name"].to_list() == ["Firma 4 AS"]
        assert changes.removed["name"].to_list() == ["Firma 3 AS"]
        assert changes.changed_before["employees"].to_list() == [None]
        assert changes.changed_after["employees"].to_list() == [0]
        assert changes.companies.to_list() == [f"firm:NO:90000000{number}" for number in (2, 3, 4)]
        assert sorted(changes.known) == [f"firm:NO:90000000{number}" for number in (1, 2, 3)]
        assert history.rows_known_at(COMPANIES, day(0)).select(before.columns).equals(before)
        assert history.rows_known_at(COMPANIES, day(1)).select(after.columns).equals(after)


def test_merge_an_empty_list_that_becomes_unknown_is_a_change(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        for at, names in enumerate(([], None, [])):
            frame = rows(COMPANIES, company(1, previous_names=names))
            changes = history.merge_snapshot(COMPANIES, frame, ids(frame), day(at))
            assert history.current_rows(COMPANIES)["previous_names"].to_list() == [names]
            assert changes.changed_after["previous_names"].to_list() == ([names] if at else [])


def test_companies_that_are_not_touched_stay_as_they_are(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        both = rows(COMPANIES, company(1), company(2))
        history.merge_snapshot(COMPANIES, both, ids(both), day(0))
        one = rows(COMPANIES, company(1, name="Ny AS"))
        history.merge_snapshot(COMPANIES, one, ids(one), day(1))
        assert history.current_rows(COMPANIES)["name"].to_list() == ["Ny AS", "Firma 2 AS"]
        assert history.current_rows(COMPANIES, ids(one))["name"].to_list() == ["Ny AS"]


def test_a_key_twice_or_null_is_refused(layout: Layout) -> None:
    twice = rows(COMPANIES, company(1), company(1))
    with MarketHistory(layout, "NO") as history:
        with pytest.raises(ValueError, match="null or duplicated"):
            history.merge_snapshot(COMPANIES, twice, ids(twice), day(0))
        assert history.current_rows(COMPANIES).is_empty()


def test_a_late_image_fills_and_was_not_known_before(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        new = rows(COMPANIES, company(1, name="New"))
        history.merge_snapshot(COMPANIES, new, ids(new), day(5))
        late = rows(COMPANIES, company(1, name="New"), company(2))
        changes = history.merge_snapshot(COMPANIES, late, ids(late), day(3))
        assert changes.added["name"].to_list() == ["Firma 2 AS"]
        assert history.rows_known_at(COMPANIES, day(4))["name"].to_list() == ["Firma 2 AS"]
        assert history.rows_known_at(COMPANIES, day(5))["name"].to_list() == ["New", "Firma 2 AS"]


def test_what_an_earlier_instant_replaces_was_never_known(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        for at, name in ((5, "A"), (3, "B")):
            frame = rows(COMPANIES, company(1, name=name))
            history.merge_snapshot(COMPANIES, frame, ids(frame), day(at))
        assert history.rows_known_at(COMPANIES, day(4)).is_empty()
        found = history.rows_known_at(COMPANIES, day(6))
        assert found["name"].to_list() == ["B"]
        assert found["known_from"].to_list() == [day(5)]


def _owner(pct: int, as_of: date, **given: object) -> dict[str, object]:
    shares = {"pct": Decimal(pct), "pct_min": Decimal(pct), "pct_max": Decimal(pct), "basis": "exact"}
    return {"company_id": ONE, "holder_id": "own_a", **shares, "as_of": as_of, **given}


def test_a_later_beginning_keeps_the_former_row_as_a_span_of_the_world(layout: Layout) -> None:
    touched = pl.Series([ONE])
    with MarketHistory(layout, "NO") as history:
        for at, (pct, as_of) in enumerate(((10, date(2025, 1, 1)), (20, date(2025, 6, 1)))):
            history.merge_snapshot(OWNERS, rows(OWNERS, _owner(pct, as_of)), touched, day(at))
        now = history.rows_known_at(OWNERS, day(1)).select("pct", "as_of", "valid_to", "known_from", "known_to")
        assert now.rows() == [
            (Decimal(10), date(2025, 1, 1), date(2025, 6, 1), day(1), None),
            (Decimal(20), date(2025, 6, 1), None, day(1), None),
        ]
        then = history.rows_known_at(OWNERS, day(0)).select("pct", "valid_to", "known_to")
        assert then.rows() == [(Decimal(10), None, day(1))]


def test_a_correction_from_the_same_day_leaves_no_span(layout: Layout) -> None:
    touched = pl.Series([ONE])
    with MarketHistory(layout, "NO") as history:
        for at, pct in enumerate((10, 11)):
            history.merge_snapshot(OWNERS, rows(OWNERS, _owner(pct, date(2025, 1, 1))), touched, day(at))
        assert history.rows_known_at(OWNERS, day(1))["pct"].to_list() == [Decimal(11)]
        assert history.rows_known_at(OWNERS, day(0))["pct"].to_list() == [Decimal(10)]


def test_a_backdated_correction_cuts_the_spans_it_covers(layout: Layout) -> None:
    touched = pl.Series([ONE])
    starts = (date(2025, 1, 1), date(2025, 6, 1), date(2025, 3, 1))
    with MarketHistory(layout, "NO") as history:
        for at, (pct, start) in enumerate(zip((10, 20, 30), starts, strict=True)):
            history.merge_snapshot(OWNERS, rows(OWNERS, _owner(pct, start)), touched, day(at))
        now = history.rows_known_at(OWNERS, day(2)).select("pct", "as_of", "valid_to").rows()
        assert now == [(Decimal(10), starts[0], starts[2]), (Decimal(30), starts[2], None)]


def _holding(low: int, since: date | None) -> dict[str, object]:
    return {"company_id": ONE, "register": "no.x", "native_id": "1", "pct_min": Decimal(low), "valid_from": since}


@pytest.mark.parametrize("gone_between", [False, True])
def test_merge_a_row_without_a_start_leaves_no_day_two_rows(layout: Layout, *, gone_between: bool) -> None:
    starts = (None, date(2025, 1, 1), date(2025, 6, 1), None, date(2025, 9, 1))
    with MarketHistory(layout, "NO") as history:
        for at, since in enumerate(starts):
            if gone_between:
                history.merge_snapshot(HOLDINGS, rows(HOLDINGS), pl.Series([ONE]), day(2 * at))
            history.merge_snapshot(HOLDINGS, rows(HOLDINGS, _holding(at, since)), pl.Series([ONE]), day(2 * at + 1))
            found = history.rows_known_at(HOLDINGS, day(2 * at + 1)).select("valid_from", "valid_to").rows()
            spans = sorted((start or date.min, end or date.max) for start, end in found)
            assert all(before[1] <= after[0] for before, after in pairwise(spans)), spans
        assert history.rows_known_at(HOLDINGS, day(7))["pct_min"].to_list() == [Decimal(3)], "it is of every day"
        kept = [Decimal(2)] if gone_between else [Decimal(1), Decimal(2)]
        assert history.rows_known_at(HOLDINGS, day(6 - gone_between))["pct_min"].to_list()[-len(kept) :] == kept


def test_an_end_in_the_world_is_an_end_of_the_span(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        for at, ended in enumerate((None, date(2025, 9, 1))):
            frame = rows(OWNERS, _owner(10, date(2025, 1, 1), ended_on=ended))
            history.merge_snapshot(OWNERS, frame, pl.Series([ONE]), day(at))
        assert history.rows_known_at(OWNERS, day(1))["valid_to"].to_list() == [date(2025, 9, 1)]


def test_present_rows_newer_wins_and_only_content_touches(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        upsert = partial(history.upsert_present, STAGED)
        assert upsert(_present(staged_rows(("1", "A")), 0)).to_list() == [ONE]
        assert upsert(_present(staged_rows(("1", "A")), 2)).to_list() == []
        assert upsert(_present(staged_rows(("1", "B")), 1)).to_list() == []  # late: older than what is there
        assert upsert(_present(staged_rows(("1", "C"), ("1", "D")), 2)).to_list() == [ONE]  # a tie: the later
        [row] = history.present_rows(STAGED).collect().rows(named=True)
        assert (row["Navn, «rart»"], row["_observed_at"], row["_raw"]) == ("D", day(2), "sha2")


def test_absent_records_are_retired_and_come_back(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        history.upsert_present(STAGED, _present(staged_rows(("1", "A"), ("2", "B")), 0))
        assert history.soft_delete_absent(STAGED, staged_rows(("1", "A")), day(0)).to_list() == []  # seen that day
        assert history.soft_delete_absent(STAGED, staged_rows(("1", "A")), day(1)).to_list() == [ONE]
        assert history.present_counts([STAGED]) == {STAGED.name: 1}
        assert history.soft_delete_absent(STAGED, staged_rows(("1", "A")), day(2)).to_list() == []
        found = history.present_rows_of([STAGED], pl.Series([ONE]))[STAGED.name].collect().sort("number")
        assert found["_retired_at"].to_list() == [None, day(1)]
        assert history.upsert_present(STAGED, _present(staged_rows(("2", "B")), 3)).to_list() == [ONE]
        assert history.present_counts([STAGED]) == {STAGED.name: 2}


def test_a_record_that_changes_its_company_touches_both(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        history.upsert_present(STAGED, _present(staged_rows(("1", "A")), 0, company_id="firm:NO:1"))
        found = history.upsert_present(STAGED, _present(staged_rows(("1", "B")), 1, company_id="firm:NO:2"))
        assert found.to_list() == ["firm:NO:1", "firm:NO:2"]
        nobody = history.upsert_present(STAGED, _present(staged_rows(("2", "B")), 1, company_id=None))
        assert nobody.to_list() == []


def test_how_far_a_dataset_has_come(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        assert history.baseline_instant("no.x") is None
        for at in (3, 5, 1):
            history.advance_watermark("no.x", day(at))
        assert history.baseline_instant("no.x") == day(3)
        assert history.high_watermark("no.x") == day(5)


def test_known_time_never_goes_back(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        assert history.known_until() is None
        history.advance_watermark("no.x", day(3))
        assert history.known_until() == day(3), "what a history of an earlier version has"
        for at in (5, 4):
            history.advance_known_time(day(at))
        assert history.known_until() == day(5)
        history.advance_watermark("no.x", day(7))
    with MarketHistory(layout, "NO") as history:
        assert history.known_until() == day(7)


def test_the_outbox_holds_an_event_once(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        history.add_to_outbox(rows(EVENTS, event("b"), event("a")))
        history.add_to_outbox(rows(EVENTS, event("a"), event("c", at=day(-1))))
        assert history.outbox_events()["event_id"].to_list() == ["evt_c", "evt_a", "evt_b"]
        history.clear_outbox(pl.Series(["evt_a", "evt_other"]))
        assert history.outbox_events()["event_id"].to_list() == ["evt_c", "evt_b"]


def test_outbox_of_an_earlier_edition_keeps_its_events_before_those_since(layout: Layout) -> None:
    with MarketHistory(layout, "NO") as history:
        history.add_to_outbox(rows(EVENTS, event("old", at=day(9))))
    path = layout.history_file("NO")
    with open_database(path) as connection:  # as a version left it that did not know the column
        connection.execute("ALTER TABLE outbox DROP COLUMN known_at")
    with MarketHistory(layout, "NO") as history:
        history.add_to_outbox(rows(EVENTS, event("new", at=day(1))))
        waiting = history.outbox_events()
    assert waiting["event_id"].to_list() == ["evt_old", "evt_new"]
    assert waiting["known_at"].to_list() == [None, day(1)]
    assert not database.has_mixed_schema_versions(path)


def test_all_of_a_failed_transaction_is_undone(layout: Layout) -> None:
    frame = rows(COMPANIES, company(1))
    with MarketHistory(layout, "NO") as history:
        with pytest.raises(ZeroDivisionError):
            _fail_after(history, frame)
        assert history.current_rows(COMPANIES).is_empty()
        assert history.recorded_keys("image") == frozenset()
        assert history.present_rows(STAGED).collect().is_empty()


def _fail_after(history: MarketHistory, frame: pl.DataFrame) -> None:
    with history.transaction():
        history.merge_snapshot(COMPANIES, frame, ids(frame), day(0))
        history.upsert_present(STAGED, _present(staged_rows(("1", "A")), 0))
        history.record_step("image", "1")
        _ = 1 / 0


def test_a_second_writer_is_refused_in_this_process_and_another(layout: Layout) -> None:
    script = (
        "import sys, pathlib\n"
        "from warehouse.history.history import MarketHistory, AlreadyLockedError\n"
        "from warehouse.storage.layout import Layout\n"
        "try:\n"
        "    MarketHistory(Layout(pathlib.Path(sys.argv[1])), 'NO').__enter__()\n"
        "except AlreadyLockedError as error:\n"
        "    print(error)\n"
    )
    with MarketHistory(layout, "NO"):
        with pytest.raises(AlreadyLockedError, match="history of market NO is being written by process"):
            MarketHistory(layout, "NO").__enter__()
        done = subprocess.run(
            [sys.executable, "-c", script, str(layout.root)], capture_output=True, text=True, cwd=ROOT, check=True
        )
        assert "is being written by process" in done.stdout
        with MarketHistory(layout, "SE"):
            pass
    with MarketHistory(layout, "NO"):
        pass


def test_a_file_that_is_mostly_holes_is_written_anew(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warehouse.history.database.FEWEST_FREE_BLOCKS", 1)
    monkeypatch.setattr("warehouse.history.database.LARGEST_FREE_SHARE", 0.1)
    many = rows(COMPANIES, *(company(number, website=str(number) * 50) for number in range(3000)))
    for at in range(3):
        with MarketHistory(layout, "NO") as history:
            history.merge_snapshot(COMPANIES, many.with_columns(employees=pl.lit(at)), ids(many), day(at))
    with MarketHistory(layout, "NO") as history:
        history.merge_snapshot(COMPANIES, many.clear(), ids(many), day(3))
        assert history.rows_known_at(COMPANIES, day(1))["employees"].unique().to_list() == [1]
    with MarketHistory(layout, "NO") as history:
        assert history.revision == 4
        assert history.rows_known_at(COMPANIES, day(2)).height == 3000


def test_a_column_that_the_declaration_gains_is_added(layout: Layout) -> None:
    shorter = type(STAGED)(STAGED.name, STAGED.description, STAGED.key, STAGED.columns[:1])
    with MarketHistory(layout, "NO") as history:
        history.upsert_present(shorter, _present(staged_rows(("1", "A")).select("number"), 0))
    with MarketHistory(layout, "NO") as history:
        assert history.upsert_present(STAGED, _present(staged_rows(("1", "A")), 1)).to_list() == [ONE]


@pytest.mark.slow
def test_killed_at_any_step_all_of_a_run_is_there_or_none(layout: Layout) -> None:
    kills.learn(layout.root, ignore_step)
    at = 1
    while killed_at(partial(kills.learn, layout.root, name="Ny AS", at=1), at):
        with MarketHistory(layout, "NO") as history:
            done = "batch1" in history.recorded_keys("image")
            assert history.current_rows(COMPANIES)["name"][0] == ("Ny AS" if done else "Firma 1 AS")
            assert history.outbox_events().height == (2 if done else 1)
            assert history.high_watermark("no.x") == day(int(done))
            assert history.present_rows(STAGED).collect()["_observed_at"].item() == day(int(done))
        at += 1
    assert at >= 4


def test_history_of_another_edition_is_mixed_until_it_is_rebuilt(layout: Layout) -> None:
    path = layout.history_file("FI")
    with MarketHistory(layout, "FI"):
        pass
    assert not database.has_mixed_schema_versions(path)
    with open_database(path) as connection:
        connection.execute("UPDATE identity SET edition = 'of other tables'")
    assert database.has_mixed_schema_versions(path)
