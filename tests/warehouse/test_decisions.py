"""Judgements of holders: rows that are only ever added, and what is in force of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from warehouse.decisions import CorruptDecisionLogError, DecisionLog, DecisionRecord, IrreversibleDecisionError
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
