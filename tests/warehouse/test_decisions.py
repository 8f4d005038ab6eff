"""Judgements of holders: rows that are only ever added, and what is in force of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from warehouse.decisions import (
    CorruptDecisionLogError,
    DecisionLog,
    DecisionRecord,
    IrreversibleDecisionError,
    merge_decision_logs,
)
from warehouse.schema.codes import ERASED
from warehouse.schema.decisions import DIFFERENT, SAME, HolderDecision
from warehouse.storage.layout import Layout

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
COMPANY = "firm:NO:923609016"


def said(one: str, other: str, verdict: str = SAME, company: str = COMPANY) -> DecisionRecord:
    return DecisionRecord(0, company.split(":")[1], company, one, other, verdict, "anna", AT, "the same house")


def test_rows_are_numbered_and_kept_with_who_when_and_why(layout: Layout) -> None:
    store = DecisionLog(layout)
    first, second = store.add(said("own_a", "own_b")), store.add(said("own_a", "own_c", DIFFERENT))
    assert (first.number, second.number) == (1, 2)
    assert DecisionLog(layout).all() == (first, second)
    assert (first.by, first.at, first.reason) == ("anna", AT, "the same house")


def test_a_reversal_is_a_row_too_and_only_what_is_not_taken_back_is_in_force(layout: Layout) -> None:
    store = DecisionLog(layout)
    store.add(said("own_a", "own_b"))
    store.add(said("own_c", "own_d", DIFFERENT))
    back = store.reverse(1, "bo", AT, "two houses")
    assert (back.number, back.reverses, back.company_id, back.by) == (3, 1, COMPANY, "bo")
    assert [row.number for row in store.all()] == [1, 2, 3]
    assert store.holder_decisions("NO") == (HolderDecision(COMPANY, "own_c", "own_d", is_same=False),)
    assert store.holder_decisions("NO", 0) == ()
    assert store.holder_decisions("SE") == ()


@pytest.mark.parametrize(("number", "why"), [(9, "no decision 9"), (1, "already reversed"), (2, "make a new one")])
def test_what_cannot_be_taken_back_is_told(layout: Layout, number: int, why: str) -> None:
    store = DecisionLog(layout)
    store.add(said("own_a", "own_b"))
    store.reverse(1, "bo", AT, "two houses")
    before = layout.decision_log_file.read_bytes()
    with pytest.raises(IrreversibleDecisionError, match=why):
        store.reverse(number, "bo", AT, "why not")
    assert layout.decision_log_file.read_bytes() == before


def test_a_row_that_a_kill_cut_off_is_no_row(layout: Layout) -> None:
    store = DecisionLog(layout)
    first = store.add(said("own_a", "own_b"))
    with layout.decision_log_file.open("ab") as handle:
        handle.write(b'{"number": 2, "market"')
    assert store.all() == (first,)
    second = store.add(said("own_c", "own_d"))
    assert store.all() == (first, second)


@pytest.mark.parametrize("line", [b"{}\n", b"nonsense\n", b"[1]\n"])
def test_a_damaged_line_is_named_and_nothing_is_guessed(layout: Layout, line: bytes) -> None:
    store = DecisionLog(layout)
    store.add(said("own_a", "own_b"))
    with layout.decision_log_file.open("ab") as handle:
        handle.write(line)
    with pytest.raises(CorruptDecisionLogError, match="line 2"):
        store.all()


def test_a_missing_line_is_told(layout: Layout) -> None:
    store = DecisionLog(layout)
    store.add(said("own_a", "own_b"))
    store.add(said("own_c", "own_d"))
    lines = layout.decision_log_file.read_bytes().splitlines(keepends=True)
    layout.decision_log_file.write_bytes(lines[1])
    with pytest.raises(CorruptDecisionLogError, match="missing"):
        store.all()


def test_redact_reasons_changes_nothing_else(layout: Layout) -> None:
    store = DecisionLog(layout)
    first, second = store.add(said("own_a", "own_b")), store.add(said("own_c", "own_d", DIFFERENT))
    store.redact_reasons(lambda row: ERASED if row.one == "own_a" else row.reason)
    assert store.all() == (replace(first, reason=ERASED), second)
    before = layout.decision_log_file.stat().st_mtime_ns
    store.redact_reasons(lambda row: row.reason)
    assert layout.decision_log_file.stat().st_mtime_ns == before


def test_merge_of_two_copies_keeps_what_one_of_them_has_erased(layout: Layout) -> None:
    store = DecisionLog(layout)
    store.add(said("own_a", "own_b"))
    former = layout.decision_log_file.read_bytes()
    store.redact_reasons(lambda _: ERASED)
    erased = layout.decision_log_file.read_bytes()
    store.add(said("own_c", "own_d"))
    longer = layout.decision_log_file.read_bytes()
    assert merge_decision_logs(former, erased) == merge_decision_logs(erased, former) == erased
    assert merge_decision_logs(former, longer) == merge_decision_logs(longer, former) == longer
    assert merge_decision_logs(b"", former) == former
    assert merge_decision_logs(former, former.replace(b"own_a", b"own_z")) is None
    assert merge_decision_logs(former, former.replace(b"same house", b"same hut")) is None
